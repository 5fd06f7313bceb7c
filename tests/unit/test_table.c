/* table: the hash table against a dumb array on random input; dense numbers of names. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "tests/unit/unit.h"

static uint64_t state = 88172645463325252u;

static uint64_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

enum { KEYS = 512 };

/* The dumb twin: key number i has value twin[i]. */
static uint32_t twin[KEYS];

static uint64_t key_of(uint32_t i, uint64_t spread)
{
    return (uint64_t)i * spread + (spread > 1);
}

static void expect_equal(const struct table *table, uint64_t spread)
{
    size_t count = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        ck_assert_uint_eq(table_find(table, key_of(i, spread)), twin[i]);
        count += twin[i] != TABLE_NONE;
    }
    ck_assert_uint_eq(table->count, count);
}

static const uint64_t spreads[] = {1, 64, 1ull << 32, 0x9e3779b97f4a7c15u, 1ull << 55};

START_TEST(oracle)
{
    uint64_t spread = spreads[_i];
    struct table table;
    table_init(&table);
    memset(twin, 0xff, sizeof twin);
    ck_assert_uint_eq(table_find(&table, 7), TABLE_NONE);
    table_remove(&table, 7);
    for (int step = 0; step < 20000; step++) {
        uint32_t i = (uint32_t)(random_word() % KEYS);
        /* Long phases of growing and of shrinking, so that runs of slots merge and split. */
        bool grows = (step / 2500) % 2 == 0;
        if (random_word() % 4 < (grows ? 3 : 1)) {
            uint32_t value = (uint32_t)(random_word() % 1000);
            ck_assert_uint_eq(table_put(&table, key_of(i, spread), value), twin[i]);
            twin[i] = value;
        } else {
            table_remove(&table, key_of(i, spread));
            twin[i] = TABLE_NONE;
        }
        if (step % 100 == 0)
            expect_equal(&table, spread);
    }
    expect_equal(&table, spread);
    table_release(&table);
}
END_TEST

START_TEST(reserve_keeps)
{
    struct table table;
    table_init(&table);
    table_reserve(&table, 0);
    table_put(&table, UINT64_MAX, 3);
    table_put(&table, 0, 0);
    table_reserve(&table, 100000);
    size_t capacity = table.capacity;
    for (uint32_t i = 1; i < 100000; i++)
        table_put(&table, i, i);
    ck_assert_uint_eq(table.capacity, capacity);
    ck_assert_uint_eq(table_find(&table, UINT64_MAX), 3);
    ck_assert_uint_eq(table_find(&table, 99999), 99999);
    table_release(&table);
}
END_TEST

START_TEST(equal_keys_get_one_number)
{
    static const uint64_t key[] = {7, 0, UINT64_MAX, 7, 0, 1u << 20};
    static const uint32_t want[] = {0, 1, 2, 0, 1, 3};
    uint32_t number[6];
    ck_assert_uint_eq(table_number(key, 0, number), 0);
    ck_assert_uint_eq(table_number(key, 6, number), 4);
    ck_assert_mem_eq(number, want, sizeof want);
}
END_TEST

START_TEST(names_are_dense)
{
    struct names names;
    names_init(&names);
    ck_assert_uint_eq(names_find(&names, "x", 1), TABLE_NONE);
    char text[16];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            int length = snprintf(text, sizeof text, "name%u", i);
            ck_assert_uint_eq(names_add(&names, text, (size_t)length), i);
        }
    }
    ck_assert_uint_eq(names.count, 5000);
    ck_assert_uint_eq(names_find(&names, "name4999", 8), 4999);
    ck_assert_uint_eq(names_find(&names, "name4999", 7), 499);
    ck_assert_uint_eq(names_find(&names, "name5000", 8), TABLE_NONE);
    ck_assert_str_eq(names.text[17], "name17");
    ck_assert_uint_eq(names_add(&names, "", 0), 5000);
    ck_assert_uint_eq(names_find(&names, "", 0), 5000);
    names_release(&names);
}
END_TEST

START_TEST(hash_depends_on_all)
{
    unsigned char bytes[40] = {0};
    for (size_t length = 1; length <= sizeof bytes; length++) {
        uint64_t before = hash_bytes(bytes, length, 1);
        ck_assert_uint_ne(before, hash_bytes(bytes, length - 1, 1));
        ck_assert_uint_ne(before, hash_bytes(bytes, length, 2));
        for (size_t i = 0; i < length; i++) {
            bytes[i] ^= 1;
            ck_assert_uint_ne(before, hash_bytes(bytes, length, 1));
            bytes[i] ^= 1;
        }
    }
}
END_TEST

static Suite *suite_of_table(void)
{
    TCase *rows = tcase_create("table");
    tcase_add_loop_test(rows, oracle, 0, (int)(sizeof spreads / sizeof *spreads));
    tcase_add_test(rows, reserve_keeps);
    tcase_add_test(rows, equal_keys_get_one_number);
    tcase_add_test(rows, names_are_dense);
    tcase_add_test(rows, hash_depends_on_all);
    Suite *suite = suite_create("table");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_table())
