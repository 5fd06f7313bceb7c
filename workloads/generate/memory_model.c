#include "workloads/generate/memory_model.h"

#include "workloads/generate/pipeline.h"

const char *const memory_class_names[] = {
#define X(name, text) [name] = text,
    MEMORY_CLASS_LIST(X)
#undef X
        NULL};

/* A rank's pieces, summed over its virtual stages. */
struct held {
    uint64_t parameters, expert_parameters;
    uint64_t local_bytes;      /* tables of a recommendation model */
    uint64_t layer_parameters; /* of these, in products of layers */
    uint64_t activation_bytes; /* in flight */
    uint64_t transient_bytes;  /* of the piece that needs most */
    uint64_t largest_piece;    /* parameters of one */
};

static uint64_t share(uint64_t count, uint64_t members)
{
    return (count + members - 1) / members;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* -- pieces ----------------------------------------------------------------------------------- */

static void add_piece(struct held *held, const struct layer_piece *piece, bool is_layer,
                      uint64_t activation_bytes)
{
    uint64_t all = piece->parameters + piece->expert_parameters;
    held->parameters += piece->parameters;
    held->expert_parameters += piece->expert_parameters;
    held->local_bytes += piece->local_bytes;
    if (is_layer)
        held->layer_parameters += all;
    held->activation_bytes += activation_bytes;
    held->transient_bytes = greater(held->transient_bytes, piece->transient_bytes);
    held->largest_piece = greater(held->largest_piece, all);
}

/* Micro-batches of chunk `chunk` among the first `units` forwards of a rank, which go through the
 * chunks in rounds of pp. */
static uint64_t in_flight(const struct train_plan *plan, uint64_t units, uint32_t chunk)
{
    if (plan->interleave == 1)
        return units;
    uint64_t round = (uint64_t)plan->pp * plan->interleave;
    uint64_t rest = units % round, begin = (uint64_t)chunk * plan->pp;
    uint64_t more = rest > begin ? rest - begin : 0;
    return units / round * plan->pp + (more < plan->pp ? more : plan->pp);
}

static void add_stage(struct held *held, const struct memory_input *input, uint32_t virtual_stage,
                      uint64_t micro_batches)
{
    const struct train_plan *plan = input->plan;
    const struct layer_piece *piece = input->book->piece;
    uint32_t first, count = stage_layers(input->model, plan, virtual_stage, &first);
    if (virtual_stage == 0)
        add_piece(held, &piece[PIECE_EMBEDDING], false,
                  micro_batches * piece[PIECE_EMBEDDING].activation_bytes);
    for (uint32_t i = 0; i < count; i++) {
        const struct layer_piece *layer = &piece[layer_kind(input->model, first + i)];
        bool is_kept = plan->recompute_layers && i >= plan->recompute_layers;
        add_piece(held, layer, true,
                  micro_batches *
                      (is_kept ? layer->activation_bytes_kept : layer->activation_bytes));
    }
    if (virtual_stage + 1 != plan->pp * plan->interleave)
        return;
    for (uint32_t i = 0; i < input->model->mtp_layers; i++)
        add_piece(held, &piece[PIECE_MTP], true, micro_batches * piece[PIECE_MTP].activation_bytes);
    add_piece(held, &piece[PIECE_HEAD], false, micro_batches * piece[PIECE_HEAD].activation_bytes);
}

static struct held held_by(const struct memory_input *input, uint32_t stage)
{
    const struct train_plan *plan = input->plan;
    struct pipeline_spec spec = pipeline_spec_of(plan);
    uint64_t units = pipeline_in_flight(&spec, stage);
    struct held held = {0};
    for (uint32_t chunk = 0; chunk < plan->interleave; chunk++)
        add_stage(&held, input, chunk * plan->pp + stage, in_flight(plan, units, chunk));
    return held;
}

/* -- classes ---------------------------------------------------------------------------------- */

/* Parameters of a rank after division, rule 2. */
static uint64_t divided(const struct train_plan *plan, const struct held *held)
{
    uint64_t members = plan->shard_group ? plan->shard_group : (uint64_t)plan->dp * plan->cp;
    uint64_t around = (uint64_t)plan->tp * plan->cp * plan->dp;
    uint64_t expert_members = around / ((uint64_t)plan->ep * plan->expert_tp);
    return share(held->parameters, members) +
           share(held->expert_parameters, greater(1, expert_members));
}

static uint64_t low_copies(const struct train_plan *plan, const struct held *held)
{
    bool is_low = data_type_bytes(plan->compute_type, 8) <= 8;
    bool is_kept = is_low && plan->micro_batches > 1 && plan->zero < 3;
    return is_kept ? 2 * data_type_bytes(plan->compute_type, held->layer_parameters) : 0;
}

static uint64_t buffers(const struct memory_input *input, const struct held *held, uint32_t stage)
{
    const struct train_plan *plan = input->plan;
    uint64_t boundary = input->book->piece[PIECE_EMBEDDING].boundary_bytes, bytes = 0;
    bool has_before = stage > 0 || plan->interleave > 1;
    bool has_after = stage + 1 < plan->pp || plan->interleave > 1;
    if (plan->pp > 1)
        bytes += 2 * boundary * (has_before + has_after);
    uint64_t ahead = 1 + (plan->overlap_weights ? input->framework->prefetch : 0);
    if (plan->zero == 3)
        bytes += ahead * data_type_bytes(plan->weight_type, held->largest_piece);
    if (plan->zero >= 2)
        bytes += data_type_bytes(plan->gradient_type, held->largest_piece);
    return bytes;
}

void memory_of_stage(struct stage_memory *memory, const struct memory_input *input, uint32_t stage)
{
    const struct train_plan *plan = input->plan;
    struct held held = held_by(input, stage);
    uint64_t all = held.parameters + held.expert_parameters;
    uint64_t own = plan->zero ? divided(plan, &held) : all;
    *memory = (struct stage_memory){.parameters = held.parameters,
                                    .expert_parameters = held.expert_parameters};
    uint64_t *bytes = memory->bytes;
    bytes[MEMORY_WEIGHTS] = data_type_bytes(plan->weight_type, plan->zero == 3 ? own : all) +
                            low_copies(plan, &held) + held.local_bytes;
    bytes[MEMORY_GRADIENTS] = data_type_bytes(plan->gradient_type, plan->zero >= 2 ? own : all);
    bytes[MEMORY_OPTIMIZER] = data_type_bytes(plan->optimizer_type, 2 * own) +
                              (plan->master_weights ? data_type_bytes(TYPE_FP32, own) : 0);
    bytes[MEMORY_ACTIVATIONS] = held.activation_bytes;
    bytes[MEMORY_TRANSIENT] = held.transient_bytes;
    bytes[MEMORY_BUFFERS] = buffers(input, &held, stage);
    bytes[MEMORY_RESERVE] = (uint64_t)input->framework->reserve_bytes;
    for (int i = 0; i < MEMORY_CLASS_COUNT; i++)
        memory->total_bytes += bytes[i];
}

uint32_t memory_worst_stage(struct stage_memory *memory, const struct memory_input *input)
{
    uint32_t worst = 0;
    memory_of_stage(memory, input, 0);
    for (uint32_t stage = 1; stage < input->plan->pp; stage++) {
        struct stage_memory other;
        memory_of_stage(&other, input, stage);
        if (other.total_bytes > memory->total_bytes) {
            *memory = other;
            worst = stage;
        }
    }
    return worst;
}
