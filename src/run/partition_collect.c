#include <stdlib.h>

#include "base/memory.h"
#include "run/partition_worklist.h"

static void *larger(void *array, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 1024;
    void *made = realloc(array, (size_t)*room * size);
    need_memory(made != NULL);
    return made;
}

static void keep_message(void *context, uint64_t label, uint32_t to)
{
    struct worklist *work = context;
    struct route route;
    partition_route(work->partition, work->src, to, &route);
    if (route.count >= UINT32_MAX - work->hop_count)
        work->is_too_large = true;
    if (work->is_too_large)
        return;
    work->message =
        larger(work->message, &work->message_room, work->message_count, sizeof *work->message);
    work->message[work->message_count] =
        (struct message){.hash = mix_in(label, bits_of(route.latency_ns)),
                         .src = work->src,
                         .dst = to,
                         .hop = work->hop_count};
    for (uint32_t i = 0; i < route.count; i++) {
        work->hop = larger(work->hop, &work->hop_room, work->hop_count, sizeof *work->hop);
        uint64_t key = mix_in(i, route.share ? bits_of(route.share[i]) : 0);
        work->hop[work->hop_count++] =
            (struct hop){route.link[i] + work->first_link, work->message_count, (uint32_t)key};
    }
    work->message_count++;
}

static uint32_t *counters(size_t count)
{
    uint32_t *made = calloc(count + 2, sizeof *made);
    need_memory(made != NULL);
    return made;
}

static void collect_messages(struct worklist *work)
{
    uint32_t ranks = work->partition->ranks.things;
    work->out_begin = counters(ranks);
    for (work->src = 0; work->src < ranks; work->src++) {
        work->out_begin[work->src] = work->message_count;
        work->job->visit(work->job->self, work->src, keep_message, work);
    }
    work->out_begin[ranks] = work->message_count;
    work->message =
        larger(work->message, &work->message_room, work->message_count, sizeof *work->message);
    work->message[work->message_count] = (struct message){.hop = work->hop_count};
}

/* Makes sums of counts, which stand one place too far right, into beginnings, and back after
 * filling. */
static void counts_to_begins(uint32_t *begin, uint32_t things)
{
    for (uint32_t i = 0; i < things; i++)
        begin[i + 1] += begin[i];
}

static void index_messages(struct worklist *work)
{
    uint32_t ranks = work->partition->ranks.things, links = work->partition->links.things;
    work->in_begin = counters(ranks);
    work->in_of_rank = counters(work->message_count);
    work->link_begin = counters(links);
    work->hop_of_link = counters(work->hop_count);
    for (uint32_t m = 0; m < work->message_count; m++)
        work->in_begin[work->message[m].dst + 2]++;
    for (uint32_t h = 0; h < work->hop_count; h++)
        work->link_begin[work->hop[h].link - work->first_link + 2]++;
    counts_to_begins(work->in_begin + 1, ranks);
    counts_to_begins(work->link_begin + 1, links);
    for (uint32_t m = 0; m < work->message_count; m++)
        work->in_of_rank[work->in_begin[work->message[m].dst + 1]++] = m;
    for (uint32_t h = 0; h < work->hop_count; h++)
        work->hop_of_link[work->link_begin[work->hop[h].link - work->first_link + 1]++] = h;
}

static void collect_groups(struct worklist *work)
{
    const struct partition_job *job = work->job;
    uint32_t ranks = work->partition->ranks.things, groups = work->partition->groups.things;
    work->slot_begin = counters(ranks);
    for (uint32_t r = 0; r < ranks; r++)
        work->slot_begin[r + 1] = work->slot_begin[r] + job->slot_count(job->self, r);
    uint32_t slots = work->slot_begin[ranks];
    work->group_of_slot = counters(slots);
    work->rank_of_slot = counters(slots);
    work->member_begin = counters(groups);
    work->member = counters(slots);
    for (uint32_t r = 0; r < ranks; r++) {
        for (uint32_t at = work->slot_begin[r]; at < work->slot_begin[r + 1]; at++) {
            uint32_t group = job->group(job->self, r, at - work->slot_begin[r]);
            work->rank_of_slot[at] = r;
            work->group_of_slot[at] = group + work->first_group;
            work->member_begin[group + 2]++;
        }
    }
    counts_to_begins(work->member_begin + 1, groups);
    for (uint32_t at = 0; at < slots; at++)
        work->member[work->member_begin[work->group_of_slot[at] - work->first_group + 1]++] = at;
}

void worklist_collect(struct worklist *work)
{
    collect_messages(work);
    if (work->is_too_large)
        return;
    index_messages(work);
    collect_groups(work);
}
