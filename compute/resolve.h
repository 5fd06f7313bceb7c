/*
 * resolve - gives a loaded configuration its device.
 */
#ifndef ORRERY_COMPUTE_RESOLVE_H
#define ORRERY_COMPUTE_RESOLVE_H

#include "config/config.h"

/*
 * Called once, after all loaders and overrides and before config_finish(). A device without a
 * compute model means `device`. Loads system.device and system.profile into config->arena and takes
 * the device's overlap-slowdown where none was given. Fails if the compute model `device` has none,
 * or another model a profile.
 */
enum status compute_resolve(struct config *config, struct notices *notices, struct diag *diag);

#endif
