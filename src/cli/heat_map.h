/*
 * heat_map - the option --heat-map of commands that simulate: the fabric drawn with what its links
 * did.
 */
#ifndef ORRERY_CLI_HEAT_MAP_H
#define ORRERY_CLI_HEAT_MAP_H

#include "base/diag.h"
#include "model/network.h"

/*
 * Writes an SVG to `path`, complete or not at all. `rows` has `count` links, none if the model saw
 * none: then a usage error says which models do. Utilisation is busy time over `whole_ps`.
 */
enum status heat_map_write(const char *path, const struct network_config *network,
                           const struct link_figures *rows, uint32_t count, time_ps whole_ps,
                           struct diag *diag);

#endif
