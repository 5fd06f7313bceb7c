/* chakra: what a current-layout trace means, and what damage does. Rows T01-T08 of the user needs.
 */
#include <inttypes.h>

#include "tests/unit/test_chakra_util.h"

#define LEN(array) (sizeof(array) / sizeof *(array))

static const struct chakra_write_attr all_reduce = {
    .name = "comm_type", .encoding = ENCODE_INT64, .number = COLL_ALL_REDUCE};

static struct chakra_write_attr number(const char *name, enum chakra_encoding as, int64_t value)
{
    return (struct chakra_write_attr){.name = name, .encoding = as, .number = value};
}

static struct chakra_write_attr text(const char *name, const char *value)
{
    return (struct chakra_write_attr){.name = name, .encoding = ENCODE_STRING, .text = value};
}

/* Writes node `id` of `type` with `count` attributes. */
static void put(struct bench *bench, uint64_t id, uint32_t type,
                const struct chakra_write_attr *attr, uint32_t count)
{
    struct chakra_write_node node = {
        .id = id, .name = "op", .type = type, .attr = attr, .attr_count = count};
    chakra_writer_node(&bench->writer, &node);
}

static void put_deps(struct bench *bench, uint64_t id, const uint64_t *data, uint32_t data_count,
                     const uint64_t *control, uint32_t control_count)
{
    struct chakra_write_node node = {.id = id,
                                     .type = OP_COMPUTE,
                                     .data = data,
                                     .data_count = data_count,
                                     .control = control,
                                     .control_count = control_count};
    chakra_writer_node(&bench->writer, &node);
}

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

/* -- T03: nothing to do -------------------------------------------------------------------- */

START_TEST(metadata_alone_loads)
{
    struct bench bench;
    bench_begin(&bench, "1.0.0");
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.trace->count, 0);
    ck_assert_str_eq(bench.trace->version, "1.0.0");
    bench_end(&bench);
}
END_TEST

START_TEST(empty_metadata_is_one_zero_byte)
{
    struct bench bench;
    bench_begin(&bench, NULL);
    ck_assert_int_eq(bench_load_bytes(&bench, "\0", 1), STATUS_OK);
    ck_assert_uint_eq(bench.trace->count, 0);
    bench_again(&bench);
    /* A second zero byte is a node with nothing in it: id 0, no type. */
    ck_assert_int_eq(bench_load_bytes(&bench, "\0\0", 2), STATUS_OK);
    ck_assert_uint_eq(bench.trace->count, 1);
    ck_assert_int_eq(bench.trace->node[0].type, OP_INVALID);
    bench_end(&bench);
}
END_TEST

START_TEST(empty_file_is_refused)
{
    struct bench bench;
    bench_begin(&bench, NULL);
    ck_assert_int_eq(bench_load_bytes(&bench, "", 0), STATUS_BAD_INPUT);
    ck_assert_int_eq(bench.diag.place, DIAG_BYTE);
    ck_assert_uint_eq(bench.diag.at, 0);
    bench_end(&bench);
}
END_TEST

/* A small trace with a bit of everything. */
static void put_sample(struct bench *bench)
{
    const bool dims[] = {true, false, true};
    const uint64_t data[] = {300, 4}, control[] = {4, 4};
    struct chakra_write_attr attr[] = {
        number("is_cpu_op", ENCODE_BOOL, 0),
        number("comm_type", ENCODE_INT64, COLL_ALL_GATHER),
        number("comm_size", ENCODE_UINT64, 70000),
        text("pg_name", "dp_cp"),
        {.name = "involved_dim", .encoding = ENCODE_BOOL_LIST, .number = 3, .flags = dims},
        number("stream", ENCODE_INT64, 7),
        number("comm_priority", ENCODE_INT32, -1),
    };
    put(bench, 4, OP_COMPUTE, attr, 1);
    struct chakra_write_node node = {.id = UINT64_MAX - 1,
                                     .name = "gather",
                                     .type = OP_COLLECTIVE,
                                     .data = data,
                                     .data_count = 2,
                                     .control = control,
                                     .control_count = 2,
                                     .duration_us = 150,
                                     .input_shapes = "[[2, 3]]",
                                     .input_types = "['Tensor(float)']",
                                     .attr = attr,
                                     .attr_count = LEN(attr)};
    chakra_writer_node(&bench->writer, &node);
    put(bench, 300, OP_SEND, attr, 1);
}

