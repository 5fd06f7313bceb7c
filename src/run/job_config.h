/*
 * job_config - the configuration of a generated training job: what it needs where nothing was said.
 *
 * Rules:
 *  1. Only settings whose source is still a default are set, by their keys, so that --print-config
 *     shows each and says why. What a file or the command line gave stays.
 *  2. Device queues instead of slots (system.streams), one chunk per collective and no limit on
 *     chunks at once, rates of long steps, first come first served.
 *  3. The device, the library and with it `auto` collectives with the library's costs come from the
 *     cluster's preset (net/topology/presets.h), if the topology is one; else rings.
 *  4. The framework says what a launch costs the host, and how far its kernels fall short of the
 *     device's.
 */
#ifndef ORRERY_RUN_JOB_CONFIG_H
#define ORRERY_RUN_JOB_CONFIG_H

#include "config/config.h"
#include "workloads/generate/job_spec.h"

/* Before topology_resolve(). `config` has its files and overrides; text is copied. */
enum status job_config_default(struct config *config, const struct job_spec *spec,
                               struct notices *notices, struct diag *diag);

/*
 * Refuses products of a number type that the device has no matrix units for, with the nearest that it has: they would
 * be timed at another type's rate.
 */
struct device;
enum status job_config_type(enum data_type type, const struct device *device, struct diag *diag);

#endif
