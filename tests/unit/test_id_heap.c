#include "base/mix.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>

#include "net/model/block_pool.h"
#include "net/model/id_heap.h"

enum { IDS = 100 };

/* Against a linear search, with keys that change and few different ones. */
START_TEST(agrees_with_a_linear_search)
{
    struct id_heap heap;
    uint64_t key[IDS], state = (uint64_t)_i + 1;
    bool is_in[IDS] = {false};
    id_heap_init(&heap, IDS);
    for (int step = 0; step < 5000; step++) {
        uint64_t random = random_next(&state);
        uint32_t id = (uint32_t)(random >> 33) % IDS;
        if (random >> 60 < 11) {
            key[id] = random >> 50 & 63;
            id_heap_set(&heap, id, key[id]);
            is_in[id] = true;
        } else {
            id_heap_remove(&heap, id);
            is_in[id] = false;
        }
        uint32_t least = IDS;
        for (uint32_t i = 0; i < IDS; i++) {
            ck_assert(id_heap_has(&heap, i) == is_in[i]);
            if (is_in[i] && (least == IDS || key[i] < key[least]))
                least = i;
        }
        if (least < IDS)
            ck_assert_uint_eq(id_heap_least(&heap).id, least);
        else
            ck_assert_uint_eq(heap.count, 0);
    }
    id_heap_clear(&heap);
    ck_assert(heap.count == 0 && !id_heap_has(&heap, 3));
    id_heap_release(&heap);
}
END_TEST

START_TEST(doubles_sort_as_their_bits)
{
    static const double rising[] = {0, 1e-300, 0.5, 1, 1.5, 2, 1e9, 1e300, INFINITY};
    for (size_t i = 1; i < sizeof rising / sizeof *rising; i++)
        ck_assert(id_heap_key(rising[i - 1]) < id_heap_key(rising[i]));
}
END_TEST

START_TEST(blocks_come_back)
{
    struct block_pool pool;
    block_pool_init(&pool, 8);
    ck_assert_uint_eq(block_pool_class(1), 0);
    ck_assert_uint_eq(block_pool_class(5), 3);
    ck_assert_uint_eq(block_pool_class(8), 3);
    uint32_t a = block_pool_take(&pool, 3), b = block_pool_take(&pool, 0);
    ck_assert_uint_eq(b, a + 8);
    block_pool_give(&pool, a, 3);
    ck_assert_uint_ne(block_pool_take(&pool, 0), a); /* another size */
    ck_assert_uint_eq(block_pool_take(&pool, 3), a);
    block_pool_release(&pool);
}
END_TEST

static Suite *id_heap_suite(void)
{
    Suite *suite = suite_create("id_heap");
    TCase *tcase = tcase_create("id_heap");
    tcase_add_loop_test(tcase, agrees_with_a_linear_search, 0, 5);
    tcase_add_test(tcase, doubles_sort_as_their_bits);
    tcase_add_test(tcase, blocks_come_back);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(id_heap_suite())
