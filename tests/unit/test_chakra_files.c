/* chakra: empty, damaged and large files, and edges. Rows T03, T08 of the user needs. */
#include "tests/unit/test_chakra_util.h"

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
/* -- versions, and traces too large for memory ---------------------------------------------- */

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
    Suite *suite = suite_create("chakra_files");
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
