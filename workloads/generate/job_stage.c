#include "workloads/generate/job_stage.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "workloads/generate/pipeline.h"

enum { TAG_FORWARD = 1, TAG_BACKWARD = 2, TAG_RING = 3 };

/* A message to or from the member `places` onwards in the rank's group of `kind`. */
static struct trace_node message(struct stage_writer *writer, enum op_type type,
                                 enum group_kind kind, uint32_t places, uint32_t tag,
                                 uint64_t bytes, enum job_stream stream)
{
    return (struct trace_node){.type = (uint8_t)type,
                               .size_bytes = bytes,
                               .group = job_trace_group(writer->out, kind),
                               .peer = places,
                               .tag = tag,
                               .stream = stream,
                               .flags = NODE_HAS_SIZE | NODE_HAS_PEER | NODE_HAS_TAG |
                                        NODE_PEER_IN_GROUP};
}

/* -- lists ---------------------------------------------------------------------------------- */

/* Which items of a backward list a unit runs. */
enum part { PART_ALL, PART_INPUT, PART_WEIGHT };

static enum job_stream stream_of(enum group_kind kind)
{
    switch (kind) {
    case GROUP_TP:
    case GROUP_EXPERT_TP:
        return STREAM_TP;
    case GROUP_CP:
        return STREAM_CP;
    case GROUP_EP:
    case GROUP_DP: /* embedding tables of DLRM */
        return STREAM_EP;
    case GROUP_EMBEDDING:
        return STREAM_STEP;
    default:
        return STREAM_REDUCE;
    }
}

static bool is_run(const struct stage_writer *writer, const struct layer_item *item, enum part part)
{
    if (item->kind != ITEM_COMPUTE && stage_members(writer, item->group) == 1)
        return false;
    return part == PART_ALL || item->is_weight_gradient == (part == PART_WEIGHT);
}

/* A step of a ring passes on what the step before it received. */
static void run_ring_step(struct stage_writer *writer, const struct layer_item *item,
                          struct job_place place, uint64_t at, uint64_t wait)
{
    enum job_stream stream = stream_of(item->group);
    uint32_t before = stage_members(writer, item->group) - 1;
    struct trace_node out = message(writer, OP_SEND, item->group, 1, TAG_RING, item->bytes, stream);
    struct trace_node in =
        message(writer, OP_RECV, item->group, before, TAG_RING, item->bytes, STREAM_CP_RECEIVE);
    bool is_first = (uint32_t)at == 0;
    uint32_t received = writer->lane[STREAM_CP_RECEIVE].last;
    uint32_t sent = is_first ? stage_aside(writer, item->name, place, out, AFTER_DUE, at)
                             : stage_after(writer, item->name, place, out, received);
    received = stage_aside(writer, item->name, place, in, AFTER_TAIL, at);
    stage_owe(writer, sent, stream, wait);
    stage_owe(writer, received, STREAM_CP_RECEIVE, wait);
}

/* Point of the list that waits for repetition `turn` of an item. */
static uint64_t wait_of(const struct layer_item *item, uint32_t turn)
{
    if (!item->overlaps)
        return DUE_NOW;
    if (!item->waits)
        return DUE_AFTER_LIST;
    return (uint64_t)item->waits << 32 | (item->kind == ITEM_SEND_RECV ? turn : 0);
}

/* Share of a collective that the framework runs behind the compute next to it. */
static double hidden_share(const struct stage_writer *writer, const struct layer_item *item)
{
    const struct framework *framework = writer->input->framework;
    if (item->is_pipelined)
        return framework->hidden_tp;
    if (item->group == GROUP_EP && !item->overlaps)
        return framework->hidden_ep;
    return item->overlaps;
}

/* Bytes of an item; a token crosses to a domain once where the framework does so. */
static uint64_t bytes_of(const struct stage_writer *writer, const struct layer_item *item)
{
    const struct job_input *input = writer->input;
    if (item->group != GROUP_EP || !input->framework->expert_once || !input->plan->domain)
        return item->bytes;
    const struct rank_view *view = &writer->layout->expert;
    uint32_t in_domain = input->plan->domain / view->stride[LAYOUT_EP];
    uint32_t members = view->size[LAYOUT_EP];
    uint32_t domains = in_domain ? (members + in_domain - 1) / in_domain : members;
    return (uint64_t)((double)item->bytes * expert_crossing_ratio(&input->model->moe, domains) +
                      0.5);
}

