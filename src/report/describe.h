/*
 * describe - a run's configuration and inputs in words, shared by the formats.
 */
#ifndef ORRERY_REPORT_DESCRIBE_H
#define ORRERY_REPORT_DESCRIBE_H

#include "report/report.h"

enum { DESCRIBE_TEXT = 512 };

/* These fill `to` (DESCRIBE_TEXT bytes, cut to fit) and return it. */

/* "Ring 8 @ 53.69 GB/s 500 ns x Switch 2 @ 26.84 GB/s 1 us" */
const char *describe_network(char *to, const struct network_config *network);

/* "ring, oneDirect4" per dimension; "custom PREFIX"; "none" if not configured. */
const char *describe_algorithm(char *to, const struct algorithm_list *list);

/* "chakra-et 0.0.4, chakra-json": the distinct formats in order of first use. */
const char *describe_formats(char *to, const struct workload *workload);

/* One hash over all traces in order of first use. */
uint64_t describe_trace_hash(const struct workload *workload);

/* True for a provenance row that names how the run was folded: see rule 3 of report.h. */
bool describe_is_fold_row(const struct provenance *row);

/* "ops 5 %, ranks 3 % (lognormal); rank 17: 1.3x": what varies, without seed and sample. */
const char *describe_variation(char *to, const struct variation_config *variation);

/* "simulated 1 class of 8 ranks: same trace, ..."; the only text that depends on folding. */
const char *describe_fold(char *to, const struct run_result *result);

#endif
