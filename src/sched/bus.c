/*
 * bus - ASTRA-sim's model-shared-bus: hand-overs queue on a LogGP bus between NPU and memory.
 *
 * Each rank has an outer bus (NPU side, memory side; parameters L, o, g, G of the system file).
 * What passes the outer bus's NPU side also crosses an inner bus (G = 0.0038 ns/B, fixed there)
 * before it is sent and after it is received or processed. A request is sent, received, processed
 * if it reduces ((bytes / 100) x local-reduction-delay + 50 ns, one at a time), perhaps sent back,
 * and retired; then the stream goes on. Sizes are 32-bit
 * there (and overflow); not here.
 */
#include "sched/state.h"

#include <stdlib.h>

#include "base/memory.h"

enum side_number { OUTER_NPU, OUTER_MEMORY, INNER_NPU, INNER_MEMORY, SIDE_COUNT };
enum side_state { SIDE_FREE, SIDE_SENDING, SIDE_RECEIVING };
enum bus_event {
    SENT,
    RECEIVED,
    PROCESSED,
    CONSIDER_SEND,
    CONSIDER_PROCESS,
    CONSIDER_RETIRE,
    POKE
};
enum { READS_BEFORE_YIELD = 8 };

static const double inner_G_ns_per_byte = 0.0038;

struct bus_request {
    uint64_t bytes;
    bool is_processed, is_sent_back; /* still to do */
    bool reduces;                    /* the stream's own reduction follows after the bus */
    uint32_t parent;                 /* request of the outer bus that waits for this one, or NONE */
    uint8_t parent_event;            /* what the parent does then */
    uint32_t stream, step;           /* without a parent: whose hand-over it is */
    uint32_t next;
};

struct request_fifo {
    uint32_t first, last, count;
};

struct bus_side {
    double G_ns_per_byte;
    time_ps last_ps;
    enum side_state state, before;
    bool is_processing;
    uint32_t reads_in_row;
    struct request_fifo sends, receives, processing;
};

struct bus {
    struct bus_side side[SIDE_COUNT];
};

struct buses { /* shared by all ranks */
    struct grow requests;
    uint32_t free_request;
};

/* sched->bus points at rank 0's bus; the shared part is stored in front of it. */
static struct buses *shared_of(const struct sched *sched)
{
    return (struct buses *)sched->bus - 1;
}

static struct bus_request *request_at(const struct sched *sched, uint32_t index)
{
    return (struct bus_request *)shared_of(sched)->requests.base + index;
}

bool bus_create(struct sched *sched)
{
    struct buses *shared = calloc(1, sizeof *shared + sched->rank_count * sizeof(struct bus));
    need_memory(shared != NULL);
    shared->free_request = NONE;
    sched->bus = (struct bus *)(shared + 1);
    for (uint32_t r = 0; r < sched->rank_count; r++) {
        for (int s = 0; s < SIDE_COUNT; s++) {
            struct request_fifo empty = {NONE, NONE, 0};
            sched->bus[r].side[s] =
                (struct bus_side){.G_ns_per_byte = s < INNER_NPU ? sched->system->bus_G_ns_per_byte
                                                                 : inner_G_ns_per_byte,
                                  .sends = empty,
                                  .receives = empty,
                                  .processing = empty};
        }
    }
    return grow_init(&shared->requests, sizeof(struct bus_request), (size_t)1 << 26);
}

void bus_destroy(struct sched *sched)
{
    if (!sched->bus)
        return;
    grow_release(&shared_of(sched)->requests);
    free(shared_of(sched));
    sched->bus = NULL;
}

static uint32_t take_request(struct sched *sched, struct bus_request request)
{
    struct buses *shared = shared_of(sched);
    uint32_t index = shared->free_request;
    if (index == NONE)
        index = (uint32_t)grow_push(&shared->requests, 1);
    else
        shared->free_request = request_at(sched, index)->next;
    *request_at(sched, index) = request;
    return index;
}

static void push(struct sched *sched, struct request_fifo *fifo, uint32_t request)
{
    request_at(sched, request)->next = NONE;
    *(fifo->first == NONE ? &fifo->first : &request_at(sched, fifo->last)->next) = request;
    fifo->last = request;
    fifo->count++;
}

