/* ASTRA-sim's network file from memory: accepted with every dimension sane, or refused with words.
 */
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
    enum status status = doc_parse(&doc, "fuzz", (const char *)data, size, DOC_YAML, &diag);
    if (status == STATUS_OK) {
        status = astra_network_read(&config, &doc, &notices, &diag);
        doc_release(&doc);
    }
    if (status == STATUS_OK)
        promise(config.network.npu_count >= 1 && config.network.dim[0].bandwidth_B_per_ns > 0);
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    notices_release(&notices);
    config_release(&config);
    return 0;
}
