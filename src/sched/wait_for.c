/*
 * wait_for - says why a job that can never finish does not: which ranks wait for which op, and who
 * is missing there.
 */
#include "sched/state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_LINES = 24, MOST_MISSING = 8 };

struct wait_report {
    struct sched *sched;
    struct arena *arena;
    const char **lines;
    uint32_t count, suppressed;
};

static void say(struct wait_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct wait_report *report, const char *format, ...)
{
    if (report->count == MOST_LINES) {
        report->suppressed++;
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report->lines[report->count++] = arena_text(report->arena, text, strlen(text));
}

static struct trace_node *node_of(struct sched *sched, const struct flight *flight)
{
    return &sched->rank[flight->rank].graph->trace->node[flight->node];
}

/* "1, 5, 6 and 3 more": members of the op that have not come. */
static void list_missing(struct sched *sched, uint32_t op_index, char *text, size_t size)
{
    const struct coll_op *op = op_at(sched, op_index);
    const struct comm_group *group = &sched->part.groups->table.group[op->group];
    const struct group_run *run = &sched->group[op->group];
    size_t at = 0;
    uint32_t shown = 0, missing = 0;
    text[0] = '\0';
    for (uint32_t p = 0; p < group->count; p++) {
        uint32_t position = group->is_world ? group->ranks[p] : p;
        if (run->next_sequence[position] > op->sequence)
            continue;
        missing++;
        if (shown < MOST_MISSING && at < size - 16) {
            at +=
                (size_t)snprintf(text + at, size - at, "%s%u", shown ? ", " : "", group->ranks[p]);
            shown++;
        }
    }
    if (missing > shown)
        snprintf(text + at, size - at, " and %u more", missing - shown);
}

/* One line per op that some member waits in. */
static void say_collectives(struct wait_report *report)
{
    struct sched *sched = report->sched;
    for (uint32_t g = 0; g < sched->part.groups->table.count; g++) {
        const struct group_run *run = &sched->group[g];
        for (uint32_t i = 0; i < run->count; i++) {
            uint32_t index = run->op[(run->head + i) % run->room];
            if (index == NONE)
                continue;
            const struct coll_op *op = op_at(sched, index);
            const struct comm_group *group = &sched->part.groups->table.group[g];
            const char *kind = collective_name((enum collective_kind)op->kind);
            char missing[160];
            list_missing(sched, index, missing, sizeof missing);
            if (missing[0])
                say(report,
                    "%s number %u of group \"%s\" (%u members): %u arrived (first rank %u), "
                    "waiting for rank %s",
                    kind, op->sequence, group->name, group->count, op->arrived, op->first_rank,
                    missing);
            else
                say(report,
                    "%s number %u of group \"%s\": all %u members are there, but its chunk "
                    "streams block each other's queues, or turn in different directions (try "
                    "--num-queues-per-dim)",
                    kind, op->sequence, group->name, op->arrived);
        }
    }
}

/* A channel with the same ends and tag but another size and an open other side. */
static const struct channel *find_other_size(const struct sched *sched,
                                             const struct channel *channel)
{
    for (uint32_t c = 0; c < sched->channels.count; c++) {
        const struct channel *other = channel_at(sched, c);
        if (other->src == channel->src && other->dst == channel->dst &&
            other->tag == channel->tag && other->bytes != channel->bytes && other->arrived)
            return other;
    }
    return NULL;
}

static void say_receive(struct wait_report *report, const struct flight *flight)
{
    struct sched *sched = report->sched;
    const struct channel *channel = channel_at(sched, flight->object);
    /* the search is long, and only for lines that are shown */
    const struct channel *other =
        report->count < MOST_LINES ? find_other_size(sched, channel) : NULL;
    char hint[96] = "";
    if (other)
        snprintf(hint, sizeof hint, "; a message of %" PRIu64 " B with that tag was sent instead",
                 other->bytes);
    say(report,
        "rank %u node %" PRIu64 ": receive of %" PRIu64 " B, tag %u, from rank %u: never sent%s",
        flight->rank, node_of(sched, flight)->id, channel->bytes, channel->tag, channel->src, hint);
}

/* What each unfinished rank has in flight or ready. */
static void say_ranks(struct wait_report *report)
{
    struct sched *sched = report->sched;
    for (uint32_t f = 0; f < sched->flights.count; f++) {
        const struct flight *flight = flight_at(sched, f);
        if (!flight->is_active)
            continue;
        const struct trace_node *node = node_of(sched, flight);
        if (node->type == OP_RECV)
            say_receive(report, flight);
        else if (node->type != OP_COLLECTIVE)
            say(report, "rank %u node %" PRIu64 ": %s in flight since %" PRIu64 " ns", flight->rank,
                node->id, op_name((enum op_type)node->type), flight->start / PS_PER_NS);
    }
    for (uint32_t r = 0; r < sched->rank_count; r++) {
        const struct rank *rank = &sched->rank[r];
        for (int c = 0; c < (int)rank->map->count; c++) {
            if (!rank->lane[c].count)
                continue;
            const struct trace_node *node = &rank->graph->trace->node[rank->lane[c].node[0]];
            say(report,
                "rank %u: node %" PRIu64 " (%s) and %u more are ready, but every slot of their "
                "kind is taken",
                r, node->id, op_name((enum op_type)node->type), rank->lane[c].count - 1);
        }
    }
}

uint32_t sched_wait_for(struct sched *sched, struct arena *arena, const char ***lines)
{
    struct wait_report report = {sched, arena,
                                 arena_array(arena, MOST_LINES + 1, sizeof(const char *)), 0, 0};
    say_collectives(&report);
    say_ranks(&report);
    if (report.suppressed) {
        char text[64];
        snprintf(text, sizeof text, "and %u lines more", report.suppressed);
        report.lines[report.count++] = arena_text(arena, text, strlen(text));
    }
    *lines = report.lines;
    return report.count;
}
