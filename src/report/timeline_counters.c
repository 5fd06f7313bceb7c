/*
 * Counters of a timeline: memory of the ranks shown, and how many computes the whole job has under
 * way. Those of links are in timeline_links.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/timeline_parts.h"

/* -- a series ---------------------------------------------------------------------------------- */

static void add_sample(struct series *series, time_ps at, double value)
{
    struct grow *samples = &series->drawing->samples;
    if (series->has_last && series->last == value)
        return;
    size_t place = grow_push(samples, 1);
    ((struct sample *)samples->base)[place] = (struct sample){at, series->counter, value};
    series->has_last = true;
    series->last = value;
}

void series_add(struct series *series, time_ps at, double value)
{
    const struct timeline_view *view = series->drawing->view;
    if (at <= view->from && view->from > 0) {
        series->before = value;
        series->has_before = true;
        return;
    }
    if (series->has_before)
        add_sample(series, view->from, series->before);
    series->has_before = false;
    if (view->to == 0 || at <= view->to)
        add_sample(series, at, value);
}

struct series series_of(struct drawing *drawing, uint32_t pid, uint32_t number, const char *name,
                        const char *unit)
{
    struct series series = {.drawing = drawing,
                            .counter = (uint32_t)grow_push(&drawing->counters, 1)};
    struct timeline_counter *counter =
        (struct timeline_counter *)drawing->counters.base + series.counter;
    counter->pid = pid;
    counter->number = number;
    counter->unit = unit;
    snprintf(counter->name, sizeof counter->name, "%s", name);
    drawing->sink->counter(drawing->sink->self, counter);
    return series;
}

void series_end(struct series *series)
{
    if (series->has_before)
        add_sample(series, series->drawing->view->from, series->before);
}

/* -- memory ------------------------------------------------------------------------------------ */

struct change {
    time_ps at;
    int64_t bytes;
};

/* What is given back at a time comes before what is taken then. */
static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static uint32_t find_changes(const struct drawing *drawing, const struct drawn_rank *rank,
                             struct change *change)
{
    const struct timeline *timeline = drawing->timeline;
    uint32_t count = 0, base = timeline->first[rank->seat];
    for (uint32_t i = 0; i < rank->trace->life_count; i++) {
        const struct trace_life *life = &rank->trace->life[i];
        const struct timeline_op *last = &timeline->op[base + life->last];
        if (timeline->op[base + life->first].begin == TIME_NEVER)
            continue;
        time_ps issued = timeline_issued(timeline, rank->seat, base + life->first);
        change[count++] = (struct change){issued, (int64_t)life->bytes};
        if (last->end != TIME_NEVER)
            change[count++] = (struct change){last->end, -(int64_t)life->bytes};
    }
    return count;
}

static void memory_of_rank(struct drawing *drawing, const struct drawn_rank *rank)
{
    const struct trace *trace = rank->trace;
    if (!trace->life_count)
        return;
    struct change *change = malloc(2 * (size_t)trace->life_count * sizeof *change);
    need_memory(change != NULL);
    uint32_t count = find_changes(drawing, rank, change);
    qsort(change, count, sizeof *change, compare_changes);
    int64_t held = (int64_t)trace->fixed_bytes;
    struct series series = series_of(drawing, rank->rank, 0, "device memory", "bytes");
    for (uint32_t i = 0; i < count; i++) {
        held += change[i].bytes;
        if (i + 1 < count && whole_ns_of(change[i + 1].at) == whole_ns_of(change[i].at))
            continue;
        series_add(&series, change[i].at, (double)held);
    }
    series_end(&series);
    free(change);
}

/* -- computes ---------------------------------------------------------------------------------- */

/* Adds to each bucket the part of [begin, end] in it, times `weight`. */
static void spread(double *bucket, double width_ps, time_ps begin, time_ps end, double weight)
{
    uint32_t first = (uint32_t)((double)begin / width_ps);
    for (uint32_t b = first; b < TIMELINE_BUCKETS && b * width_ps < (double)end; b++) {
        double from = b * width_ps, to = from + width_ps;
        from = (double)begin > from ? (double)begin : from;
        to = (double)end < to ? (double)end : to;
        bucket[b] += to > from ? (to - from) * weight : 0;
    }
}

static void count_computes(const struct drawing *drawing, double *bucket, double width_ps)
{
    const struct timeline *timeline = drawing->timeline;
    for (uint32_t seat = 0; seat < timeline->seats; seat++) {
        const struct trace *trace = timeline->workload->traces[timeline_trace(timeline, seat)];
        for (uint32_t i = 0; i < trace->count; i++) {
            const struct timeline_op *op = &timeline->op[timeline->first[seat] + i];
            if (op->begin != TIME_NEVER && trace_run_as(&trace->node[i]) == OP_COMPUTE)
                spread(bucket, width_ps, op->begin, timeline_end_of(drawing->view, op),
                       timeline->ranks[seat]);
        }
    }
}

static void computes_of_job(struct drawing *drawing)
{
    double bucket[TIMELINE_BUCKETS] = {0};
    time_ps end = drawing->view->result->end_ps;
    double width_ps = (double)end / TIMELINE_BUCKETS;
    if (end == 0 || drawing->timeline->followed) /* of all ranks, or not at all */
        return;
    struct series series =
        series_of(drawing, job_pid(drawing), 0, "computes under way, all ranks", "computes");
    count_computes(drawing, bucket, width_ps);
    for (uint32_t b = 0; b < TIMELINE_BUCKETS; b++)
        series_add(&series, (time_ps)(b * width_ps), bucket[b] / width_ps);
    series_add(&series, end, 0);
    series_end(&series);
}

/* -- all --------------------------------------------------------------------------------------- */

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->counter < b->counter ? -1 : a->counter > b->counter;
}

void drawing_find_samples(struct drawing *drawing)
{
    need_memory(grow_init(&drawing->samples, sizeof(struct sample), (1u << 31) - 1) &&
                grow_init(&drawing->counters, sizeof(struct timeline_counter), 1u << 26));
    for (uint32_t i = 0; i < drawing->pick->count; i++)
        memory_of_rank(drawing, &drawing->rank[i]);
    computes_of_job(drawing);
    drawing_add_links(drawing);
    qsort(drawing->samples.base, drawing->samples.count, sizeof(struct sample), compare_samples);
}
