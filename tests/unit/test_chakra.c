/* chakra: what the nodes of a current-layout trace mean. Rows T01, T02, T04-T06, T20 of the user
 * needs. */

#include "tests/unit/test_chakra_util.h"

static const struct chakra_write_attr all_reduce = {
    .name = "comm_type", .encoding = ENCODE_INT64, .number = COLL_ALL_REDUCE};

/* -- T01: every integer encoding of a size ------------------------------------------------- */

static const enum chakra_encoding integers[] = {
    ENCODE_INT64,  ENCODE_UINT64,  ENCODE_INT32,   ENCODE_UINT32,   ENCODE_SINT32,
    ENCODE_SINT64, ENCODE_FIXED32, ENCODE_FIXED64, ENCODE_SFIXED32, ENCODE_SFIXED64,
};

START_TEST(size_in_any_integer)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr[] = {all_reduce, number("comm_size", integers[_i], 1 << 20)};
    put(&bench, 5, OP_COLLECTIVE, attr, LEN(attr));
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    const struct trace_node *node = &bench.trace->node[0];
    ck_assert_uint_eq(node->size_bytes, 1 << 20);
    ck_assert_int_eq(node->flags, NODE_HAS_SIZE | NODE_HAS_KIND);
    ck_assert_uint_eq(bench.notices.count, 0);
    bench_end(&bench);
}
END_TEST

static const enum chakra_encoding reals[] = {ENCODE_DOUBLE, ENCODE_FLOAT};

START_TEST(size_as_whole_real)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr[] = {all_reduce, number("comm_size", reals[_i], 1 << 20)};
    put(&bench, 5, OP_COLLECTIVE, attr, LEN(attr));
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.trace->node[0].size_bytes, 1 << 20);
    ck_assert_uint_eq(bench_noticed(&bench, "whole floating-point value read as an integer"), 1);
    bench_end(&bench);
}
END_TEST

START_TEST(size_as_text_is_refused)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr[] = {all_reduce, text("comm_size", "1048576")};
    put(&bench, 17, OP_COLLECTIVE, attr, LEN(attr));
    bench.options.rank = 3;
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_int_eq(bench.diag.rank, 3);
    ck_assert_int_eq(bench.diag.place, DIAG_NODE);
    ck_assert_uint_eq(bench.diag.at, 17);
    ck_assert_str_eq(bench.diag.field, "comm_size");
    ck_assert_ptr_nonnull(strstr(bench.diag.message, "1048576"));
    bench_end(&bench);
}
END_TEST

/* Attributes whose value cannot be used, and the field the message names. */
static const struct {
    uint32_t type;
    struct chakra_write_attr attr;
} refused[] = {
    {OP_COLLECTIVE, {.name = "comm_size", .encoding = ENCODE_INT64, .number = -1}},
    {OP_COLLECTIVE, {.name = "comm_size", .encoding = ENCODE_UINT64, .number = INT64_MIN}},
    {OP_COLLECTIVE, {.name = "comm_type", .encoding = ENCODE_INT64, .number = 42}}, /* T05 */
    {OP_COLLECTIVE, {.name = "comm_type", .encoding = ENCODE_STRING, .text = "ALL_REDUCE"}},
    {OP_COLLECTIVE, {.name = "root", .encoding = ENCODE_INT32, .number = -1}},
    {OP_COLLECTIVE, {.name = "involved_dim", .encoding = ENCODE_INT64, .number = 1}},
    {OP_SEND, {.name = "comm_dst", .encoding = ENCODE_INT32, .number = -2}},
    {OP_SEND, {.name = "comm_tag", .encoding = ENCODE_INT64, .number = INT64_C(1) << 40}},
    {OP_RECV, {.name = "comm_src", .encoding = ENCODE_UINT32, .number = UINT32_MAX}},
    {OP_COMPUTE, {.name = "num_ops", .encoding = ENCODE_SINT64, .number = -5}},
    {OP_COMPUTE, {.name = "is_cpu_op", .encoding = ENCODE_STRING, .text = "true"}},
    {OP_COMPUTE, {.name = "stream", .encoding = ENCODE_INT64, .number = INT64_C(1) << 40}},
    {OP_MEM_LOAD, {.name = "tensor_size", .encoding = ENCODE_STRING, .text = "8"}},
    {OP_COMPUTE, {.name = "op_shape", .encoding = ENCODE_STRING, .text = "gemm 4x"}},
    {OP_SEND, {.name = "peer_places", .encoding = ENCODE_INT32, .number = -1}},
    {OP_COMPUTE, {.name = "holds", .encoding = ENCODE_STRING, .text = "activation:4096"}},
    {OP_COMPUTE, {.name = "holds", .encoding = ENCODE_STRING, .text = "nothing:4096:9"}},
    {OP_COMPUTE, {.name = "holds", .encoding = ENCODE_STRING, .text = "activation:4 KB:9"}},
    {OP_COMPUTE, {.name = "holds", .encoding = ENCODE_INT64, .number = 4096}},
};

