/*
 * sweep_parts - what the engines share: the points of a study, and which of them the store lacks.
 */
#ifndef ORRERY_SWEEP_SWEEP_PARTS_H
#define ORRERY_SWEEP_SWEEP_PARTS_H

#include "base/arena.h"
#include "sweep/points.h"
#include "sweep/store.h"
#include "sweep/sweep.h"

struct sweep {
    const struct study *study;
    const struct sweep_options *options;
    const struct sweep_ops *ops;
    void *context;
    struct progress *progress;
    struct arena arena;
    struct points points;
    struct identity *request; /* [points.count]; of a part: of its points */
    uint32_t *todo;           /* ordinals without a result */
    uint32_t todo_count, next;
    struct store *store;
    struct input_list inputs;
    unsigned char *reply; /* of a worker */
    size_t reply_room;
};

/* Finds the points and their requests; progress begins. The store is not open yet. */
enum status sweep_prepare(struct sweep *sweep, struct diag *diag);

/* Counts what the open store has, and lists the rest in `todo`. */
void sweep_ask_store(struct sweep *sweep);

/* Counts what the open store has, whatever became of it. */
void sweep_count_ended(struct sweep *sweep);

/* Closes the store too. */
void sweep_release(struct sweep *sweep);

#endif
