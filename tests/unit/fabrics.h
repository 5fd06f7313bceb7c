/*
 * fabrics - topologies for tests, by one line or a YAML graph.
 */
#ifndef ORRERY_TESTS_UNIT_FABRICS_H
#define ORRERY_TESTS_UNIT_FABRICS_H

#include <check.h>
#include <string.h>

#include "net/topology/graph_file.h"

static inline struct fabric *fabric_for_test(const char *text)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_msg(fabric_parse(text, &fabric, &diag) == STATUS_OK, "%s: %s", text, diag.message);
    return fabric;
}

static inline struct fabric *graph_for_test(const char *yaml)
{
    struct doc doc;
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, "graph", yaml, strlen(yaml), DOC_YAML, &diag), STATUS_OK);
    ck_assert_msg(graph_file_read(&doc, &fabric, &diag) == STATUS_OK, "%s: %s", yaml, diag.message);
    doc_release(&doc);
    return fabric;
}

#endif
