/* Documents from memory: the first byte chooses JSON or YAML, the rest is the text. */
#include <stdint.h>
#include <stdlib.h>

#include "base/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Walks the whole tree by hand: every pointer in it must be good. */
static size_t weigh(const struct doc_node *root)
{
    const struct doc_node *stack[64 * 64];
    size_t depth = 0, weight = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const struct doc_node *node = stack[--depth];
        weight += node->length + (node->key != NULL ? node->key[0] != '\0' : 0);
        if (node->kind != DOC_LIST && node->kind != DOC_MAP)
            weight += node->text[node->length] == '\0';
        for (uint32_t i = 0; i < node->count && depth < sizeof stack / sizeof *stack; i++)
            stack[depth++] = &node->child[i];
    }
    return weight;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    if (size == 0)
        return 0;
    enum doc_syntax syntax = data[0] == 'J' ? DOC_JSON : DOC_YAML;
    enum status status = doc_parse(&doc, "fuzz", (const char *)data + 1, size - 1, syntax, &diag);
    if (status == STATUS_OK) {
        promise(doc.root != NULL && (weigh(doc.root) | 1) != 0);
        doc_release(&doc);
    } else {
        promise(diag.status == status && diag.message[0] != '\0');
    }
    return 0;
}