START_TEST(bad_values_are_refused)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put(&bench, 9, refused[_i].type, &refused[_i].attr, 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_str_eq(bench.diag.field, refused[_i].attr.name);
    ck_assert_uint_eq(bench.diag.at, 9);
    bench_end(&bench);
}
END_TEST

/* -- T02: the host flag -------------------------------------------------------------------- */

static const struct {
    enum chakra_encoding encoding;
    int64_t value;
    bool is_host;
} host_flags[] = {
    {ENCODE_NOTHING, 0, false}, {ENCODE_BOOL, 0, false},  {ENCODE_BOOL, 1, true},
    {ENCODE_INT32, 1, true},    {ENCODE_INT64, 0, false}, {ENCODE_UINT32, 7, true},
};

START_TEST(host_flag)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr[] = {
        number("is_cpu_op", host_flags[_i].encoding, host_flags[_i].value), all_reduce};
    put(&bench, 1, OP_COMPUTE, attr, 1);
    put(&bench, 2, OP_COLLECTIVE, attr, 2);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq((bench.trace->node[i].flags & NODE_IS_HOST) != 0, host_flags[_i].is_host);
    /* On a communication node the flag only warns. */
    ck_assert_uint_eq(bench_noticed(&bench, "communication node marked as host op"),
                      host_flags[_i].is_host);
    ck_assert_uint_eq(bench_noticed(&bench, "attribute without a value"),
                      host_flags[_i].encoding == ENCODE_NOTHING ? 2 : 0);
    bench_end(&bench);
}
END_TEST

/* -- T04: size absent, derived, zero ------------------------------------------------------- */

static const struct {
    const char *shapes, *types;
    uint64_t bytes; /* UINT64_MAX: cannot be told */
} derived[] = {
    {"[[4096, 2], []]", "['Tensor(float)', 'Int']", 32768},
    {"[[[2, 3], [4]]]", "['GenericList[Tensor(c10::BFloat16),Tensor(double)]']", 44},
    {"[[]]", "['Tensor(long int)']", 8}, /* a scalar tensor */
    {"[[0, 5]]", "['Tensor(int)']", 0},
    {"[[], []]", "['Int', 'Bool']", UINT64_MAX},
    {"[[3]]", "['Tensor(unheard of)']", UINT64_MAX},
    {"[[4294967296, 4294967296]]", "['Tensor(float)']", UINT64_MAX},
    {"[[2]", "['Tensor(float)']", UINT64_MAX},
    {"[]", "['Tensor(float)']", UINT64_MAX},
    {"", "", UINT64_MAX},
    {"[[2, 'x']]", "['Tensor(float)']", UINT64_MAX},
    {" [ [ 2, 3, ] ] ", " [ Tensor(int) ] ", 24},
    {"[[2], [3]]", "['Tensor(float)', 'Tensor(double)']", 32},
    {"[[[2]]]", "['GenericList[Tensor(float),Tensor(float)]']", UINT64_MAX},
    {"[2]", "['GenericList[Tensor(float)]']", UINT64_MAX},
    {"[[2]]", "['Optional Tensor(float']", UINT64_MAX},
    {"[[[[2]]]]", "['GenericList[GenericList[Tensor(float)]]']", UINT64_MAX},
};

START_TEST(size_from_shapes)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_node node = {.id = 2,
                                     .type = OP_COLLECTIVE,
                                     .attr = &all_reduce,
                                     .attr_count = 1,
                                     .input_shapes = derived[_i].shapes,
                                     .input_types = derived[_i].types};
    chakra_writer_node(&bench.writer, &node);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    bool known = derived[_i].bytes != UINT64_MAX;
    ck_assert_int_eq(bench.trace->node[0].flags,
                     NODE_HAS_KIND | (known ? NODE_HAS_SIZE | NODE_SIZE_DERIVED : 0));
    ck_assert_uint_eq(bench.trace->node[0].size_bytes, known ? derived[_i].bytes : 0);
    ck_assert_uint_eq(
        bench_noticed(&bench, "communication size derived from input shapes and types"), known);
    bench_end(&bench);
}
END_TEST