static uint32_t pop(struct sched *sched, struct request_fifo *fifo)
{
    uint32_t request = fifo->first;
    promise(request != NONE);
    fifo->first = request_at(sched, request)->next;
    fifo->count--;
    return request;
}

static void side_call(struct sched *sched, uint32_t rank, uint32_t side, enum bus_event event,
                      uint32_t request);

static void after(struct sched *sched, uint32_t rank, uint32_t side, enum bus_event event,
                  double delay_ns)
{
    agenda_add(&sched->agenda, rank, time_after(now_of(sched), time_of_ns(delay_ns)),
               item_payload(ITEM_BUS, (uint32_t)event, side));
}

/* The next request of the side's queue goes over; its partner receives it. */
static void send_next(struct sched *sched, uint32_t rank, uint32_t number)
{
    const struct system_config *system = sched->system;
    struct bus_side *side = &sched->bus[rank].side[number];
    struct bus_side *partner = &sched->bus[rank].side[number ^ 1];
    uint64_t offset_ns = system->bus_o_ns;
    uint64_t since_ns = (now_of(sched) - side->last_ps) / PS_PER_NS;
    if (side->before == SIDE_SENDING && system->bus_o_ns + since_ns <= system->bus_g_ns)
        offset_ns = system->bus_g_ns - since_ns;
    uint32_t request = pop(sched, &side->sends);
    uint64_t bytes = request_at(sched, request)->bytes;
    double wire_ns = bytes ? (double)(bytes - 1) * side->G_ns_per_byte : 0;
    push(sched, &partner->receives, request);
    partner->before = partner->state;
    partner->state = SIDE_RECEIVING;
    after(sched, rank, number ^ 1, RECEIVED,
          (double)offset_ns + wire_ns + (double)system->bus_L_ns + (double)system->bus_o_ns);
    partner->reads_in_row = 0;
    side->state = SIDE_SENDING;
    after(sched, rank, number, SENT, (double)offset_ns + wire_ns);
}

/* A free side with something to send goes on, or lets its partner have a turn. */
static void go_on(struct sched *sched, uint32_t rank, uint32_t number)
{
    struct bus_side *side = &sched->bus[rank].side[number];
    struct bus_side *partner = &sched->bus[rank].side[number ^ 1];
    if (side->state != SIDE_FREE || !side->sends.count)
        return;
    if (side->reads_in_row > READS_BEFORE_YIELD && partner->sends.count &&
        partner->reads_in_row <= READS_BEFORE_YIELD) {
        if (partner->state == SIDE_FREE)
            side_call(sched, rank, number ^ 1, POKE, NONE);
        return;
    }
    send_next(sched, rank, number);
}

/* A request enters a side: the outer NPU side first crosses the inner bus. */
static void enter(struct sched *sched, uint32_t rank, uint32_t number, uint32_t request)
{
    if (number == OUTER_NPU) {
        uint32_t inner =
            take_request(sched, (struct bus_request){.bytes = request_at(sched, request)->bytes,
                                                     .parent = request,
                                                     .parent_event = CONSIDER_SEND});
        enter(sched, rank, INNER_MEMORY, inner);
        return;
    }
    push(sched, &sched->bus[rank].side[number].sends, request);
    go_on(sched, rank, number);
}

/* The outer request crosses the inner bus from its NPU side, then `event` happens to it. */
static void cross_inner(struct sched *sched, uint32_t rank, uint32_t request, enum bus_event event,
                        bool is_sent_back)
{
    uint32_t inner =
        take_request(sched, (struct bus_request){.bytes = request_at(sched, request)->bytes,
                                                 .is_sent_back = is_sent_back,
                                                 .parent = request,
                                                 .parent_event = (uint8_t)event});
    enter(sched, rank, INNER_NPU, inner);
}

