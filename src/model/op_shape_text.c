/* The one-line form of op_shape.h, rule 3. */
#include "model/op_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"

enum { MOST_SIZES = 3, WORD = 64 };

/* How many sizes follow the class's name. */
static void sizes_of(enum op_class class, uint32_t *fewest, uint32_t *most, const char **form)
{
    *fewest = *most = 2;
    *form = "MxN";
    if (class == OP_CLASS_NONE) {
        *fewest = *most = 0;
        *form = "";
    } else if (op_class_is_product(class)) {
        *fewest = *most = 3;
        *form = "MxNxK";
    } else if (op_class_is_attention(class)) {
        *most = 3;
        *form = "BATCHxLENGTH or BATCHxQxKV";
    } else if (class == OP_CLASS_ELEMENTWISE || class == OP_CLASS_OPTIMIZER) {
        *fewest = *most = 1;
        *form = "COUNT";
    }
}

static void place_sizes(struct op_shape *shape, const uint64_t size[MOST_SIZES])
{
    if (op_class_is_attention(shape->class)) {
        shape->batch = size[0];
        shape->q_len = size[1];
        shape->kv_len = size[2];
    } else {
        shape->m = size[0];
        shape->n = size[1];
        shape->k = size[2];
    }
}

struct reader {
    struct op_shape *shape;
    struct diag *diag;
    bool has_type, has_out;
};

static enum status refuse(struct reader *reader, const char *word, const char *expected)
{
    diag_fail(reader->diag, STATUS_BAD_INPUT, "expected %s, found \"%.60s\"", expected, word);
    diag_field(reader->diag, "op shape");
    return STATUS_BAD_INPUT;
}