/* Every length of the file: a whole number of records loads, any other is damage at its byte. */
START_TEST(cut_at_every_byte)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    size_t ends[4] = {0};
    fflush(bench.stream);
    ends[0] = bench.length;
    put_sample(&bench);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    size_t whole = bench.length, at = ends[0];
    for (uint32_t i = 1; i < 4; i++) /* records here are shorter than 128 bytes but one */
        ends[i] = at += bench.bytes[at] & 0x80
                            ? 2 + (size_t)((bench.bytes[at] & 0x7f) | bench.bytes[at + 1] << 7)
                            : 1 + (size_t)bench.bytes[at];
    ck_assert_uint_eq(at, whole);
    for (size_t length = 1; length < whole; length++) {
        bench_again(&bench);
        /* An exact copy, so that a sanitizer sees any read past the cut. */
        char *cut = malloc(length);
        memcpy(cut, bench.bytes, length);
        enum status status = bench_load_bytes(&bench, cut, length);
        free(cut);
        uint32_t records = 0;
        bool at_boundary = false;
        for (uint32_t i = 0; i < 4; i++) {
            records += ends[i] <= length;
            at_boundary |= ends[i] == length;
        }
        ck_assert_int_eq(status, at_boundary ? STATUS_OK : STATUS_BAD_INPUT);
        if (at_boundary) {
            ck_assert_uint_eq(bench.trace->count, records - 1);
            continue;
        }
        ck_assert_int_eq(bench.diag.place, DIAG_BYTE);
        ck_assert_uint_eq(bench.diag.at, records ? ends[records - 1] : 0);
    }
    bench_end(&bench);
}
END_TEST

START_TEST(lying_length)
{
    static const char *const bytes[] = {"\xff\xff\xff\xff\x07", "\xff\xff\xff\xff\xff\xff",
                                        "\0\x05\x08\x01", "\0\x03\x12\x7f\x41"};
    static const size_t lengths[] = {5, 6, 4, 5};
    static const uint64_t at[] = {0, 0, 1, 1};
    struct bench bench;
    bench_begin(&bench, NULL);
    ck_assert_int_eq(bench_load_bytes(&bench, bytes[_i], lengths[_i]), STATUS_BAD_INPUT);
    ck_assert_int_eq(bench.diag.place, DIAG_BYTE);
    ck_assert_uint_eq(bench.diag.at, at[_i]);
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

/* -- T08: dependencies --------------------------------------------------------------------- */

START_TEST(parents_in_file_order)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    const uint64_t data[] = {20, 7, 20, 9}, control[] = {7, 777};
    put_deps(&bench, 9, data, 4, control, 2); /* child first, then its parents; depends on itself */
    put_deps(&bench, 20, NULL, 0, NULL, 0);
    put_deps(&bench, 7, NULL, 0, NULL, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    const struct trace *trace = bench.trace;
    /* Ids 7, 9, 20 are indices 0, 1, 2. */
    const uint32_t expected[] = {2, 0, 2, 1, 0 | PARENT_IS_CONTROL};
    ck_assert_uint_eq(trace->parent_begin[1], 0);
    ck_assert_uint_eq(trace->parent_begin[2], LEN(expected));
    ck_assert_uint_eq(trace->parent_begin[3], LEN(expected));
    for (size_t i = 0; i < LEN(expected); i++)
        ck_assert_uint_eq(trace->parent[i], expected[i]);
    ck_assert_uint_eq(trace->missing_count, 1);
    ck_assert_uint_eq(trace->missing[0].child, 1);
    ck_assert_uint_eq(trace->missing[0].id, 777);
    ck_assert(trace->missing[0].is_control);
    ck_assert_uint_eq(trace->data_edge_count, 4);
    ck_assert_uint_eq(trace->control_edge_count, 2);
    ck_assert_uint_eq(chakra_facts(trace)->forward_data_count, 3);
    ck_assert_uint_eq(chakra_facts(trace)->forward_control_count, 1);
    bench_end(&bench);
}
END_TEST

START_TEST(control_parent_of_removed_root)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    const uint64_t root = 0;
    put_deps(&bench, 1, NULL, 0, &root, 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.trace->missing_count, 1);
    ck_assert(bench.trace->missing[0].is_control);
    ck_assert_uint_eq(bench.trace->missing[0].id, 0);
    bench_end(&bench);
}
END_TEST

