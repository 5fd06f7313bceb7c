/* A file of communicator groups from memory: every accepted rank is in range and listed once. */
#include <stdint.h>
#include <stdlib.h>

#include "config/config.h"
#include "config/group_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doc doc;
    struct group_file groups;
    struct diag diag = DIAG_NONE;
    group_file_init(&groups);
    enum status status = doc_parse(&doc, "fuzz", (const char *)data, size, DOC_JSON, &diag);
    if (status == STATUS_OK) {
        status = group_file_fill(&groups, &doc, doc.root, "", &diag);
        doc_release(&doc);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < groups.count; i++) {
        for (uint32_t k = 0; k < groups.entry[i].count; k++)
            promise(groups.entry[i].ranks[k] < CONFIG_MAX_NPUS);
    }
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    group_file_release(&groups);
    return 0;
}
