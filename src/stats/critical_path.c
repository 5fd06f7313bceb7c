#include "stats/critical_path.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

void critical_path_init(struct critical_path *path)
{
    *path = (struct critical_path){.count = 0};
}

void critical_path_release(struct critical_path *path)
{
    free(path->piece);
    critical_path_init(path);
}

/* Where the walk is: at an op's end, or at its begin. */
struct walk {
    struct critical_path *path;
    const struct timeline *timeline;
    bool has_rendezvous;
    uint32_t seat, op;
    bool at_begin;
};

static const struct trace_node *node_at(const struct walk *walk)
{
    const struct timeline *timeline = walk->timeline;
    const struct workload *workload = timeline->workload;
    return &workload->traces[timeline_trace(timeline, walk->seat)]
                ->node[walk->op - timeline->first[walk->seat]];
}

/* Pieces of no length are none. */
static void add(struct walk *walk, enum path_step_kind kind, time_ps from, time_ps to)
{
    struct critical_path *path = walk->path;
    if (from == to)
        return;
    if (path->count == path->room) {
        path->room = path->room ? 2 * path->room : 1024;
        path->piece = realloc(path->piece, path->room * sizeof *path->piece);
        need_memory(path->piece != NULL);
    }
    path->piece[path->count++] = (struct path_piece){walk->seat, walk->op, from, to, kind};
}

static void go_to(struct walk *walk, uint32_t op, bool at_begin)
{
    walk->seat = timeline_seat(walk->timeline, op);
    walk->op = op;
    walk->at_begin = at_begin;
}

/* An op with a peer whose begin decides when it ends: that peer, or the op itself. */
static uint32_t starter_of(const struct walk *walk, const struct timeline_op *op)
{
    if (op->peer == TIMELINE_NONE)
        return walk->op;
    const struct timeline_op *peer = &walk->timeline->op[op->peer];
    bool meet = walk->has_rendezvous && node_at(walk)->type != OP_COLLECTIVE;
    return !meet || peer->begin > op->begin ? op->peer : walk->op;
}

static void leave_end(struct walk *walk)
{
    const struct timeline_op *op = &walk->timeline->op[walk->op];
    enum op_type type = trace_run_as(node_at(walk));
    bool is_timed = op->peer == TIMELINE_NONE && type != OP_SEND && type != OP_COLLECTIVE;
    if (op->begin == op->end || is_timed) { /* a receive posted after its message came is done */
        add(walk, PATH_OP, op->begin, op->end);
        walk->at_begin = true;
        return;
    }
    uint32_t starter = starter_of(walk, op);
    add(walk, PATH_NETWORK, walk->timeline->op[starter].begin, op->end);
    go_to(walk, starter, true);
}

/* False at the start of the run. */
static bool leave_begin(struct walk *walk)
{
    const struct timeline *timeline = walk->timeline;
    const struct timeline_op *op = &timeline->op[walk->op];
    time_ps issued = timeline_issued(timeline, walk->seat, walk->op);
    if (op->begin > issued && op->gate != GATE_WAKE) {
        add(walk, PATH_LAUNCH, 0, op->begin);
        return false;
    }
    add(walk, PATH_IDLE, issued, op->begin);
    if (op->gate == GATE_START)
        return false;
    go_to(walk, timeline->first[walk->seat] + op->cause, false);
    return true;
}

static bool find_last(struct walk *walk, time_ps end)
{
    const struct timeline *timeline = walk->timeline;
    for (uint32_t s = 0; s < timeline->seats; s++) {
        uint32_t last = timeline->last_done[s];
        if (last == TIMELINE_NONE || timeline->op[timeline->first[s] + last].end != end)
            continue;
        go_to(walk, timeline->first[s] + last, false);
        return true;
    }
    return false;
}

static void turn_round(struct critical_path *path)
{
    for (uint32_t i = 0; i < path->count / 2; i++) {
        struct path_piece piece = path->piece[i];
        path->piece[i] = path->piece[path->count - 1 - i];
        path->piece[path->count - 1 - i] = piece;
    }
}

void critical_path_find(struct critical_path *path, const struct timeline *timeline,
                        bool has_rendezvous, time_ps end)
{
    critical_path_release(path);
    path->end = end;
    struct walk walk = {path, timeline, has_rendezvous, 0, 0, false};
    if (!find_last(&walk, end))
        return;
    for (bool more = true; more;) {
        if (walk.at_begin)
            more = leave_begin(&walk);
        else
            leave_end(&walk);
    }
    turn_round(path);
}

enum status critical_path_check(const struct critical_path *path, struct diag *diag)
{
    time_ps at = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct path_piece *piece = &path->piece[i];
        if (piece->from != at || piece->to <= piece->from)
            return diag_fail(diag, STATUS_LAW,
                             "the critical path has a piece from %" PRIu64 " to %" PRIu64
                             " ps after one that ends at %" PRIu64 " ps",
                             piece->from, piece->to, at);
        at = piece->to;
    }
    if (at != path->end)
        return diag_fail(diag, STATUS_LAW,
                         "the critical path ends at %" PRIu64 " ps, the run at %" PRIu64 " ps", at,
                         path->end);
    return STATUS_OK;
}
