#include "sweep/expression.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

static const char *const names[] = {"a", "b", "plan.global-batch", "text", "absent", "n.dims[0].bw",
                                    NULL};
static const struct expression_value values[] = {{NULL, 4},     {NULL, 3},   {NULL, 128},
                                                 {"flow", NAN}, {NULL, NAN}, {NULL, 9}};

static const struct {
    const char *text;
    int holds; /* -1: does not compile, -2: cannot be evaluated */
} rows[] = {
    {"a == 4", 1},
    {"a != 4", 0},
    {"a < b", 0},
    {"b <= 3 and a >= 4", 1},
    {"1 + 2 * 3 == 7", 1},
    {"(1 + 2) * 3 == 9", 1},
    {"10 - 4 - 3 == 3", 1}, /* to the left */
    {"8 / 2 / 2 == 2", 1},
    {"7 % 4 == 3", 1},
    {"-a + 5 == 1", 1},
    {"- -a == 4", 1},
    {"2 - -a == 6", 1},
    {"not a == 4", 0}, /* not (a == 4) */
    {"not not a", 1},
    {"not a == 3 and b == 3", 1},
    {"a == 3 or b == 3 and a == 5", 0}, /* and binds tighter */
    {"(a == 3 or b == 3) and a == 4", 1},
    {"plan.global-batch % a == 0", 1},
    {"a - b == 1", 1},
    {"n.dims[0].bw * 2 == 18", 1},
    {"[0] == 1", -1},
    {"text == 'flow'", 1},
    {"text == \"link\"", 0},
    {"text < 'link'", 1},
    {"50GB/s == 400Gbps", 1},
    {"64MiB == 67108864", 1},
    {"1.5us == 1500", 1},
    {"8/a == 2", 1},
    {"1e3 == 1000", 1},
    {"1.5e-1 < 1", 1},
    {"absent == 1", 0},
    {"absent != 1", 0},
    {"absent < 1 or a == 4", 1},
    {"absent == 'x'", 0},
    {"absent + 1 > 0", 0},
    {"a", 1},
    {"a - 4", 0},
    {"", -1},
    {"a ==", -1},
    {"== a", -1},
    {"a b", -1},
    {"(a", -1},
    {"a)", -1},
    {"a < b < 5", -1},
    {"a-b == 1", -1}, /* one name, and none */
    {"nme == 1", -1},
    {"text == 'flow", -1},
    {"a = 4", -1},
    {"a && b", -1},
    {"0x10 == 16", -1},
    {"1zz == 1", -1},
    {"and", -1},
    {"not", -1},
    {"()", -1},
    {"text == 1", -2},
    {"text + 1 == 2", -2},
    {"-text == 1", -2},
    {"text", -2},
    {"a / 0 == 1", -2},
    {"a % (b - 3) == 1", -2},
};

START_TEST(means_what_the_header_says)
{
    struct arena arena;
    struct diag diag = DIAG_NONE;
    bool holds = false;
    arena_init(&arena);
    struct expression *expression =
        expression_compile(&arena, rows[_i].text, "filter", names, &diag);
    ck_assert_msg((expression != NULL) == (rows[_i].holds != -1), "\"%s\": %s", rows[_i].text,
                  diag.message);
    ck_assert_int_eq(diag.status, expression ? STATUS_OK : STATUS_BAD_CONFIG);
    if (expression) {
        enum status status = expression_holds(expression, values, &holds, &diag);
        ck_assert_msg((status == STATUS_OK) == (rows[_i].holds != -2), "\"%s\": %s", rows[_i].text,
                      diag.message);
        if (status == STATUS_OK)
            ck_assert_msg(holds == rows[_i].holds, "\"%s\" is %d", rows[_i].text, holds);
    }
    arena_release(&arena);
}
END_TEST

/* Open parentheses and steps are counted, not followed. */
START_TEST(is_bounded)
{
    static char text[20000];
    struct arena arena;
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    memset(text, '(', sizeof text - 1);
    ck_assert_ptr_null(expression_compile(&arena, text, "filter", names, &diag));
    diag = DIAG_NONE;
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "1+", 2);
    text[sizeof text - 2] = '1';
    ck_assert_ptr_null(expression_compile(&arena, text, "filter", names, &diag));
    ck_assert_int_eq(diag.status, STATUS_BAD_CONFIG);
    arena_release(&arena);
}
END_TEST

START_TEST(suggests_names)
{
    struct arena arena;
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    ck_assert_ptr_null(expression_compile(&arena, "plan.globl-batch > 1", "filter", names, &diag));
    ck_assert_str_eq(diag.hint, "did you mean \"plan.global-batch\"?");
    arena_release(&arena);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("expression");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, means_what_the_header_says, 0, sizeof rows / sizeof *rows);
    tcase_add_test(all, is_bounded);
    tcase_add_test(all, suggests_names);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