START_TEST(size_zero_is_not_absent)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr zero[] = {all_reduce, number("comm_size", ENCODE_INT64, 0)};
    put(&bench, 1, OP_COLLECTIVE, zero, 2);
    put(&bench, 2, OP_COLLECTIVE, zero, 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_int_eq(bench.trace->node[0].flags & NODE_HAS_SIZE, NODE_HAS_SIZE);
    ck_assert_int_eq(bench.trace->node[1].flags & NODE_HAS_SIZE, 0);
    bench_end(&bench);
}
END_TEST

/* -- T05: kinds that are unknown or absent ------------------------------------------------- */

START_TEST(newer_node_types)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    for (uint32_t type = 8; type <= 10; type++) {
        put(&bench, 2 * type, type, NULL, 0);
        put(&bench, 2 * type + 1, type, NULL, 0);
    }
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_int_eq(bench.trace->node[i].type, OP_HOST_WORK);
    ck_assert_uint_eq(bench.notices.count, 3); /* one line a type */
    ck_assert_uint_eq(bench.notices.row[2].count, 2);
    bench_end(&bench);
}
END_TEST

static const uint32_t unknown_types[] = {11, 99, 0x80000000u};

START_TEST(unknown_node_type)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put(&bench, 6, unknown_types[_i], NULL, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_str_eq(bench.diag.field, "type");
    ck_assert_uint_eq(bench.diag.at, 6);
    bench_end(&bench);
}
END_TEST

START_TEST(kind_zero_is_not_absent)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put(&bench, 1, OP_COLLECTIVE, &all_reduce, 1);
    put(&bench, 2, OP_COLLECTIVE, NULL, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_int_eq(bench.trace->node[0].flags & NODE_HAS_KIND, NODE_HAS_KIND);
    ck_assert_int_eq(bench.trace->node[1].flags & NODE_HAS_KIND, 0);
    bench_end(&bench);
}
END_TEST

/* -- T06, T20: communication attributes ---------------------------------------------------- */

START_TEST(everything_in_its_field)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put_sample(&bench);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    const struct trace *trace = bench.trace;
    ck_assert_uint_eq(trace->count, 3);
    ck_assert_uint_eq(trace->node[0].id, 4);
    ck_assert_uint_eq(trace->node[1].id, 300);
    const struct trace_node *gather = &trace->node[2];
    ck_assert_uint_eq(gather->id, UINT64_MAX - 1);
    ck_assert_str_eq(trace_name(bench.trace, 2), "gather");
    ck_assert_int_eq(gather->collective, COLL_ALL_GATHER);
    ck_assert_uint_eq(gather->size_bytes, 70000);
    ck_assert_uint_eq(gather->duration_ns, 150000);
    ck_assert_str_eq(trace->group_names[gather->group], "dp_cp");
    ck_assert_int_eq(gather->dims, 5);
    ck_assert_int_eq(gather->dim_count, 3);
    ck_assert_int_eq(gather->stream, 7);
    ck_assert_int_eq(gather->priority, -1);
    ck_assert_uint_eq(gather->peer, TRACE_NONE);
    ck_assert_uint_eq(trace->node[0].group, TRACE_NONE);
    bench_end(&bench);
}
END_TEST

/* Lives of tensors, shapes and peers by place: what orrery's generator adds. */
START_TEST(attributes_of_orrery)
{
    struct bench bench;
    bench_begin(&bench, "1.0.0");
    const struct chakra_write_attr held[] = {text("holds", "fixed:77 activation:8:30 weight:16:7"),
                                             text("op_shape", "gemm 4x8x2 bf16"),
                                             number("kernels", ENCODE_INT32, 8)};
    const struct chakra_write_attr sent[] = {number("peer_places", ENCODE_INT32, 3),
                                             number("comm_size", ENCODE_INT64, 64),
                                             text("pg_name", "pp")};
    put(&bench, 30, OP_SEND, sent, 3);
    put(&bench, 7, OP_COMPUTE, held, 3);
    ck_assert_msg(bench_load(&bench) == STATUS_OK, "%s", bench.diag.message);
    const struct trace *trace = bench.trace;
    ck_assert_uint_eq(trace->fixed_bytes, 77);
    ck_assert_uint_eq(trace->life_count, 2);
    ck_assert_uint_eq(trace->life[0].last, 0);
    ck_assert_uint_eq(trace->life[0].kind, LIFE_WEIGHT);
    ck_assert_uint_eq(trace->life[1].first, 0);
    ck_assert_uint_eq(trace->life[1].last, 1);
    ck_assert_uint_eq(trace->life[1].bytes, 8);
    ck_assert_uint_eq(trace->shape[trace->node[0].shape].n, 8);
    ck_assert_uint_eq(trace->node[0].kernels, 8);
    ck_assert_uint_eq(trace->node[1].peer, 3);
    ck_assert_int_eq(trace->node[1].flags, NODE_HAS_SIZE | NODE_HAS_PEER | NODE_PEER_IN_GROUP);
    ck_assert_str_eq(trace->group_names[trace->node[1].group], "pp");
    ck_assert_uint_eq(bench.notices.count, 0);
    bench_end(&bench);
}
END_TEST

