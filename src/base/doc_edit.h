/*
 * doc_edit - changes a document that was read: another value at a path, as if it stood there.
 */
#ifndef ORRERY_BASE_DOC_EDIT_H
#define ORRERY_BASE_DOC_EDIT_H

#include "base/doc.h"

/*
 * Sets what is at `path` ("system.collectives.all-reduce", "network.dims[0].bandwidth") to `text`,
 * which is YAML ("ring", "[ring, direct]"). Maps on the way are made, elements of lists must be
 * there. Everything is of doc->arena; nodes that were found before stay valid, but may be the old
 * ones.
 */
enum status doc_set(struct doc *doc, const char *path, const char *text, struct diag *diag);

#endif