/* What stays exposed is on the chain; the rest is needed where the list says, else by the item
 * after the next. */
static void run_collective(struct stage_writer *writer, const struct layer_item *item,
                           struct job_place place, uint64_t at, uint64_t wait)
{
    double share = hidden_share(writer, item);
    uint64_t bytes = bytes_of(writer, item), hidden = (uint64_t)((double)bytes * share + 0.5);
    enum job_stream stream = stream_of(item->group);
    if (hidden < bytes || !bytes)
        stage_chain(writer, item->name, place,
                    stage_collective(writer, item->collective, item->group, bytes - hidden, stream),
                    NULL, at);
    if (!hidden)
        return;
    uint32_t aside = stage_aside(
        writer, item->name, place,
        stage_collective(writer, item->collective, item->group, hidden, stream), AFTER_DUE, at);
    stage_owe(writer, aside, stream, item->overlaps ? wait : ((at >> 32) + 2) << 32);
}

static void run_item(struct stage_writer *writer, const struct layer_item *item,
                     struct job_place place, uint32_t index, uint32_t turn)
{
    uint64_t at = (uint64_t)index << 32 | turn;
    if (item->kind == ITEM_COMPUTE) {
        struct trace_node node = {
            .type = OP_COMPUTE,
            .stream = STREAM_COMPUTE,
            .group = TRACE_NONE,
            .kernels = (uint16_t)(item->kernels < UINT16_MAX ? item->kernels : UINT16_MAX)};
        if (node.kernels == 1)
            node.kernels = 0;
        stage_chain(writer, item->name, place, node, &item->shape, at);
        return;
    }
    if (item->kind == ITEM_SEND_RECV) {
        run_ring_step(writer, item, place, at, wait_of(item, turn));
        return;
    }
    run_collective(writer, item, place, at, wait_of(item, turn));
}

/* The items of a list from `first` on. */
static void run_list(struct stage_writer *writer, const struct item_list *list, uint32_t first,
                     struct job_place place, enum part part)
{
    for (uint32_t i = first; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        if (!is_run(writer, item, part))
            continue;
        for (uint32_t r = 0; r < (item->repeat ? item->repeat : 1); r++)
            run_item(writer, item, place, i, r);
    }
    for (uint32_t i = 0; i < writer->due_count; i++)
        writer->due[i].wait = DUE_NOW;
}

/* What a pass over a piece needs for itself, from node `first` to the one added last. */
static void hold_transient(struct stage_writer *writer, const struct job_piece *piece,
                           uint32_t first)
{
    uint32_t count = job_trace_count(writer->out);
    if (first < count)
        job_trace_hold(writer->out, first, count - 1, piece->lists->transient_bytes,
                       LIFE_TRANSIENT);
}

/* A mixture's host reads how many rows each expert got before it can launch them: the device
 * waits. */
static void wait_for_counts(struct stage_writer *writer, const struct job_piece *piece,
                            struct job_place place)
{
    double ns = writer->input->framework->expert_host_ns;
    if (!piece->lists->expert_parameters || !(ns > 0))
        return;
    const struct trace_node node = {.type = OP_COMPUTE,
                                    .stream = STREAM_COMPUTE,
                                    .group = TRACE_NONE,
                                    .flags = NODE_IS_HOST,
                                    .duration_ns = (uint64_t)(ns + 0.5)};
    stage_chain(writer, "expert-counts", place, node, NULL, 0);
}

static void run_forward(struct stage_writer *writer, const struct job_piece *piece,
                        struct job_place place)
{
    uint32_t first = job_trace_count(writer->out);
    place.layer = piece->layer;
    wait_for_counts(writer, piece, place);
    run_list(writer, &piece->lists->forward, 0, place, PART_ALL);
    hold_transient(writer, piece, first);
}

static void run_backward(struct stage_writer *writer, const struct job_piece *piece,
                         struct job_place place, enum part part)
{
    uint32_t first = job_trace_count(writer->out);
    place.layer = piece->layer;
    if (part != PART_WEIGHT)
        wait_for_counts(writer, piece, place);
    run_list(writer, &piece->lists->backward, piece->recomputes ? 0 : piece->lists->recompute_count,
             place, part);
    hold_transient(writer, piece, first);
}

/* -- units ---------------------------------------------------------------------------------- */

