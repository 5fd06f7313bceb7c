#include "workloads/generate/resnet.h"

#include "workloads/generate/layer_build.h"

enum { STEM_CHANNELS = 64, STAGES = 4, MOST_CONVS = 4, LEAST_IMAGE = 32 };

static const struct {
    uint32_t depth, blocks[STAGES];
    bool is_bottleneck;
} depths[] = {
    {18, {2, 2, 2, 2}, false},  {34, {3, 4, 6, 3}, false},  {50, {3, 4, 6, 3}, true},
    {101, {3, 4, 23, 3}, true}, {152, {3, 8, 36, 3}, true},
};

struct conv {
    const char *name, *dgrad, *wgrad, *norm, *norm_gradient;
    uint64_t in, out;           /* channels */
    uint64_t kernel, stride;    /* points on a side */
    uint64_t in_size, out_size; /* of the image, on a side */
};
#define CONV(text)                                                                                 \
    .name = text, .dgrad = text ".dgrad", .wgrad = text ".wgrad", .norm = text ".norm",            \
    .norm_gradient = text ".norm.backward"

/* Convolutions in the order of the forward pass, the projection of the short cut last. */
struct block {
    struct conv conv[MOST_CONVS];
    uint32_t count;
    bool has_projection;
    uint64_t out, out_size;
};

/* -- layers --------------------------------------------------------------------------------- */

static uint32_t row_of(const struct resnet_spec *spec)
{
    uint32_t row = 0;
    while (depths[row].depth != spec->depth)
        row++;
    return row;
}

static uint32_t block_count(const struct resnet_spec *spec)
{
    const uint32_t *blocks = depths[row_of(spec)].blocks;
    return blocks[0] + blocks[1] + blocks[2] + blocks[3];
}

/* Channels that leave the last stage. */
static uint64_t last_channels(const struct resnet_spec *spec)
{
    return (depths[row_of(spec)].is_bottleneck ? 4 : 1) * (uint64_t)STEM_CHANNELS << (STAGES - 1);
}

static struct conv stem_of(const struct resnet_spec *spec)
{
    return (struct conv){CONV("stem"),
                         .in = 3,
                         .out = STEM_CHANNELS,
                         .kernel = 7,
                         .stride = 2,
                         .in_size = spec->image,
                         .out_size = spec->image / 2};
}

static struct conv conv_of(struct conv conv, uint64_t in, uint64_t out, uint64_t kernel,
                           uint64_t in_size, uint64_t stride)
{
    conv.in = in;
    conv.out = out;
    conv.kernel = kernel;
    conv.stride = stride;
    conv.in_size = in_size;
    conv.out_size = in_size / stride;
    return conv;
}

static struct block block_of(const struct resnet_spec *spec, uint32_t index)
{
    static const struct conv named[] = {
        {CONV("conv1")}, {CONV("conv2")}, {CONV("conv3")}, {CONV("projection")}};
    uint32_t row = row_of(spec), stage = 0, place = index;
    for (; place >= depths[row].blocks[stage]; stage++)
        place -= depths[row].blocks[stage];
    bool is_bottleneck = depths[row].is_bottleneck;
    uint64_t width = (uint64_t)STEM_CHANNELS << stage, out = is_bottleneck ? 4 * width : width;
    uint64_t stride = place == 0 && stage > 0 ? 2 : 1;
    uint64_t size = (spec->image / 4 >> stage) * stride;
    uint64_t in = place ? out : stage ? out / 2 : STEM_CHANNELS;
    struct block block = {
        .has_projection = in != out || stride > 1, .out = out, .out_size = size / stride};
    uint32_t count = 0;
    if (is_bottleneck) {
        block.conv[count++] = conv_of(named[0], in, width, 1, size, 1);
        block.conv[count++] = conv_of(named[1], width, width, 3, size, stride);
        block.conv[count++] = conv_of(named[2], width, out, 1, size / stride, 1);
    } else {
        block.conv[count++] = conv_of(named[0], in, width, 3, size, stride);
        block.conv[count++] = conv_of(named[1], width, out, 3, size / stride, 1);
    }
    if (block.has_projection)
        block.conv[count++] = conv_of(named[3], in, out, 1, size, stride);
    block.count = count;
    return block;
}

/* -- counts --------------------------------------------------------------------------------- */

static uint64_t weights_of(const struct conv *conv)
{
    return conv->kernel * conv->kernel * conv->in * conv->out;
}

static uint64_t conv_parameters(const struct conv *conv)
{
    return weights_of(conv) + 2 * conv->out;
}

static uint64_t conv_products(const struct conv *conv)
{
    return weights_of(conv) * conv->out_size * conv->out_size;
}

