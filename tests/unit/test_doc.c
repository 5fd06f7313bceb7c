/* doc: JSON and YAML trees, the place of every error, and hostile documents. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "tests/unit/unit.h"

static struct doc doc;

static enum status parse(const char *text, enum doc_syntax syntax, struct diag *diag)
{
    return doc_parse(&doc, "test", text, strlen(text), syntax, diag);
}

/* Both syntaxes give the same tree for the same content. */
static const struct {
    const char *text;
    enum doc_syntax syntax;
} same[] = {
    {"{\"a\": [1, -2, 3.5],\n \"b\": {\"c\": \"x\\n\\u00e9\", \"d\": true},\n\"e\": null, "
     "\"f\": [], \"g\": {} }",
     DOC_JSON},
    {"a: [1, -2, 3.5]\nb: {c: \"x\\n\\u00e9\", d: true}\ne: null\nf: []\ng: {}\n", DOC_YAML},
    {"\xef\xbb\xbf{\"a\":[1,-2,3.5],\n\"b\":{\"c\":\"x\\n\\u00E9\",\"d\":true},\n\"e\":null,\"f\":"
     "[],\"g\":{}}\n\n",
     DOC_JSON},
    {"# comment\na:\n  - 1\n  - -2\n  - 3.5\nb:\n  c: \"x\\n\xc3\xa9\"\n  d: True\ne: ~\nf: []\ng: "
     "{}",
     DOC_YAML},
};

START_TEST(same_tree)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(parse(same[_i].text, same[_i].syntax, &diag), STATUS_OK);
    ck_assert_int_eq(doc.root->kind, DOC_MAP);
    ck_assert_uint_eq(doc.root->count, 5);
    const struct doc_node *a = doc_find(doc.root, "a");
    ck_assert_int_eq(a->kind, DOC_LIST);
    ck_assert_uint_eq(a->count, 3);
    ck_assert(a->child[0].is_integer && a->child[0].magnitude == 1 && !a->child[0].is_negative);
    ck_assert(a->child[1].is_integer && a->child[1].magnitude == 2 && a->child[1].is_negative);
    ck_assert(!a->child[2].is_integer);
    ck_assert_double_eq(a->child[2].number, 3.5);
    ck_assert_str_eq(a->child[2].text, "3.5");
    const struct doc_node *b = doc_find(doc.root, "b");
    ck_assert_str_eq(doc_find(b, "c")->text, "x\n\xc3\xa9");
    ck_assert(doc_find(b, "d")->boolean);
    ck_assert_int_eq(doc_find(doc.root, "e")->kind, DOC_NULL);
    ck_assert_int_eq(doc_find(doc.root, "f")->kind, DOC_LIST);
    ck_assert_int_eq(doc_find(doc.root, "g")->kind, DOC_MAP);
    ck_assert_ptr_null(doc_find(doc.root, "h"));
    ck_assert_ptr_null(doc_find(a, "h"));
    doc_release(&doc);
}
END_TEST

START_TEST(lines)
{
    struct diag diag = DIAG_NONE;
    const char *json = "{\n\"a\" :\n 1 ,\n\"b\": [ {}, \n \"\\\"]\\\\\", [],\n {\"c\": 2 } ]\n}";
    ck_assert_int_eq(parse(json, DOC_JSON, &diag), STATUS_OK);
    ck_assert_uint_eq(doc_find(doc.root, "a")->line, 3);
    const struct doc_node *b = doc_find(doc.root, "b");
    ck_assert_uint_eq(b->line, 4);
    ck_assert_uint_eq(b->child[0].line, 4);
    ck_assert_uint_eq(b->child[1].line, 5);
    ck_assert_str_eq(b->child[1].text, "\"]\\");
    ck_assert_uint_eq(b->child[2].line, 5);
    ck_assert_uint_eq(doc_find(&b->child[3], "c")->line, 6);
    doc_release(&doc);
    ck_assert_int_eq(parse("a: 1\n\nb:\n  - x\n", DOC_YAML, &diag), STATUS_OK);
    ck_assert_uint_eq(doc_find(doc.root, "b")->child[0].line, 4);
    doc_release(&doc);
}
END_TEST