START_TEST(a_tensor_ends_at_a_node_that_is_there)
{
    struct bench bench;
    bench_begin(&bench, "1.0.0");
    const struct chakra_write_attr held = text("holds", _i ? "weight:16:7" : "weight:16:99");
    put(&bench, 7, OP_COMPUTE, NULL, 0);
    put(&bench, 30, OP_COMPUTE, &held, 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_str_eq(bench.diag.field, "holds");
    ck_assert_ptr_nonnull(strstr(bench.diag.message, _i ? "node 7," : "node 99,"));
    bench_end(&bench);
}
END_TEST

START_TEST(send_and_receive)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr[] = {
        number("comm_src", ENCODE_INT32, 3), number("comm_dst", ENCODE_INT32, 5),
        number("comm_tag", ENCODE_INT32, -1), number("tensor_size", ENCODE_UINT64, 1024)};
    put(&bench, 0, OP_SEND, attr, 4);
    put(&bench, 1, OP_RECV, attr, 4);
    put(&bench, 2, OP_SEND, attr, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    const struct trace_node *node = bench.trace->node;
    ck_assert_uint_eq(node[0].peer, 5);
    ck_assert_uint_eq(node[0].owner, 3);
    ck_assert_uint_eq(node[1].peer, 3);
    ck_assert_uint_eq(node[1].owner, 5);
    ck_assert_uint_eq(node[1].tag, UINT32_MAX);
    ck_assert_uint_eq(node[0].size_bytes, 1024);
    ck_assert_int_eq(node[0].flags, NODE_HAS_SIZE | NODE_HAS_PEER | NODE_HAS_OWNER | NODE_HAS_TAG);
    ck_assert_int_eq(node[2].flags, 0);
    bench_end(&bench);
}
END_TEST

START_TEST(roots_and_groups)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr broadcast = number("comm_type", ENCODE_INT64, COLL_BROADCAST);
    struct chakra_write_attr one[] = {broadcast, number("root", ENCODE_INT64, 2),
                                      text("pg_name", "")};
    struct chakra_write_attr two[] = {broadcast, number("root_rank", ENCODE_UINT32, 3),
                                      number("comm_group", ENCODE_INT32, 12)};
    put(&bench, 0, OP_COLLECTIVE, one, 3);
    put(&bench, 1, OP_COLLECTIVE, two, 3);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    const struct trace_node *node = bench.trace->node;
    ck_assert_uint_eq(node[0].peer, 2);
    ck_assert_uint_eq(node[1].peer, 3);
    ck_assert_uint_eq(node[0].group, TRACE_NONE);
    ck_assert_str_eq(bench.trace->group_names[node[1].group], "12");
    bench_end(&bench);
}
END_TEST

