#include "base/doc_edit.h"

#include <string.h>

#include "tests/unit/unit.h"

static const char before[] = "a: {b: 1, l: [x, {m: 2}]}\nc: text\n";

/* What stands at the place afterwards; NULL: refused. */
static const struct {
    const char *path, *text, *found, *kept; /* kept: the value of c */
} rows[] = {
    {"a.b", "7GB/s", "7GB/s", "text"}, {"a.new", "v", "v", "text"},
    {"d.e.f", "1", "1", "text"},       {"c", "other", "other", "other"},
    {"a.l[0]", "y", "y", "text"},      {"a.l[1].m", "3", "3", "text"},
    {"a.l[1].n", "4", "4", "text"},    {"a.b", "chain:chunks=16", "chain:chunks=16", "text"},
    {"a.l[2]", "y", NULL, "text"},     {"a.l[x]", "y", NULL, "text"},
    {"a.b.c", "y", NULL, "text"},      {"a..b", "y", NULL, "text"},
    {"a[0]", "y", NULL, "text"},       {"a.b", "[1", NULL, "text"},
    {"a.b", "1\nz: 2", NULL, "text"},
};

static const struct doc_node *at_path(const struct doc *doc, const char *path)
{
    struct doc_node *node = doc->root;
    char part[32];
    while (*path) {
        size_t length = strcspn(path, ".[]");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        if (node->kind == DOC_LIST)
            node = &node->child[atoi(part)];
        else
            node = (struct doc_node *)doc_find(node, part);
        ck_assert_ptr_nonnull(node);
        path += length;
        path += strspn(path, ".[]");
    }
    return node;
}

START_TEST(sets)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, "file", before, strlen(before), DOC_YAML, &diag), STATUS_OK);
    enum status status = doc_set(&doc, rows[_i].path, rows[_i].text, &diag);
    ck_assert_msg((status == STATUS_OK) == (rows[_i].found != NULL), "%s: %s", rows[_i].path,
                  diag.message);
    if (rows[_i].found)
        ck_assert_str_eq(at_path(&doc, rows[_i].path)->text, rows[_i].found);
    else
        ck_assert_int_eq(diag.status, STATUS_BAD_CONFIG);
    ck_assert_str_eq(doc_find(doc.root, "c")->text, rows[_i].kept);
    doc_release(&doc);
}
END_TEST

START_TEST(sets_lists)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, "file", before, strlen(before), DOC_YAML, &diag), STATUS_OK);
    ck_assert_int_eq(doc_set(&doc, "a.b", "[ring, direct]", &diag), STATUS_OK);
    const struct doc_node *node = at_path(&doc, "a.b");
    ck_assert(node->kind == DOC_LIST && node->count == 2);
    ck_assert_str_eq(node->key, "b");
    doc_release(&doc);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("doc_edit");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, sets, 0, sizeof rows / sizeof *rows);
    tcase_add_test(all, sets_lists);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