/* Which plain YAML scalars are numbers. */
static const struct {
    const char *text;
    enum doc_kind kind;
    bool is_integer;
} scalars[] = {
    {"1", DOC_NUMBER, true},
    {"0", DOC_NUMBER, true},
    {"-0", DOC_NUMBER, true},
    {"+7", DOC_NUMBER, true},
    {"18446744073709551615", DOC_NUMBER, true},
    {"18446744073709551616", DOC_NUMBER, false},
    {"-9223372036854775808", DOC_NUMBER, true},
    {"-9223372036854775809", DOC_NUMBER, false},
    {"1.", DOC_NUMBER, false},
    {".5", DOC_NUMBER, false},
    {"1e3", DOC_NUMBER, false},
    {"1E-3", DOC_NUMBER, false},
    {"010", DOC_TEXT, false},
    {"0x10", DOC_TEXT, false},
    {"1_000", DOC_TEXT, false},
    {".inf", DOC_TEXT, false},
    {"1e999", DOC_TEXT, false},
    {"nan", DOC_TEXT, false},
    {"1e", DOC_TEXT, false},
    {"-", DOC_TEXT, false},
    {".", DOC_TEXT, false},
    {"50GB/s", DOC_TEXT, false},
    {"yes", DOC_TEXT, false},
    {"\"1\"", DOC_TEXT, false},
    {"'true'", DOC_TEXT, false},
    {"false", DOC_BOOL, false},
    {"~", DOC_NULL, false},
};

START_TEST(scalar_kinds)
{
    struct diag diag = DIAG_NONE;
    char text[64];
    snprintf(text, sizeof text, "[ %s ]", scalars[_i].text);
    if (strcmp(scalars[_i].text, "-") == 0)
        strcpy(text, "[ '-' ]");
    ck_assert_int_eq(parse(text, DOC_YAML, &diag), STATUS_OK);
    const struct doc_node *node = &doc.root->child[0];
    ck_assert_int_eq(node->kind, scalars[_i].kind);
    ck_assert(node->is_integer == scalars[_i].is_integer);
    doc_release(&doc);
}
END_TEST

static const struct {
    const char *text;
    enum doc_syntax syntax;
    uint64_t line; /* 0: none expected */
    const char *message;
} bad[] = {
    {"", DOC_JSON, 0, "empty"},
    {" \n", DOC_JSON, 0, "empty"},
    {"{\"a\": 1,\n\"a\": 2}", DOC_JSON, 2, "duplicate"},
    {"{\"a\": 1,\n\"b\": 2,}", DOC_JSON, 2, "expected"},
    {"{\"a\": 1} x", DOC_JSON, 1, "end of file"},
    {"{\"a\":\n\n 01}", DOC_JSON, 3, "invalid token"},
    {"{\"a\": \"\\u0000\"}", DOC_JSON, 1, "u0000"},
    {"{\"a\": 1e999}", DOC_JSON, 1, "overflow"},
    {"{\"a\": \"\xff\"}", DOC_JSON, 1, "decode byte"},
    {"[", DOC_JSON, 1, "expected"},
    {"{\"a", DOC_JSON, 1, "end of input"},
    {"", DOC_YAML, 0, "empty"},
    {"# only a comment\n", DOC_YAML, 0, "empty"},
    {"a: 1\nb: 2\na: 3\n", DOC_YAML, 3, "twice"},
    {"a: &x 1\nb: *x\n", DOC_YAML, 1, "anchors"},
    {"b: *x\n", DOC_YAML, 1, "aliases"},
    {"a: !!str 1\n", DOC_YAML, 1, "tags"},
    {"a: [1, 2\nb: 3\n", DOC_YAML, 2, "YAML syntax"},
    {"a: 1\n---\nb: 2\n", DOC_YAML, 2, "second document"},
    {"? [a]\n: 1\n", DOC_YAML, 1, "key"},
    {"a: \"x\\0y\"\n", DOC_YAML, 1, "NUL"},
    {"a: \xff\xfe\n", DOC_YAML, 0, "YAML syntax"},
    {"\ta: 1", DOC_YAML, 1, "YAML syntax"},
};

