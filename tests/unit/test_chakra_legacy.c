/* chakra: layouts before October 2023, built byte by byte, and the JSON form. */
#include "tests/unit/test_chakra_util.h"

#define LEN(array) (sizeof(array) / sizeof *(array))

/* A record under construction. */
struct record {
    unsigned char byte[256];
    size_t length;
};

static void add(struct record *record, const void *bytes, size_t length)
{
    ck_assert_uint_le(record->length + length, sizeof record->byte);
    memcpy(record->byte + record->length, bytes, length);
    record->length += length;
}

static void add_varint(struct record *record, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add(record, &(unsigned char){(unsigned char)(value | 0x80)}, 1);
    add(record, &(unsigned char){(unsigned char)value}, 1);
}

static void add_number(struct record *record, unsigned field, uint64_t value)
{
    add_varint(record, field << 3);
    add_varint(record, value);
}

static void add_bytes(struct record *record, unsigned field, const void *bytes, size_t length)
{
    add_varint(record, field << 3 | 2);
    add_varint(record, length);
    add(record, bytes, length);
}

static void add_text(struct record *record, unsigned field, const char *text)
{
    add_bytes(record, field, text, strlen(text));
}

/* An attribute of 0.0.2 or 0.0.3: name, type number, value in `field`. */
static void add_attr(struct record *record, const char *name, unsigned type, unsigned field,
                     uint64_t value)
{
    struct record attr = {.length = 0};
    add_text(&attr, 1, name);
    add_number(&attr, 2, type);
    add_number(&attr, field, value);
    add_bytes(record, 11, attr.byte, attr.length);
}

static void finish(struct record *file, const struct record *record)
{
    add_varint(file, record->length);
    add(file, record->byte, record->length);
}

static enum status load(struct bench *bench, const struct record *file)
{
    bench_begin(bench, NULL);
    return bench_load_bytes(bench, file->byte, file->length);
}

/* Compute 0, then an all-gather of 4096 B on groups 0 and 2, as 0.0.1 writes them. */
START_TEST(layout_0_0_1)
{
    struct record file = {.length = 0}, node = {.length = 0};
    add_number(&node, 1, 0);
    add_text(&node, 2, "first");
    add_number(&node, 3, 3);
    add_number(&node, 6, 512);
    add_number(&node, 7, 25);
    add_number(&node, 12, 1000);
    finish(&file, &node);
    node.length = 0;
    add_number(&node, 1, 1);
    add_text(&node, 2, "second");
    add_number(&node, 3, 6);
    add_number(&node, 4, 0);
    add_number(&node, 13, 3);
    add_number(&node, 14, 1);
    add_number(&node, 14, 0);
    add_number(&node, 18, 4096);
    finish(&file, &node);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_OK);
    const struct trace_node *n = bench.trace->node;
    ck_assert_str_eq(bench.trace->format, "chakra-et 0.0.1");
    ck_assert_int_eq(n[0].type, OP_COMPUTE);
    ck_assert_uint_eq(n[0].duration_ns, 25000);
    ck_assert_uint_eq(n[0].flop_count, 1000);
    ck_assert_uint_eq(n[0].size_bytes, 512);
    ck_assert_int_eq(n[1].type, OP_COLLECTIVE);
    ck_assert_int_eq(n[1].collective, COLL_ALL_GATHER);
    ck_assert_uint_eq(n[1].size_bytes, 4096);
    ck_assert_int_eq(n[1].dims, 1);
    ck_assert_int_eq(n[1].dim_count, 2);
    ck_assert_uint_eq(bench.trace->parent[0], 0); /* a data parent */
    ck_assert_str_eq(trace_name(bench.trace, 1), "second");
    bench_end(&bench);
}
END_TEST

/*
 * A collective in the layouts with attributes. Type numbers, the field of an integer and the kinds
 * moved: 0.0.2 INT=1 in field 5; 0.0.3 INT=2 in field 6, later INT=3 in field 7.
 */
static const struct {
    bool has_metadata;
    unsigned node_type, int_type, int_field;
    const char *format;
} attr_layouts[] = {
    {false, 6, 1, 5, "chakra-et 0.0.2"},
    {false, 7, 2, 6, "chakra-et 0.0.3"},
    {true, 7, 3, 7, "chakra-et 0.0.3"},
};