START_TEST(too_many_dimensions)
{
    const bool dims[9] = {true};
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_attr attr = {
        .name = "involved_dim", .encoding = ENCODE_BOOL_LIST, .number = 9, .flags = dims};
    put(&bench, 0, OP_COLLECTIVE, &attr, 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_str_eq(bench.diag.field, "involved_dim");
    bench_end(&bench);
}
END_TEST

/* 400 digits: more than any number has. */
#define DIGITS_20   "12345678901234567890"
#define DIGITS_100  DIGITS_20 DIGITS_20 DIGITS_20 DIGITS_20 DIGITS_20
#define MANY_DIGITS DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100

/* Texts of metadata nodes, and the groups they declare as "name:ranks;..." ("!": refused). */
static const struct {
    const char *values, *groups;
} declared[] = {
    {"['[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"ranks\": [], \"group_size\": 8}, "
     "{\"pg_name\": \"1\", \"ranks\": [3, 1, 2, 0]}]']",
     "0:;1:3,1,2,0;"},
    {"[[{'pg_name': 'tp', 'ranks': [0], 'x': None, 'y': (True, False)}]]", "tp:0;"},
    {"[[{\"pg_name\": 7, \"ranks\": [1]}, {\"pg_name\": 7, \"ranks\": [1]}]]", "7:1;"},
    {"[[{\"pg_name\": \"a\", \"ranks\": [1]}, {\"pg_name\": \"a\", \"ranks\": [2]}]]", "a:1;a:2;"},
    {"[]", ""},
    {"[[]]", ""},
    {"nothing here", ""},
    {"[[{'pg_name': 'a', 'ranks': [-1]}]]", "!"},
    {"[[{'pg_name': 'a', 'ranks': 'all'}]]", "!"},
    {"[[{'ranks': [0]}]]", "!"},
    {"[[{'pg_name': 'a', 'ranks': [0}]]", "!"},
    {"[[{'pg_name': " MANY_DIGITS "}]]", "!"},
    {"{", ""},
    {"['[{\"pg_name\": \"0\", \"ranks\": [", ""},
};

static void describe_groups(const struct trace *trace, FILE *out)
{
    for (uint32_t g = 0; g < trace->group_count; g++) {
        fprintf(out, "%s:", trace->groups[g].name);
        for (uint32_t i = 0; i < trace->groups[g].count; i++)
            fprintf(out, "%s%u", i ? "," : "", trace->groups[g].ranks[i]);
        fputc(';', out);
    }
}

START_TEST(process_groups)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_node node = {.id = 1,
                                     .name = "## process_group:init ##",
                                     .type = OP_METADATA,
                                     .input_values = declared[_i].values};
    chakra_writer_node(&bench.writer, &node);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    char found[256] = "";
    FILE *out = fmemopen(found, sizeof found - 1, "w");
    describe_groups(bench.trace, out);
    fclose(out);
    bool is_refused = declared[_i].groups[0] == '!';
    ck_assert_str_eq(found, is_refused ? "" : declared[_i].groups);
    ck_assert_uint_eq(bench_noticed(&bench, "process-group declaration that cannot be read"),
                      is_refused);
    bench_end(&bench);
}
END_TEST

START_TEST(duration_that_overflows)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    struct chakra_write_node node = {
        .id = 4, .type = OP_COMPUTE, .duration_us = UINT64_MAX / 1000000 + (uint64_t)_i};
    chakra_writer_node(&bench.writer, &node);
    ck_assert_int_eq(bench_load(&bench), _i ? STATUS_BAD_INPUT : STATUS_OK);
    if (_i)
        ck_assert_str_eq(bench.diag.field, "duration_micros");
    bench_end(&bench);
}
END_TEST

/* -- the rest ------------------------------------------------------------------------------ */

START_TEST(pytorch_converter_is_recognised)
{
    struct bench bench;
    bench_begin(&bench, NULL);
    struct chakra_write_attr attr[] = {
        text("schema", "1.0.2-chakra.0.0.4"), number("pid", ENCODE_UINT64, 1),
        text("time", "2024-01-01 00:00:00"), number("start_ts", ENCODE_UINT64, 2),
        number("finish_ts", ENCODE_UINT64, 3)};
    chakra_writer_metadata(&bench.writer, NULL, attr, _i ? 5 : 1);
    put_deps(&bench, 1, NULL, 0, NULL, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_int_eq(bench.trace->producer, _i ? PRODUCER_PYTORCH_CONVERTER : PRODUCER_UNKNOWN);
    ck_assert_str_eq(bench.trace->schema, "1.0.2-chakra.0.0.4");
    bench_end(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("chakra");
    TCase *values = tcase_create("values");
    tcase_add_loop_test(values, size_in_any_integer, 0, LEN(integers));
    tcase_add_loop_test(values, size_as_whole_real, 0, LEN(reals));
    tcase_add_test(values, size_as_text_is_refused);
    tcase_add_loop_test(values, bad_values_are_refused, 0, LEN(refused));
    tcase_add_loop_test(values, host_flag, 0, LEN(host_flags));
    tcase_add_loop_test(values, size_from_shapes, 0, LEN(derived));
    tcase_add_test(values, size_zero_is_not_absent);
    tcase_add_test(values, newer_node_types);
    tcase_add_loop_test(values, unknown_node_type, 0, LEN(unknown_types));
    tcase_add_test(values, kind_zero_is_not_absent);
    tcase_add_test(values, everything_in_its_field);
    tcase_add_test(values, send_and_receive);
    tcase_add_test(values, attributes_of_orrery);
    tcase_add_loop_test(values, a_tensor_ends_at_a_node_that_is_there, 0, 2);
    tcase_add_test(values, roots_and_groups);
    tcase_add_test(values, too_many_dimensions);
    tcase_add_loop_test(values, process_groups, 0, LEN(declared));
    tcase_add_loop_test(values, duration_that_overflows, 0, 2);
    tcase_add_loop_test(values, pytorch_converter_is_recognised, 0, 2);
    suite_add_tcase(suite, values);
    return suite;
}

RUN_SUITE(suite_of())
