/*
 * partition: what comes out is equitable, by the definition; how many classes there are where that
 * can be said; and that different ranks are never put together.
 */
#include "run/partition.h"

#include <string.h>

#include "tests/unit/fabric_util.h"

enum { MOST_TYPES = 4, MOST_ROUTES = 1 << 24 };

/* Neighbours at distances (or across flips) 1, 2, .. of the row of all ranks. */
struct case_of_messages {
    struct fabric *fabric;
    struct network_config network;
    struct phase phase;
    struct message_type type[MOST_TYPES];
    struct message_types types;
    struct partition partition;
};

static void set_up(struct case_of_messages *at, const char *topology, enum net_routing routing,
                   uint32_t distances, bool is_xor)
{
    *at = (struct case_of_messages){.fabric = fabric_from(topology)};
    uint32_t n = at->fabric->npu_count;
    at->network = (struct network_config){
        .fabric = at->fabric, .npu_count = n, .routing = routing, .seed = 7};
    at->phase = (struct phase){.n = n, .stride = 1, .schedule = {.form = SCHEDULE_EXCHANGE}};
    for (uint32_t d = 0; d < distances; d++)
        at->type[d] = (struct message_type){&at->phase, is_xor ? 1u << d : d + 1, is_xor};
    at->types = (struct message_types){.type = at->type, .count = distances};
    ck_assert(partition_init(&at->partition, &at->network));
}

static void tear_down(struct case_of_messages *at)
{
    partition_release(&at->partition);
    fabric_destroy(at->fabric);
}

/* -- the definition --------------------------------------------------------------------------- */

/* Classes, and shares, of the links of a route, in order. */
struct path_of_classes {
    uint32_t count, receiver, link[64];
    double share[64], latency_ns;
};

static struct path_of_classes path_of(struct case_of_messages *at, uint32_t t, uint32_t rank)
{
    const struct partition *partition = &at->partition;
    struct path_of_classes path;
    struct route route;
    memset(&path, 0, sizeof path);
    uint32_t to = message_type_target(&at->type[t], rank);
    partition_route(&at->partition, rank, to, &route);
    path.count = route.count;
    path.receiver = partition->ranks.of[to];
    path.latency_ns = route.latency_ns;
    for (uint32_t i = 0; i < route.count; i++) {
        path.link[i] = partition->links.of[route.link[i]];
        path.share[i] = route.share ? route.share[i] : 0;
    }
    return path;
}

/* Ranks of a class send alike. */
static void check_ranks(struct case_of_messages *at)
{
    const struct classes *ranks = &at->partition.ranks;
    for (uint32_t t = 0; t < at->types.count; t++) {
        for (uint32_t r = 0; r < ranks->things; r++) {
            struct path_of_classes own = path_of(at, t, r);
            struct path_of_classes first = path_of(at, t, ranks->first[ranks->of[r]]);
            ck_assert_msg(memcmp(&own, &first, sizeof own) == 0, "%s: rank %u, type %u",
                          at->fabric->text, r, t);
        }
    }
}

/* Messages of type t from class c over link l. */
static uint32_t messages_over(struct case_of_messages *at, uint32_t t, uint32_t c, uint32_t l)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < at->partition.ranks.things; r++) {
        struct route route;
        if (at->partition.ranks.of[r] != c)
            continue;
        partition_route(&at->partition, r, message_type_target(&at->type[t], r), &route);
        for (uint32_t i = 0; i < route.count; i++)
            count += route.link[i] == l;
    }
    return count;
}

/* Links of a class carry the same messages. */
static void check_links(struct case_of_messages *at)
{
    const struct classes *links = &at->partition.links;
    for (uint32_t t = 0; t < at->types.count; t++) {
        for (uint32_t c = 0; c < at->partition.ranks.count; c++) {
            for (uint32_t l = 0; l < links->things; l++)
                ck_assert_uint_eq(messages_over(at, t, c, l),
                                  messages_over(at, t, c, links->first[links->of[l]]));
        }
    }
}

