/*
 * link_out - what the links of a run did, in a file of its own: the options --heat-map (the fabric
 * drawn with it) and --links (every link, as CSV).
 *
 * Files are complete or not there. If the network model saw no links, a usage error says which do.
 */
#ifndef ORRERY_CLI_LINK_OUT_H
#define ORRERY_CLI_LINK_OUT_H

#include "base/diag.h"
#include "config/config.h"
#include "stats/result.h"

/* SVG; utilisation is busy time over the whole run. */
enum status link_out_heat_map(const char *path, const struct run_result *result,
                              const struct config *config, struct diag *diag);

/* The rows of report/links.h: links_csv(). */
enum status link_out_table(const char *path, const struct run_result *result,
                           const struct config *config, struct diag *diag);

#endif
