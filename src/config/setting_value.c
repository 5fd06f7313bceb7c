/* Values of settings: from text, and to text. */
#include "config/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "config/names.h"

/* -- one reader per type: text to the field at `to` ------------------------------------------ */

static enum status expected(const char *what, const char *text, struct diag *diag)
{
    return diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found \"%.60s\"", what, text);
}

static enum status read_bool(const char *text, bool *to, struct diag *diag)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
        return expected("true or false", text, diag);
    *to = yes;
    return STATUS_OK;
}

static enum status read_choice(const struct setting *setting, const char *text, void *to,
                               struct diag *diag)
{
    unsigned value;
    if (names_value(setting->choices, text, &value)) {
        memcpy(to, &value, sizeof value); /* every enum here is an unsigned int */
        return STATUS_OK;
    }
    char names[160];
    expected(names_text(names, sizeof names, setting->choices), text, diag);
    const char *nearest = suggest_nearest(text, setting->choices);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

static enum status read_integer(const struct setting *setting, const char *text, uint64_t *to,
                                struct diag *diag)
{
    uint64_t value;
    if (decimal_u64(text, strlen(text), &value) && value >= setting->least &&
        value <= setting->most) {
        *to = value;
        return STATUS_OK;
    }
    char what[96];
    snprintf(what, sizeof what, "an integer from %" PRIu64 " to %" PRIu64, setting->least,
             setting->most);
    return expected(what, text, diag);
}

static enum status read_ns(const char *text, uint64_t *to, bool *was_bare, struct diag *diag)
{
    double ns;
    enum status status = units_parse_duration(text, "ns", &ns, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    if (ns != floor(ns) || ns > 0x1p53)
        return expected("whole nanoseconds", text, diag);
    *to = (uint64_t)ns;
    return STATUS_OK;
}

static enum status read_time(const char *text, time_ps *to, bool *was_bare, struct diag *diag)
{
    if (strcmp(text, "never") == 0) {
        *to = TIME_NEVER;
        return STATUS_OK;
    }
    double ns;
    enum status status = units_parse_duration(text, "ns", &ns, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    double ps = ns * 1000;
    if (!(ps < 0x1p64))
        return expected("less than 213 days of simulated time", text, diag);
    *to = (time_ps)ps;
    return STATUS_OK;
}

static enum status read_whole_rate(const char *text, uint64_t *to, bool *was_bare,
                                   struct diag *diag)
{
    double Bps;
    enum status status = units_parse_bandwidth(text, "GB/s", &Bps, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    double B_per_ns = Bps / 1e9;
    if (B_per_ns != floor(B_per_ns) || B_per_ns > 0x1p53)
        return expected("whole bytes per nanosecond (whole GB/s)", text, diag);
    *to = (uint64_t)B_per_ns;
    return STATUS_OK;
}

static enum status read_real(const struct setting *setting, const char *text, double *to,
                             struct diag *diag)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || strpbrk(text, "xXnN \t") || !(value >= 0) ||
        !(value <= (double)setting->most)) {
        char what[64];
        snprintf(what, sizeof what, "a number from 0 to %" PRIu64, setting->most);
        return expected(what, text, diag);
    }
    *to = value;
    return STATUS_OK;
}

static enum status read_value(struct config *config, const struct setting *setting,
                              const char *text, bool *was_bare, struct diag *diag)
{
    void *to = (char *)config + setting->offset;
    uint64_t integer = 0;
    enum status status;
    switch (setting->type) {
    case SETTING_BOOL:
        return read_bool(text, to, diag);
    case SETTING_U32:
        status = read_integer(setting, text, &integer, diag);
        if (status == STATUS_OK)
            *(uint32_t *)to = (uint32_t)integer;
        return status;
    case SETTING_U64:
        return read_integer(setting, text, to, diag);
    case SETTING_CHOICE:
        return read_choice(setting, text, to, diag);
    case SETTING_NS:
        return read_ns(text, to, was_bare, diag);
    case SETTING_TIME:
        return read_time(text, to, was_bare, diag);
    case SETTING_RATE:
        return units_parse_bandwidth(text, "GB/s", to, was_bare, diag);
    case SETTING_FLOPS:
        return units_parse_flops(text, "TFLOPS", to, was_bare, diag);
    case SETTING_REAL:
        return read_real(setting, text, to, diag);
    case SETTING_WHOLE_RATE:
        return read_whole_rate(text, to, was_bare, diag);
    case SETTING_REAL_NS:
        return units_parse_duration(text, "ns", to, was_bare, diag);
    case SETTING_BYTES:
        return units_parse_bytes(text, "B", to, was_bare, diag);
    case SETTING_PATH:
    case SETTING_NAME_OR_PATH:
    case SETTING_TEXT:
    case SETTING_TEXTS:
        if (*text == '\0')
            return expected(setting->type == SETTING_PATH ? "a path" : "text", text, diag);
        *(const char **)to = arena_text(&config->arena, text, strlen(text));
        return STATUS_OK;
    }
    promise(!"setting type");
    return STATUS_OK;
}

static const char *bare_unit(enum setting_type type)
{
    return type == SETTING_FLOPS                                ? "TFLOPS"
           : type == SETTING_RATE || type == SETTING_WHOLE_RATE ? "GB/s"
           : type == SETTING_BYTES                              ? "B"
                                                                : "ns";
}

enum status setting_set_text(struct config *config, const struct setting *setting, const char *text,
                             const char *source, struct notices *notices, struct diag *diag)
{
    bool was_bare = false;
    enum status status = read_value(config, setting, text, &was_bare, diag);
    if (status != STATUS_OK) {
        diag_field(diag, "%s", setting->key);
        return status;
    }
    if (was_bare)
        notices_add(notices, NOTICE_DEFAULTED, "number without unit", 1, "%s: %s was taken as %s",
                    setting->key, text, bare_unit(setting->type));
    setting_note(config, setting, source);
    return STATUS_OK;
}

/* -- the value as text --------------------------------------------------------------------- */

static void show_rate(char *to, size_t size, double Bps)
{
    char human[32];
    snprintf(to, size, "%.15g B/s (%s)", Bps, units_show_rate(human, sizeof human, Bps));
}

static void show_integer(char *to, size_t size, const struct setting *setting, uint64_t value,
                         const char *unit)
{
    if (value == 0 && setting->zero_is_unset)
        snprintf(to, size, "not given");
    else
        snprintf(to, size, "%" PRIu64 "%s%s", value, *unit ? " " : "", unit);
}

static void show_real(char *to, size_t size, const struct setting *setting, double value)
{
    if (value == 0 && setting->zero_is_unset)
        snprintf(to, size, "not given");
    else if (setting->type == SETTING_RATE)
        show_rate(to, size, value);
    else if (setting->type == SETTING_FLOPS)
        snprintf(to, size, "%.15g TFLOPS", value / 1e12);
    else
        snprintf(to, size, "%.15g %s", value,
                 setting->type == SETTING_REAL_NS ? "ns" : setting->unit);
}

static const char *show_value(const struct config *config, const struct setting *setting, char *to,
                              size_t size)
{
    const void *from = (const char *)config + setting->offset;
    const char *text = NULL;
    unsigned choice;
    switch (setting->type) {
    case SETTING_BOOL:
        return *(const bool *)from ? "true" : "false";
    case SETTING_U32:
        show_integer(to, size, setting, *(const uint32_t *)from, "");
        break;
    case SETTING_NS:
        show_integer(to, size, setting, *(const uint64_t *)from, "ns");
        break;
    case SETTING_U64:
        show_integer(to, size, setting, *(const uint64_t *)from, "");
        break;
    case SETTING_BYTES:
        show_integer(to, size, setting, *(const uint64_t *)from, "B");
        break;
    case SETTING_WHOLE_RATE:
        show_integer(to, size, setting, *(const uint64_t *)from, "B/ns");
        break;
    case SETTING_CHOICE:
        memcpy(&choice, from, sizeof choice);
        return setting->choices[choice];
    case SETTING_TIME:
        return units_show_time(to, size, *(const time_ps *)from);
    case SETTING_PATH:
    case SETTING_NAME_OR_PATH:
    case SETTING_TEXT:
    case SETTING_TEXTS:
        memcpy(&text, from, sizeof text);
        return text ? text : "none";
    case SETTING_RATE:
    case SETTING_FLOPS:
    case SETTING_REAL:
    case SETTING_REAL_NS:
        show_real(to, size, setting, *(const double *)from);
        break;
    }
    return to;
}

void setting_note(struct config *config, const struct setting *setting, const char *source)
{
    char value[64];
    config_note(config, setting->key, source, "%s",
                show_value(config, setting, value, sizeof value));
}