static enum status read_sizes(struct reader *reader, const char *word)
{
    uint32_t fewest, most, count = 0;
    const char *form;
    sizes_of(reader->shape->class, &fewest, &most, &form);
    uint64_t size[MOST_SIZES] = {0};
    const char *at = word;
    bool is_good = true;
    while (is_good) {
        size_t length = strcspn(at, "x");
        is_good = count < most && decimal_u64(at, length, &size[count]) && size[count] > 0 &&
                  size[count] <= OP_SIZE_MOST;
        count++;
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    if (!is_good || count < fewest) {
        char expected[120];
        snprintf(expected, sizeof expected, "the sizes of %s as %s (whole numbers from 1 to 2^48)",
                 op_class_name(reader->shape->class), form);
        return refuse(reader, word, expected);
    }
    place_sizes(reader->shape, size);
    return STATUS_OK;
}

/* heads=64 or heads=64/8 */
static enum status read_heads(struct reader *reader, const char *word, const char *value)
{
    size_t length = strcspn(value, "/");
    uint64_t heads = 0, kv_heads = 0;
    bool is_good = decimal_u64(value, length, &heads);
    kv_heads = heads;
    if (value[length] == '/')
        is_good = is_good && decimal_u64(value + length + 1, strlen(value + length + 1), &kv_heads);
    if (!is_good || heads < 1 || heads > UINT32_MAX || kv_heads < 1 || heads % kv_heads != 0)
        return refuse(reader, word, "heads=N or heads=N/KV, KV a divisor of N");
    reader->shape->heads = (uint32_t)heads;
    reader->shape->kv_heads = (uint32_t)kv_heads;
    return STATUS_OK;
}

static enum status read_type(struct reader *reader, const char *word, const char *value,
                             bool is_out)
{
    enum data_type type = data_type_find(value);
    if (type == DATA_TYPE_COUNT) {
        const char *nearest = suggest_nearest(value, data_type_names);
        refuse(reader, word, is_out ? "out=TYPE" : "a number type, \"causal\" or KEY=VALUE");
        if (nearest)
            diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
        else
            diag_hint(reader->diag, "types: fp64 fp32 tf32 bf16 fp16 fp8 int8 fp6 fp4");
        return STATUS_BAD_INPUT;
    }
    if (is_out ? reader->has_out : reader->has_type)
        return refuse(reader, word, is_out ? "one out=TYPE" : "one number type");
    *(is_out ? &reader->has_out : &reader->has_type) = true;
    *(is_out ? &reader->shape->out_type : &reader->shape->type) = (uint8_t)type;
    return STATUS_OK;
}

/* Where the number of `key` goes, or NULL if the class has no such key. */
static uint64_t *member_of(struct op_shape *shape, const char *key)
{
    if (strcmp(key, "flops") == 0)
        return &shape->flops;
    if (strcmp(key, "read") == 0)
        return &shape->read_bytes;
    if (strcmp(key, "write") == 0)
        return &shape->write_bytes;
    if (op_class_is_attention(shape->class) && strcmp(key, "window") == 0)
        return &shape->window;
    if (shape->class == OP_CLASS_GROUPED_GEMM && strcmp(key, "groups") == 0)
        return &shape->batch;
    if (shape->class != OP_CLASS_GROUPED_GEMM && op_class_is_product(shape->class) &&
        strcmp(key, "batch") == 0)
        return &shape->batch;
    return NULL;
}

static enum status unknown_key(struct reader *reader, const char *word, const char *key)
{
    static const char *const keys[] = {"batch", "groups", "heads", "dim",    "window", "out",
                                       "flops", "read",   "write", "causal", NULL};
    const char *nearest = suggest_nearest(key, keys);
    diag_fail(reader->diag, STATUS_BAD_INPUT, "%s takes no \"%.60s\"",
              op_class_name(reader->shape->class), word);
    diag_field(reader->diag, "op shape");
    if (nearest && strcmp(nearest, key) != 0)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_INPUT;
}

static enum status read_number(struct reader *reader, const char *word, const char *key,
                               const char *value)
{
    struct op_shape *shape = reader->shape;
    bool is_dim = op_class_is_attention(shape->class) && strcmp(key, "dim") == 0;
    uint64_t *member = member_of(shape, key);
    if (!is_dim && member == NULL)
        return unknown_key(reader, word, key);
    bool is_work =
        member == &shape->flops || member == &shape->read_bytes || member == &shape->write_bytes;
    uint64_t most = is_work ? UINT64_MAX : is_dim ? 65536 : OP_SIZE_MOST;
    uint64_t number;
    if (!decimal_u64(value, strlen(value), &number) || number < 1 || number > most)
        return refuse(reader, word, "a whole number of at least 1");
    if (is_dim)
        shape->head_dim = (uint32_t)number;
    else
        *member = number;
    return STATUS_OK;
}

static enum status read_word(struct reader *reader, char *word)
{
    struct op_shape *shape = reader->shape;
    if (strcmp(word, "causal") == 0) {
        if (!op_class_is_attention(shape->class))
            return unknown_key(reader, word, word);
        shape->is_causal = true;
        return STATUS_OK;
    }
    char *equals = strchr(word, '=');
    if (equals == NULL)
        return read_type(reader, word, word, false);
    char key[WORD];
    snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    if (strcmp(key, "out") == 0)
        return read_type(reader, word, equals + 1, true);
    if (strcmp(key, "heads") == 0 && op_class_is_attention(shape->class))
        return read_heads(reader, word, equals + 1);
    return read_number(reader, word, key, equals + 1);
}

static enum status read_class(struct reader *reader, const char *word)
{
    enum op_class class = op_class_find(word);
    if (class < OP_CLASS_COUNT) {
        reader->shape->class = (uint8_t) class;
        return STATUS_OK;
    }
    diag_fail(reader->diag, STATUS_BAD_INPUT, "there is no class of operations \"%.60s\"", word);
    diag_field(reader->diag, "op shape");
    const char *nearest = suggest_nearest(word, op_class_names);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(reader->diag, "for example gemm, attention, norm, elementwise");
    return STATUS_BAD_INPUT;
}

static enum status finish_reading(struct reader *reader)
{
    struct op_shape *shape = reader->shape;
    if (op_class_is_attention(shape->class) && (shape->heads == 0 || shape->head_dim == 0)) {
        diag_fail(reader->diag, STATUS_BAD_INPUT, "%s needs heads=N and dim=N",
                  op_class_name(shape->class));
        diag_field(reader->diag, "op shape");
        diag_hint(reader->diag, "attention 2x8192 heads=64/8 dim=128 causal bf16");
        return STATUS_BAD_INPUT;
    }
    if (!reader->has_type)
        shape->type = TYPE_BF16;
    if (!reader->has_out)
        shape->out_type = (uint8_t)data_type_result(shape->type);
    op_shape_finish(shape);
    return STATUS_OK;
}

enum status op_shape_parse(struct op_shape *shape, const char *text, struct diag *diag)
{
    *shape = (struct op_shape){0};
    struct reader reader = {.shape = shape, .diag = diag};
    static const char blanks[] = " \t";
    enum status status = STATUS_OK;
    uint32_t expected = 0, words = 0;
    for (const char *at = text + strspn(text, blanks); *at && status == STATUS_OK;) {
        size_t length = strcspn(at, blanks);
        char word[WORD];
        snprintf(word, sizeof word, "%.*s", (int)(length < WORD ? length : WORD), at);
        if (length >= WORD)
            status = refuse(&reader, word, "words of fewer than 64 characters");
        else if (words == 0)
            status = read_class(&reader, word);
        else if (words == 1 && shape->class != OP_CLASS_NONE)
            status = read_sizes(&reader, word);
        else
            status = read_word(&reader, word);
        words++;
        at += length;
        at += strspn(at, blanks);
    }
    expected = words > 0 && shape->class == OP_CLASS_NONE ? 1 : 2;
    if (status == STATUS_OK && words < expected)
        status = refuse(&reader, text, "a class and its sizes, as \"gemm 4096x8192x1024 bf16\"");
    return status == STATUS_OK ? finish_reading(&reader) : status;
}

struct writer {
    char *text;
    size_t size, used;
};

static void put(struct writer *writer, const char *before, uint64_t number)
{
    if (writer->used >= writer->size)
        return;
    writer->used += (size_t)snprintf(writer->text + writer->used, writer->size - writer->used,
                                     "%s%" PRIu64, before, number);
}

static void put_text(struct writer *writer, const char *before, const char *text)
{
    if (writer->used >= writer->size)
        return;
    writer->used += (size_t)snprintf(writer->text + writer->used, writer->size - writer->used,
                                     "%s%s", before, text);
}

static void put_sizes(struct writer *writer, const struct op_shape *shape)
{
    uint32_t fewest, most;
    const char *form;
    sizes_of(shape->class, &fewest, &most, &form);
    uint64_t size[MOST_SIZES] = {shape->m, shape->n, shape->k};
    uint32_t count = fewest;
    if (op_class_is_attention(shape->class)) {
        size[0] = shape->batch;
        size[1] = shape->q_len;
        size[2] = shape->kv_len;
        count = shape->kv_len == shape->q_len ? 2 : 3;
    }
    for (uint32_t i = 0; i < count; i++)
        put(writer, i ? "x" : " ", size[i]);
}

/* The words for which the formulas do not hold. */
static void put_work(struct writer *writer, const struct op_shape *shape)
{
    struct op_shape usual = *shape;
    usual.flops = usual.read_bytes = usual.write_bytes = 0;
    op_shape_finish(&usual);
    if (shape->flops != usual.flops)
        put(writer, " flops=", shape->flops);
    if (shape->read_bytes != usual.read_bytes)
        put(writer, " read=", shape->read_bytes);
    if (shape->write_bytes != usual.write_bytes)
        put(writer, " write=", shape->write_bytes);
}

const char *op_shape_print(const struct op_shape *shape, char *text, size_t size)
{
    struct writer writer = {text, size, 0};
    put_text(&writer, "", op_class_name(shape->class));
    put_sizes(&writer, shape);
    if (op_class_is_product(shape->class) && shape->batch != 1)
        put(&writer, shape->class == OP_CLASS_GROUPED_GEMM ? " groups=" : " batch=", shape->batch);
    if (op_class_is_attention(shape->class)) {
        put(&writer, " heads=", shape->heads);
        if (shape->kv_heads != shape->heads)
            put(&writer, "/", shape->kv_heads);
        put(&writer, " dim=", shape->head_dim);
        if (shape->window)
            put(&writer, " window=", shape->window);
        if (shape->is_causal)
            put_text(&writer, " ", "causal");
    }
    put_text(&writer, " ", data_type_name(shape->type));
    if (shape->out_type != data_type_result(shape->type))
        put_text(&writer, " out=", data_type_name(shape->out_type));
    put_work(&writer, shape);
    return text;
}