static void check_numbering(const struct classes *classes)
{
    uint32_t seen = 0, sum = 0;
    for (uint32_t i = 0; i < classes->things; i++) {
        if (classes->of[i] == seen)
            ck_assert_uint_eq(classes->first[seen++], i);
        ck_assert_uint_lt(classes->of[i], seen);
    }
    for (uint32_t c = 0; c < classes->count; c++)
        sum += classes->size[c];
    ck_assert_uint_eq(seen, classes->count);
    ck_assert_uint_eq(sum, classes->things);
}

static const struct {
    const char *topology;
    enum net_routing routing;
    uint32_t distances;
    bool is_xor;
    uint32_t rank_classes; /* derived below */
} rows[] = {
    {"ring:8", ROUTING_AUTO, 1, false, 1},
    {"ring:8", ROUTING_AUTO, 3, false, 1},
    {"switch:8", ROUTING_AUTO, 2, true, 1},
    {"full:6", ROUTING_AUTO, 2, false, 1},
    /* To the other end and to the neighbours: each end is alone, and so on to the middle, one by
     * one, as messages go upwards. */
    {"line:4", ROUTING_AUTO, 1, false, 4},
    /* Distance 1 of the row leaves a row of 4 at its last rank: a class for each place in a row. */
    {"torus:4x4", ROUTING_AUTO, 1, false, 4},
    {"torus:4x4", ROUTING_AUTO, 1, true, 1},
    /* A leaf of 4 has one rank whose next one is on another leaf. */
    {"leafspine:4x4", ROUTING_SPRAY, 1, false, 4},
    {"leafspine:4x4", ROUTING_SPRAY, 2, true, 1},
    {"fattree:4", ROUTING_SPRAY, 4, true, 1},
    /* Two halves with links of their own bandwidths. */
    {"parts:1(switch:4,bw=1GB/s)+(switch:4,bw=2GB/s)", ROUTING_AUTO, 2, true, 2},
    {"mesh:3x3", ROUTING_AUTO, 3, false, 9},
};

START_TEST(equitable)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, rows[_i].topology, rows[_i].routing, rows[_i].distances, rows[_i].is_xor);
    ck_assert_msg(partition_refine(&at.partition, &at.types, UINT32_MAX, MOST_ROUTES, &why), "%s",
                  why);
    check_numbering(&at.partition.ranks);
    check_numbering(&at.partition.links);
    check_ranks(&at);
    check_links(&at);
    ck_assert_uint_eq(at.partition.ranks.count, rows[_i].rank_classes);
    tear_down(&at);
}
END_TEST

/* -- limits ----------------------------------------------------------------------------------- */

START_TEST(too_many_classes)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "line:4", ROUTING_AUTO, 1, false);
    ck_assert(!partition_refine(&at.partition, &at.types, 3, MOST_ROUTES, &why));
    ck_assert_str_eq(why, "ranks differ in what their messages pass");
    ck_assert(partition_refine(&at.partition, &at.types, 4, MOST_ROUTES, &why));
    tear_down(&at);
}
END_TEST

/* One slower cable of a ring tells all ranks apart. */
START_TEST(one_link_breaks_the_symmetry)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "ring:8", ROUTING_AUTO, 1, false);
    at.fabric->link[fabric_find_link(at.fabric, 2, 3)].bandwidth_Bps /= 2;
    ck_assert(partition_refine(&at.partition, &at.types, UINT32_MAX, MOST_ROUTES, &why));
    ck_assert_uint_eq(at.partition.ranks.count, 8);
    tear_down(&at);
}
END_TEST

/* A line of 8 splits in the first round, so that one round of 8 routes of each type is no end. */
START_TEST(too_many_routes)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "line:8", ROUTING_AUTO, 1, false);
    uint64_t round = (uint64_t)8 * at.types.count;
    ck_assert(!partition_refine(&at.partition, &at.types, UINT32_MAX, round, &why));
    ck_assert_str_eq(why, "too many routes to compare");
    ck_assert(partition_refine(&at.partition, &at.types, UINT32_MAX, 8 * round, &why));
    tear_down(&at);
}
END_TEST

static Suite *partition_suite(void)
{
    Suite *suite = suite_create("partition");
    TCase *tcase = tcase_create("partition");
    tcase_add_loop_test(tcase, equitable, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, too_many_classes);
    tcase_add_test(tcase, one_link_breaks_the_symmetry);
    tcase_add_test(tcase, too_many_routes);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(partition_suite())