/* Bytes that pass from one virtual stage to the next. */
static uint64_t boundary_bytes(const struct stage_writer *writer)
{
    const struct job_input *input = writer->input;
    return input->book->piece[layer_kind(input->model, 0)].boundary_bytes;
}

static uint32_t place_of(const struct stage_writer *writer, uint32_t chunk)
{
    return chunk * writer->input->plan->pp + writer->stage->stage;
}

static bool is_last(const struct stage_writer *writer, uint32_t chunk)
{
    return place_of(writer, chunk) + 1 == writer->input->plan->pp * writer->stage->chunk_count;
}

static uint32_t *begun_at(struct stage_writer *writer, uint32_t piece, uint32_t micro_batch)
{
    return &writer->begun[(uint64_t)piece * writer->micro_batches + micro_batch];
}

/* `places` onwards in the pipeline: 1 the next stage, pp - 1 the one before. */
static void receive(struct stage_writer *writer, struct job_place place, bool is_forward)
{
    enum job_stream stream = is_forward ? STREAM_FORWARD_RECEIVE : STREAM_BACKWARD_RECEIVE;
    uint32_t places = is_forward ? writer->input->plan->pp - 1 : 1;
    uint32_t node = stage_aside(writer, "receive", place,
                                message(writer, OP_RECV, GROUP_PP, places,
                                        is_forward ? TAG_FORWARD : TAG_BACKWARD,
                                        boundary_bytes(writer), stream),
                                AFTER_TAIL, 0);
    stage_owe(writer, node, stream, DUE_NOW);
    writer->received = node;
}

/* What was received is in a buffer until the first node `first` of the unit has read it. */
static void hold_received(struct stage_writer *writer, uint32_t first)
{
    if (writer->received != TRACE_NONE && first < job_trace_count(writer->out))
        job_trace_hold(writer->out, writer->received, first, boundary_bytes(writer), LIFE_BUFFER);
    writer->received = TRACE_NONE;
}

static void send(struct stage_writer *writer, struct job_place place, bool is_forward)
{
    enum job_stream stream = is_forward ? STREAM_FORWARD_SEND : STREAM_BACKWARD_SEND;
    uint32_t places = is_forward ? 1 : writer->input->plan->pp - 1;
    uint32_t node = stage_aside(writer, "send", place,
                                message(writer, OP_SEND, GROUP_PP, places,
                                        is_forward ? TAG_FORWARD : TAG_BACKWARD,
                                        boundary_bytes(writer), stream),
                                AFTER_DUE, DUE_NOW);
    if (writer->tail != TRACE_NONE)
        job_trace_hold(writer->out, writer->tail, node, boundary_bytes(writer), LIFE_BUFFER);
    if (!writer->input->plan->overlap_pp)
        stage_owe(writer, node, stream, DUE_NOW);
}

static void forward_unit(struct stage_writer *writer, const struct pipeline_unit *unit)
{
    const struct job_stage *stage = writer->stage;
    struct job_place place = {PASS_FORWARD, unit->micro_batch, TRACE_NONE};
    uint32_t first = stage->chunk_begin[unit->chunk];
    uint32_t count = stage->chunk_begin[unit->chunk + 1] - first;
    struct sync_walk walk = {place, first, count, 0, 1};
    if (place_of(writer, unit->chunk) > 0)
        receive(writer, place, true);
    for (uint32_t turn = 0; turn < count; turn++) {
        const struct job_piece *piece = &stage->piece[first + turn];
        sync_piece_begin(writer, &walk, turn);
        *begun_at(writer, first + turn, unit->micro_batch) = job_trace_count(writer->out);
        run_forward(writer, piece, place);
        hold_received(writer, *begun_at(writer, first + turn, unit->micro_batch));
        sync_piece_end(writer, first + turn, PASS_FORWARD);
    }
    if (!is_last(writer, unit->chunk))
        send(writer, place, true);
}

/* The last part of the backward of a piece is done: its activations go, its gradients are there. */
static void finish_piece(struct stage_writer *writer, uint32_t piece, struct job_place place)
{
    uint32_t begun = *begun_at(writer, piece, place.micro_batch);
    uint32_t last = job_trace_count(writer->out) - 1;
    const struct job_piece *of = &writer->stage->piece[piece];
    uint64_t bytes =
        of->recomputes ? of->lists->activation_bytes : of->lists->activation_bytes_kept;
    if (begun <= last)
        job_trace_hold(writer->out, begun, last, bytes, LIFE_ACTIVATION);
    sync_gradients(writer, piece, place);
}

