/* make_trace PREFIX SPECIFICATION - writes a trace set; see trace_spec.h for the specification. */
#include <stdio.h>
#include <string.h>

#include "tests/tools/trace_spec.h"

int main(int argc, char **argv)
{
    struct diag diag = DIAG_NONE;
    struct doc doc;
    if (argc != 3) {
        fputs("usage: make_trace PREFIX '{\"gen\": \"coll\", \"npus\": 8, ..}'\n", stderr);
        return status_exit_code(STATUS_USAGE);
    }
    enum status status =
        doc_parse(&doc, "specification", argv[2], strlen(argv[2]), DOC_JSON, &diag);
    if (status == STATUS_OK) {
        status = trace_spec_write(doc.root, argv[1], &diag);
        doc_release(&doc);
    }
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    return status_exit_code(status);
}
