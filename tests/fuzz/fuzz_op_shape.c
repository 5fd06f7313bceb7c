/* Any line as the shape of an op: refused, or printed so that it is read back the same. */
#include <stdlib.h>
#include <string.h>

#include "model/op_shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct diag diag = DIAG_NONE;
    struct op_shape shape, again;
    if (op_shape_parse(&shape, text, &diag) == STATUS_OK) {
        char line[OP_SHAPE_TEXT];
        op_shape_print(&shape, line, sizeof line);
        promise(strlen(line) < sizeof line - 1);
        promise(op_shape_parse(&again, line, &diag) == STATUS_OK);
        promise(memcmp(&shape, &again, sizeof shape) == 0);
    }
    free(text);
    return 0;
}
