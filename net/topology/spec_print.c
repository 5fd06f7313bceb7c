#include "net/topology/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

struct printer {
    char text[SPEC_PRINT];
    size_t used;
};

static void put(struct printer *printer, const char *text)
{
    size_t length = strlen(text);
    promise(printer->used + length < SPEC_PRINT);
    memcpy(printer->text + printer->used, text, length + 1);
    printer->used += length;
}

static void put_number(struct printer *printer, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    put(printer, text);
}

/* The fewest digits in `unit` that read back as the same double. */
static bool put_exact(struct printer *printer, double value, double unit_value, const char *unit,
                      bool is_rate)
{
    for (int digits = 1; digits <= 17; digits++) {
        char text[64];
        double back = -1;
        struct diag diag = DIAG_NONE;
        snprintf(text, sizeof text, "%.*g%s", digits, value / unit_value, unit);
        enum status status = is_rate ? units_parse_bandwidth(text, NULL, &back, NULL, &diag)
                                     : units_parse_duration(text, NULL, &back, NULL, &diag);
        if (status == STATUS_OK && back == value && !strchr(text, '+')) {
            put(printer, text);
            return true;
        }
    }
    return false;
}

static void put_value(struct printer *printer, const struct spec_key *key,
                      const struct spec_value *value, double number)
{
    char text[64] = "";
    switch (key->type) {
    case SPEC_BANDWIDTH:
        if ((number < 1e6 || !put_exact(printer, number, 1e9, "GB/s", true)) &&
            !put_exact(printer, number, 1, "B/s", true))
            snprintf(text, sizeof text, "%.17gB/s", number);
        break;
    case SPEC_DURATION:
        if ((number < 1000 || !put_exact(printer, number, 1000, "us", false)) &&
            !put_exact(printer, number, 1, "ns", false))
            snprintf(text, sizeof text, "%.17gns", number);
        break;
    case SPEC_COUNT:
        snprintf(text, sizeof text, "%.0f", number);
        break;
    case SPEC_RATIO:
        snprintf(text, sizeof text, "%.17g", number);
        for (int digits = 1; digits < 17 && strtod(text, NULL) == number; digits++) {
            char shorter[64];
            snprintf(shorter, sizeof shorter, "%.*g", digits, number);
            if (strtod(shorter, NULL) == number && !strchr(shorter, '+')) {
                memcpy(text, shorter, sizeof text);
                break;
            }
        }
        break;
    case SPEC_CHOICE:
        snprintf(text, sizeof text, "%s", key->choices[(uint32_t)number]);
        break;
    case SPEC_NUMBERS:
        for (uint32_t i = 0; i < value->numbers_count; i++) {
            put(printer, i ? "x" : "");
            put_number(printer, value->numbers[i]);
        }
        break;
    case SPEC_FLAG:
        break;
    }
    put(printer, text);
}

static void put_sizes(struct printer *printer, const struct spec_factor *factor)
{
    const char *between = factor->rows > 1 ? "," : "x";
    for (uint32_t row = 0; row < factor->rows; row++) {
        put(printer, row ? "/" : ":");
        for (uint32_t i = 0; i < factor->columns[row]; i++) {
            put(printer, i ? between : "");
            put_number(printer, factor->size[row][i]);
        }
    }
}

static void put_factor(struct printer *printer, const struct spec_factor *factor)
{
    put(printer, factor->kind->name);
    put(printer, factor->parts ? ":" : "");
    put(printer, factor->parts ? factor->parts : "");
    put_sizes(printer, factor);
    for (uint32_t k = 0; factor->kind->key[k].name; k++) {
        const struct spec_key *key = &factor->kind->key[k];
        const struct spec_value *value = &factor->value[k];
        bool always = (key->type == SPEC_BANDWIDTH || key->type == SPEC_DURATION) &&
                      key->fallback >= 0 && !key->is_absent; /* below 0: another key's */
        bool differs = value->given && (key->type == SPEC_NUMBERS || key->type == SPEC_FLAG ||
                                        value->number != key->fallback || key->is_absent);
        if (!always && !differs)
            continue;
        put(printer, ",");
        put(printer, key->name);
        put(printer, key->type == SPEC_FLAG ? "" : "=");
        put_value(printer, key, value, spec_number(factor, k));
    }
}

const char *spec_print(const struct spec *spec, struct arena *arena)
{
    struct printer printer = {.used = 0};
    for (uint32_t i = 0; i < spec->count; i++) {
        put(&printer, i ? "*" : "");
        put_factor(&printer, &spec->factor[i]);
    }
    return arena_text(arena, printer.text, printer.used);
}
