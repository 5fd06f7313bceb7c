/* arena: alignment, zeroes, texts. */
#include <string.h>

#include "base/arena.h"
#include "tests/unit/unit.h"

/* Blocks of every size are zeroed, aligned, and do not overlap. */
START_TEST(blocks_are_apart)
{
    enum { COUNT = 500 };
    struct arena arena;
    arena_init(&arena);
    static unsigned char *block[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        block[i] = arena_take(&arena, i);
        ck_assert_uint_eq((uintptr_t)block[i] % 16, 0);
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_eq(block[i][j], 0);
        memset(block[i], (int)(i % 255) + 1, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_eq(block[i][j], i % 255 + 1);
    }
    ck_assert_uint_ge(arena.total_bytes, (size_t)COUNT * (COUNT - 1) / 2);
    arena_release(&arena);
    ck_assert_uint_eq(arena.total_bytes, 0);
}
END_TEST

START_TEST(large_and_text)
{
    struct arena arena;
    arena_init(&arena);
    unsigned char *large = arena_take(&arena, 5 << 20);
    ck_assert_uint_eq(large[(5 << 20) - 1], 0);
    ck_assert_str_eq(arena_text(&arena, "abcdef", 3), "abc");
    ck_assert_str_eq(arena_text(&arena, "", 0), "");
    uint64_t *array = arena_array(&arena, 100, sizeof *array);
    ck_assert_uint_eq(array[99], 0);
    ck_assert_ptr_nonnull(arena_array(&arena, 0, 8));
    arena_release(&arena);
}
END_TEST

/* 16 at first, then doubled; what was there is kept, the rest is 0. */
START_TEST(grown)
{
    struct arena arena;
    arena_init(&arena);
    uint32_t room = 0, *array = NULL;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t *more = arena_grow(&arena, array, i, &room, sizeof *array);
        ck_assert(i == 0 || (more == array) == (i != 16 && i != 32 && i != 64));
        array = more;
        ck_assert_uint_eq(array[i], 0);
        array[i] = i + 1;
    }
    ck_assert_uint_eq(room, 128);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_uint_eq(array[i], i + 1);
    arena_release(&arena);
}
END_TEST

static Suite *suite_of_arena(void)
{
    TCase *rows = tcase_create("arena");
    tcase_add_test(rows, blocks_are_apart);
    tcase_add_test(rows, large_and_text);
    tcase_add_test(rows, grown);
    Suite *suite = suite_create("arena");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_arena())
