#include "sweep/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

bool quantity_split(const char *text, double *number, const char **unit)
{
    const char *at = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*at) && !(*at == '.' && isdigit((unsigned char)at[1])))
        return false;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return false;
    char *end;
    *number = strtod(text, &end);
    *unit = end + strspn(end, " ");
    return isfinite(*number);
}

static bool with_unit(const char *text, double *number)
{
    struct diag none = DIAG_NONE;
    uint64_t bytes;
    if (units_parse_bandwidth(text, NULL, number, NULL, &none) == STATUS_OK)
        return true;
    none = DIAG_NONE;
    if (units_parse_duration(text, NULL, number, NULL, &none) == STATUS_OK)
        return true;
    none = DIAG_NONE;
    if (units_parse_flops(text, NULL, number, NULL, &none) == STATUS_OK)
        return true;
    none = DIAG_NONE;
    bool is_bytes = units_parse_bytes(text, NULL, &bytes, NULL, &none) == STATUS_OK;
    *number = is_bytes ? (double)bytes : NAN;
    return is_bytes;
}

bool quantity_parse(const char *text, double *number)
{
    const char *unit;
    bool is_true = strcmp(text, "true") == 0;
    if (is_true || strcmp(text, "false") == 0) {
        *number = is_true;
        return true;
    }
    if (quantity_split(text, number, &unit))
        return *unit == '\0' || with_unit(text, number);
    *number = NAN;
    return false;
}
