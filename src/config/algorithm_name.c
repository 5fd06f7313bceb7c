#include "config/algorithm_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "config/names.h"

/* What may follow a name. */
enum takes {
    TAKES_WINDOW = 1, /* digits at once: direct8 */
    TAKES_CHUNKS = 2,
    TAKES_CHANNELS = 4,
    TAKES_RADIX = 8,
    IS_FLAT = 16,   /* over all ranks as one dimension, unless `dim` follows */
    HAS_SHAPE = 32, /* over all dimensions at once */
    IS_ASTRA = 64,  /* ASTRA-sim's own name: nothing may follow but a window */
};

/* X(name, algorithm, enum takes) */
#define ALGORITHMS(X)                                                                              \
    X("ring", ALG_RING, IS_ASTRA)                                                                  \
    X("direct", ALG_DIRECT, IS_ASTRA | TAKES_WINDOW)                                               \
    X("halvingDoubling", ALG_HALVING_DOUBLING, IS_ASTRA)                                           \
    X("doubleBinaryTree", ALG_DOUBLE_BINARY_TREE, IS_ASTRA)                                        \
    X("oneRing", ALG_RING, IS_ASTRA | IS_FLAT)                                                     \
    X("oneDirect", ALG_DIRECT, IS_ASTRA | IS_FLAT | TAKES_WINDOW)                                  \
    X("oneHalvingDoubling", ALG_HALVING_DOUBLING, IS_ASTRA | IS_FLAT)                              \
    X("bidirectional-ring", ALG_BIDIRECTIONAL_RING, 0)                                             \
    X("bidirectional-ring-full", ALG_BIDIRECTIONAL_RING_FULL, 0)                                   \
    X("multi-ring", ALG_MULTI_RING, TAKES_CHANNELS)                                                \
    X("hierarchical", ALG_HIERARCHICAL, HAS_SHAPE | IS_FLAT)                                       \
    X("torus-bucket", ALG_TORUS_BUCKET, HAS_SHAPE | IS_FLAT)                                       \
    X("torus-bucket-multiport", ALG_TORUS_BUCKET_MULTIPORT, HAS_SHAPE | IS_FLAT)                   \
    X("recursive-doubling", ALG_RECURSIVE_DOUBLING, IS_FLAT)                                       \
    X("halving-doubling", ALG_RABENSEIFNER, 0)                                                     \
    X("bruck", ALG_BRUCK, IS_FLAT | TAKES_RADIX)                                                   \
    X("pat", ALG_PAT, IS_FLAT | TAKES_CHUNKS)                                                      \
    X("swing", ALG_SWING, HAS_SHAPE | IS_FLAT)                                                     \
    X("swing-latency", ALG_SWING_LATENCY, HAS_SHAPE | IS_FLAT)                                     \
    X("one-shot", ALG_ONE_SHOT, IS_FLAT)                                                           \
    X("two-shot", ALG_TWO_SHOT, IS_FLAT)                                                           \
    X("double-binary-tree", ALG_BINARY_TREES, IS_FLAT | TAKES_CHUNKS)                              \
    X("binomial", ALG_BINOMIAL, IS_FLAT)                                                           \
    X("chain", ALG_CHAIN, IS_FLAT | TAKES_CHUNKS)                                                  \
    X("scatter-all-gather", ALG_SCATTER_ALL_GATHER, IS_FLAT)                                       \
    X("linear", ALG_LINEAR, IS_FLAT)                                                               \
    X("pairwise", ALG_PAIRWISE, IS_FLAT)                                                           \
    X("two-step", ALG_TWO_STEP, HAS_SHAPE | IS_FLAT)                                               \
    X("rail-aware", ALG_RAIL, HAS_SHAPE | IS_FLAT)                                                 \
    X("nvls", ALG_NVLS, 0)                                                                         \
    X("nvls-tree", ALG_NVLS_TREE, HAS_SHAPE | IS_FLAT | TAKES_CHUNKS)                              \
    X("sharp", ALG_SHARP, HAS_SHAPE | IS_FLAT)                                                     \
    X("dissemination", ALG_DISSEMINATION, IS_FLAT)                                                 \
    X("auto", ALG_AUTO, HAS_SHAPE | IS_FLAT)

static const struct row {
    const char *name;
    enum algorithm_id id;
    unsigned takes;
} table[] = {
#define X(name, id, takes) {name, id, takes},
    ALGORITHMS(X)
#undef X
};

enum { TABLE_ROWS = sizeof table / sizeof *table, LARGEST_WINDOW = 99999 };

const char *const algorithm_names[] = {
#define X(name, id, takes) name,
    ALGORITHMS(X)
#undef X
        NULL};

/* The options after a colon, and the field of each. */
static const struct {
    const char *name;
    unsigned needs;
    size_t offset;
} options[] = {
    {"chunks", TAKES_CHUNKS, offsetof(struct algorithm_choice, chunks)},
    {"channels", TAKES_CHANNELS, offsetof(struct algorithm_choice, channels)},
    {"radix", TAKES_RADIX, offsetof(struct algorithm_choice, radix)},
};

enum { OPTIONS = sizeof options / sizeof *options };

static uint32_t *field_of(struct algorithm_choice *choice, int option)
{
    return (uint32_t *)((char *)choice + options[option].offset);
}

/* A count of 1 to LARGEST_WINDOW, digits only. */
static bool read_count(const char *text, size_t length, uint32_t *count)
{
    uint64_t value;
    if (!decimal_u64(text, length, &value) || value < 1 || value > LARGEST_WINDOW)
        return false;
    *count = (uint32_t)value;
    return true;
}