/* Microseconds in the file, nanoseconds in the trace; what does not fit is cut with a notice. */
static const struct {
    uint64_t us, ns, clamped;
} starts[] = {
    {0, 0, 0},
    {1, 1000, 0},
    {1700000000000000, 1700000000000000000, 0}, /* November 2023 */
    {UINT64_MAX / 1000, UINT64_MAX / 1000 * 1000, 0},
    {UINT64_MAX / 1000 + 1, UINT64_MAX / 1000 * 1000, 1},
    {UINT64_MAX, UINT64_MAX / 1000 * 1000, 1},
};

START_TEST(start_time)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    for (size_t i = 0; i < LEN(starts); i++)
        chakra_writer_node(
            &bench.writer,
            &(struct chakra_write_node){.id = i, .type = OP_COMPUTE, .start_us = starts[i].us});
    bench.options.reader = _i ? CHAKRA_READER_REFERENCE : CHAKRA_READER_FAST;
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    for (size_t i = 0; i < LEN(starts); i++)
        ck_assert_uint_eq(bench.trace->node[i].start_ns, starts[i].ns);
    ck_assert_uint_eq(bench_noticed(&bench, "start time beyond 2^64 ns"), 2);
    bench_end(&bench);
}
END_TEST

/* A member of a JSON node and its start in ns; -1: refused. */
static const struct {
    const char *member;
    int64_t ns;
} json_starts[] = {
    {"", 0},
    {", \"start_time_micros\": 7", 7000},
    {", \"startTimeMicros\": 7", 7000},
    {", \"start_time\": 7", 7000},
    {", \"startTime\": 7.9", 7000},
    {", \"start\": 0", 0},
    {", \"start_time\": -1", -1},
    {", \"start_time\": \"7\"", -1},
};

START_TEST(start_time_in_json)
{
    char text[200];
    struct bench bench;
    bench_begin(&bench, NULL);
    int length =
        snprintf(text, sizeof text, "{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 4%s}]}",
                 json_starts[_i].member);
    enum status status = bench_load_bytes(&bench, text, (size_t)length);
    if (json_starts[_i].ns < 0) {
        ck_assert_int_eq(status, STATUS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(bench.diag.message, "a start time in microseconds"));
    } else {
        ck_assert_int_eq(status, STATUS_OK);
        ck_assert_uint_eq(bench.trace->node[0].start_ns, (uint64_t)json_starts[_i].ns);
    }
    bench_end(&bench);
}
END_TEST

/* Ids dense, in a window, and far apart, ascending and descending: each child finds its parent. */
static const uint64_t strides[] = {1, 3, 1000, UINT64_C(1) << 54};

START_TEST(ids_of_any_spread)
{
    enum { NODES = 500 };
    for (int descending = 0; descending < 2; descending++) {
        struct bench bench;
        bench_begin(&bench, "0.0.4");
        for (uint64_t i = 0; i < NODES; i++) {
            uint64_t n = descending ? NODES - 1 - i : i;
            const uint64_t parent[] = {(n - 1) * strides[_i] + 5, n * strides[_i] + 6};
            put_deps(&bench, n * strides[_i] + 5, parent, n ? 2 : 0, NULL, 0);
        }
        ck_assert_int_eq(bench_load(&bench), STATUS_OK);
        const struct trace *trace = bench.trace;
        for (uint32_t n = 1; n < NODES; n++) {
            ck_assert_uint_eq(trace->node[n].id, n * strides[_i] + 5);
            ck_assert_uint_eq(trace->parent[trace->parent_begin[n]], n - 1);
        }
        /* id + 1 is the next node where the stride is 1, and nobody otherwise. */
        ck_assert_uint_eq(trace->missing_count, strides[_i] == 1 ? 1 : NODES - 1);
        bench_end(&bench);
    }
}
END_TEST

START_TEST(duplicate_id)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put_deps(&bench, 8, NULL, 0, NULL, 0);
    fflush(bench.stream);
    char first[32], second[32];
    snprintf(first, sizeof first, "bytes 8 and %zu", bench.length + 5);
    put_deps(&bench, 3, NULL, 0, NULL, 0);
    put_deps(&bench, 8, NULL, 0, NULL, 0);
    snprintf(second, sizeof second, "node id 8");
    ck_assert_int_eq(bench_load(&bench), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(bench.diag.message, first));
    ck_assert_ptr_nonnull(strstr(bench.diag.message, second));
    bench_end(&bench);
}
END_TEST