START_TEST(refused)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(parse(bad[_i].text, bad[_i].syntax, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "row %d: %s", _i, diag.message);
    ck_assert_str_eq(diag.file, "test");
    if (bad[_i].line)
        ck_assert_uint_eq(diag.at, bad[_i].line);
    ck_assert_ptr_null(doc.root);
}
END_TEST

/* The limit itself is accepted, one more is not; a million more is refused as fast. */
START_TEST(depth)
{
    enum { MANY = 1000000 };
    static char text[2 * MANY + 1];
    for (int syntax = DOC_JSON; syntax <= DOC_YAML; syntax++) {
        struct diag diag = DIAG_NONE;
        memset(text, '[', DOC_DEPTH);
        memset(text + DOC_DEPTH, ']', DOC_DEPTH);
        text[2 * DOC_DEPTH] = '\0';
        ck_assert_int_eq(parse(text, (enum doc_syntax)syntax, &diag), STATUS_OK);
        doc_release(&doc);
        memset(text, '[', DOC_DEPTH + 1);
        ck_assert_int_eq(parse(text, (enum doc_syntax)syntax, &diag), STATUS_BAD_CONFIG);
        ck_assert_ptr_nonnull(strstr(diag.message, "deep"));
        diag = DIAG_NONE;
        memset(text, '[', MANY);
        memset(text + MANY, ']', MANY);
        text[2 * MANY] = '\0';
        ck_assert_int_eq(parse(text, (enum doc_syntax)syntax, &diag), STATUS_BAD_CONFIG);
        ck_assert_ptr_nonnull(strstr(diag.message, "deep"));
    }
}
END_TEST

/* Every prefix of a document parses or is refused; nothing crashes. */
START_TEST(prefixes)
{
    for (size_t row = 0; row < sizeof same / sizeof *same; row++) {
        for (size_t length = 0; length < strlen(same[row].text); length++) {
            struct diag diag = DIAG_NONE;
            enum status status =
                doc_parse(&doc, "test", same[row].text, length, same[row].syntax, &diag);
            ck_assert(status == STATUS_OK || diag.message[0]);
            doc_release(&doc);
        }
    }
}
END_TEST

START_TEST(typed_readers)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(
        parse("{\"n\": 5, \"r\": 1.5,\n\"t\": \"x\", \"b\": true, \"m\": -1, \"l\": [1]}", DOC_JSON,
              &diag),
        STATUS_OK);
    uint64_t u = 0;
    const char *t = NULL;
    const struct doc_node *root = doc.root;
    ck_assert_int_eq(doc_get_u64(&doc, doc_find(root, "n"), "n", 1, 5, &u, &diag), STATUS_OK);
    ck_assert_uint_eq(u, 5);
    ck_assert_int_eq(doc_get_text(&doc, doc_find(root, "t"), "t", &t, &diag), STATUS_OK);
    ck_assert_str_eq(t, "x");
    ck_assert_int_eq(doc_want(&doc, doc_find(root, "l"), "l", DOC_LIST, &diag), STATUS_OK);
    ck_assert_int_eq(doc_get_u64(&doc, doc_find(root, "n"), "n", 6, 9, &u, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, "expected an integer from 6 to 9, found a number 5");
    diag = DIAG_NONE;
    ck_assert_int_eq(doc_get_u64(&doc, doc_find(root, "m"), "m", 0, UINT64_MAX, &u, &diag),
                     STATUS_BAD_CONFIG);
    diag = DIAG_NONE;
    doc_get_u64(&doc, doc_find(root, "t"), "t", 0, 9, &u, &diag);
    ck_assert_str_eq(diag.message, "expected an integer from 0 to 9, found text \"x\"");
    ck_assert_str_eq(diag.field, "t");
    ck_assert_uint_eq(diag.at, 2);
    diag = DIAG_NONE;
    doc_get_text(&doc, NULL, "q", &t, &diag);
    ck_assert_str_eq(diag.message, "missing; expected text");
    static const char *const known[] = {"n", "r", "t", "b", NULL};
    ck_assert_str_eq(doc_unknown_key(root, known)->key, "m");
    doc_release(&doc);
}
END_TEST

START_TEST(missing_file)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_load(&doc, "/no/such/file.yml", DOC_YAML, &diag), STATUS_IO);
    doc_release(&doc);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

