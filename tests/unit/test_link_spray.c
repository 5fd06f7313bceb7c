/* Parts and paths of sprayed messages on a 3 x 3 torus. */
#include "tests/unit/unit.h"

#include "net/model/link_spray.h"
#include "tests/unit/fabric_util.h"

static const struct {
    uint64_t bytes, segment, parts;
} cuts[] = {
    {0, 0, 1},    {1, 0, 1},       {15, 0, 15},     {16, 0, 16},       {1000000, 0, 16},
    {0, 4096, 1}, {4096, 4096, 1}, {4097, 4096, 2}, {65536, 4096, 16}, {1 << 20, 4096, 16},
};

START_TEST(number_of_parts)
{
    ck_assert_uint_eq(spray_parts(cuts[_i].bytes, cuts[_i].segment), cuts[_i].parts);
}
END_TEST

/* From 0 to 4 there are two ways of two links: parts alternate, and the next message goes on so. */
START_TEST(parts_keep_the_shares)
{
    struct fabric *fabric = fabric_from("torus:3x3");
    struct routing *routing = routing_from(fabric, ROUTING_SPRAY);
    struct route route;
    routing_find(routing, 0, 4, &route);
    ck_assert_ptr_nonnull(route.share);
    struct arena arena;
    arena_init(&arena);
    struct link_spray spray;
    spray_init(&spray, fabric, &arena);
    uint32_t links[16], first[6];
    for (int part = 0; part < 5; part++) {
        if (part % 3 == 0)
            spray_begin(&spray, &route);
        ck_assert_uint_eq(spray_path(&spray, &route, 0, 4, 10, links), 2);
        ck_assert_uint_eq(fabric->link[links[0]].src, 0);
        ck_assert_uint_eq(fabric->link[links[0]].dst, fabric->link[links[1]].src);
        ck_assert_uint_eq(fabric->link[links[1]].dst, 4);
        first[part] = links[0];
    }
    ck_assert_uint_ne(first[0], first[1]);
    ck_assert_uint_eq(first[0], first[2]); /* a b a: then b has had less */
    ck_assert_uint_eq(first[1], first[3]);
    ck_assert_uint_eq(first[0], first[4]);
    arena_release(&arena);
    routing_destroy(routing);
    fabric_destroy(fabric);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("link_spray");
    TCase *cases = tcase_create("link_spray");
    tcase_add_loop_test(cases, number_of_parts, 0, (int)(sizeof cuts / sizeof cuts[0]));
    tcase_add_test(cases, parts_keep_the_shares);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