START_TEST(layouts_with_attributes)
{
    struct record file = {.length = 0}, node = {.length = 0};
    if (attr_layouts[_i].has_metadata)
        finish(&file, &node);
    add_number(&node, 1, 3);
    add_text(&node, 2, "ar");
    add_number(&node, 3, attr_layouts[_i].node_type);
    add_number(&node, 4, 9);
    add_text(&node, 6, "[[16]]");
    add_attr(&node, "comm_type", attr_layouts[_i].int_type, attr_layouts[_i].int_field, 1);
    add_attr(&node, "comm_size", attr_layouts[_i].int_type, attr_layouts[_i].int_field, 77);
    add_attr(&node, "runtime", attr_layouts[_i].int_type, attr_layouts[_i].int_field, 5);
    finish(&file, &node);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_OK);
    const struct trace_node *n = bench.trace->node;
    ck_assert_str_eq(bench.trace->format, attr_layouts[_i].format);
    ck_assert_int_eq(n->type, OP_COLLECTIVE);
    ck_assert_int_eq(n->collective, COLL_ALL_TO_ALL); /* kind 1 of that time */
    ck_assert_uint_eq(n->size_bytes, 77);
    ck_assert_uint_eq(n->duration_ns, 5000);
    ck_assert_uint_eq(bench.trace->missing_count, 1);
    ck_assert(!bench.trace->missing[0].is_control);
    bench_end(&bench);
}
END_TEST

START_TEST(unknown_legacy_kind)
{
    struct record file = {.length = 0}, node = {.length = 0};
    add_number(&node, 1, 3);
    add_number(&node, 3, 6);
    add_number(&node, 13, 30);
    finish(&file, &node);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_BAD_INPUT);
    ck_assert_str_eq(bench.diag.field, "comm_type");
    bench_end(&bench);
}
END_TEST

/* November 2023: current nodes, no metadata, all parents control. */
START_TEST(current_without_metadata)
{
    struct record file = {.length = 0}, node = {.length = 0};
    add_text(&node, 2, "a");
    add_number(&node, 3, 4);
    finish(&file, &node);
    add_number(&node, 1, 1);
    add_bytes(&node, 4, "\0", 1);
    finish(&file, &node);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_OK);
    ck_assert_str_eq(bench.trace->format, "chakra-et 0.0.4 without metadata");
    ck_assert_uint_eq(bench.trace->control_edge_count, 1);
    ck_assert_int_eq(bench.trace->node[0].type, OP_COMPUTE);
    bench_end(&bench);
}
END_TEST

/* Metadata whose attributes are in field 1. */
START_TEST(metadata_of_october_2023)
{
    struct record file = {.length = 0}, record = {.length = 0}, attr = {.length = 0};
    add_text(&attr, 1, "schema");
    add_text(&attr, 29, "1.0.1");
    add_bytes(&record, 1, attr.byte, attr.length);
    finish(&file, &record);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_OK);
    ck_assert_str_eq(bench.trace->version, "");
    ck_assert_str_eq(bench.trace->schema, "1.0.1");
    bench_end(&bench);
}
END_TEST

/* Parents one by one instead of packed. */
START_TEST(unpacked_parents)
{
    struct record file = {.length = 0}, node = {.length = 0};
    finish(&file, &node);
    add_number(&node, 1, 1);
    add_number(&node, 3, 4);
    add_number(&node, 5, 300);
    add_number(&node, 5, 301);
    add_number(&node, 4, 302);
    finish(&file, &node);
    struct bench bench;
    ck_assert_int_eq(load(&bench, &file), STATUS_OK);
    ck_assert_uint_eq(bench.trace->data_edge_count, 2);
    ck_assert_uint_eq(bench.trace->control_edge_count, 1);
    ck_assert_uint_eq(bench.trace->missing[1].id, 301);
    bench_end(&bench);
}
END_TEST

/* -- JSON ---------------------------------------------------------------------------------- */

static enum status load_json(struct bench *bench, const char *text)
{
    bench_begin(bench, NULL);
    return bench_load_bytes(bench, text, strlen(text));
}

