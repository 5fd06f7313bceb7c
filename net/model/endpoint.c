#include "net/model/endpoint.h"

#include <stdlib.h>

#include "base/memory.h"

enum { NONE = UINT32_MAX };

/* What an event of ENDPOINT_KIND says about its message: the low bit of its data. */
enum { FIRST_BYTE_LEAVES, LAST_BYTE_COMES };

struct message {
    uint64_t ticket;
    uint64_t bytes;
    time_ps last_byte; /* out of the sender's port; then, with the latency, the least at `dst` */
    uint32_t src, dst;
    uint32_t next; /* in the free list */
};

static struct message *message_at(const struct endpoint *endpoint, uint32_t index)
{
    return (struct message *)endpoint->messages.base + index;
}

static uint64_t event_of(uint32_t index, unsigned what)
{
    return engine_payload(ENDPOINT_KIND, (uint64_t)index << 1 | what);
}

static uint32_t take_message(struct endpoint *endpoint)
{
    uint32_t index = endpoint->free_message;
    if (index == NONE)
        return (uint32_t)grow_push(&endpoint->messages, 1);
    endpoint->free_message = message_at(endpoint, index)->next;
    return index;
}

static void release_message(struct endpoint *endpoint, uint32_t index)
{
    message_at(endpoint, index)->next = endpoint->free_message;
    endpoint->free_message = index;
}

/* The first byte enters the network. */
static void enter(struct endpoint *endpoint, uint32_t index)
{
    struct message *message = message_at(endpoint, index);
    const struct endpoint_core *core = &endpoint->core;
    time_ps latency = core->idle_time(core->net, message->src, message->dst, 0);
    message->last_byte = time_after(message->last_byte, latency);
    core->carry(core->net, message->src, message->dst, message->bytes,
                event_of(index, LAST_BYTE_COMES));
}

/* How long a port is busy with a message: port(s) of the header. */
static time_ps port_time(const struct endpoint *endpoint, uint64_t bytes)
{
    if (bytes == 0)
        return 0;
    double gap_ns = (double)(bytes - 1) * endpoint->byte_gap_ns;
    double injection_ns =
        endpoint->injection_B_per_ns > 0 ? (double)bytes / endpoint->injection_B_per_ns : 0;
    return time_rounded(gap_ns > injection_ns ? gap_ns : injection_ns, endpoint->whole_ns);
}

/* The network has delivered the last byte it was given, which may be before the port's last. */
static void receive(struct endpoint *endpoint, uint32_t index)
{
    const struct message *message = message_at(endpoint, index);
    time_ps now = endpoint->engine->now;
    if (now < message->last_byte) {
        engine_push(endpoint->engine, message->last_byte, event_of(index, LAST_BYTE_COMES));
        return;
    }
    time_ps done = now;
    if (message->dst < endpoint->npu_count) {
        struct endpoint_npu *npu = &endpoint->npu[link_fold_stand_in(endpoint->fold, message->dst)];
        if (endpoint->fold)
            fold_turn_note(&npu->in_turn, endpoint->fold, endpoint->engine, FOLD_TURN_OTHER);
        time_ps port = port_time(endpoint, message->bytes);
        time_ps in = time_later(now, time_after(npu->in_next, port));
        npu->in_next = time_after(in, endpoint->gap_ps);
        done = npu->received = time_after(time_later(in, npu->received), endpoint->receive_ps);
    }
    engine_push(endpoint->engine, done, message->ticket);
    release_message(endpoint, index);
}

static void on_event(void *context, uint64_t payload)
{
    uint64_t data = payload & ENGINE_DATA_MASK;
    if ((data & 1) == FIRST_BYTE_LEAVES)
        enter(context, (uint32_t)(data >> 1));
    else
        receive(context, (uint32_t)(data >> 1));
}

/* Between two switches there is no port. */
static time_ps port_of(const struct endpoint *endpoint, uint32_t src, uint32_t dst, uint64_t bytes)
{
    bool has_port = src < endpoint->npu_count || dst < endpoint->npu_count;
    return has_port ? port_time(endpoint, bytes) : 0;
}

void endpoint_send(struct endpoint *endpoint, uint32_t src, uint32_t dst, uint64_t bytes,
                   uint64_t ticket)
{
    time_ps first = endpoint->engine->now;
    time_ps port = port_of(endpoint, src, dst, bytes);
    if (src < endpoint->npu_count) {
        struct endpoint_npu *npu = &endpoint->npu[src];
        if (endpoint->fold)
            fold_turn_note(&npu->out_turn, endpoint->fold, endpoint->engine, 0);
        time_ps start = time_later(first, npu->out_next);
        npu->out_next =
            time_after(start, time_later(endpoint->send_ps, time_after(endpoint->gap_ps, port)));
        first = time_after(start, endpoint->send_ps);
    }
    uint32_t index = take_message(endpoint);
    *message_at(endpoint, index) = (struct message){.ticket = ticket,
                                                    .bytes = bytes,
                                                    .last_byte = time_after(first, port),
                                                    .src = src,
                                                    .dst = dst};
    if (first == endpoint->engine->now)
        enter(endpoint, index);
    else
        engine_push(endpoint->engine, first, event_of(index, FIRST_BYTE_LEAVES));
}

time_ps endpoint_idle_time(const struct endpoint *endpoint, uint32_t src, uint32_t dst,
                           uint64_t bytes)
{
    const struct endpoint_core *core = &endpoint->core;
    time_ps network = core->idle_time(core->net, src, dst, bytes);
    if (!endpoint_is_active(endpoint))
        return network;
    time_ps latency = core->idle_time(core->net, src, dst, 0);
    network = time_later(network, time_after(latency, port_of(endpoint, src, dst, bytes)));
    time_ps before = src < endpoint->npu_count ? endpoint->send_ps : 0;
    time_ps after = dst < endpoint->npu_count ? endpoint->receive_ps : 0;
    return time_after(time_after(before, network), after);
}

void endpoint_init(struct endpoint *endpoint, const struct network_config *config,
                   const struct endpoint_core *core, struct engine *engine)
{
    *endpoint =
        (struct endpoint){.engine = engine,
                          .core = *core,
                          .send_ps = time_rounded(config->send_overhead_ns, config->whole_ns),
                          .receive_ps = time_rounded(config->receive_overhead_ns, config->whole_ns),
                          .gap_ps = time_rounded(config->message_gap_ns, config->whole_ns),
                          .byte_gap_ns = config->byte_gap_ns,
                          .injection_B_per_ns = config->injection_Bps / 1e9,
                          .whole_ns = config->whole_ns,
                          .npu_count = config->npu_count,
                          .free_message = NONE};
    if (!network_has_endpoint_costs(config))
        return;
    endpoint->npu = calloc(config->npu_count, sizeof *endpoint->npu);
    need_memory(endpoint->npu != NULL);
    need_memory(grow_init(&endpoint->messages, sizeof(struct message), (size_t)1 << 28));
    engine_on(engine, ENDPOINT_KIND, on_event, endpoint);
}

void endpoint_fold(struct endpoint *endpoint, const struct link_fold *fold)
{
    if (!endpoint_is_active(endpoint))
        return;
    endpoint->fold = fold;
    for (uint32_t r = 0; r < endpoint->npu_count; r++)
        endpoint->npu[r].in_turn = endpoint->npu[r].out_turn = FOLD_TURN_NONE;
}

void endpoint_release(struct endpoint *endpoint)
{
    if (!endpoint_is_active(endpoint))
        return;
    grow_release(&endpoint->messages);
    free(endpoint->npu);
    endpoint->npu = NULL;
}
