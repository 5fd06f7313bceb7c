#include "workloads/generate/dlrm.h"

#include <math.h>
#include <string.h>

#include "workloads/generate/layer_build.h"

/* -- sizes ---------------------------------------------------------------------------------- */

static uint32_t length_of(const double *list, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && list[count] > 0)
        count++;
    return count;
}

static uint32_t table_count(const struct dlrm_spec *spec)
{
    return length_of(spec->rows, DLRM_MOST_TABLES);
}

/* Vectors that meet in the interaction: the embeddings and the bottom network's result. */
static uint64_t vectors(const struct dlrm_spec *spec)
{
    return table_count(spec) + (uint64_t)1;
}

static uint64_t top_input(const struct dlrm_spec *spec)
{
    return vectors(spec) * (vectors(spec) - 1) / 2 + spec->dim;
}

/* Weights of a network, without biases. */
static uint64_t network_weights(uint64_t in, const double *widths, uint64_t *biases)
{
    uint64_t weights = 0;
    *biases = 0;
    for (uint32_t l = 0; l < length_of(widths, DLRM_MOST_LAYERS); l++) {
        weights += in * (uint64_t)widths[l];
        *biases += (uint64_t)widths[l];
        in = (uint64_t)widths[l];
    }
    return weights;
}

static uint64_t network_parameters(uint64_t in, const double *widths)
{
    uint64_t biases, weights = network_weights(in, widths, &biases);
    return weights + biases;
}

static uint64_t parameters(const struct model_spec *model)
{
    const struct dlrm_spec *spec = model->dlrm;
    uint64_t rows = 0;
    for (uint32_t t = 0; t < table_count(spec); t++)
        rows += (uint64_t)spec->rows[t];
    return rows * spec->dim + network_parameters(spec->dense, spec->bottom) +
           network_parameters(top_input(spec), spec->top);
}

static double products(const struct model_spec *model)
{
    const struct dlrm_spec *spec = model->dlrm;
    uint64_t biases;
    return (double)(network_weights(spec->dense, spec->bottom, &biases) +
                    network_weights(top_input(spec), spec->top, &biases) +
                    vectors(spec) * vectors(spec) * spec->dim);
}

/* Columns of embeddings that the busiest rank looks up for a sample (rule 2). */
static uint64_t busiest_columns(const struct dlrm_spec *spec, uint32_t ranks)
{
    uint64_t tables = table_count(spec);
    if (ranks <= tables)
        return (tables + ranks - 1) / ranks * spec->dim;
    uint64_t pieces = (ranks + tables - 1) / tables;
    return (spec->dim + pieces - 1) / pieces;
}

/* Bytes of tables on one rank, evenly spread. */
static uint64_t table_bytes(const struct dlrm_spec *spec, const struct train_plan *plan)
{
    uint64_t rows = 0;
    for (uint32_t t = 0; t < table_count(spec); t++)
        rows += (uint64_t)spec->rows[t];
    return data_type_bytes(plan->weight_type, rows * spec->dim / plan->dp);
}

/* -- lists ---------------------------------------------------------------------------------- */

struct writing {
    struct layer_builder builder;
    const struct dlrm_spec *spec;
    uint64_t batch; /* samples of a rank */
};

static const struct linear_names bottom_names = LINEAR_NAMES("bottom");
static const struct linear_names top_names = LINEAR_NAMES("top");

static void elementwise(struct writing *writing, const char *name, uint64_t numbers, uint64_t reads)
{
    pass_push(&writing->builder,
              &(struct pass){.name = name,
                             .class = OP_CLASS_ELEMENTWISE,
                             .rows = numbers,
                             .read_bytes = reads * numbers * writing->builder.act_bytes,
                             .write_bytes = numbers * writing->builder.act_bytes,
                             .kernels = 1});
}

static struct linear layer_at(const struct writing *writing, const struct linear_names *names,
                              uint64_t in, const double *widths, uint32_t index)
{
    return (struct linear){.name = *names,
                           .rows = writing->batch,
                           .in = index ? (uint64_t)widths[index - 1] : in,
                           .out = (uint64_t)widths[index]};
}

static void network_forward(struct writing *writing, const struct linear_names *names, uint64_t in,
                            const double *widths)
{
    for (uint32_t l = 0; l < length_of(widths, DLRM_MOST_LAYERS); l++) {
        struct linear linear = layer_at(writing, names, in, widths, l);
        linear_forward(&writing->builder, &linear);
        elementwise(writing, "activation", linear.rows * linear.out, 1);
        keep(&writing->builder,
             linear.rows * (linear.in + linear.out) * writing->builder.act_bytes);
    }
}