START_TEST(json_trace)
{
    struct bench bench;
    ck_assert_int_eq(load_json(&bench,
                               "\xef\xbb\xbf{\"workload_graph\": [\n"
                               "{\"Id\": 9223372036854775807, \"Name\": \"ar\", \"NodeType\": 7,"
                               " \"data_deps\": [2, 99], \"ctrlDeps\": [2], \"comm_type\": 0.0,"
                               " \"comm_size\": 64, \"comm_priority\": -3, \"pg_name\": \"tp\","
                               " \"involved_dim\": [true, false], \"is_cpu_op\": false},\n"
                               "{\"Id\": 2, \"NodeType\": 4, \"runtime\": 7.5, \"is_cpu_op\": true,"
                               " \"data_deps\": null, \"num_ops\": 12}], \"ngpus\": 1}"),
                     STATUS_OK);
    const struct trace_node *n = bench.trace->node;
    ck_assert_str_eq(bench.trace->format, "chakra-json");
    ck_assert_uint_eq(n[0].id, 2);
    ck_assert_uint_eq(n[0].duration_ns, 7000);
    ck_assert_uint_eq(n[0].flop_count, 12);
    ck_assert_int_eq(n[0].flags, NODE_IS_HOST | NODE_HAS_FLOPS);
    ck_assert_uint_eq(n[1].id, INT64_MAX);
    ck_assert_uint_eq(n[1].size_bytes, 64);
    ck_assert_int_eq(n[1].priority, -3);
    ck_assert_int_eq(n[1].dims, 1);
    ck_assert_uint_eq(bench.trace->missing_count, 1);
    ck_assert_uint_eq(bench.trace->parent[0], 0);
    ck_assert_uint_eq(bench.trace->parent[1], 0 | PARENT_IS_CONTROL);
    ck_assert_str_eq(trace_name(bench.trace, 1), "ar");
    ck_assert_str_eq(trace_name(bench.trace, 0), "");
    bench_end(&bench);
}
END_TEST

static const struct {
    const char *text, *field; /* field: what the message must name, or NULL */
} bad_json[] = {
    {"{\"workload_graph\": 3}", "workload_graph"},
    {"{\"traceEvents\": []}", NULL},
    {"{\"workload_graph\": [3]}", "workload_graph[0]."},
    {"{\"workload_graph\": [{\"Name\": \"x\"}]}", "workload_graph[0]"},
    {"{\"workload_graph\": [{\"Id\": -1}]}", "workload_graph[0].Id"},
    {"{\"workload_graph\": [{\"Id\": 1}, {\"Id\": 2, \"NodeType\": \"COMP\"}]}",
     "workload_graph[1].NodeType"},
    {"{\"workload_graph\": [{\"Id\": 1, \"data_deps\": [\"2\"]}]}", "workload_graph[0]."},
    {"{\"workload_graph\": [{\"Id\": 1, \"data_deps\": 2}]}", "workload_graph[0].data_deps"},
    {"{\"workload_graph\": [{\"Id\": 1, \"Name\": 2}]}", "workload_graph[0].Name"},
    {"{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 7, \"comm_size\": 1.5}]}", "comm_size"},
    {"{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 7, \"involved_dim\": [\"x\"]}]}",
     "involved_dim"},
    {"{\"workload_graph\": [{\"Id\": 1, \"runtime\": -4}]}", "workload_graph[0].runtime"},
    {"{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 99}]}", "type"},
    {"{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 7, \"comm_size\": \"8\"}]}", "comm_size"},
    {"{\"workload_graph\": [{\"Id\": 1}, {\"Id\": 1}]}", "id"},
    {"{\"workload_graph\": [{\"Id\": 1}", NULL},
};

START_TEST(json_damage)
{
    struct bench bench;
    ck_assert_int_eq(load_json(&bench, bad_json[_i].text), STATUS_BAD_INPUT);
    if (bad_json[_i].field)
        ck_assert_str_eq(bench.diag.field, bad_json[_i].field);
    bench_end(&bench);
}
END_TEST

/* A metadata record of 123 bytes starts like JSON: '{', newline. */
START_TEST(not_json_after_all)
{
    char version[122];
    memset(version, '1', sizeof version - 1);
    version[sizeof version - 1] = '\0';
    struct bench bench;
    bench_begin(&bench, version);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_int_eq(bench.bytes[0], '{');
    ck_assert_int_eq(bench.bytes[1], '\n');
    ck_assert_str_eq(bench.trace->version, version);
    bench_end(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("chakra_legacy");
    TCase *legacy = tcase_create("legacy");
    tcase_add_test(legacy, layout_0_0_1);
    tcase_add_loop_test(legacy, layouts_with_attributes, 0, LEN(attr_layouts));
    tcase_add_test(legacy, unknown_legacy_kind);
    tcase_add_test(legacy, current_without_metadata);
    tcase_add_test(legacy, metadata_of_october_2023);
    tcase_add_test(legacy, unpacked_parents);
    suite_add_tcase(suite, legacy);
    TCase *json = tcase_create("json");
    tcase_add_test(json, json_trace);
    tcase_add_loop_test(json, json_damage, 0, LEN(bad_json));
    tcase_add_test(json, not_json_after_all);
    suite_add_tcase(suite, json);
    return suite;
}

RUN_SUITE(suite_of())