/* "chunks=8" or "flat"; false if the row takes no such option. */
static bool read_option(const struct row *row, const char *text, size_t length,
                        struct algorithm_choice *choice)
{
    if (length == 4 && memcmp(text, "flat", 4) == 0) {
        choice->flat = true;
        return !(row->takes & IS_FLAT);
    }
    if (length == 3 && memcmp(text, "dim", 3) == 0) {
        choice->flat = false;
        return row->takes & IS_FLAT && !(row->takes & HAS_SHAPE);
    }
    for (int i = 0; i < OPTIONS; i++) {
        size_t name = strlen(options[i].name);
        if (row->takes & options[i].needs && length > name && text[name] == '=' &&
            memcmp(text, options[i].name, name) == 0)
            return read_count(text + name + 1, length - name - 1, field_of(choice, i));
    }
    return false;
}

static bool read_options(const struct row *row, const char *text, struct algorithm_choice *choice)
{
    if (row->takes & IS_ASTRA)
        return row->takes & TAKES_WINDOW && read_count(text, strlen(text), &choice->window);
    if (*text != ':')
        return false;
    while (*text) {
        size_t length = strcspn(++text, ":");
        if (!read_option(row, text, length, choice))
            return false;
        text += length;
    }
    return true;
}

bool algorithm_parse(const char *name, struct algorithm_choice *choice)
{
    for (int i = 0; i < TABLE_ROWS; i++) {
        size_t length = strlen(table[i].name);
        if (strncmp(name, table[i].name, length) != 0)
            continue;
        struct algorithm_choice read = {.id = table[i].id, .flat = table[i].takes & IS_FLAT};
        if (name[length] && !read_options(&table[i], name + length, &read))
            continue;
        *choice = read;
        return true;
    }
    return false;
}

/* The row of an algorithm, its flat one if that is wanted and there is one. */
static const struct row *row_of(struct algorithm_choice choice)
{
    const struct row *found = NULL;
    for (int i = 0; i < TABLE_ROWS; i++) {
        if (table[i].id == choice.id && (!found || choice.flat == !!(table[i].takes & IS_FLAT)))
            found = &table[i];
    }
    return found;
}

const char *algorithm_show(char *to, size_t size, struct algorithm_choice choice)
{
    const struct row *row = row_of(choice);
    if (!row) {
        snprintf(to, size, "unknown");
        return to;
    }
    size_t used = (size_t)snprintf(to, size, "%s", row->name);
    if (choice.window)
        used += (size_t)snprintf(to + used, size - used, "%" PRIu32, choice.window);
    if (choice.flat != !!(row->takes & IS_FLAT))
        used += (size_t)snprintf(to + used, size - used, ":%s", choice.flat ? "flat" : "dim");
    for (int i = 0; i < OPTIONS && used < size; i++) {
        uint32_t value = *field_of(&choice, i);
        if (!value)
            continue;
        used += (size_t)snprintf(to + used, size - used, ":%s=%" PRIu32, options[i].name, value);
    }
    return to;
}

/* A known name with an option that it does not take: says what it takes. */
static bool option_unknown(const char *name, struct diag *diag)
{
    size_t length = strcspn(name, ":");
    for (int i = 0; i < TABLE_ROWS && name[length]; i++) {
        const struct row *row = &table[i];
        if (strlen(row->name) != length || strncmp(row->name, name, length) != 0)
            continue;
        char takes[80] = "";
        size_t used = 0;
        for (int o = 0; o < OPTIONS; o++) {
            if (row->takes & options[o].needs)
                used +=
                    (size_t)snprintf(takes + used, sizeof takes - used, "%s=K, ", options[o].name);
        }
        bool is_fixed = row->takes & (HAS_SHAPE | IS_ASTRA);
        snprintf(takes + used, sizeof takes - used, "%s",
                 is_fixed               ? "no other option"
                 : row->takes & IS_FLAT ? "dim"
                                        : "flat");
        diag_fail(diag, STATUS_BAD_CONFIG, "%s takes %s; found \"%.60s\"", row->name, takes,
                  name + length);
        diag_hint(diag, "options follow colons; K is a number from 1 to 99999");
        return true;
    }
    return false;
}

enum status algorithm_unknown(const char *name, struct diag *diag)
{
    if (option_unknown(name, diag))
        return STATUS_BAD_CONFIG;
    diag_fail(diag, STATUS_BAD_CONFIG, "unknown algorithm \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, algorithm_names);
    if (nearest && strcmp(nearest, name) != 0)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "`orrery list algorithms` names them; direct<W> and oneDirect<W> take a "
                        "window W of 1 to 99999, others options after a colon: chain:chunks=16");
    return STATUS_BAD_CONFIG;
}

void algorithm_key(char *to, size_t size, enum algorithm_slot slot)
{
    snprintf(to, size, "system.collectives.%s", slot_names[slot]);
}

void algorithm_note(struct config *config, enum algorithm_slot slot, const char *source)
{
    const struct algorithm_list *list = &config->system.algorithm[slot];
    char key[64];
    char value[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        char name[ALGORITHM_TEXT];
        used += (size_t)snprintf(value + used, sizeof value - used, "%s%s", i ? ", " : "",
                                 algorithm_show(name, sizeof name, list->choice[i]));
    }
    if (list->custom_prefix)
        snprintf(value + used, sizeof value - used, "%scustom: %.200s", used ? "; " : "",
                 list->custom_prefix);
    algorithm_key(key, sizeof key, slot);
    config_note(config, key, source, "%s", value);
}
