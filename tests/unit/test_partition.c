/*
 * partition: what comes out is equitable, by the definition; how many classes there are where that
 * can be said; and that different ranks are never put together.
 */
#include "run/partition.h"

#include <string.h>

#include "run/partition_parts.h"
#include "tests/unit/fabric_util.h"

enum { MOST_ROUTES = 1 << 24 };

/*
 * Neighbours at distances (or across flips) 1, 2, .. of the row of all ranks. Slot 0 of each rank
 * is a group of all, slot 1 one of `in_group` ranks that follow each other.
 */
struct case_of_messages {
    struct fabric *fabric;
    struct network_config network;
    uint32_t types, in_group;
    bool is_xor;
    struct partition_job job;
    struct partition partition;
};

static uint32_t target(const struct case_of_messages *at, uint32_t type, uint32_t rank)
{
    return at->is_xor ? rank ^ 1u << type : (rank + type + 1) % at->fabric->npu_count;
}

static void visit(const void *self, uint32_t rank,
                  void (*call)(void *context, uint64_t label, uint32_t to), void *context)
{
    const struct case_of_messages *at = self;
    for (uint32_t t = 0; t < at->types; t++)
        call(context, t + 100, target(at, t, rank));
}

static uint64_t rank_hash(const void *self, uint32_t rank)
{
    (void)self, (void)rank;
    return 9;
}

static uint32_t slot_count(const void *self, uint32_t rank)
{
    (void)rank;
    return ((const struct case_of_messages *)self)->in_group ? 2 : 1;
}

static uint32_t group_in_slot(const void *self, uint32_t rank, uint32_t slot)
{
    return slot ? 1 + rank / ((const struct case_of_messages *)self)->in_group : 0;
}

static void set_up(struct case_of_messages *at, const char *topology, enum net_routing routing,
                   uint32_t distances, bool is_xor)
{
    *at = (struct case_of_messages){
        .fabric = fabric_from(topology), .types = distances, .is_xor = is_xor};
    uint32_t n = at->fabric->npu_count;
    at->network = (struct network_config){
        .fabric = at->fabric, .npu_count = n, .routing = routing, .seed = 7};
    at->job = (struct partition_job){at, visit, rank_hash, slot_count, group_in_slot, n + 1};
    ck_assert(partition_init(&at->partition, &at->network, n + 1));
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
    uint32_t to = target(at, t, rank);
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
    for (uint32_t t = 0; t < at->types; t++) {
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
        partition_route(&at->partition, r, target(at, t, r), &route);
        for (uint32_t i = 0; i < route.count; i++)
            count += route.link[i] == l;
    }
    return count;
}