/* jansson stops at 2^63 - 1; ids of traces do not. Digits inside strings are left alone. */
START_TEST(json_integers_up_to_2_64)
{
    static const char text[] = "{\"a\": 18446744073709551615, \"b\": [9223372036854775808],"
                               " \"c\": \"9999999999999999999\", \"d\": 99999999999999999999}";
    struct doc big;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&big, "big", text, strlen(text), DOC_JSON, &diag), STATUS_OK);
    const struct doc_node *a = doc_find(big.root, "a"), *b = doc_find(big.root, "b");
    ck_assert(a->is_integer && b->child[0].is_integer);
    ck_assert_uint_eq(a->magnitude, UINT64_MAX);
    ck_assert_uint_eq(b->child[0].magnitude, (uint64_t)1 << 63);
    ck_assert_str_eq(doc_find(big.root, "c")->text, "9999999999999999999");
    ck_assert(!doc_find(big.root, "d")->is_integer);
    doc_release(&big);
}
END_TEST

/* The longest integer a double holds is a number; a longer one is an ordinary error. */
static const struct {
    int digits;
    const char *before, *after;
    enum status status;
} lengths[] = {
    {308, "[1,\n", "]", STATUS_OK},           {309, "[1,\n", "]", STATUS_BAD_CONFIG},
    {400, "[1,\n", "]", STATUS_BAD_CONFIG},   {400, "[1,\n-", "]", STATUS_BAD_CONFIG},
    {400, "[1,\n", ".5]", STATUS_BAD_CONFIG}, {400, "[1,\n", "e1]", STATUS_BAD_CONFIG},
    {400, "[1,\n\"", "\"]", STATUS_OK},
};

START_TEST(json_integer_of_many_digits)
{
    char text[512], digits[401];
    memset(digits, '7', sizeof digits);
    digits[lengths[_i].digits] = '\0';
    snprintf(text, sizeof text, "%s%s%s", lengths[_i].before, digits, lengths[_i].after);
    struct doc long_doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&long_doc, "long", text, strlen(text), DOC_JSON, &diag),
                     lengths[_i].status);
    if (lengths[_i].status != STATUS_OK)
        ck_assert_uint_eq(diag.at, 2);
    doc_release(&long_doc);
}
END_TEST

/* Threads parse at the same time: nothing of the process is written but once. */
static void *parse_often(void *failures)
{
    static const char text[] = "{\"a\": [1, {\"b\": \"text\"}], \"c\": 18446744073709551615}";
    for (int i = 0; i < 200; i++) {
        struct doc own;
        struct diag diag = DIAG_NONE;
        enum status status = doc_parse(&own, "thread", text, strlen(text), DOC_JSON, &diag);
        const struct doc_node *c = status == STATUS_OK ? doc_find(own.root, "c") : NULL;
        *(int *)failures += !c || c->magnitude != UINT64_MAX;
        doc_release(&own);
    }
    return NULL;
}

START_TEST(json_in_threads)
{
    pthread_t thread[4];
    int failures[4] = {0};
    for (int t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, parse_often, &failures[t]), 0);
    for (int t = 0; t < 4; t++) {
        pthread_join(thread[t], NULL);
        ck_assert_int_eq(failures[t], 0);
    }
}
END_TEST

static Suite *suite_of_doc(void)
{
    TCase *rows = tcase_create("doc");
    tcase_set_timeout(rows, 60);
    tcase_add_test(rows, json_integers_up_to_2_64);
    tcase_add_loop_test(rows, json_integer_of_many_digits, 0, ROWS(lengths));
    tcase_add_test(rows, json_in_threads);
    tcase_add_loop_test(rows, same_tree, 0, ROWS(same));
    tcase_add_test(rows, lines);
    tcase_add_loop_test(rows, scalar_kinds, 0, ROWS(scalars));
    tcase_add_loop_test(rows, refused, 0, ROWS(bad));
    tcase_add_test(rows, depth);
    tcase_add_test(rows, prefixes);
    tcase_add_test(rows, typed_readers);
    tcase_add_test(rows, missing_file);
    Suite *suite = suite_create("doc");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_doc())