/* The bottom network's first layer needs no gradient of its input. */
static void network_backward(struct writing *writing, const struct linear_names *names, uint64_t in,
                             const double *widths, bool needs_input)
{
    for (uint32_t l = length_of(widths, DLRM_MOST_LAYERS); l-- > 0;) {
        struct linear linear = layer_at(writing, names, in, widths, l);
        elementwise(writing, "activation.backward", linear.rows * linear.out, 2);
        if (l || needs_input)
            linear_dgrad(&writing->builder, &linear);
        linear_wgrad(&writing->builder, &linear);
    }
}

/* Rows of the rank's tables, for the samples of all ranks: read and added up, or stepped. */
static void look_up(struct writing *writing, const char *name, bool is_backward)
{
    const struct train_plan *plan = writing->builder.plan;
    uint64_t columns = busiest_columns(writing->spec, plan->dp);
    uint64_t samples = writing->batch * plan->dp;
    uint64_t weights =
        data_type_bytes(plan->weight_type, samples * writing->spec->lookups * columns);
    uint64_t result = samples * columns * writing->builder.act_bytes;
    pass_push(&writing->builder,
              &(struct pass){.name = name,
                             .class = OP_CLASS_EMBEDDING,
                             .rows = samples * writing->spec->lookups,
                             .columns = columns,
                             .read_bytes = is_backward ? weights + result : weights,
                             .write_bytes = is_backward ? weights : result,
                             .kernels = 1});
}

/* Each rank's columns of all samples, to all columns of each rank's samples, or back. */
static uint32_t exchange(struct writing *writing, const char *name)
{
    const struct train_plan *plan = writing->builder.plan;
    if (plan->dp < 2)
        return UINT32_MAX;
    struct layer_item *item = item_push(&writing->builder, ITEM_COLLECTIVE, name);
    item->collective = COLL_ALL_TO_ALL;
    item->group = GROUP_DP;
    item->bytes = writing->batch * plan->dp * busiest_columns(writing->spec, plan->dp) *
                  writing->builder.act_bytes;
    return writing->builder.list->count - 1;
}

static void interaction(struct writing *writing, const char *name, bool is_backward)
{
    uint64_t n = vectors(writing->spec), dim = writing->spec->dim;
    compute_push(&writing->builder, name,
                 (struct op_shape){.class = OP_CLASS_GEMM,
                                   .type = (uint8_t)writing->builder.plan->activation_type,
                                   .out_type = (uint8_t)writing->builder.plan->activation_type,
                                   .batch = writing->batch,
                                   .m = n,
                                   .n = is_backward ? dim : n,
                                   .k = is_backward ? n : dim});
}

/* Tables, bottom network, interaction. */
static void write_front(struct writing *writing)
{
    const struct dlrm_spec *spec = writing->spec;
    struct layer_builder *builder = &writing->builder;
    builder->list = &builder->piece->forward;
    look_up(writing, "tables", false);
    uint32_t out = exchange(writing, "tables.all-to-all");
    network_forward(writing, &bottom_names, spec->dense, spec->bottom);
    overlap_until_next(builder, out);
    interaction(writing, "interaction", false);
    keep(builder, writing->batch * vectors(spec) * spec->dim * builder->act_bytes);
    builder->list = &builder->piece->backward;
    interaction(writing, "interaction.backward", true);
    interaction(writing, "interaction.backward", true);
    uint32_t back = exchange(writing, "tables.all-to-all.backward");
    network_backward(writing, &bottom_names, spec->dense, spec->bottom, false);
    overlap_until_next(builder, back);
    look_up(writing, "tables.step", true);
    builder->piece->parameters = network_parameters(spec->dense, spec->bottom);
    builder->piece->local_bytes = table_bytes(spec, builder->plan);
}

static void write_back(struct writing *writing)
{
    const struct dlrm_spec *spec = writing->spec;
    struct layer_builder *builder = &writing->builder;
    builder->list = &builder->piece->forward;
    network_forward(writing, &top_names, top_input(spec), spec->top);
    elementwise(writing, "loss", writing->batch, 2);
    builder->list = &builder->piece->backward;
    elementwise(writing, "loss.backward", writing->batch, 2);
    network_backward(writing, &top_names, top_input(spec), spec->top, true);
    builder->piece->parameters = network_parameters(top_input(spec), spec->top);
}

