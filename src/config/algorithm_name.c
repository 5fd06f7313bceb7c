#include "config/algorithm_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "config/names.h"

/* X(name, algorithm, over all ranks as one dimension, takes a window) */
#define ALGORITHMS(X)                                                                              \
    X("ring", ALG_RING, false, false)                                                              \
    X("direct", ALG_DIRECT, false, true)                                                           \
    X("halvingDoubling", ALG_HALVING_DOUBLING, false, false)                                       \
    X("doubleBinaryTree", ALG_DOUBLE_BINARY_TREE, false, false)                                    \
    X("oneRing", ALG_RING, true, false)                                                            \
    X("oneDirect", ALG_DIRECT, true, true)                                                         \
    X("oneHalvingDoubling", ALG_HALVING_DOUBLING, true, false)

static const struct {
    const char *name;
    enum algorithm_id id;
    bool flat;
    bool takes_window;
} table[] = {
#define X(name, id, flat, takes_window) {name, id, flat, takes_window},
    ALGORITHMS(X)
#undef X
};

enum { TABLE_ROWS = sizeof table / sizeof *table, LARGEST_WINDOW = 99999 };

const char *const algorithm_names[] = {
#define X(name, id, flat, takes_window) name,
    ALGORITHMS(X)
#undef X
        NULL};

/* A window of 1 to LARGEST_WINDOW, digits only. */
static bool read_window(const char *text, uint32_t *window)
{
    uint64_t value;
    if (!decimal_u64(text, strlen(text), &value) || value < 1 || value > LARGEST_WINDOW)
        return false;
    *window = (uint32_t)value;
    return true;
}

bool algorithm_parse(const char *name, struct algorithm_choice *choice)
{
    for (int i = 0; i < TABLE_ROWS; i++) {
        size_t length = strlen(table[i].name);
        if (strncmp(name, table[i].name, length) != 0)
            continue;
        uint32_t window = 0;
        const char *rest = name + length;
        if (*rest && !(table[i].takes_window && read_window(rest, &window)))
            continue;
        *choice = (struct algorithm_choice){table[i].id, window, table[i].flat};
        return true;
    }
    return false;
}

const char *algorithm_show(char *to, size_t size, struct algorithm_choice choice)
{
    for (int i = 0; i < TABLE_ROWS; i++) {
        if (table[i].id != choice.id || table[i].flat != choice.flat)
            continue;
        if (choice.window)
            snprintf(to, size, "%s%" PRIu32, table[i].name, choice.window);
        else
            snprintf(to, size, "%s", table[i].name);
        return to;
    }
    snprintf(to, size, "unknown");
    return to;
}

enum status algorithm_unknown(const char *name, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "unknown algorithm \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, algorithm_names);
    if (nearest && strcmp(nearest, name) != 0)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "known: ring, direct, direct<W> with W of 1 to 99999, halvingDoubling, "
                        "doubleBinaryTree, oneRing, oneDirect, oneDirect<W>, oneHalvingDoubling");
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
        char name[32];
        used += (size_t)snprintf(value + used, sizeof value - used, "%s%s", i ? ", " : "",
                                 algorithm_show(name, sizeof name, list->choice[i]));
    }
    if (list->custom_prefix)
        snprintf(value + used, sizeof value - used, "%scustom: %.200s", used ? "; " : "",
                 list->custom_prefix);
    algorithm_key(key, sizeof key, slot);
    config_note(config, key, source, "%s", value);
}
