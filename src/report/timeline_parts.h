/*
 * timeline_parts - what the files of timeline_draw share. Only timeline_*.c includes it.
 */
#ifndef ORRERY_REPORT_TIMELINE_PARTS_H
#define ORRERY_REPORT_TIMELINE_PARTS_H

#include "base/grow.h"
#include "model/trace.h"
#include "report/timeline_draw.h"

enum { MOST_TRACKS = 512 };

struct lane_track {
    time_ps end;    /* of the last slice on it */
    int32_t stream; /* of its first op */
    uint8_t lane;
};

/* A rank that is shown. */
struct drawn_rank {
    uint32_t rank, seat;
    struct trace *trace;
    struct lane_track *track; /* [tracks] */
    uint32_t tracks;
};

enum item_kind { ITEM_OP, ITEM_LAUNCH, ITEM_MESSAGE, ITEM_PATH };

/* A slice. Of ITEM_PATH: `place` is none, `index` the piece. */
struct item {
    time_ps begin, end;
    uint32_t place; /* of the rank among those shown */
    uint32_t index; /* of the op in its trace */
    uint32_t in;    /* arrow that ends here, or 0 */
    uint16_t track;
    uint8_t kind; /* enum item_kind */
};

/* From an op of a rank that is shown. */
struct arrow {
    uint32_t place, index;
    uint64_t number;
};

struct sample {
    time_ps at;
    uint32_t counter; /* in drawing->counters */
    double value;
};

struct drawing {
    const struct timeline_view *view;
    const struct timeline_pick *pick;
    const struct timeline *timeline;
    const struct timeline_sink *sink;
    struct drawn_rank *rank; /* [pick->count] */
    uint32_t *of_seat;       /* [seats] place of the first rank shown of the seat, or none */
    uint32_t *path_op;       /* [path_ops] ascending: collectives on the path that waited */
    uint32_t path_ops;
    struct grow items, arrows, counters, samples; /* struct item, .. */
};

static inline uint64_t whole_ns_of(time_ps at)
{
    return at / PS_PER_NS + (at % PS_PER_NS >= PS_PER_NS / 2);
}

/* The process of what belongs to no rank. */
static inline uint32_t job_pid(const struct drawing *drawing)
{
    return drawing->view->result->rank_count;
}

/* Items and arrows in order (timeline_items.c). */
void drawing_find_items(struct drawing *drawing);

/* The process of the network. */
static inline uint32_t network_pid(const struct drawing *drawing)
{
    return drawing->view->result->rank_count + 1;
}

/* Samples of one counter, in ascending time; what is not asked for, or repeats, is left out. */
struct series {
    struct drawing *drawing;
    uint32_t counter;
    bool has_last, has_before;
    double last, before; /* before: the value at view->from */
};

/* A new counter of the process, the `number`-th of it. */
struct series series_of(struct drawing *drawing, uint32_t pid, uint32_t number, const char *name,
                        const char *unit);
void series_add(struct series *series, time_ps at, double value);
void series_end(struct series *series);

/* Counters of links (timeline_links.c). */
void drawing_add_links(struct drawing *drawing);

/* Declares counters and adds their samples in order (timeline_counters.c). */
void drawing_find_samples(struct drawing *drawing);

#endif
