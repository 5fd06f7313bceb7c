/* A library of the tuner and its systems, parted by a line of "%%%": accepted, and then every
 * system has sane choices, or refused with words. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/collective/tuner_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void choose_all(const struct tuner *tuner)
{
    static const uint32_t ranks[] = {2, 8, 96};
    for (uint32_t i = 0; i < tuner->system_count * 3; i++) {
        struct tuner_request request = {.kind = (int)(i % (TUNER_DISPATCH + 1)),
                                        .ranks = ranks[i % 3],
                                        .nodes = ranks[i % 3],
                                        .bytes = (uint64_t)1 << (i * 7 % 60),
                                        .system = &tuner->system[i / 3]};
        struct tuner_choice choice;
        struct diag diag = DIAG_NONE;
        enum status status = tuner_choose(&request, &choice, &diag);
        promise(status == STATUS_OK);
        promise(isfinite(choice.time_us) && choice.time_us >= 0 && choice.rate_Bps > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *systems = strstr(text, "%%%\n");
    if (systems != NULL) {
        *systems = '\0';
        systems += 4;
    }
    struct tuner *tuner = tuner_create_empty();
    struct diag diag = DIAG_NONE;
    enum status status = tuner_read_library(tuner, "fuzz", text, &diag);
    if (status == STATUS_OK && systems != NULL)
        status = tuner_read_systems(tuner, "fuzz", systems, &diag);
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    if (status == STATUS_OK)
        choose_all(tuner);
    tuner_destroy(tuner);
    free(text);
    return 0;
}
