#include "workloads/generate/job_pieces.h"

#include "workloads/generate/family.h"

static uint32_t virtual_stages(const struct job_input *input)
{
    return input->plan->pp * (input->plan->interleave ? input->plan->interleave : 1);
}

static void push(struct job_stage *stage, const struct job_input *input, enum piece_kind kind,
                 uint32_t layer, bool recomputes)
{
    const struct layer_piece *lists = &input->book->piece[kind];
    if (!lists->forward.count && !lists->backward.count && !lists->parameters)
        return;
    stage->parameters += lists->parameters;
    stage->expert_parameters += lists->expert_parameters;
    stage->piece[stage->piece_count++] = (struct job_piece){.lists = lists,
                                                            .layer = layer,
                                                            .is_root = layer == TRACE_NONE,
                                                            .stays = kind == PIECE_HEAD,
                                                            .recomputes = recomputes};
}

/* Stem and head are no layers in names, and stay gathered like embedding and head. */
static void push_family(struct job_stage *stage, const struct layer_piece *piece, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_end = i == 0 || i + 1 == count;
        stage->parameters += piece[i].parameters;
        stage->piece[stage->piece_count++] =
            (struct job_piece){.lists = &piece[i],
                               .layer = is_end ? TRACE_NONE : i - 1,
                               .is_root = is_end,
                               .stays = i + 1 == count,
                               .recomputes = true};
    }
}

static void push_chunk(struct job_stage *stage, const struct job_input *input, uint32_t chunk)
{
    uint32_t place = chunk * input->plan->pp + stage->stage, first;
    uint32_t count = stage_layers(input->model, input->plan, place, &first);
    uint32_t recomputed = input->plan->recompute_layers;
    if (place == 0)
        push(stage, input, PIECE_EMBEDDING, TRACE_NONE, true);
    for (uint32_t i = 0; i < count; i++)
        push(stage, input, layer_kind(input->model, first + i), first + i,
             !recomputed || i < recomputed);
    if (place != virtual_stages(input) - 1)
        return;
    for (uint32_t i = 0; i < input->model->mtp_layers; i++)
        push(stage, input, PIECE_MTP, input->model->layers + i, true);
    push(stage, input, PIECE_HEAD, TRACE_NONE, true);
}

/* Rule 2. */
static void fill_buckets(struct job_stage *stage, const struct job_input *input, uint32_t chunk)
{
    const struct train_plan *plan = input->plan;
    uint64_t limit = plan->zero < 3 ? plan->bucket_bytes : 0;
    struct job_bucket *bucket = NULL;
    for (uint32_t i = stage->chunk_begin[chunk + 1]; i-- > stage->chunk_begin[chunk];) {
        if (!bucket || data_type_bytes(plan->gradient_type,
                                       bucket->parameters + bucket->expert_parameters) >= limit) {
            bucket = &stage->bucket[stage->bucket_count++];
            *bucket = (struct job_bucket){.last = i};
        }
        bucket->first = i;
        bucket->parameters += stage->piece[i].lists->parameters;
        bucket->expert_parameters += stage->piece[i].lists->expert_parameters;
        stage->piece[i].bucket = stage->bucket_count - 1;
    }
}

void job_stage_make(struct job_stage *stage, const struct job_input *input, uint32_t index,
                    struct arena *arena)
{
    uint32_t chunks = virtual_stages(input) / input->plan->pp;
    struct layer_piece *own = NULL;
    uint32_t own_count = 0;
    if (family_of(input->model))
        own_count = family_of(input->model)
                        ->pieces(input->model, input->plan, input->framework, arena, &own);
    uint32_t room = input->model->layers + input->model->mtp_layers + 2 + own_count;
    *stage = (struct job_stage){.stage = index, .chunk_count = chunks};
    stage->piece = arena_array(arena, room, sizeof *stage->piece);
    stage->bucket = arena_array(arena, room, sizeof *stage->bucket);
    stage->chunk_begin = arena_array(arena, chunks + (size_t)1, sizeof *stage->chunk_begin);
    for (uint32_t c = 0; c < chunks; c++) {
        if (own)
            push_family(stage, own, own_count);
        else
            push_chunk(stage, input, c);
        stage->chunk_begin[c + 1] = stage->piece_count;
    }
    for (uint32_t c = 0; c < chunks; c++)
        fill_buckets(stage, input, c);
}
