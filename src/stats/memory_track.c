#include "stats/memory_track.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define NONE UINT32_MAX

/* Which lives begin and end at a node. */
struct trace_lives {
    const struct trace *trace;
    uint32_t *begins;   /* [node]: the first that begins there (they follow each other), or NONE */
    uint32_t *ends;     /* [node]: one that ends there, or NONE */
    uint32_t *next_end; /* [life]: another that ends at the same node, or NONE */
};

struct rank_holding {
    uint32_t lives; /* index + 1 of its trace's, 0: no node yet */
    uint64_t now_bytes, most_bytes;
    uint64_t now_of[LIFE_KIND_COUNT], most_of[LIFE_KIND_COUNT];
    time_ps most_ps;
};

void memory_track_init(struct memory_track *track, uint32_t rank_count)
{
    *track = (struct memory_track){.rank_count = rank_count};
    track->rank = calloc(rank_count ? rank_count : 1, sizeof *track->rank);
    need_memory(track->rank != NULL);
}

void memory_track_release(struct memory_track *track)
{
    for (uint32_t i = 0; i < track->count; i++) {
        free(track->lives[i].begins);
        free(track->lives[i].ends);
        free(track->lives[i].next_end);
    }
    free(track->lives);
    free(track->rank);
    *track = (struct memory_track){0};
}

static uint32_t *numbers(uint32_t count)
{
    uint32_t *all = malloc((count ? count : 1) * sizeof *all);
    need_memory(all != NULL);
    memset(all, 0xff, count * sizeof *all); /* NONE */
    return all;
}

static void index_lives(struct trace_lives *lives, const struct trace *trace)
{
    *lives = (struct trace_lives){trace, numbers(trace->count), numbers(trace->count),
                                  numbers(trace->life_count)};
    for (uint32_t i = trace->life_count; i-- > 0;) {
        const struct trace_life *life = &trace->life[i];
        promise(life->first < trace->count && life->last < trace->count);
        lives->begins[life->first] = i;
        lives->next_end[i] = lives->ends[life->last];
        lives->ends[life->last] = i;
    }
}

static uint32_t lives_of(struct memory_track *track, const struct trace *trace)
{
    for (uint32_t i = track->count; i-- > 0;)
        if (track->lives[i].trace == trace)
            return i + 1;
    if (track->count == track->room) {
        track->room = track->room ? 2 * track->room : 8;
        track->lives = realloc(track->lives, track->room * sizeof *track->lives);
        need_memory(track->lives != NULL);
    }
    index_lives(&track->lives[track->count++], trace);
    return track->count;
}

static void hold(struct rank_holding *holding, const struct trace_lives *lives, uint32_t node,
                 time_ps now)
{
    uint32_t i = lives->begins[node];
    if (i == NONE)
        return;
    for (; i < lives->trace->life_count && lives->trace->life[i].first == node; i++) {
        const struct trace_life *life = &lives->trace->life[i];
        holding->now_bytes += life->bytes;
        holding->now_of[life->kind] += life->bytes;
    }
    if (holding->now_bytes <= holding->most_bytes)
        return;
    holding->most_bytes = holding->now_bytes;
    holding->most_ps = now;
    memcpy(holding->most_of, holding->now_of, sizeof holding->most_of);
}

static void give_back(struct rank_holding *holding, const struct trace_lives *lives, uint32_t node)
{
    for (uint32_t i = lives->ends[node]; i != NONE; i = lives->next_end[i]) {
        const struct trace_life *life = &lives->trace->life[i];
        holding->now_bytes -= life->bytes;
        holding->now_of[life->kind] -= life->bytes;
    }
}

void memory_track_node(struct memory_track *track, uint32_t rank, const struct trace *trace,
                       uint32_t node, bool has_ended, time_ps now)
{
    struct rank_holding *holding = &track->rank[rank];
    if (!holding->lives)
        holding->lives = lives_of(track, trace);
    const struct trace_lives *lives = &track->lives[holding->lives - 1];
    if (has_ended)
        give_back(holding, lives, node);
    else
        hold(holding, lives, node, now);
}

/* -- the table ------------------------------------------------------------------------------ */

static void add_class(struct memory_row *row, const struct rank_holding *holding, uint32_t ranks)
{
    row->ranks += ranks;
    if (row->most_bytes >= row->fixed_bytes + holding->most_bytes)
        return;
    row->most_bytes = row->fixed_bytes + holding->most_bytes;
    row->most_ps = holding->most_ps;
    memcpy(row->most_of, holding->most_of, sizeof row->most_of);
}

void memory_track_fill(const struct memory_track *track, struct run_result *result)
{
    uint32_t *ranks = calloc(track->rank_count ? track->rank_count : 1, sizeof *ranks);
    need_memory(ranks != NULL);
    for (uint32_t r = 0; r < result->rank_count; r++)
        ranks[result->class_of_rank[r]]++;
    result->memory = arena_array(&result->arena, track->count, sizeof *result->memory);
    result->memory_count = track->count;
    for (uint32_t i = 0; i < track->count; i++) {
        const struct trace *trace = track->lives[i].trace;
        result->memory[i] = (struct memory_row){
            .trace = arena_text(&result->arena, trace->path, strlen(trace->path)),
            .fixed_bytes = trace->fixed_bytes,
        };
    }
    for (uint32_t c = 0; c < track->rank_count; c++)
        if (track->rank[c].lives)
            add_class(&result->memory[track->rank[c].lives - 1], &track->rank[c], ranks[c]);
    free(ranks);
}
