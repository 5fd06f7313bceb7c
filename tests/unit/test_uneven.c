/* uneven: who sends how much, from a law and from a file; what is refused, and in which line. */
#define _POSIX_C_SOURCE 200809L
#include "net/collective/uneven.h"

#include <math.h>
#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static struct arena arena;
static struct diag diag;

static void set_up(void)
{
    arena_init(&arena);
    diag = DIAG_NONE;
}

static void tear_down(void)
{
    arena_release(&arena);
}

static const uint64_t *sizes_of(const char *text, uint32_t n, uint64_t bytes)
{
    const uint64_t *sizes;
    enum status status = uneven_sizes(text, n, bytes, &arena, &sizes, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", text, diag.message);
    return sizes;
}

/* Power 0: every pair gets 1 / n of a sender's bytes. */
START_TEST(without_skew_it_is_even)
{
    const uint64_t *sizes = sizes_of("zipf:0,seed=3", 6, 6000);
    for (uint32_t i = 0; i < 36; i++)
        ck_assert_uint_eq(sizes[i], 1000);
}
END_TEST

/* zipf:1 over 4: weights 1, 1/2, 1/3, 1/4 in some order; of 25 x 4 bytes each sender's 25 are cut
 * into 12, 6, 4, 3. The same for every sender. */
START_TEST(shares_follow_the_law)
{
    static const uint64_t want[] = {12, 6, 4, 3};
    const uint64_t *sizes = sizes_of("zipf:1", 4, 25);
    for (int k = 0; k < 4; k++) {
        uint32_t found = 0;
        for (uint32_t d = 0; d < 4; d++)
            found += sizes[d] == want[k];
        ck_assert_uint_eq(found, 1);
    }
    for (uint32_t s = 1; s < 4; s++)
        ck_assert_mem_eq(sizes + 4 * s, sizes, 4 * sizeof *sizes);
}
END_TEST

/* All together send n x bytes, but for half a byte of rounding a pair. */
START_TEST(the_sum_is_kept)
{
    enum { N = 33 };
    const uint64_t *sizes = sizes_of("zipf:1.3,seed=11", N, 123456789);
    double sum = 0;
    for (uint32_t i = 0; i < N * N; i++)
        sum += (double)sizes[i];
    ck_assert_double_le(fabs(sum - 123456789.0 * N), N * N / 2.0);
}
END_TEST

/* Which are hot depends on the seed alone. */
START_TEST(seeds)
{
    enum { N = 16 };
    const uint64_t *first = sizes_of("zipf:1,seed=1", N, 1 << 20);
    ck_assert_mem_eq(first, sizes_of("zipf:1,seed=1", N, 1 << 20), N * sizeof *first);
    ck_assert_mem_ne(first, sizes_of("zipf:1,seed=2", N, 1 << 20), N * sizeof *first);
}
END_TEST

/* Weights 1 + 2 + 3 + 4 = 10 of 2 x 50 bytes: 10 bytes a weight. */
START_TEST(a_file_gives_weights)
{
    static const uint64_t want[] = {10, 20, 30, 40};
    const char *path = temp_file("# who, to whom\n1, 2\n3\t4 # the last\n");
    ck_assert_mem_eq(sizes_of(path, 2, 50), want, sizeof want);
    unlink(path);
}
END_TEST

static const struct {
    const char *text;
    uint64_t line;
    const char *message;
} bad_files[] = {
    {"1 2\n3\n", 3, "expected 2 x 2 weights for that many ranks, found 3"},
    {"1 2\n3 4\n5\n", 3, "more than 2 x 2 weights"},
    {"1 2\n3 -4\n", 2, "expected a weight of 0 or more"},
    {"1 2\n\nx 4\n", 3, "expected a weight of 0 or more"},
    {"1 inf\n3 4\n", 1, "expected a weight of 0 or more"},
    {"0 0\n0 0\n", 3, "all weights are 0"},
    {"", 1, "expected 2 x 2 weights for that many ranks, found 0"},
};

START_TEST(bad_files_are_refused)
{
    const char *path = temp_file(bad_files[_i].text);
    const uint64_t *sizes;
    ck_assert_int_eq(uneven_sizes(path, 2, 50, &arena, &sizes, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, bad_files[_i].message);
    ck_assert_str_eq(diag.file, path);
    ck_assert_uint_eq(diag.at, bad_files[_i].line);
    unlink(path);
}
END_TEST

static const char *const bad_laws[] = {"zipf:",        "zipf:x",        "zipf:-1",    "zipf:17",
                                       "zipf:1,seed=", "zipf:1,seed=x", "zipf:1,s=2", "zipf:nan"};

START_TEST(bad_laws_are_refused)
{
    const uint64_t *sizes;
    ck_assert_int_eq(uneven_sizes(bad_laws[_i], 4, 50, &arena, &sizes, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, bad_laws[_i]));
    ck_assert_ptr_nonnull(strstr(diag.hint, "zipf:1.0,seed=7"));
}
END_TEST

START_TEST(too_many_ranks)
{
    const uint64_t *sizes;
    ck_assert_int_eq(uneven_sizes("zipf:1", 4097, 50, &arena, &sizes, &diag), STATUS_BAD_CONFIG);
    ck_assert_int_ne(uneven_sizes("no/such/file", 4, 50, &arena, &sizes, &diag), STATUS_OK);
}
END_TEST

static Suite *uneven_suite(void)
{
    Suite *suite = suite_create("uneven");
    TCase *tcase = tcase_create("uneven");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, without_skew_it_is_even);
    tcase_add_test(tcase, shares_follow_the_law);
    tcase_add_test(tcase, the_sum_is_kept);
    tcase_add_test(tcase, seeds);
    tcase_add_test(tcase, a_file_gives_weights);
    tcase_add_loop_test(tcase, bad_files_are_refused, 0, sizeof bad_files / sizeof *bad_files);
    tcase_add_loop_test(tcase, bad_laws_are_refused, 0, sizeof bad_laws / sizeof *bad_laws);
    tcase_add_test(tcase, too_many_ranks);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(uneven_suite())