/* A file padded with zeros is a row of empty nodes: refused at the second, in constant memory. */
START_TEST(padding_with_zeros)
{
    struct bench bench;
    bench_begin(&bench, NULL);
    size_t length = 1 << 20;
    char *zeros = calloc(1, length);
    ck_assert_int_eq(bench_load_bytes(&bench, zeros, length), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(bench.diag.message, "bytes 1 and 2"));
    free(zeros);
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

/* A published version is nothing to speak of; another one is said, with its name. */
static const struct {
    const char *version, *schema, *said;
} version_rows[] = {
    {"0.0.1", NULL, NULL},
    {"0.0.4", NULL, NULL},
    {"1.0.0", NULL, NULL},
    {"9.9", NULL, "\"9.9\""},
    {"0.0.4x", NULL, "\"0.0.4x\""},
    {NULL, "1.0.2-chakra.1.0.0", NULL},
    {NULL, "symbolic_tensor_network", NULL},
    {NULL, "1.9.0-chakra.7.0", "\"7.0\""},
};

START_TEST(unknown_version_is_said)
{
    const char *said = version_rows[_i].said;
    struct bench bench;
    bench_begin(&bench, NULL);
    struct chakra_write_attr attr[] = {text("schema", version_rows[_i].schema)};
    chakra_writer_metadata(&bench.writer, version_rows[_i].version, attr,
                           version_rows[_i].schema ? 1 : 0);
    put_deps(&bench, 1, NULL, 0, NULL, 0);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.notices.count, said ? 1 : 0);
    if (said) {
        ck_assert_int_eq(bench.notices.row[0].kind, NOTICE_DEFAULTED);
        ck_assert_ptr_nonnull(strstr(bench.notices.row[0].example, said));
    }
    bench_end(&bench);
}
END_TEST

/* The same trace with its arrays in a temporary file. */
START_TEST(paged_arrays)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t parent[] = {i ? i - 1 : 0, 40000};
        put_deps(&bench, 20000 - i, parent, 2, NULL, 0);
    }
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert(!chakra_facts(bench.trace)->is_paged);
    struct trace *in_memory = bench.trace;
    bench.trace = NULL;
    bench.options.memory_limit_bytes = 4096;
    ck_assert_int_eq(bench_load_bytes(&bench, bench.bytes, bench.length), STATUS_OK);
    ck_assert(chakra_facts(bench.trace)->is_paged);
    ck_assert_ptr_null(trace_difference(in_memory, bench.trace));
    ck_assert_uint_eq(in_memory->content_hash, bench.trace->content_hash);
    in_memory->destroy(in_memory);
    bench_end(&bench);
}
END_TEST

START_TEST(paging_without_a_folder)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    put_deps(&bench, 1, NULL, 0, NULL, 0);
    bench.options.memory_limit_bytes = 1;
    setenv("TMPDIR", "/nonexistent", 1);
    ck_assert_int_eq(bench_load(&bench), STATUS_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(bench.diag.hint, "TMPDIR"));
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
    tcase_add_test(values, roots_and_groups);
    tcase_add_test(values, too_many_dimensions);
    tcase_add_loop_test(values, process_groups, 0, LEN(declared));
    tcase_add_loop_test(values, duration_that_overflows, 0, 2);
    tcase_add_loop_test(values, pytorch_converter_is_recognised, 0, 2);
    suite_add_tcase(suite, values);
    TCase *files = tcase_create("files");
    tcase_add_test(files, metadata_alone_loads);
    tcase_add_loop_test(files, unknown_version_is_said, 0,
                        (int)(sizeof version_rows / sizeof *version_rows));
    tcase_add_test(files, empty_metadata_is_one_zero_byte);
    tcase_add_test(files, empty_file_is_refused);
    tcase_add_test(files, cut_at_every_byte);
    tcase_add_loop_test(files, lying_length, 0, 4);
    tcase_add_test(files, paged_arrays);
    tcase_add_test(files, paging_without_a_folder);
    suite_add_tcase(suite, files);
    TCase *edges = tcase_create("edges");
    tcase_add_test(edges, parents_in_file_order);
    tcase_add_test(edges, control_parent_of_removed_root);
    tcase_add_loop_test(edges, start_time, 0, 2);
    tcase_add_loop_test(edges, start_time_in_json, 0, (int)LEN(json_starts));
    tcase_add_loop_test(edges, ids_of_any_spread, 0, LEN(strides));
    tcase_add_test(edges, duplicate_id);
    tcase_add_test(edges, padding_with_zeros);
    suite_add_tcase(suite, edges);
    return suite;
}

RUN_SUITE(suite_of())
