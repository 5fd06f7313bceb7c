/* mix: known values of the generator; a bijection that spreads single bits. */
#include "base/mix.h"

#include "tests/unit/unit.h"

/* The first numbers from state 0 of the authors' generator (Java's SplittableRandom). */
START_TEST(known_numbers)
{
    static const uint64_t want[] = {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu};
    uint64_t state = 0;
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(random_next(&state), want[i]);
    ck_assert_uint_eq(mix64(0), 0);
}
END_TEST

/* One input bit changes about half of the output bits: never fewer than 10 of 64. */
START_TEST(every_bit_spreads)
{
    uint64_t state = 1;
    for (int round = 0; round < 100; round++) {
        uint64_t word = random_next(&state);
        for (int bit = 0; bit < 64; bit++) {
            uint64_t changed = mix64(word) ^ mix64(word ^ UINT64_C(1) << bit);
            ck_assert_int_ge(__builtin_popcountll(changed), 10);
        }
    }
}
END_TEST

START_TEST(below_its_limit)
{
    uint64_t state = 5;
    uint32_t seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t number = random_below(&state, 7);
        ck_assert_uint_lt(number, 7);
        seen |= 1u << number;
    }
    ck_assert_uint_eq(seen, 0x7f);
    ck_assert_uint_eq(random_below(&state, 1), 0);
}
END_TEST

START_TEST(bits_of_numbers)
{
    ck_assert_uint_eq(bits_of(1.0), 0x3ff0000000000000u);
    ck_assert_uint_ne(bits_of(0.0), bits_of(-0.0));
}
END_TEST

static Suite *mix_suite(void)
{
    Suite *suite = suite_create("mix");
    TCase *rows = tcase_create("mix");
    tcase_add_test(rows, known_numbers);
    tcase_add_test(rows, every_bit_spreads);
    tcase_add_test(rows, below_its_limit);
    tcase_add_test(rows, bits_of_numbers);
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(mix_suite())
