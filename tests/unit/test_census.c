/* census: sums over traces and ranks, built by hand; what `orrery info` prints of them. */
#include "tests/unit/unit.h"

#include <string.h>

#include "workloads/census.h"

static struct trace_node nodes[8];
static uint64_t parent_begin[9];
static uint32_t parents[16];
static const char *group_names[] = {"tp", "dp"};
static struct trace trace;
static struct census census;

static void begin(void)
{
    memset(nodes, 0, sizeof nodes);
    memset(parent_begin, 0, sizeof parent_begin);
    trace = (struct trace){.node = nodes,
                           .parent_begin = parent_begin,
                           .parent = parents,
                           .group_names = group_names,
                           .group_name_count = 2,
                           .format = "by hand",
                           .version = "",
                           .schema = ""};
    census_init(&census);
}

static void end(void)
{
    census_release(&census);
}

static struct trace_node *add(uint8_t type)
{
    struct trace_node *node = &nodes[trace.count++];
    *node = (struct trace_node){
        .id = 10 * trace.count, .type = type, .group = TRACE_NONE, .peer = TRACE_NONE};
    return node;
}

static struct trace_node *add_collective(enum collective_kind kind, uint32_t group, uint64_t bytes)
{
    struct trace_node *node = add(OP_COLLECTIVE);
    node->collective = (uint8_t)kind;
    node->group = group;
    node->size_bytes = bytes;
    node->flags = NODE_HAS_KIND | NODE_HAS_SIZE;
    return node;
}

/* Each of 3 ranks counts; the file counts once. */
START_TEST(sums_are_over_ranks)
{
    add(OP_COMPUTE)->flop_count = 100;
    add(OP_COMPUTE)->duration_ns = 5;
    nodes[1].flags = NODE_IS_HOST;
    trace.resident_bytes = 64;
    census_add(&census, &trace, 3);
    ck_assert_uint_eq(census.files, 1);
    ck_assert_uint_eq(census.resident_bytes, 64);
    ck_assert_uint_eq(census.ranks, 3);
    ck_assert_uint_eq(census.nodes, 6);
    ck_assert_uint_eq(census.op[OP_COMPUTE][0].count, 3);
    ck_assert_uint_eq(census.op[OP_COMPUTE][0].flop_count, 300);
    ck_assert_uint_eq(census.op[OP_COMPUTE][1].duration_ns, 15);
    ck_assert_uint_eq(census.first_id, 10);
    ck_assert_uint_eq(census.last_id, 20);
}
END_TEST

START_TEST(groups_and_kinds)
{
    add_collective(COLL_ALL_REDUCE, 1, 8);
    add_collective(COLL_ALL_GATHER, TRACE_NONE, 4);
    add_collective(COLL_ALL_REDUCE, 1, 16);
    add(OP_COLLECTIVE)->group = 0; /* neither kind nor size */
    census_add(&census, &trace, 1);
    ck_assert_uint_eq(census.group_count, 3); /* in order of first use */
    ck_assert_str_eq(census.group[0].name, "dp");
    ck_assert_str_eq(census.group[1].name, "all ranks");
    ck_assert_str_eq(census.group[2].name, "tp");
    ck_assert_uint_eq(census.group[0].kind[COLL_ALL_REDUCE].count, 2);
    ck_assert_uint_eq(census.group[0].kind[COLL_ALL_REDUCE].size_bytes, 24);
    ck_assert_uint_eq(census.group[2].kind[CENSUS_NO_KIND].count, 1);
    ck_assert_uint_eq(census.kind[COLL_ALL_REDUCE].size_bytes, 24);
    ck_assert_uint_eq(census.kind_absent, 1);
    ck_assert_uint_eq(census.size_absent, 1);
}
END_TEST

