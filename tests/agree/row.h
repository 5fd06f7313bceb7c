/*
 * row - one line of reference.jsonl or scaling.jsonl: what ASTRA-sim was given and what it said.
 *
 * Rules:
 *  1. A row owns its document; all text and lists are borrowed from it until row_release().
 *  2. ASTRA-sim's answer per rank may be absent (large cases): then least and most stand for it.
 */
#ifndef ORRERY_TESTS_AGREE_ROW_H
#define ORRERY_TESTS_AGREE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/doc.h"

/* Figures of one kind (finish, or exposed) as ASTRA-sim printed them. */
struct row_figures {
    const struct doc_node *per_rank; /* list of npus numbers (null: unfinished), or NULL */
    bool has_range;                  /* least, most are known */
    uint64_t least, most;
};

struct row {
    struct doc doc;
    const char *name;
    const char *backend; /* "congestion_unaware", "congestion_aware" */
    const char *status;  /* "ok", "crash", "deadlock", "timeout" */
    const char *note;    /* "" if none */
    const char *family;  /* scaling: "ar_ring"; "" if none */
    uint32_t npus;
    uint32_t finished;
    struct row_figures cycles, exposed;
    const struct doc_node *workload;   /* specification of the traces */
    const struct doc_node *extra_args; /* list of text */
    const char *network_yml, *system_json, *memory_json;
    double user_s;
    uint64_t peak_rss_kb;
    uint64_t messages; /* scaling; 0 if not given */
};

/* Reads all rows of a file, in its order. On success *rows is the caller's (rows_release). */
enum status rows_load(const char *path, struct row **rows, uint32_t *count, struct diag *diag);
void rows_release(struct row *rows, uint32_t count);

/* ASTRA-sim finished and its answer is to be matched. */
bool row_is_reference(const struct row *row);

/* Figure of `rank`; false if that rank has none. */
bool row_figure(const struct row_figures *figures, uint32_t rank, uint64_t *value);

#endif
