/*
 * outcome - what one side of a comparison says, whatever kind of file it came from.
 *
 * Rules:
 *  1. Times are picoseconds, signed: ASTRA-sim's exposed communication can be below zero.
 *     OUTCOME_UNSAID is what a side does not say; it is never taken for 0.
 *  2. `grain_ps` is the least difference the side can tell: 1000 for a log in cycles of 1 ns.
 *  3. Names and classes are numbers of `words`, which both sides of a comparison share.
 *  4. Ranks are in ascending order after outcome_close(), each once. Ops are in no order.
 *  5. All memory is the outcome's arena; `words` is borrowed.
 */
#ifndef ORRERY_COMPARE_OUTCOME_H
#define ORRERY_COMPARE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "base/table.h"

#define OUTCOME_UNSAID  INT64_MIN
#define OUTCOME_NO_SIZE UINT64_MAX

/* X(enumerator, key, words, meaning) - what a side may say of a rank. */
#define RANK_FIGURE_LIST(X)                                                                        \
    X(RANK_FINISH, "finish", "finish", "when the rank had done everything")                        \
    X(RANK_EXPOSED, "exposed", "exposed",                                                          \
      "finish less the sum of compute durations: ASTRA-sim's exposed communication")               \
    X(RANK_COMPUTE_SUM, "compute_sum", "compute, sum", "sum of the durations of device compute")   \
    X(RANK_COMPUTE, "compute", "compute", "time in which device compute runs")                     \
    X(RANK_COMMUNICATION, "communication", "communication",                                        \
      "time in which communication runs, also under compute")                                      \
    X(RANK_ALONE, "communication_alone", "comm. alone",                                            \
      "time in which communication runs and no compute does")

enum rank_figure {
#define X(name, key, words, meaning) name,
    RANK_FIGURE_LIST(X)
#undef X
        RANK_FIGURE_COUNT
};

extern const char *const rank_figure_keys[];     /* "finish" */
extern const char *const rank_figure_words[];    /* "finish" */
extern const char *const rank_figure_meanings[]; /* a sentence, without its end */

struct outcome_rank {
    uint32_t rank;
    int64_t figure_ps[RANK_FIGURE_COUNT]; /* or OUTCOME_UNSAID */
};

struct outcome_op {
    uint32_t rank;
    uint32_t name, class;  /* of `words` */
    uint32_t order;        /* in the file: decides between equal begins */
    int64_t begin_ps;      /* or OUTCOME_UNSAID */
    int64_t duration_ps;   /* 0 or more */
    int32_t collective;    /* enum collective_kind, or -1 */
    uint32_t group_size;   /* 0: not said */
    uint64_t size_bytes;   /* of a collective, as model/trace.h rule 5; or OUTCOME_NO_SIZE */
    bool is_compute;       /* on the device */
    bool is_communication; /* collective, send, receive */
};

/* Collectives of one kind and group size together, from a side that has no ops. */
struct outcome_collective {
    int32_t kind; /* enum collective_kind */
    uint32_t group_size;
    uint64_t count;
    double size_bytes; /* sum */
    double time_ps;    /* sum */
};

struct outcome_step {
    uint64_t step;
    uint32_t rank; /* UINT32_MAX: not said */
    int64_t time_ps;
};

/* An input file, or a setting (hash NULL), that the side was made from. */
struct outcome_input {
    const char *key;   /* "network", "trace workload.0.et"; "system.dataset-splits" */
    const char *value; /* content hash, or the setting's value */
    const char *note;  /* path of a file, source of a setting */
    bool is_file;
};

struct outcome {
    struct arena arena;
    struct names *words;
    const char *path, *kind; /* kind in words: "ASTRA-sim log" */
    int64_t grain_ps;
    int64_t end_ps;        /* of the whole, or OUTCOME_UNSAID */
    uint32_t ranks_in_all; /* that the side says there are, or 0 */
    bool exposed_wraps;    /* an exposed time below zero was in the file as a wrapped uint64 */

    struct outcome_rank *rank;
    uint32_t rank_count, rank_room;
    struct table by_rank; /* number to index */
    struct outcome_op *op;
    uint32_t op_count, op_room;
    struct outcome_collective *collective;
    uint32_t collective_count, collective_room;
    struct outcome_step *step;
    uint32_t step_count, step_room;
    struct outcome_input *input;
    uint32_t input_count, input_room;
    struct notices notices;
};

void outcome_init(struct outcome *outcome, struct names *words);
void outcome_release(struct outcome *outcome);

/* Each returns what was added, with nothing said; valid until the next of its sort is added. */
struct outcome_rank *outcome_add_rank(struct outcome *outcome, uint32_t rank);
struct outcome_op *outcome_add_op(struct outcome *outcome, uint32_t rank, const char *name,
                                  const char *class);
struct outcome_collective *outcome_add_collective(struct outcome *outcome, int32_t kind);
void outcome_add_step(struct outcome *outcome, uint64_t step, uint32_t rank, int64_t time_ps);
void outcome_add_input(struct outcome *outcome, const struct outcome_input *input);

/* The rank, or NULL; the first of that number. */
struct outcome_rank *outcome_find_rank(const struct outcome *outcome, uint32_t rank);

/* Forgets ranks that do not say when they finished; returns how many. */
uint32_t outcome_drop_unfinished(struct outcome *outcome);

/*
 * Ends the reading of a side: sorts ranks, derives their figures from ops where nothing was said
 * (outcome_figures.h), and the end from the ranks. Two ranks of one number are STATUS_BAD_INPUT.
 */
enum status outcome_close(struct outcome *outcome, struct diag *diag);

const char *outcome_word(const struct outcome *outcome, uint32_t number);

/* `ns` as picoseconds; false if it is 2^63 ps (106 days) or more. */
bool outcome_ps_of_ns(uint64_t ns, int64_t *ps);

#endif
