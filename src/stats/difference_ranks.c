/* The terms of ranks and stages. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "stats/difference_parts.h"

enum { MOST_STAGES = 256 };

const char *difference_stage_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* How much more of its own a rank does: what is no waiting and no idling. */
static uint64_t own_size(const struct difference_ranks *ranks)
{
    int64_t sum = 0;
    for (int term = 0; term < RANK_TERM_COUNT; term++) {
        bool waits =
            term == RANK_TERM_WAITING || term == RANK_TERM_BUBBLE || term == RANK_TERM_IDLE;
        if (!waits)
            sum += difference_of(ranks->a_ps[term], ranks->b_ps[term]);
    }
    return sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
}

static int most_first(const void *left, const void *right)
{
    const struct difference_ranks *a = left, *b = right;
    if (own_size(a) != own_size(b))
        return own_size(a) > own_size(b) ? -1 : 1;
    return a->first < b->first ? -1 : 1;
}

/* -- ranks ------------------------------------------------------------------------------------- */

struct rank_key {
    time_ps a_ps[RANK_TERM_COUNT], b_ps[RANK_TERM_COUNT];
};

/* The row of ranks that did the same in both runs; a new one if there is none. */
static struct difference_ranks *row_of(struct difference *difference, struct table *rows,
                                       uint32_t *room, const struct rank_key *key)
{
    uint64_t hash = hash_bytes(key, sizeof *key, 0);
    uint32_t index = table_find(rows, hash);
    if (index != TABLE_NONE &&
        memcmp(difference->rank[index].a_ps, key->a_ps, sizeof key->a_ps) == 0 &&
        memcmp(difference->rank[index].b_ps, key->b_ps, sizeof key->b_ps) == 0)
        return &difference->rank[index];
    index = difference->rank_count++;
    table_put(rows, hash, index);
    difference->rank =
        arena_grow(&difference->arena, difference->rank, index, room, sizeof *difference->rank);
    difference->rank[index] = (struct difference_ranks){.first = UINT32_MAX};
    memcpy(difference->rank[index].a_ps, key->a_ps, sizeof key->a_ps);
    memcpy(difference->rank[index].b_ps, key->b_ps, sizeof key->b_ps);
    return &difference->rank[index];
}

void difference_find_ranks(struct difference *difference, const struct difference_side *a,
                           const struct difference_side *b)
{
    if (a->result->rank_count != b->result->rank_count)
        return;
    struct table rows;
    uint32_t room = 0;
    table_init(&rows);
    for (uint32_t r = 0; r < a->result->rank_count; r++) {
        struct rank_key key;
        memcpy(key.a_ps, a->terms->of_seat[a->result->class_of_rank[r]], sizeof key.a_ps);
        memcpy(key.b_ps, b->terms->of_seat[b->result->class_of_rank[r]], sizeof key.b_ps);
        struct difference_ranks *row = row_of(difference, &rows, &room, &key);
        row->first = row->count_a ? row->first : r;
        row->count_a++;
        row->count_b++;
    }
    table_release(&rows);
    if (difference->rank_count)
        qsort(difference->rank, difference->rank_count, sizeof *difference->rank, most_first);
}

/* -- stages ------------------------------------------------------------------------------------ */

/* The mean of the ranks that run trace `trace`; returns how many. */
static uint32_t find_stage(const struct difference_side *side, uint32_t trace, time_ps *mean)
{
    apportion_sum sum[RANK_TERM_COUNT] = {0};
    const struct run_result *result = side->result;
    uint32_t count = 0;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        if (side->workload->trace_of_rank[r] != trace)
            continue;
        count++;
        for (int term = 0; term < RANK_TERM_COUNT; term++)
            sum[term] += side->terms->of_seat[result->class_of_rank[r]][term];
    }
    if (count)
        apportion(sum, RANK_TERM_COUNT, 1, count, mean);
    return count;
}

void difference_find_stages(struct difference *difference, const struct difference_side *a,
                            const struct difference_side *b)
{
    uint32_t count = a->workload->trace_count;
    bool is_each_rank = difference->rank_count && count == a->result->rank_count;
    if (count != b->workload->trace_count || count < 2 || count > MOST_STAGES || is_each_rank)
        return;
    difference->stage = arena_array(&difference->arena, count, sizeof *difference->stage);
    for (uint32_t t = 0; t < count; t++) {
        const char *name = difference_stage_name(a->workload->traces[t]->path);
        struct difference_ranks *stage = &difference->stage[difference->stage_count];
        *stage = (struct difference_ranks){
            .name = arena_text(&difference->arena, name, strlen(name)), .first = t};
        stage->count_a = find_stage(a, t, stage->a_ps);
        stage->count_b = find_stage(b, t, stage->b_ps);
        if (stage->count_a && stage->count_b)
            difference->stage_count++;
    }
}
