/* Quantities: the first byte chooses the parser and whether a bare number is allowed. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status parse(int which, const char *text, bool bare, double *value, struct diag *diag)
{
    switch (which) {
    case 0:
        return units_parse_bandwidth(text, bare ? "GB/s" : NULL, value, NULL, diag);
    case 1:
        return units_parse_duration(text, bare ? "ns" : NULL, value, NULL, diag);
    default:
        return units_parse_flops(text, bare ? "TFLOPS" : NULL, value, NULL, diag);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = DIAG_NONE;
    double value = NAN;
    if (size == 0)
        return 0;
    char *text = malloc(size);
    promise(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    enum status status = parse(data[0] & 3, text, (data[0] & 4) != 0, &value, &diag);
    if (status == STATUS_OK)
        promise(isfinite(value) && value >= 0);
    else
        promise(diag.status == status && diag.message[0] != '\0');
    free(text);
    return 0;
}
