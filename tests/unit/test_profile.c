/* profile: on, between and beyond measured rows; files that are refused. */
#include <math.h>
#include <string.h>

#include "compute/profile.h"
#include "tests/unit/unit.h"

static struct arena arena;
static struct notices notices;
static struct device device;
static const struct profile *profile;

static void set_up(void)
{
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    notices_init(&notices);
    ck_assert_int_eq(device_load(&device, "h100-sxm", &arena, &notices, &diag), STATUS_OK);
    profile = NULL;
}

static void tear_down(void)
{
    notices_release(&notices);
    arena_release(&arena);
}

static void parse(const char *text)
{
    struct diag diag = DIAG_NONE;
    enum status status =
        profile_parse(&profile, "p.csv", text, strlen(text), &arena, &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s", diag.message);
}

static struct op_time asked(const char *text, bool use_profile)
{
    struct op_shape shape;
    struct diag diag = DIAG_NONE;
    struct op_time time;
    const char *why;
    struct op_time_options options = {.profile = use_profile ? profile : NULL};
    ck_assert_int_eq(op_shape_parse(&shape, text, &diag), STATUS_OK);
    ck_assert(op_time(&device, &shape, &options, &time, &why));
    return time;
}

static void near(double found, double wanted)
{
    ck_assert_double_eq_tol(found, wanted, wanted * 1e-9);
}

static const char grid[] = "# a grid of k and m\n"
                           "m, n, k, time_us\n"
                           "1024,4096,1024,100\n"
                           "1024,4096,4096,300\n"
                           "4096,4096,1024,390\n"
                           "4096,4096,4096,1210\n"
                           "4096,4096,4096,1190\n";

START_TEST(rows_themselves)
{
    parse(grid);
    ck_assert_uint_eq(profile_row_count(profile), 4);
    struct op_time time = asked("gemm 1024x4096x1024", true);
    ck_assert_int_eq(time.model, OP_MODEL_PROFILE);
    near(time.ns, 100e3);
    ck_assert_str_eq(time.reason, "measured");
    near(asked("gemm 4096x4096x4096", true).ns, 1200e3); /* the mean of two */
}
END_TEST

START_TEST(between_rows)
{
    parse(grid);
    struct op_time time = asked("gemm 1024x4096x2048", true);
    near(time.ns, sqrt(100e3 * 300e3));
    ck_assert(!time.is_extrapolated);
    near(asked("gemm 2048x4096x2048", true).ns, pow(100e3 * 300e3 * 390e3 * 1200e3, 0.25));
    /* a quarter of the way, in octaves */
    near(asked("gemm 1024x4096x1448", true).ns, 100e3 * pow(3, log2(1448.0 / 1024) / 2));
}
END_TEST

START_TEST(beyond_rows)
{
    parse(grid);
    struct op_time time = asked("gemm 1024x4096x16384", true);
    ck_assert(time.is_extrapolated);
    double ratio = asked("gemm 1024x4096x16384", false).ns / asked("gemm 1024x4096x4096", false).ns;
    near(time.ns, 300e3 * ratio);
    /* n was measured at one size only */
    time = asked("gemm 1024x8192x1024", true);
    ck_assert(time.is_extrapolated);
    near(time.ns,
         100e3 * asked("gemm 1024x8192x1024", false).ns / asked("gemm 1024x4096x1024", false).ns);
}
END_TEST

/* Without the corners of a grid: the ratio at the only row. */
START_TEST(scattered_rows)
{
    parse("op,time_ms\n\"gemm 1000x1000x1000 bf16\",0.5\ngemm 3000x2000x9000,7\n");
    double ratio = 0.5e6 / asked("gemm 1000x1000x1000", false).ns;
    struct op_time time = asked("gemm 1001x1002x1003", true);
    ck_assert_double_eq_tol(time.ns, ratio * asked("gemm 1001x1002x1003", false).ns,
                            time.ns * 1e-3);
    ck_assert(!time.is_extrapolated);
}
END_TEST

START_TEST(other_classes)
{
    parse("op,time_us,who\nattention 2x1024 heads=32/8 dim=128 causal,50,me\n"
          "attention 2x4096 heads=32/8 dim=128 causal,800,me\n");
    ck_assert_uint_eq(notices.count, 1); /* "who" */
    near(asked("attention 2x2048 heads=32/8 dim=128 causal", true).ns, 200e3);
    ck_assert_int_eq(asked("attention 2x2048 heads=32/8 dim=128", true).model, OP_MODEL_ATTENTION);
    struct op_time time = asked("gemm 8x8x8", true);
    ck_assert_int_eq(time.model, OP_MODEL_GEMM);
    ck_assert_str_eq(time.note, "the profile has no such op");
}
END_TEST

static const struct {
    const char *text, *field, *says;
    uint64_t line;
} refused[] = {
    {"", "file", "at least one row", 0},
    {"m,n,k,time_us\n", "file", "at least one row", 1},
    {"m,n,time_us\n1,1,1\n", "heading", "a column op", 1},
    {"m,n,k\n", "heading", "time_us", 1},
    {"m,n,k,time_us,time_ns\n", "heading", "several", 1},
    {"m,n,k,m,time_us\n", "heading", "each column once", 1},
    {"m,n,k,time_us\n1,2,3,4\n1,2,3\n", "row", "4 cells", 3},
    {"m,n,k,time_us\n1,2,0,4\n", "k", "whole number", 2},
    {"m,n,k,time_us\n1,2,3,-4\n", "time_us", "1 ps or more", 2},
    {"m,n,k,time_us\n1,2,3,4x\n", "time_us", "1 ps or more", 2},
    {"m,n,k,time_us\n1,2,3,1e-30\n", "time_us", "1 ps or more", 2}, /* would print as 0 */
    {"m,n,k,time_us\n1,2,3,inf\n", "time_us", "1 ps or more", 2},
    {"m,n,k,type,time_us\n1,2,3,fp99,4\n", "type", "a number type", 2},
    {"m,n,k,class,time_us\n1,2,3,norm,4\n", "class", "gemm, grouped-gemm", 2},
    {"op,time_us\ngem 1x2x3,4\n", "op shape", "no class", 2},
};

START_TEST(refusals)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(profile_parse(&profile, "p.csv", refused[_i].text, strlen(refused[_i].text),
                                   &arena, &notices, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.file, "p.csv");
    ck_assert_str_eq(diag.field, refused[_i].field);
    ck_assert_msg(strstr(diag.message, refused[_i].says) != NULL, "%s", diag.message);
    ck_assert_uint_eq(diag.at, refused[_i].line);
}
END_TEST

static Suite *profile_suite(void)
{
    Suite *suite = suite_create("profile");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, rows_themselves);
    tcase_add_test(tests, between_rows);
    tcase_add_test(tests, beyond_rows);
    tcase_add_test(tests, scattered_rows);
    tcase_add_test(tests, other_classes);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(profile_suite())
