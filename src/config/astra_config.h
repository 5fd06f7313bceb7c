/*
 * astra_config - ASTRA-sim's own input files: network YAML, system JSON, remote-memory JSON.
 *
 * Rules:
 *  1. Each loader fills its part of `config`, notes where every value came from, and says in
 *     `notices` what it ignored or cut. The files mean to us what they mean to ASTRA-sim (518bd51),
 *     where that is defined; where it would crash or read nonsense, they are refused.
 *  2. GB/s: 2^30 bytes in the network file, 10^9 in the two others.
 *  3. Unknown keys are ignored with a notice, as ASTRA-sim ignores them silently.
 */
#ifndef ORRERY_CONFIG_ASTRA_CONFIG_H
#define ORRERY_CONFIG_ASTRA_CONFIG_H

#include "base/doc.h"
#include "config/config.h"

/* Lists topology, npus_count, bandwidth, latency: one entry per dimension. */
enum status astra_network_load(struct config *config, const char *path, struct notices *notices,
                               struct diag *diag);

/*
 * `injection_scale` multiplies endpoint-delay if the file gives one (the product is truncated), as
 * ASTRA-sim's option of that name does.
 */
enum status astra_system_load(struct config *config, const char *path, double injection_scale,
                              struct notices *notices, struct diag *diag);

enum status astra_memory_load(struct config *config, const char *path, struct notices *notices,
                              struct diag *diag);

/* The same from documents already parsed. */
enum status astra_network_read(struct config *config, const struct doc *doc,
                               struct notices *notices, struct diag *diag);
enum status astra_system_read(struct config *config, const struct doc *doc, double injection_scale,
                              struct notices *notices, struct diag *diag);
enum status astra_memory_read(struct config *config, const struct doc *doc, struct notices *notices,
                              struct diag *diag);

#endif
