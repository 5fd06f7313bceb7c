#include "base/embedded.h"

#include <string.h>

#include "tests/unit/unit.h"

static const char text[] = "layers: 32\nexperts: {count: 8, ffn: 100}\nname: plain\n";
static const struct embedded_file files[] = {{"one", text, sizeof text - 1}, {NULL, NULL, 0}};

static const struct {
    const char *text, *name, *changes;
    bool is_path;
} splits[] = {
    {"one", "one", "", false},
    {"one{a=1}", "one", "{a=1}", false},
    {"a.yaml{b.c=1}", "a.yaml", "{b.c=1}", true},
    {"one{file=a/b}", "one", "{file=a/b}", false}, /* a '/' of a value is none of the name */
    {"{a=1}", "{a=1}", "", false},                 /* no name */
    {"one{a=1", "one{a=1", "", false},             /* not closed */
    {"rail:8x{devices/8},bw=1", "rail:8x{devices/8},bw=1", "", true}, /* as it was before */
    {"", "", "", false},
};

START_TEST(splits_names)
{
    struct embedded_words words;
    char renamed[64];
    embedded_split(&words, splits[_i].text);
    ck_assert_str_eq(words.name, splits[_i].name);
    ck_assert_str_eq(words.changes, splits[_i].changes);
    ck_assert_int_eq(embedded_is_path(splits[_i].text), splits[_i].is_path);
    embedded_rename(renamed, sizeof renamed, splits[_i].text, "two");
    ck_assert_int_eq(strncmp(renamed, "two", 3), 0);
    ck_assert_str_eq(renamed + 3, splits[_i].changes);
}
END_TEST

static const struct {
    const char *name;
    const char *layers, *count, *message; /* message: it is refused */
} opens[] = {
    {"one", "32", "8", NULL},
    {"one{layers=16}", "16", "8", NULL},
    {"one{layers = 16 , experts.count=4}", "16", "4", NULL},
    {"one{more.deep=1}", "32", "8", NULL},
    {"one{}", NULL, NULL, "KEY=VALUE"},
    {"one{layers}", NULL, NULL, "KEY=VALUE"},
    {"one{=3}", NULL, NULL, "KEY=VALUE"},
    {"one{layers=16,}", NULL, NULL, "KEY=VALUE"},
    {"one{name.x=1}", NULL, NULL, "no such place"},
    {"two{layers=16}", NULL, NULL, "there is no thing \"two\""},
    {"none.yaml{layers=16}", NULL, NULL, "cannot open"},
};

START_TEST(opens_with_changes)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    enum status status = embedded_open(&doc, files, "thing", opens[_i].name, &diag);
    if (opens[_i].message) {
        ck_assert_int_ne(status, STATUS_OK);
        ck_assert_msg(strstr(diag.message, opens[_i].message) != NULL, "%s", diag.message);
        return;
    }
    ck_assert_msg(status == STATUS_OK, "%s", diag.message);
    ck_assert_str_eq(doc_find(doc.root, "layers")->text, opens[_i].layers);
    const struct doc_node *experts = doc_find(doc.root, "experts");
    ck_assert_str_eq(doc_find(experts, "count")->text, opens[_i].count);
    ck_assert_str_eq(doc_find(experts, "ffn")->text, "100");
    doc_release(&doc);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("embedded");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, splits_names, 0, sizeof splits / sizeof *splits);
    tcase_add_loop_test(all, opens_with_changes, 0, sizeof opens / sizeof *opens);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
