#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

struct unit {
    const char *name;
    double scale;     /* base units per unit */
    uint64_t integer; /* the same as an integer, or 0 if it is not one */
};

#define WHOLE(name, scale)                                                                         \
    {                                                                                              \
        name, scale, scale                                                                         \
    }
#define KI 1024ull

/* Names are case-sensitive: "Gb" is bits, "GB" bytes. A table ends with a NULL name. */
static const struct unit byte_units[] = {
    WHOLE("B", 1),
    WHOLE("kB", 1000),
    WHOLE("KB", 1000),
    WHOLE("MB", 1000000),
    WHOLE("GB", 1000000000),
    WHOLE("TB", 1000000000000),
    WHOLE("PB", 1000000000000000),
    WHOLE("KiB", KI),
    WHOLE("MiB", KI *KI),
    WHOLE("GiB", KI *KI *KI),
    WHOLE("TiB", KI *KI *KI *KI),
    WHOLE("PiB", KI *KI *KI *KI *KI),
    {0},
};

static const struct unit rate_units[] = {
    WHOLE("B/s", 1),
    WHOLE("kB/s", 1000),
    WHOLE("KB/s", 1000),
    WHOLE("MB/s", 1000000),
    WHOLE("GB/s", 1000000000),
    WHOLE("TB/s", 1000000000000),
    WHOLE("KiB/s", KI),
    WHOLE("MiB/s", KI *KI),
    WHOLE("GiB/s", KI *KI *KI),
    WHOLE("TiB/s", KI *KI *KI *KI),
    {"bps", 0.125, 0},
    WHOLE("kbps", 125),
    WHOLE("Kbps", 125),
    WHOLE("Mbps", 125000),
    WHOLE("Gbps", 125000000),
    WHOLE("Tbps", 125000000000),
    {"bit/s", 0.125, 0},
    WHOLE("Mbit/s", 125000),
    WHOLE("Gbit/s", 125000000),
    WHOLE("Tbit/s", 125000000000),
    WHOLE("Mb/s", 125000),
    WHOLE("Gb/s", 125000000),
    WHOLE("Tb/s", 125000000000),
    {0},
};

static const struct unit time_units[] = {
    {"ps", 1e-3, 0},           WHOLE("ns", 1),
    WHOLE("us", 1000),         WHOLE("ms", 1000000),
    WHOLE("s", 1000000000),    WHOLE("min", 60000000000),
    WHOLE("h", 3600000000000), {0},
};

static const struct unit flop_units[] = {
    WHOLE("FLOPS", 1),
    WHOLE("MFLOPS", 1000000),
    WHOLE("GFLOPS", 1000000000),
    WHOLE("TFLOPS", 1000000000000),
    WHOLE("PFLOPS", 1000000000000000),
    WHOLE("FLOP/s", 1),
    WHOLE("MFLOP/s", 1000000),
    WHOLE("GFLOP/s", 1000000000),
    WHOLE("TFLOP/s", 1000000000000),
    WHOLE("PFLOP/s", 1000000000000000),
    WHOLE("flop/s", 1),
    WHOLE("Tflop/s", 1000000000000),
    WHOLE("Pflop/s", 1000000000000000),
    {0},
};

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
static const struct quantity byte_size = {"a size", "64MiB", byte_units,
                                          "B kB MB GB TB PB (10^3), KiB MiB GiB TiB PiB (2^10)"};
static const struct quantity flop_rate = {"a compute rate", "312TFLOPS", flop_units,
                                          "FLOPS MFLOPS GFLOPS TFLOPS PFLOPS, or FLOP/s and so on"};

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
    bool is_integer; /* written with digits only, and `integer` holds it */
    uint64_t integer;
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
    parsed->is_integer = decimal_u64(start, (size_t)(end - start), &parsed->integer);
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

enum status units_parse_bytes(const char *text, const char *bare_unit, uint64_t *bytes,
                              bool *was_bare, struct diag *diag)
{
    struct parsed parsed;
    enum status status = parse(&byte_size, text, bare_unit, &parsed, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    if (parsed.number < 0)
        return refuse(&byte_size, text, "must be 0 or more", diag);
    uint64_t whole;
    if (parsed.is_integer) { /* digits only: exact beyond 2^53 */
        if (__builtin_mul_overflow(parsed.integer, parsed.unit->integer, &whole) ||
            whole > INT64_MAX)
            return refuse(&byte_size, text, "too large", diag);
        *bytes = whole;
        return STATUS_OK;
    }
    double product = parsed.number * parsed.unit->scale;
    if (!(product < 0x1p63))
        return refuse(&byte_size, text, "too large", diag);
    if (product != floor(product))
        return refuse(&byte_size, text, "not a whole number of bytes", diag);
    *bytes = (uint64_t)product;
    return STATUS_OK;
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
