/*
 * links - what the links of the fabric did: the hottest ones, or all of them.
 *
 * A link's order is by busy time to the ps, then by number, so that figures whose last digits
 * depend on the order of additions (folded or not) never change a table.
 */
#ifndef ORRERY_REPORT_LINKS_H
#define ORRERY_REPORT_LINKS_H

#include <stdio.h>

#include "config/config.h"
#include "report/json_writer.h"
#include "stats/result.h"

enum { LINKS_HOTTEST = 8, LINKS_IN_JSON = 64 };

/* The numbers of the at most `most` hottest of `count` links that carried anything, hottest first;
 * returns how many. */
uint32_t links_hottest(const struct link_figures *figures, uint32_t count, uint32_t most,
                       uint32_t *link);

/* Nothing is printed if the network model sees no links. */
void links_text(const struct run_result *result, const struct config *config, FILE *out);
void links_json(const struct run_result *result, const struct config *config,
                struct json_writer *json);

/* Every link: number, ends, dimension, bandwidth, figures. */
void links_csv(const struct run_result *result, const struct config *config, FILE *out);

#endif
