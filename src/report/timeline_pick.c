#include "report/timeline_view.h"

#include <stdlib.h>

#include "base/memory.h"
#include "stats/spaced.h"

static uint32_t asked_count(const struct timeline_view *view)
{
    return view->rank ? view->rank_count : view->timeline->seats;
}

static uint32_t asked_rank(const struct timeline_view *view, uint32_t i)
{
    return view->rank ? view->rank[i] : view->timeline->rank_of_seat[i];
}

static bool is_asked(const struct timeline_view *view, uint32_t op)
{
    const struct timeline_op *at = &view->timeline->op[op];
    return at->begin != TIME_NEVER && timeline_is_asked(view, at->begin, timeline_end_of(view, at));
}

bool timeline_shows(const struct timeline_view *view, const struct timeline_pick *pick, uint32_t op)
{
    const struct timeline_op *at = &view->timeline->op[op];
    return is_asked(view, op) && timeline_end_of(view, at) - at->begin > pick->longest_short;
}

/* -- counting -------------------------------------------------------------------------------- */

/* Slices of each seat that is asked for; the others are 0. */
static uint32_t *count_slices(const struct timeline_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t *slices = calloc((size_t)timeline->seats + 1, sizeof *slices);
    bool *is_counted = calloc((size_t)timeline->seats + 1, sizeof *is_counted);
    need_memory(slices && is_counted);
    for (uint32_t i = 0; i < asked_count(view); i++) {
        uint32_t seat = view->result->class_of_rank[asked_rank(view, i)];
        for (uint32_t op = timeline->first[seat];
             !is_counted[seat] && op < timeline->first[seat + 1]; op++)
            slices[seat] += is_asked(view, op);
        is_counted[seat] = true;
    }
    free(is_counted);
    return slices;
}

struct counted {
    const struct timeline_view *view;
    const uint32_t *slices; /* [seats] */
};

static uint64_t slices_of(const void *context, uint32_t i)
{
    const struct counted *counted = context;
    return counted->slices[counted->view->result->class_of_rank[asked_rank(counted->view, i)]];
}

/* -- the shortest of one rank ------------------------------------------------------------------ */

static int compare_lengths(const void *left, const void *right)
{
    time_ps a = *(const time_ps *)left, b = *(const time_ps *)right;
    return a > b ? -1 : a < b;
}

static void drop_short(struct timeline_pick *pick, const struct timeline_view *view, uint64_t most)
{
    const struct timeline *timeline = view->timeline;
    uint32_t seat = view->result->class_of_rank[pick->rank[0]];
    time_ps *length = malloc(pick->slices * sizeof *length);
    need_memory(length != NULL);
    size_t count = 0;
    for (uint32_t op = timeline->first[seat]; op < timeline->first[seat + 1]; op++)
        if (is_asked(view, op))
            length[count++] = timeline_end_of(view, &timeline->op[op]) - timeline->op[op].begin;
    qsort(length, count, sizeof *length, compare_lengths);
    pick->longest_short = length[most];
    size_t kept = most;
    while (kept > 0 && length[kept - 1] == pick->longest_short)
        kept--;
    pick->too_short = count - kept;
    pick->slices = kept;
    free(length);
}

void timeline_pick_init(struct timeline_pick *pick, const struct timeline_view *view)
{
    uint64_t most = view->most_slices ? view->most_slices : TIMELINE_USUAL_SLICES;
    uint32_t *slices = count_slices(view);
    const struct counted counted = {view, slices};
    uint32_t asked = asked_count(view);
    *pick = (struct timeline_pick){.asked = view->asked_count ? view->asked_count : asked};
    pick->count = spaced_fit(asked, most, slices_of, &counted, &pick->slices);
    pick->rank = malloc(((size_t)pick->count + 1) * sizeof *pick->rank);
    need_memory(pick->rank != NULL);
    for (uint32_t i = 0; i < pick->count; i++)
        pick->rank[i] = asked_rank(view, spaced_at(i, pick->count, asked));
    free(slices);
    if (pick->slices > most)
        drop_short(pick, view, most);
}

void timeline_pick_release(struct timeline_pick *pick)
{
    free(pick->rank);
    *pick = (struct timeline_pick){.count = 0};
}