/* Links of a class carry the same messages. */
static void check_links(struct case_of_messages *at)
{
    const struct classes *links = &at->partition.links;
    for (uint32_t t = 0; t < at->types; t++) {
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
    ck_assert_msg(partition_refine(&at.partition, &at.job, UINT32_MAX, MOST_ROUTES, &why), "%s",
                  why);
    check_numbering(&at.partition.ranks);
    check_numbering(&at.partition.links);
    check_ranks(&at);
    check_links(&at);
    ck_assert_uint_eq(at.partition.ranks.count, rows[_i].rank_classes);
    tear_down(&at);
}
END_TEST

/* Both ways lead to the same classes. */
static void compare_ways(struct case_of_messages *at)
{
    struct partition *partition = &at->partition;
    struct classes *classes[] = {&partition->ranks, &partition->links, &partition->groups};
    uint32_t *kept[3], counts[3];
    for (int k = 0; k < 3; k++) {
        kept[k] = malloc((classes[k]->things + 1) * sizeof *kept[k]);
        memcpy(kept[k], classes[k]->of, classes[k]->things * sizeof *kept[k]);
        counts[k] = classes[k]->count;
    }
    struct first_colours first = {
        .rank = calloc(partition->ranks.things + 1, sizeof *first.rank),
        .link = calloc(partition->links.things + 1, sizeof *first.link),
        .group = calloc(partition->groups.things + 1, sizeof *first.group),
    };
    for (uint32_t l = 0; l < at->fabric->link_count; l++) {
        uint32_t thing = partition->by_bundle ? partition->bundle_of_link[l] : l;
        first.link[thing] += mix_in(bits_of(at->fabric->link[l].bandwidth_Bps),
                                    bits_of(at->fabric->link[l].latency_ns));
    }
    for (uint32_t r = 0; r < partition->ranks.things; r++) {
        for (uint32_t s = 0; s < slot_count(at, r); s++)
            first.group[group_in_slot(at, r, s)] += mix_in(s, 8);
    }
    ck_assert_ptr_null(partition_rounds(partition, &at->job, &first, UINT32_MAX, UINT64_MAX));
    for (int k = 0; k < 3; k++) {
        ck_assert_uint_eq(classes[k]->count, counts[k]);
        ck_assert_mem_eq(classes[k]->of, kept[k], classes[k]->things * sizeof *kept[k]);
        free(kept[k]);
    }
    free(first.rank);
    free(first.link);
    free(first.group);
}

START_TEST(two_ways)
{
    struct case_of_messages at;
    const char *why = "";
    for (uint32_t in_group = 0; in_group <= 3; in_group++) {
        set_up(&at, rows[_i].topology, rows[_i].routing, rows[_i].distances, rows[_i].is_xor);
        at.in_group = in_group;
        ck_assert(partition_refine(&at.partition, &at.job, UINT32_MAX, MOST_ROUTES, &why));
        compare_ways(&at);
        tear_down(&at);
    }
}
END_TEST

/* Groups of 3 in a ring of 8: the last has 2, so that its members differ, and so do the others by
 * their distance to it. Groups of 2 leave all ranks alike but for the way to the partner. */
START_TEST(groups_split_classes)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "ring:8", ROUTING_AUTO, 1, false);
    at.in_group = 3;
    ck_assert(partition_refine(&at.partition, &at.job, UINT32_MAX, MOST_ROUTES, &why));
    ck_assert_uint_eq(at.partition.ranks.count, 8);
    at.in_group = 2;
    ck_assert(partition_refine(&at.partition, &at.job, UINT32_MAX, MOST_ROUTES, &why));
    ck_assert_uint_eq(at.partition.ranks.count, 1);
    ck_assert_uint_eq(at.partition.groups.of[1], at.partition.groups.of[4]);
    ck_assert_uint_ne(at.partition.groups.of[0], at.partition.groups.of[1]);
    tear_down(&at);
}
END_TEST

/* -- limits ----------------------------------------------------------------------------------- */

START_TEST(too_many_classes)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "line:4", ROUTING_AUTO, 1, false);
    ck_assert(!partition_refine(&at.partition, &at.job, 3, MOST_ROUTES, &why));
    ck_assert_str_eq(why, "ranks differ in what their messages pass");
    ck_assert(partition_refine(&at.partition, &at.job, 4, MOST_ROUTES, &why));
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
    ck_assert(partition_refine(&at.partition, &at.job, UINT32_MAX, MOST_ROUTES, &why));
    ck_assert_uint_eq(at.partition.ranks.count, 8);
    tear_down(&at);
}
END_TEST

START_TEST(too_many_routes)
{
    struct case_of_messages at;
    const char *why = "";
    set_up(&at, "line:8", ROUTING_AUTO, 1, false);
    ck_assert(!partition_refine(&at.partition, &at.job, UINT32_MAX, 7, &why));
    ck_assert_str_eq(why, "too many routes to compare");
    ck_assert(partition_refine(&at.partition, &at.job, UINT32_MAX, 8, &why));
    tear_down(&at);
}
END_TEST

static Suite *partition_suite(void)
{
    Suite *suite = suite_create("partition");
    TCase *tcase = tcase_create("partition");
    tcase_add_loop_test(tcase, equitable, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tcase, two_ways, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, groups_split_classes);
    tcase_add_test(tcase, too_many_classes);
    tcase_add_test(tcase, one_link_breaks_the_symmetry);
    tcase_add_test(tcase, too_many_routes);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(partition_suite())
