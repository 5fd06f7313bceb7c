/* A name with changes in braces: refused with a message, or a document that has them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "layers: 32\nexperts: {count: 8, ffn: 100}\nlist: [1, 2]\n";
static const struct embedded_file files[] = {{"one", text, sizeof text - 1}, {NULL, NULL, 0}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    struct embedded_words words;
    char *name = malloc(size + 1), renamed[64];
    need_memory(name != NULL);
    memcpy(name, data, size);
    name[size] = '\0';
    embedded_split(&words, name);
    promise(words.changes >= name && words.changes <= name + strlen(name));
    embedded_rename(renamed, sizeof renamed, name, "two");
    if (!embedded_is_path(name)) { /* no files here */
        enum status status = embedded_open(&doc, files, "thing", name, &diag);
        promise(status == diag.status && (status == STATUS_OK || diag.message[0] != '\0'));
        if (status == STATUS_OK) {
            promise(doc_find(doc.root, "layers") != NULL);
            doc_release(&doc);
        }
    }
    free(name);
    return 0;
}