static uint64_t block_sum(const struct block *block, uint64_t (*of)(const struct conv *))
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < block->count; c++)
        sum += of(&block->conv[c]);
    return sum;
}

/* Stem and all blocks. */
static uint64_t body_sum(const struct resnet_spec *spec, uint64_t (*of)(const struct conv *))
{
    struct conv stem = stem_of(spec);
    uint64_t sum = of(&stem);
    for (uint32_t b = 0; b < block_count(spec); b++) {
        struct block block = block_of(spec, b);
        sum += block_sum(&block, of);
    }
    return sum;
}

static uint64_t parameters(const struct model_spec *spec)
{
    return body_sum(spec->resnet, conv_parameters) +
           (last_channels(spec->resnet) + 1) * spec->resnet->classes;
}

static double products(const struct model_spec *spec)
{
    return (double)body_sum(spec->resnet, conv_products) +
           (double)(last_channels(spec->resnet) * spec->resnet->classes);
}

/* -- lists ---------------------------------------------------------------------------------- */

/* Points of a micro-batch's images. */
static uint64_t points(const struct layer_builder *builder, uint64_t size)
{
    return builder->plan->micro_batch * size * size;
}

static void push_conv(struct layer_builder *builder, const char *name, const struct conv *conv,
                      uint64_t m, uint64_t n, uint64_t k, uint64_t read, uint64_t written)
{
    uint64_t act = builder->act_bytes;
    compute_push(builder, name,
                 (struct op_shape){.class = OP_CLASS_CONV,
                                   .type = (uint8_t)builder->plan->activation_type,
                                   .out_type = (uint8_t)builder->plan->activation_type,
                                   .batch = 1,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .flops = 2 * conv_products(conv) * builder->plan->micro_batch,
                                   .read_bytes = read * act,
                                   .write_bytes = written * act});
}

static void push_pass(struct layer_builder *builder, const char *name, enum op_class class,
                      uint64_t rows, uint64_t columns, uint64_t read, uint64_t written)
{
    pass_push(builder, &(struct pass){.name = name,
                                      .class = class,
                                      .rows = rows,
                                      .columns = columns,
                                      .read_bytes = read * builder->act_bytes,
                                      .write_bytes = written * builder->act_bytes,
                                      .kernels = 1});
}

/* Convolution and batch norm; the activation is part of the norm where the framework fuses it. */
static void conv_forward(struct layer_builder *builder, const struct conv *conv, bool is_active)
{
    uint64_t in = points(builder, conv->in_size) * conv->in;
    uint64_t rows = points(builder, conv->out_size), out = rows * conv->out;
    push_conv(builder, conv->name, conv, rows, conv->out, conv->kernel * conv->kernel * conv->in,
              in + weights_of(conv), out);
    push_pass(builder, conv->norm, OP_CLASS_NORM, rows, conv->out, 2 * out, out);
    if (is_active && !builder->framework->fused_activation)
        push_pass(builder, "relu", OP_CLASS_ELEMENTWISE, out, 0, out, out);
    keep(builder, (in + out) * builder->act_bytes);
}

static void conv_backward(struct layer_builder *builder, const struct conv *conv, bool is_active,
                          bool needs_input)
{
    uint64_t in = points(builder, conv->in_size) * conv->in;
    uint64_t rows = points(builder, conv->out_size), out = rows * conv->out;
    uint64_t window = conv->kernel * conv->kernel * conv->in;
    if (is_active && !builder->framework->fused_activation)
        push_pass(builder, "relu.backward", OP_CLASS_ELEMENTWISE, out, 0, 2 * out, out);
    push_pass(builder, conv->norm_gradient, OP_CLASS_NORM, rows, conv->out, 4 * out, out);
    if (needs_input)
        push_conv(builder, conv->dgrad, conv, rows, window, conv->out, out + weights_of(conv), in);
    push_conv(builder, conv->wgrad, conv, window, conv->out, rows, in + out, weights_of(conv));
    builder->list->item[builder->list->count - 1].is_weight_gradient = true;
}

static void write_stem(struct layer_builder *builder, const struct resnet_spec *spec)
{
    struct conv stem = stem_of(spec);
    uint64_t before = points(builder, stem.out_size) * stem.out, after = before / 4;
    builder->list = &builder->piece->forward;
    conv_forward(builder, &stem, true);
    push_pass(builder, "pool", OP_CLASS_ELEMENTWISE, before, 0, before, after);
    builder->list = &builder->piece->backward;
    push_pass(builder, "pool.backward", OP_CLASS_ELEMENTWISE, before, 0, 2 * after, before);
    conv_backward(builder, &stem, true, false);
    builder->piece->parameters = conv_parameters(&stem);
}

