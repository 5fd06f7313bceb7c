/* The one-file form from memory: loaded and checked, or refused with words. */
#include <stdint.h>
#include <stdlib.h>

#include "config/own_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct group_file groups;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    config_init(&config);
    group_file_init(&groups);
    notices_init(&notices);
    enum status status =
        own_config_parse(&config, &groups, "dir/fuzz", (const char *)data, size, &notices, &diag);
    if (status == STATUS_OK)
        status = config_finish(&config, &notices, &diag);
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    notices_release(&notices);
    group_file_release(&groups);
    config_release(&config);
    return 0;
}
