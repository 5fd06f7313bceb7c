/*
 * queues - each dimension has queues of streams; a queue runs a few at once, the rest wait.
 *
 * A queue's list holds started streams first, then waiting ones by descending priority and arrival.
 */
#include "sched/follow.h"

static struct stream_queue *queue_at(const struct sched *sched, const struct stream *stream,
                                     uint32_t phase)
{
    uint32_t rank = stream->rank;
    return &sched->rank[rank].queue[stream->queue[phase]];
}

void queue_init_rank(struct sched *sched, struct rank *rank)
{
    uint32_t levels = sched->part.config->network.dim_count;
    uint32_t per_level = sched->system->queues_per_dim;
    rank->queue = arena_array(&sched->arena, (size_t)levels * per_level, sizeof *rank->queue);
    rank->turn = arena_array(&sched->arena, levels, sizeof *rank->turn);
    for (uint32_t q = 0; q < levels * per_level; q++)
        rank->queue[q] = (struct stream_queue){NONE, NONE, NONE, 0};
    for (uint32_t d = 0; d < levels; d++)
        rank->turn[d] = (struct level_turn){.last = per_level / 2};
}

uint32_t queue_next(struct sched *sched, struct rank *rank, const struct phase *phase,
                    bool *anticlockwise)
{
    uint32_t per_level = sched->system->queues_per_dim, half = per_level / 2;
    struct level_turn *turn = &rank->turn[phase->level];
    uint32_t taken = 0;
    switch (phase->queue_use) {
    case QUEUE_ANY:
        taken = turn->any++;
        *anticlockwise = per_level > 1 && taken >= half;
        if (turn->any >= per_level)
            turn->any = 0;
        break;
    case QUEUE_FIRST_HALF:
        taken = turn->first++;
        *anticlockwise = false;
        if (turn->first >= half)
            turn->first = 0;
        break;
    case QUEUE_LAST_HALF:
        taken = turn->last++;
        *anticlockwise = true;
        if (turn->last >= per_level)
            turn->last = half;
        break;
    }
    return phase->level * per_level + taken;
}

/* Links the stream in before `next` (NONE: at the end). */
static void link_before(struct sched *sched, struct stream_queue *queue, struct stream *stream,
                        uint32_t next)
{
    uint32_t index = index_of(sched, stream);
    uint32_t previous = next == NONE ? queue->last : stream_at(sched, next)->previous;
    stream->next = next;
    stream->previous = previous;
    *(previous == NONE ? &queue->first : &stream_at(sched, previous)->next) = index;
    *(next == NONE ? &queue->last : &stream_at(sched, next)->previous) = index;
    if (queue->first_waiting == next)
        queue->first_waiting = index;
}

/* After every started stream and every waiting one of at least its priority. */
static void insert(struct sched *sched, struct stream_queue *queue, struct stream *stream)
{
    uint32_t last = queue->last, at = queue->first_waiting;
    if (at != NONE && stream_at(sched, last)->priority >= stream->priority)
        at = NONE;
    while (at != NONE && stream_at(sched, at)->priority >= stream->priority)
        at = stream_at(sched, at)->next;
    uint32_t waiting = queue->first_waiting;
    link_before(sched, queue, stream, at);
    if (waiting != NONE && at != waiting)
        queue->first_waiting = waiting;
}

static void unlink_stream(struct sched *sched, struct stream_queue *queue, struct stream *stream)
{
    uint32_t previous = stream->previous, next = stream->next;
    *(previous == NONE ? &queue->first : &stream_at(sched, previous)->next) = next;
    *(next == NONE ? &queue->last : &stream_at(sched, next)->previous) = previous;
}

/* `leaving` has made room, NULL: there was some. */
static void start_waiting(struct sched *sched, struct stream_queue *queue,
                          const struct stream *leaving)
{
    while (queue->first_waiting != NONE && queue->running < sched->active_per_queue) {
        struct stream *stream = stream_at(sched, queue->first_waiting);
        queue->first_waiting = stream->next;
        queue->running++;
        follow_room(sched, leaving, stream);
        stream_start_phase(sched, stream);
    }
}

void queue_proceed(struct sched *sched, struct stream *stream, bool is_first)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    struct stream_queue *left = NULL;
    if (!is_first) {
        fold_mark_end(sched, stream);
        left = queue_at(sched, stream, stream->phase);
        bool was_last = stream->phase + 1u == instance->plan->phase_count;
        if (was_last) /* the data set is told first: it may issue the rank's next nodes */
            collective_stream_done(sched, stream);
        unlink_stream(sched, left, stream);
        stream->phase++;
        if (was_last) {
            left->running--;
            start_waiting(sched, left, stream);
            collective_stream_removed(sched, stream->instance);
            return;
        }
    }
    struct stream_queue *entered = queue_at(sched, stream, stream->phase);
    insert(sched, entered, stream);
    if (left) {
        left->running--;
        start_waiting(sched, left, stream);
    }
    start_waiting(sched, entered, NULL);
}