static void backward_unit(struct stage_writer *writer, const struct pipeline_unit *unit)
{
    const struct job_stage *stage = writer->stage;
    bool splits = writer->input->plan->schedule == PIPE_ZERO_BUBBLE;
    struct job_place place = {PASS_BACKWARD, unit->micro_batch, TRACE_NONE};
    uint32_t last = stage->chunk_begin[unit->chunk + 1] - 1;
    uint32_t count = last + 1 - stage->chunk_begin[unit->chunk];
    struct sync_walk walk = {place, last, count, 0, -1};
    if (!is_last(writer, unit->chunk))
        receive(writer, place, false);
    for (uint32_t turn = 0; turn < count; turn++) {
        const struct job_piece *piece = &stage->piece[last - turn];
        sync_piece_begin(writer, &walk, turn);
        writer->returned[last - turn] = job_trace_count(writer->out);
        run_backward(writer, piece, place, splits ? PART_INPUT : PART_ALL);
        hold_received(writer, writer->returned[last - turn]);
        sync_piece_end(writer, last - turn, PASS_BACKWARD);
        if (!splits)
            finish_piece(writer, last - turn, place);
    }
    if (place_of(writer, unit->chunk) > 0)
        send(writer, place, false);
}

static void weight_unit(struct stage_writer *writer, const struct pipeline_unit *unit)
{
    const struct job_stage *stage = writer->stage;
    struct job_place place = {PASS_WEIGHT, unit->micro_batch, TRACE_NONE};
    for (uint32_t i = stage->chunk_begin[unit->chunk + 1]; i-- > stage->chunk_begin[unit->chunk];) {
        const struct job_piece *piece = &stage->piece[i];
        run_backward(writer, piece, place, PART_WEIGHT);
        finish_piece(writer, i, place);
    }
}

static void write_units(struct stage_writer *writer)
{
    static void (*const units[])(struct stage_writer *, const struct pipeline_unit *) = {
        [UNIT_FORWARD] = forward_unit,
        [UNIT_BACKWARD] = backward_unit,
        [UNIT_WEIGHT] = weight_unit,
    };
    struct pipeline_spec spec = pipeline_spec_of(writer->input->plan);
    uint64_t count = pipeline_unit_count(&spec);
    struct pipeline_unit *order = calloc(count, sizeof *order);
    need_memory(order != NULL);
    pipeline_order(&spec, writer->stage->stage, order);
    for (uint64_t u = 0; u < count; u++)
        units[order[u].kind](writer, &order[u]);
    free(order);
}

struct trace *stage_write(const struct job_input *input, const struct job_layout *layout,
                          uint32_t index, uint32_t *kinds)
{
    struct arena arena;
    struct job_stage stage;
    arena_init(&arena);
    job_stage_make(&stage, input, index, &arena);
    struct stage_writer writer = {.input = input,
                                  .layout = layout,
                                  .stage = &stage,
                                  .out = job_trace_create(),
                                  .tail = TRACE_NONE,
                                  .reducing = TRACE_NONE,
                                  .received = TRACE_NONE,
                                  .micro_batches = (uint32_t)input->plan->micro_batches};
    for (int s = 0; s < JOB_STREAM_COUNT; s++)
        writer.lane[s].last = TRACE_NONE;
    uint64_t passes = (uint64_t)stage.piece_count * writer.micro_batches;
    writer.begun = arena_array(&arena, passes, sizeof *writer.begun);
    writer.returned = arena_array(&arena, stage.piece_count, sizeof *writer.returned);
    writer.gathered = arena_array(&arena, stage.piece_count, sizeof *writer.gathered);
    writer.held_from = arena_array(&arena, stage.piece_count, sizeof *writer.held_from);
    for (uint32_t i = 0; i < stage.piece_count; i++)
        writer.gathered[i] = writer.held_from[i] = TRACE_NONE;
    sync_begin(&writer);
    write_units(&writer);
    sync_step(&writer);
    *kinds |= job_trace_kinds(writer.out);
    struct trace *trace = job_trace_finish(writer.out, index, sync_fixed_bytes(&writer));
    arena_release(&arena);
    return trace;
}
