/* Any bytes as a side of a comparison, whatever kind they look like: a side or one message; and a
 * side compared with itself is equal to itself. */
#include <stdint.h>

#include "base/status.h"
#include "compare/comparison.h"
#include "compare/sides.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_with_itself(const struct outcome *side)
{
    static const struct compare_how how = {ALIGN_AUTO, false};
    struct comparison comparison;
    struct diag diag = DIAG_NONE;
    if (comparison_make(&comparison, side, side, &how, &diag) != STATUS_OK)
        return;
    for (uint32_t i = 0; i < comparison.row_count; i++)
        promise(comparison.row[i].error.equal == comparison.row[i].error.pairs);
    promise(comparison.only_a_count == 0 && comparison.only_b_count == 0);
    comparison_release(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct side_options options = {.time_unit = "ms"};
    struct names words;
    struct outcome side;
    struct diag diag = DIAG_NONE;
    names_init(&words);
    outcome_init(&side, &words);
    enum status status = side_parse(&side, "side", data, size, &options, &diag);
    promise(status == diag.status && (status == STATUS_OK || diag.message[0] != '\0'));
    if (status == STATUS_OK)
        compare_with_itself(&side);
    outcome_release(&side);
    names_release(&words);
    return 0;
}
