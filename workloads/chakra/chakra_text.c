#define _GNU_SOURCE
#include "workloads/chakra/chakra_text.h"

#include <string.h>

#include "base/decimal.h"

/* Position in a list whose items are separated by commas outside quotes and brackets. */
struct items {
    const char *at, *end;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct chakra_text trim(struct chakra_text text)
{
    while (text.length && is_space(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length && is_space(text.at[text.length - 1]))
        text.length--;
    return text;
}

/* The inside of "[...]" or "(...)"; false if the text is not so enclosed. */
static bool open_list(struct chakra_text text, struct items *items)
{
    text = trim(text);
    if (text.length < 2)
        return false;
    char first = text.at[0], last = text.at[text.length - 1];
    if (!(first == '[' && last == ']') && !(first == '(' && last == ')'))
        return false;
    *items = (struct items){text.at + 1, text.at + text.length - 1};
    return true;
}

/* Steps over the quoted text that starts at `at`. */
static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    for (; at < end && *at != quote; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

static bool next_item(struct items *items, struct chakra_text *item)
{
    if (items->at >= items->end)
        return false;
    const char *first = items->at, *at = first;
    uint32_t depth = 0;
    while (at < items->end && !(*at == ',' && depth == 0)) {
        if (*at == '\'' || *at == '"') {
            at = skip_quoted(at, items->end);
            continue;
        }
        depth += *at == '[' || *at == '(' || *at == '{';
        depth -= (*at == ']' || *at == ')' || *at == '}') && depth > 0;
        at++;
    }
    *item = trim((struct chakra_text){first, (size_t)(at - first)});
    items->at = at + 1;
    return true;
}

static struct chakra_text unquote(struct chakra_text text)
{
    if (text.length >= 2 && (text.at[0] == '\'' || text.at[0] == '"') &&
        text.at[text.length - 1] == text.at[0])
        return (struct chakra_text){text.at + 1, text.length - 2};
    return text;
}

static bool starts_with(struct chakra_text text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.at, prefix, length) == 0;
}

static const struct {
    const char *name;
    uint8_t bytes;
} element_types[] = {
    {"float", 4},
    {"double", 8},
    {"half", 2},
    {"c10::Half", 2},
    {"bfloat16", 2},
    {"c10::BFloat16", 2},
    {"int", 4},
    {"long", 8},
    {"long int", 8},
    {"short", 2},
    {"short int", 2},
    {"char", 1},
    {"signed char", 1},
    {"unsigned char", 1},
    {"bool", 1},
    {"float16", 2},
    {"float32", 4},
    {"float64", 8},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"c10::Float8_e4m3fn", 1},
    {"c10::Float8_e5m2", 1},
    {"c10::complex<float>", 8},
    {"c10::complex<double>", 16},
    {"unsigned int", 4},
    {"unsigned long", 8},
};

/* Bytes of one element of a tensor type such as "Tensor(float)"; 0 if unknown. */
static uint64_t element_bytes(struct chakra_text type)
{
    const char *open = memchr(type.at, '(', type.length);
    if (!open || type.at[type.length - 1] != ')')
        return 0;
    struct chakra_text name = {open + 1, (size_t)(type.at + type.length - 1 - (open + 1))};
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++) {
        if (strlen(element_types[i].name) == name.length &&
            starts_with(name, element_types[i].name))
            return element_types[i].bytes;
    }
    return 0;
}

static bool add_tensor(struct chakra_text shape, struct chakra_text type, uint64_t *bytes)
{
    uint64_t size = element_bytes(type);
    struct items items;
    if (!size || !open_list(shape, &items))
        return false;
    for (struct chakra_text item; next_item(&items, &item);) {
        uint64_t extent;
        if (item.length == 0)
            continue;
        if (!decimal_u64(item.at, item.length, &extent) ||
            __builtin_mul_overflow(size, extent, &size))
            return false;
    }
    return !__builtin_add_overflow(*bytes, size, bytes) && *bytes <= INT64_MAX;
}

/* Adds the tensors of a "GenericList[Tensor(float),Tensor(int)]" whose shapes are [[..],[..]]. */
static bool add_tensors(struct chakra_text shapes, struct chakra_text type, uint64_t *bytes)
{
    const char *open = memchr(type.at, '[', type.length);
    struct items types, dims;
    if (!open ||
        !open_list((struct chakra_text){open, type.length - (size_t)(open - type.at)}, &types))
        return false;
    if (!open_list(shapes, &dims))
        return false;
    for (struct chakra_text one, shape; next_item(&types, &one);) {
        if (!next_item(&dims, &shape))
            return false;
        if (starts_with(one, "Tensor(") && !add_tensor(shape, one, bytes))
            return false;
        if (starts_with(one, "GenericList["))
            return false;
    }
    return true;
}

static struct chakra_text until_nul(struct chakra_text text)
{
    text.length = text.at ? strnlen(text.at, text.length) : 0;
    return text;
}

static bool mentions_tensor(struct chakra_text type)
{
    return memmem(type.at, type.length, "Tensor(", 7) != NULL;
}

bool chakra_text_bytes(struct chakra_text shapes, struct chakra_text types, uint64_t *bytes)
{
    struct items type_items, shape_items;
    if (!open_list(until_nul(types), &type_items) || !open_list(until_nul(shapes), &shape_items))
        return false;
    uint64_t sum = 0;
    bool found = false;
    for (struct chakra_text type, shape; next_item(&type_items, &type);) {
        if (!next_item(&shape_items, &shape))
            return false;
        type = unquote(type);
        if (!mentions_tensor(type))
            continue;
        bool is_one = starts_with(type, "Tensor(");
        if (!(is_one ? add_tensor(shape, type, &sum) : add_tensors(shape, type, &sum)))
            return false;
        found = true;
    }
    *bytes = found ? sum : 0;
    return found;
}
