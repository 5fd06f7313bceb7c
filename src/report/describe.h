/*
 * describe - a run's configuration and inputs in words, shared by the formats.
 */
#ifndef ORRERY_REPORT_DESCRIBE_H
#define ORRERY_REPORT_DESCRIBE_H

#include "report/report.h"

enum { DESCRIBE_TEXT = 512 };

const char *describe_block(enum net_block block);            /* "Ring" */
const char *describe_backend(enum net_backend backend);      /* "congestion-unaware" */
const char *describe_compute(enum compute_model_id compute); /* "roofline" */
const char *describe_memory(enum memory_type type);          /* "per-npu" */
const char *describe_policy(enum sched_policy policy);       /* "LIFO" */
const char *describe_slot(enum algorithm_slot slot);         /* "all-reduce" */

/* These fill `to` (DESCRIBE_TEXT bytes, cut to fit) and return it. */

/* "Ring 8 @ 53.69 GB/s 500 ns x Switch 2 @ 26.84 GB/s 1 us" */
const char *describe_network(char *to, const struct network_config *network);

/* "ring, direct4" per dimension; "custom PREFIX"; "none" if not configured. */
const char *describe_algorithm(char *to, const struct algorithm_list *list);

/* One hash over all traces in order of first use. */
uint64_t describe_trace_hash(const struct workload *workload);

/* True for a provenance row that names how the run was folded: see rule 3 of report.h. */
bool describe_is_fold_row(const struct provenance *row);

/* "simulated 1 class of 8 ranks: same trace, ..."; the only text that depends on folding. */
const char *describe_fold(char *to, const struct run_result *result);

#endif
