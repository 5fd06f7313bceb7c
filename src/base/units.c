#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double scale; /* base units per unit */
};

/* Names are case-sensitive: "Gb" is bits, "GB" bytes. A table ends with a NULL name. */
static const struct unit rate_units[] = {
    {"B/s", 1},           {"kB/s", 1000},          {"KB/s", 1000},         {"MB/s", 1000000},
    {"GB/s", 1000000000}, {"TB/s", 1000000000000}, {"KiB/s", 0x1p10},      {"MiB/s", 0x1p20},
    {"GiB/s", 0x1p30},    {"TiB/s", 0x1p40},       {"bps", 0.125},         {"kbps", 125},
    {"Kbps", 125},        {"Mbps", 125000},        {"Gbps", 125000000},    {"Tbps", 125000000000},
    {"bit/s", 0.125},     {"Mbit/s", 125000},      {"Gbit/s", 125000000},  {"Tbit/s", 125000000000},
    {"Mb/s", 125000},     {"Gb/s", 125000000},     {"Tb/s", 125000000000}, {0},
};

static const struct unit byte_units[] = {
    {"B", 1},     {"kB", 1000},    {"KB", 1000},    {"MB", 1000000}, {"GB", 1000000000},
    {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
    {0},
};

static const struct unit time_units[] = {
    {"ps", 1e-3},         {"ns", 1},
    {"us", 1000},         {"ms", 1000000},
    {"s", 1000000000},    {"min", 60000000000},
    {"h", 3600000000000}, {0},
};

static const struct unit flop_units[] = {
    {"FLOPS", 1},
    {"MFLOPS", 1000000},
    {"GFLOPS", 1000000000},
    {"TFLOPS", 1000000000000},
    {"PFLOPS", 1000000000000000},
    {"FLOP/s", 1},
    {"MFLOP/s", 1000000},
    {"GFLOP/s", 1000000000},
    {"TFLOP/s", 1000000000000},
    {"PFLOP/s", 1000000000000000},
    {"flop/s", 1},
    {"Tflop/s", 1000000000000},
    {"Pflop/s", 1000000000000000},
    {0},
};

static const struct unit clock_units[] = {
    {"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {0}};

static const struct unit power_units[] = {{"W", 1}, {"kW", 1000}, {"MW", 1000000}, {0}};

/* What a quantity is called and how it is written, for messages. */
struct quantity {
    const char *name;    /* "a bandwidth" */
    const char *example; /* "50GB/s" */
    const struct unit *units;
    const char *accepted; /* the units worth listing */
};

static const struct quantity bandwidth = {"a bandwidth", "50GB/s", rate_units,
                                          "B/s kB/s MB/s GB/s TB/s (10^3), KiB/s MiB/s GiB/s TiB/s "
                                          "(2^10), bps kbps Mbps Gbps Tbps (bits)"};
static const struct quantity duration = {"a duration", "1.5us", time_units, "ps ns us ms s min h"};
static const struct quantity byte_count = {"a number of bytes", "64MiB", byte_units,
                                           "B kB MB GB TB (10^3), KiB MiB GiB TiB (2^10)"};
static const struct quantity flop_rate = {"a compute rate", "312TFLOPS", flop_units,
                                          "FLOPS MFLOPS GFLOPS TFLOPS PFLOPS, or FLOP/s and so on"};
static const struct quantity clock_rate = {"a clock", "1.98GHz", clock_units, "Hz kHz MHz GHz"};
static const struct quantity power_draw = {"a power", "700W", power_units, "W kW MW"};

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name; units++) {
        if (strcmp(units->name, name) == 0)
            return units;
    }
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *text)
{
    while (is_digit(*text))
        text++;
    return text;
}

/* End of the decimal number at the start of `text`, or `text` if there is none. */
static const char *number_end(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    const char *digits = at;
    at = skip_digits(at);
    size_t count = (size_t)(at - digits);
    if (*at == '.') {
        const char *fraction = skip_digits(at + 1);
        count += (size_t)(fraction - at - 1);
        at = fraction;
    }
    if (count == 0)
        return text;
    if (*at != 'e' && *at != 'E')
        return at;
    const char *power = at + 1 + (at[1] == '-' || at[1] == '+');
    return is_digit(*power) ? skip_digits(power) : at;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

struct parsed {
    double number;
    const struct unit *unit;
};

static enum status refuse(const struct quantity *what, const char *text, const char *why,
                          struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "expected %s such as \"%s\", found \"%.60s\" (%s)",
              what->name, what->example, text, why);
    diag_hint(diag, "units: %s", what->accepted);
    return STATUS_BAD_CONFIG;
}

static enum status parse(const struct quantity *what, const char *text, const char *bare_unit,
                         struct parsed *parsed, bool *was_bare, struct diag *diag)
{
    const char *start = skip_blanks(text);
    const char *end = number_end(start);
    if (end == start)
        return refuse(what, text, "no number", diag);
    char unit[16];
    const char *rest = skip_blanks(end);
    size_t length = strlen(rest);
    while (length > 0 && (rest[length - 1] == ' ' || rest[length - 1] == '\t'))
        length--;
    bool bare = length == 0;
    if (bare && !bare_unit)
        return refuse(what, text, "no unit", diag);
    if (length >= sizeof unit)
        return refuse(what, text, "unknown unit", diag);
    snprintf(unit, sizeof unit, "%.*s", (int)length, rest);
    parsed->unit = find_unit(what->units, bare ? bare_unit : unit);
    promise(parsed->unit || !bare);
    if (!parsed->unit)
        return refuse(what, text, "unknown unit", diag);
    parsed->number = strtod(start, NULL);
    if (!isfinite(parsed->number))
        return refuse(what, text, "too large", diag);
    if (was_bare)
        *was_bare = bare;
    return STATUS_OK;
}

/* A positive and finite (or, with `zero_allowed`, not negative) value in base units. */
static enum status parse_double(const struct quantity *what, const char *text,
                                const char *bare_unit, bool zero_allowed, double *value,
                                bool *was_bare, struct diag *diag)
{
    struct parsed parsed;
    enum status status = parse(what, text, bare_unit, &parsed, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    double product = parsed.number * parsed.unit->scale;
    if (parsed.number < 0 || (product == 0 && parsed.number != 0) ||
        (product == 0 && !zero_allowed))
        return refuse(what, text, zero_allowed ? "must be 0 or more" : "must be above 0", diag);
    if (!isfinite(product))
        return refuse(what, text, "too large", diag);
    *value = product;
    return STATUS_OK;
}

enum status units_parse_bandwidth(const char *text, const char *bare_unit, double *Bps,
                                  bool *was_bare, struct diag *diag)
{
    return parse_double(&bandwidth, text, bare_unit, false, Bps, was_bare, diag);
}

enum status units_parse_bytes(const char *text, const char *bare_unit, uint64_t *bytes,
                              bool *was_bare, struct diag *diag)
{
    double value;
    enum status status = parse_double(&byte_count, text, bare_unit, true, &value, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    if (value != floor(value) || value > 0x1p62)
        return refuse(&byte_count, text, "must be whole bytes, at most 2^62", diag);
    *bytes = (uint64_t)value;
    return STATUS_OK;
}

enum status units_parse_duration(const char *text, const char *bare_unit, double *ns,
                                 bool *was_bare, struct diag *diag)
{
    return parse_double(&duration, text, bare_unit, true, ns, was_bare, diag);
}

enum status units_parse_flops(const char *text, const char *bare_unit, double *flop_per_s,
                              bool *was_bare, struct diag *diag)
{
    return parse_double(&flop_rate, text, bare_unit, false, flop_per_s, was_bare, diag);
}

enum status units_parse_clock(const char *text, const char *bare_unit, double *hz, bool *was_bare,
                              struct diag *diag)
{
    return parse_double(&clock_rate, text, bare_unit, false, hz, was_bare, diag);
}

enum status units_parse_power(const char *text, const char *bare_unit, double *watts,
                              bool *was_bare, struct diag *diag)
{
    return parse_double(&power_draw, text, bare_unit, false, watts, was_bare, diag);
}

/* Four significant digits of `value` (>= 0) under the largest prefix that leaves it at least 1. */
static const char *show(char *to, size_t size, double value, double step,
                        const char *const *prefixes, int count, const char *unit)
{
    int prefix = 0;
    while (prefix + 1 < count && value >= 999.95) {
        value /= step;
        prefix++;
    }
    int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
    if (prefix == 0 && value == floor(value))
        decimals = 0;
    snprintf(to, size, "%.*f %s%s", decimals, value, prefixes[prefix], unit);
    return to;
}

const char *units_show_time(char *to, size_t size, time_ps ps)
{
    static const char *const names[] = {"ps", "ns", "us", "ms", "s"};
    if (ps == TIME_NEVER) {
        snprintf(to, size, "never");
        return to;
    }
    return show(to, size, (double)ps, 1000, names, 5, "");
}

static const char *const decimal_prefixes[] = {"", "k", "M", "G", "T", "P", "E"};

const char *units_show_bytes(char *to, size_t size, double bytes)
{
    return show(to, size, bytes, 1000, decimal_prefixes, 7, "B");
}

const char *units_show_rate(char *to, size_t size, double Bps)
{
    return show(to, size, Bps, 1000, decimal_prefixes, 7, "B/s");
}