/* Streams ascend, negative ones first, also when a later trace brings new ones. */
START_TEST(streams_ascend)
{
    static const int32_t streams[] = {7, -1, 7, 20};
    for (int i = 0; i < 4; i++) {
        struct trace_node *node = add(OP_COMPUTE);
        node->stream = streams[i];
        node->flags = NODE_HAS_STREAM;
    }
    census_add(&census, &trace, 1);
    nodes[0].stream = 3;
    census_add(&census, &trace, 1);
    static const struct {
        int32_t stream;
        uint64_t count;
    } expected[] = {{-1, 2}, {3, 1}, {7, 3}, {20, 2}};
    ck_assert_uint_eq(census.stream_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(census.stream[i].stream, expected[i].stream);
        ck_assert_uint_eq(census.stream[i].sum.count, expected[i].count);
    }
}
END_TEST

START_TEST(edges)
{
    for (int i = 0; i < 3; i++)
        add(OP_COMPUTE);
    parents[0] = 0;                     /* 1 on 0 */
    parents[1] = 0;                     /* again */
    parents[2] = 0 | PARENT_IS_CONTROL; /* and as control */
    parents[3] = 2;                     /* 2 on itself */
    parent_begin[2] = 3;
    parent_begin[3] = 4;
    census_add(&census, &trace, 2);
    ck_assert_uint_eq(census.root_nodes, 2); /* node 0 */
    ck_assert_uint_eq(census.repeated_edges, 2);
    ck_assert_uint_eq(census.shared_edges, 2);
    ck_assert_uint_eq(census.self_edges, 2);
}
END_TEST

START_TEST(traces_of_many_layouts)
{
    static const char *const formats[] = {"b", "a", "b"};
    for (int i = 0; i < 3; i++) {
        trace.format = formats[i];
        trace.count = (uint32_t)(3 - i);
        census_add(&census, &trace, 1);
    }
    ck_assert_uint_eq(census.layout_count, 2);
    ck_assert_str_eq(census.layout[0].text, "b");
    ck_assert_uint_eq(census.layout[0].files, 2);
    ck_assert_uint_eq(census.fewest_nodes, 1);
    ck_assert_uint_eq(census.most_nodes, 3);
}
END_TEST

START_TEST(whole_workload)
{
    struct trace other = trace;
    struct trace *traces[] = {&trace, &other};
    uint32_t of_rank[] = {1, 0, 1, 1};
    add(OP_COMPUTE);
    census_add_workload(&census, &(struct workload){4, of_rank, traces, 2});
    ck_assert_uint_eq(census.ranks, 4);
    ck_assert_uint_eq(census.files, 2);
    ck_assert_uint_eq(census.nodes, 1); /* rank 1 alone runs the trace with a node */
}
END_TEST

START_TEST(text)
{
    char printed[4096] = "";
    add_collective(COLL_ALL_GATHER, 0, 1500)->duration_ns = 2000;
    add(OP_SEND)->flags = NODE_HAS_SIZE;
    census_add(&census, &trace, 2);
    FILE *out = fmemopen(printed, sizeof printed, "w");
    census_print_text(&census, out);
    fclose(out);
    static const char *const lines[] = {
        "node ids 10 to 20\n", "1 x by hand\n", "tp all-gather ", "all ranks send ",
        "sends and receives without a peer                       2\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(printed, lines[i]) != NULL, "no \"%s\" in\n%s", lines[i], printed);
    ck_assert_ptr_null(strstr(printed, "gzip")); /* what there is none of is not printed */
}
END_TEST

static Suite *census_suite(void)
{
    Suite *suite = suite_create("census");
    TCase *tcase = tcase_create("census");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, sums_are_over_ranks);
    tcase_add_test(tcase, groups_and_kinds);
    tcase_add_test(tcase, streams_ascend);
    tcase_add_test(tcase, edges);
    tcase_add_test(tcase, traces_of_many_layouts);
    tcase_add_test(tcase, whole_workload);
    tcase_add_test(tcase, text);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(census_suite())
