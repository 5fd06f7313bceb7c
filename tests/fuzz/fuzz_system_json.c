/* ASTRA-sim's system file from memory; an accepted one can be printed. */
#include <stdint.h>
#include <stdlib.h>

#include "config/astra_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doc doc;
    struct config config;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    config_init(&config);
    notices_init(&notices);
    enum status status = doc_parse(&doc, "fuzz", (const char *)data, size, DOC_JSON, &diag);
    if (status == STATUS_OK) {
        status = astra_system_read(&config, &doc, 1.5, &notices, &diag);
        doc_release(&doc);
    }
    if (status == STATUS_OK)
        promise(config_source(&config, "system.endpoint-delay") != NULL);
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    notices_release(&notices);
    config_release(&config);
    return 0;
}