static void write_block(struct layer_builder *builder, const struct block *block)
{
    uint32_t last = block->count - 1 - block->has_projection;
    uint64_t out = points(builder, block->out_size) * block->out;
    builder->list = &builder->piece->forward;
    for (uint32_t c = 0; c < block->count; c++)
        conv_forward(builder, &block->conv[c], c < last);
    push_pass(builder, "residual", OP_CLASS_ELEMENTWISE, out, 0, 2 * out, out);
    builder->list = &builder->piece->backward;
    push_pass(builder, "residual.backward", OP_CLASS_ELEMENTWISE, out, 0, 2 * out, out);
    for (uint32_t c = block->count; c-- > 0;)
        conv_backward(builder, &block->conv[c], c < last, true);
    builder->piece->parameters = block_sum(block, conv_parameters);
}

static void write_head(struct layer_builder *builder, const struct resnet_spec *spec)
{
    static const struct linear_names names = LINEAR_NAMES("head");
    uint64_t batch = builder->plan->micro_batch, width = last_channels(spec);
    uint64_t in = points(builder, spec->image / 32) * width;
    struct linear linear = {.name = names, .rows = batch, .in = width, .out = spec->classes};
    struct pass loss = {.name = "loss",
                        .class = OP_CLASS_LOSS,
                        .rows = batch,
                        .columns = spec->classes,
                        .read_bytes = batch * spec->classes * builder->act_bytes,
                        .write_bytes = batch * spec->classes * builder->act_bytes,
                        .kernels = 1};
    builder->list = &builder->piece->forward;
    push_pass(builder, "pool", OP_CLASS_ELEMENTWISE, in, 0, in, batch * width);
    linear_forward(builder, &linear);
    pass_push(builder, &loss);
    builder->list = &builder->piece->backward;
    linear_dgrad(builder, &linear);
    linear_wgrad(builder, &linear);
    push_pass(builder, "pool.backward", OP_CLASS_ELEMENTWISE, in, 0, batch * width, in);
    builder->piece->parameters = (width + 1) * spec->classes;
}

static uint32_t pieces(const struct model_spec *spec, const struct train_plan *plan,
                       const struct framework *framework, struct arena *arena,
                       struct layer_piece **piece)
{
    uint32_t blocks = block_count(spec->resnet);
    *piece = arena_array(arena, blocks + 2, sizeof **piece);
    struct layer_builder builder = {.model = spec,
                                    .plan = plan,
                                    .framework = framework,
                                    .arena = arena,
                                    .piece = *piece,
                                    .act_bytes = data_type_bytes(plan->activation_type, 1)};
    write_stem(&builder, spec->resnet);
    for (uint32_t b = 0; b < blocks; b++) {
        struct block block = block_of(spec->resnet, b);
        builder.piece++;
        write_block(&builder, &block);
    }
    builder.piece++;
    write_head(&builder, spec->resnet);
    return blocks + 2;
}

/* -- reading -------------------------------------------------------------------------------- */

static enum status refuse(const struct field_reader *reader, const char *field, const char *message,
                          const char *hint)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "%s", message);
    diag_in(reader->diag, reader->doc->path);
    diag_field(reader->diag, "%s", field);
    diag_hint(reader->diag, "%s", hint);
    return STATUS_BAD_CONFIG;
}

static enum status read(struct model_spec *spec, const struct field_reader *reader,
                        const struct doc_node *map)
{
    static const struct field fields[] = {
        FIELD(struct resnet_spec, depth, "depth", FIELD_U32, .least = 1),
        FIELD(struct resnet_spec, image, "image", FIELD_U32, .least = 1, .most = 8192),
        FIELD(struct resnet_spec, classes, "classes", FIELD_U32, .least = 1, .most = 1u << 24),
        {.key = NULL},
    };
    struct resnet_spec *resnet = arena_take(reader->arena, sizeof *resnet);
    *resnet = spec->resnet ? *spec->resnet : (struct resnet_spec){50, 224, 1000};
    enum status status = map ? fields_read(reader, map, fields, NULL, resnet) : STATUS_OK;
    if (status)
        return status;
    uint32_t row = 0;
    while (row < sizeof depths / sizeof *depths && depths[row].depth != resnet->depth)
        row++;
    if (row == sizeof depths / sizeof *depths)
        return refuse(reader, "resnet.depth", "expected 18, 34, 50, 101 or 152 layers",
                      "those are the depths of the paper's table 1");
    if (resnet->image % LEAST_IMAGE)
        return refuse(reader, "resnet.image", "expected a multiple of 32 points",
                      "224 is the size of published counts");
    spec->resnet = resnet;
    return STATUS_OK;
}

const struct family_ops family_resnet = {
    .name = "resnet",
    .read = read,
    .parameters = parameters,
    .products = products,
    .pieces = pieces,
};
