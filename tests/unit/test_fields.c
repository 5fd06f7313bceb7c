/* fields: every kind of value into its member, and one clear message for what is not one. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/embedded.h"
#include "base/fields.h"

static const char *const colours[] = {"red", "green", NULL};

struct sample {
    const char *name;
    bool flag;
    uint32_t small;
    uint64_t large;
    double number, ns, bytes, rate, flops, list[3];
    int colour;
    const char *const *also;
};

static const struct field table[] = {
    FIELD(struct sample, name, "name", FIELD_TEXT, .is_required = true),
    FIELD(struct sample, flag, "flag", FIELD_FLAG),
    FIELD(struct sample, small, "small", FIELD_U32, .least = 1, .most = 9),
    FIELD(struct sample, large, "large", FIELD_U64),
    FIELD(struct sample, number, "number", FIELD_NUMBER, .most = 7),
    FIELD(struct sample, ns, "ns", FIELD_NS),
    FIELD(struct sample, bytes, "bytes", FIELD_BYTES),
    FIELD(struct sample, rate, "rate", FIELD_RATE),
    FIELD(struct sample, flops, "flops", FIELD_FLOPS),
    FIELD(struct sample, list, "list", FIELD_NUMBERS, .most = 3),
    FIELD(struct sample, colour, "colour", FIELD_WORD, .words = colours),
    FIELD(struct sample, also, "also", FIELD_TEXTS),
    {.key = NULL},
};

static enum status read_sample(const char *text, struct sample *sample, struct arena *arena,
                               struct diag *diag)
{
    static const char *const more[] = {"extra", NULL};
    struct doc doc;
    enum status status = doc_parse(&doc, "sample.yaml", text, strlen(text), DOC_YAML, diag);
    ck_assert_int_eq(status, STATUS_OK);
    struct field_reader reader = {.doc = &doc, .arena = arena, .diag = diag, .path = "here"};
    status = fields_read(&reader, doc.root, table, more, sample);
    doc_release(&doc);
    return status;
}

START_TEST(reads_every_kind)
{
    struct sample sample = {.number = 7};
    struct arena arena;
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    const char *text = "name: a\nflag: true\nsmall: 9\nlarge: 18446744073709551615\nns: 1.5us\n"
                       "bytes: 80GB\nrate: 3TB/s\nflops: 989TFLOPS\nlist: [1, 2.5]\ncolour: green\n"
                       "also: [x, 'y z']\nextra: {}\n";
    ck_assert_int_eq(read_sample(text, &sample, &arena, &diag), STATUS_OK);
    ck_assert_str_eq(sample.name, "a");
    ck_assert(sample.flag);
    ck_assert_uint_eq(sample.small, 9);
    ck_assert_uint_eq(sample.large, UINT64_MAX);
    ck_assert_double_eq(sample.number, 7); /* absent: as it was */
    ck_assert_double_eq(sample.ns, 1500);
    ck_assert_double_eq(sample.bytes, 80e9);
    ck_assert_double_eq(sample.rate, 3e12);
    ck_assert_double_eq(sample.flops, 989e12);
    ck_assert_double_eq(sample.list[1], 2.5);
    ck_assert_int_eq(sample.colour, 1);
    ck_assert_str_eq(sample.also[1], "y z");
    ck_assert_ptr_null(sample.also[2]);
    arena_release(&arena);
}
END_TEST

static const struct {
    const char *text, *field, *words; /* what message or hint must hold */
} bad[] = {
    {"flag: true", "here.name", "expected a value"},
    {"name: a\nflag: 1", "here.flag", "true or false"},
    {"name: a\nsmall: 0", "here.small", "1"},
    {"name: a\nsmall: 10", "here.small", "9"},
    {"name: a\nlarge: -1", "here.large", "-1"},
    {"name: a\nnumber: -1", "here.number", "from 0 to 7"},
    {"name: a\nnumber: 7.001", "here.number", "from 0 to 7"},
    {"name: a\nns: 5", "here.ns", "unit"},
    {"name: a\nrate: []", "here.rate", "unit"},
    {"name: a\nlist: [1, 2, 3, 4]", "here.list", "at most 3"},
    {"name: a\ncolour: gren", "here.colour", "did you mean \"green\"?"},
    {"name: a\nalso: x", "here.also", "a list of texts"},
    {"name: a\nnumbr: 1", "here.numbr", "did you mean \"number\"?"},
    {"[]", "here", "map"},
};

START_TEST(refuses)
{
    struct sample sample = {0};
    struct arena arena;
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    ck_assert_int_eq(read_sample(bad[_i].text, &sample, &arena, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad[_i].field);
    ck_assert_str_eq(diag.file, "sample.yaml");
    bool is_said = strstr(diag.message, bad[_i].words) || strstr(diag.hint, bad[_i].words);
    ck_assert_msg(is_said, "%s / %s", diag.message, diag.hint);
    arena_release(&arena);
}
END_TEST

START_TEST(opens_presets)
{
    static const struct embedded_file files[] = {{"one", "a: 1\n", 5}, {NULL, NULL, 0}};
    struct doc doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(embedded_open(&doc, files, "thing", "one", &diag), STATUS_OK);
    ck_assert_uint_eq(doc_find(doc.root, "a")->magnitude, 1);
    doc_release(&doc);
    ck_assert_int_eq(embedded_open(&doc, files, "thing", "ona", &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, "there is no thing \"ona\"");
    ck_assert_str_eq(diag.hint, "did you mean \"one\"?");
    ck_assert(embedded_is_path("a/b") && embedded_is_path("b.yaml") && !embedded_is_path("b"));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("fields");
    TCase *tcase = tcase_create("fields");
    tcase_add_test(tcase, reads_every_kind);
    tcase_add_loop_test(tcase, refuses, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, opens_presets);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
