/*
 * resolve - gives a loaded configuration its fabric.
 */
#ifndef ORRERY_NET_TOPOLOGY_RESOLVE_H
#define ORRERY_NET_TOPOLOGY_RESOLVE_H

#include "config/config.h"

/*
 * Called once, after all loaders and overrides and before config_finish(). A topology without a
 * backend means `flow`. For backends that see links: builds network.fabric from network.topology,
 * or from the dimensions, applies network.changes, and sets dim[] and npu_count from it. Fails if
 * one of ASTRA-sim's backends is asked for a topology that has no dimensions of theirs. What the
 * topology's file left to guess goes to `notices` (or nowhere, if NULL), once, however often this
 * is called with them.
 */
enum status topology_resolve(struct config *config, struct notices *notices, struct diag *diag);

#endif