static uint32_t pieces(const struct model_spec *model, const struct train_plan *plan,
                       const struct framework *framework, struct arena *arena,
                       struct layer_piece **piece)
{
    *piece = arena_array(arena, 2, sizeof **piece);
    struct writing writing = {
        .builder = {.model = model,
                    .plan = plan,
                    .framework = framework,
                    .arena = arena,
                    .piece = *piece,
                    .act_bytes = data_type_bytes(plan->activation_type, 1)},
        .spec = model->dlrm,
        .batch = plan->micro_batch,
    };
    write_front(&writing);
    writing.builder.piece++;
    write_back(&writing);
    return 2;
}

/* -- reading -------------------------------------------------------------------------------- */

static enum status refuse(const struct field_reader *reader, const char *field, const char *message)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "%s", message);
    diag_in(reader->diag, reader->doc->path);
    diag_field(reader->diag, "%s", field);
    return STATUS_BAD_CONFIG;
}

static bool are_counts(const double *list, uint32_t most, double limit)
{
    uint32_t count = length_of(list, most);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] != floor(list[i]) || list[i] > limit)
            return false;
    }
    for (uint32_t i = count; i < most; i++) {
        if (list[i] != 0)
            return false;
    }
    return count > 0;
}

static enum status check(const struct dlrm_spec *spec, const struct field_reader *reader)
{
    if (!are_counts(spec->rows, DLRM_MOST_TABLES, 1e12))
        return refuse(reader, "dlrm.rows", "expected a list of whole numbers from 1 to 10^12");
    if (!are_counts(spec->bottom, DLRM_MOST_LAYERS, 1 << 20))
        return refuse(reader, "dlrm.bottom", "expected a list of whole numbers from 1 to 2^20");
    if (!are_counts(spec->top, DLRM_MOST_LAYERS, 1 << 20))
        return refuse(reader, "dlrm.top", "expected a list of whole numbers from 1 to 2^20");
    if (spec->bottom[length_of(spec->bottom, DLRM_MOST_LAYERS) - 1] != spec->dim)
        return refuse(reader, "dlrm.bottom",
                      "the last width must be dim: the result meets the embeddings");
    return STATUS_OK;
}

static enum status read(struct model_spec *model, const struct field_reader *reader,
                        const struct doc_node *map)
{
    static const struct field fields[] = {
        FIELD(struct dlrm_spec, dense, "dense", FIELD_U32, .least = 1, .most = 1u << 20),
        FIELD(struct dlrm_spec, dim, "dim", FIELD_U32, .least = 1, .most = 1u << 16),
        FIELD(struct dlrm_spec, lookups, "lookups", FIELD_U32, .least = 1, .most = 1u << 16),
        FIELD(struct dlrm_spec, rows, "rows", FIELD_NUMBERS, .most = DLRM_MOST_TABLES),
        FIELD(struct dlrm_spec, bottom, "bottom", FIELD_NUMBERS, .most = DLRM_MOST_LAYERS),
        FIELD(struct dlrm_spec, top, "top", FIELD_NUMBERS, .most = DLRM_MOST_LAYERS),
        {.key = NULL},
    };
    struct dlrm_spec *dlrm = arena_take(reader->arena, sizeof *dlrm);
    *dlrm = model->dlrm ? *model->dlrm : (struct dlrm_spec){.lookups = 1};
    if (doc_find(map, "rows")) /* a shorter list than that of `like` */
        memset(dlrm->rows, 0, sizeof dlrm->rows);
    if (doc_find(map, "bottom"))
        memset(dlrm->bottom, 0, sizeof dlrm->bottom);
    if (doc_find(map, "top"))
        memset(dlrm->top, 0, sizeof dlrm->top);
    enum status status = map ? fields_read(reader, map, fields, NULL, dlrm) : STATUS_OK;
    if (!status && !dlrm->dense)
        status = refuse(reader, "dlrm.dense", "expected a value, found nothing");
    if (!status)
        status = check(dlrm, reader);
    model->dlrm = dlrm;
    return status;
}

const struct family_ops family_dlrm = {
    .name = "dlrm",
    .read = read,
    .parameters = parameters,
    .products = products,
    .pieces = pieces,
};