/* The request is over: its parent goes on, or the stream's hand-over ends. */
static void retire(struct sched *sched, uint32_t rank, uint32_t index)
{
    struct bus_request request = *request_at(sched, index);
    request_at(sched, index)->next = shared_of(sched)->free_request;
    shared_of(sched)->free_request = index;
    if (request.parent != NONE) {
        side_call(sched, rank, OUTER_NPU, request.parent_event, request.parent);
        return;
    }
    struct stream *stream = stream_at(sched, request.stream);
    bool is_step = request.step != NONE;
    if (request.reduces) {
        agenda_add(&sched->agenda, stream->rank,
                   time_after(now_of(sched), plan_reduction_time(sched->system, request.bytes)),
                   item_payload(is_step ? ITEM_STEP_REDUCED : ITEM_REDUCED,
                                is_step ? request.step : 0, request.stream));
    } else if (is_step) {
        program_step_done(sched, stream, request.step);
    } else {
        stream_hand_over_done(sched, stream);
    }
}

static void process_next(struct sched *sched, uint32_t rank, uint32_t number)
{
    struct bus_side *side = &sched->bus[rank].side[number];
    if (side->is_processing || !side->processing.count)
        return;
    const struct bus_request *request = request_at(sched, side->processing.first);
    after(sched, rank, number, PROCESSED,
          (double)(request->bytes / 100 * sched->system->local_reduction_delay_ns + 50));
    side->is_processing = true;
}

/* What follows for a request that is received or processed: back over the bus, or retirement. */
static void leave(struct sched *sched, uint32_t rank, uint32_t number, uint32_t index)
{
    struct bus_request *request = request_at(sched, index);
    if (request->is_sent_back) {
        request->is_sent_back = false;
        if (number == OUTER_NPU)
            cross_inner(sched, rank, index, CONSIDER_SEND, true);
        else
            push(sched, &sched->bus[rank].side[number].sends, index);
    } else if (number == OUTER_NPU) {
        cross_inner(sched, rank, index, CONSIDER_RETIRE, false);
    } else {
        retire(sched, rank, index);
    }
}

static void on_received(struct sched *sched, uint32_t rank, uint32_t number)
{
    struct bus_side *side = &sched->bus[rank].side[number];
    side->last_ps = now_of(sched);
    side->before = side->state;
    if (side->receives.count < 2)
        side->state = SIDE_FREE;
    uint32_t index = pop(sched, &side->receives);
    struct bus_request *request = request_at(sched, index);
    if (!request->is_processed) {
        leave(sched, rank, number, index);
        return;
    }
    request->is_processed = false;
    if (number == OUTER_NPU)
        cross_inner(sched, rank, index, CONSIDER_PROCESS, true);
    else
        push(sched, &side->processing, index);
    process_next(sched, rank, number);
}

static void side_call(struct sched *sched, uint32_t rank, uint32_t number, enum bus_event event,
                      uint32_t request)
{
    struct bus_side *side = &sched->bus[rank].side[number];
    switch (event) {
    case SENT:
        side->last_ps = now_of(sched);
        side->before = side->state;
        side->state = SIDE_FREE;
        side->reads_in_row++;
        break;
    case RECEIVED:
        on_received(sched, rank, number);
        break;
    case PROCESSED:
        side->is_processing = false;
        leave(sched, rank, number, pop(sched, &side->processing));
        process_next(sched, rank, number);
        break;
    case CONSIDER_SEND:
        push(sched, &side->sends, request);
        break;
    case CONSIDER_PROCESS:
        push(sched, &side->processing, request);
        process_next(sched, rank, number);
        break;
    case CONSIDER_RETIRE:
        retire(sched, rank, request);
        break;
    case POKE:
        break;
    }
    go_on(sched, rank, number);
}

void bus_hand_over(struct sched *sched, struct stream *stream, uint32_t step, uint64_t bytes,
                   bool reduce, bool to_memory, bool is_sent_back)
{
    uint32_t request = take_request(sched, (struct bus_request){.bytes = bytes,
                                                                .is_processed = reduce,
                                                                .is_sent_back = is_sent_back,
                                                                .reduces = reduce,
                                                                .parent = NONE,
                                                                .stream = index_of(sched, stream),
                                                                .step = step});
    enter(sched, stream->rank, to_memory ? OUTER_NPU : OUTER_MEMORY, request);
}

void bus_on_item(struct sched *sched, uint32_t rank, const struct agenda_item *item)
{
    side_call(sched, rank, (uint32_t)item->payload,
              (enum bus_event)(item->payload >> 32 & 0xfffffff), NONE);
}
