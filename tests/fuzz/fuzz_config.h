/*
 * fuzz_config - what the fuzz targets of ASTRA-sim's three files share: parse, read, judge.
 */
#ifndef ORRERY_TESTS_FUZZ_FUZZ_CONFIG_H
#define ORRERY_TESTS_FUZZ_FUZZ_CONFIG_H

#include <stdint.h>
#include <stdlib.h>

#include "config/astra_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Reads `data` with `read`: accepted, and then `is_sane` must hold of the configuration, or refused
 * with words.
 */
static inline int fuzz_config(const uint8_t *data, size_t size, enum doc_syntax syntax,
                              enum status (*read)(struct config *, const struct doc *,
                                                  struct notices *, struct diag *),
                              bool (*is_sane)(const struct config *))
{
    struct doc doc;
    struct config config;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    config_init(&config);
    notices_init(&notices);
    enum status status = doc_parse(&doc, "fuzz", (const char *)data, size, syntax, &diag);
    if (status == STATUS_OK) {
        status = read(&config, &doc, &notices, &diag);
        doc_release(&doc);
    }
    promise(status != STATUS_OK || is_sane(&config));
    promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
    notices_release(&notices);
    config_release(&config);
    return 0;
}

#endif
