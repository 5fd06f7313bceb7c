/*
 * messages - messages one by one against message-level and packet-level references: LogGOPSim
 * (endpoint costs), htsim's single flows, and ASTRA-sim over ns-3 for information.
 *
 * Rules:
 *  1. Each is a part of agree_net (agree/part/part.h). Data is below `shared`/data/peers.
 *  2. What must agree is decided by parameters of a row and by what the reference models, never by
 *     how far the result is off; what a row differs by and need not is printed with the reason.
 */
#ifndef ORRERY_TESTS_AGREE_MESSAGES_H
#define ORRERY_TESTS_AGREE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/doc.h"
#include "tests/agree/part/part.h"

/*
 * End times per rank of LogGOPSim's programs at `link` with the row's o, g and G, exact to the ns
 * where the two models are the same, and equal to the closed form where there is one.
 */
enum status agree_loggopsim(const char *shared, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag);

/* Its larger rows, which come without a program, by our own algorithms: makespans to the ns. */
enum status agree_loggopsim_large(const char *shared, bool brief, FILE *out,
                                  struct part_count *count, struct diag *diag);

/* Single flows at `link`, in segments, within 2 % of htsim's RoCE and NDP and of the closed
 * form. */
enum status agree_single_flows(const char *shared, bool brief, FILE *out, struct part_count *count,
                               struct diag *diag);

/* htsim's other rows at `link`, in segments: ratios of makespans, for information. */
enum status agree_packet_patterns(const char *shared, bool brief, FILE *out,
                                  struct part_count *count, struct diag *diag);

/* Collectives on a switch beside ASTRA-sim over ns-3: ratios, for information. */
enum status agree_ns3(const char *shared, bool brief, FILE *out, struct part_count *count,
                      struct diag *diag);

/* The rows (one JSON map a line) of `shared`/data/peers/`name`; *rows is freed by peers_release().
 * A file that is absent gives no rows. */
enum status peers_load(const char *shared, const char *name, struct doc **rows, uint32_t *count,
                       struct diag *diag);

/* No rows: says so and counts the part as skipped. */
bool peers_are_absent(uint32_t row_count, FILE *out, struct part_count *count);
void peers_release(struct doc *rows, uint32_t count);

/* Values of a map; text and 0 if absent. */
const char *peers_text(const struct doc_node *map, const char *key);
double peers_number(const struct doc_node *map, const char *key);

#endif
