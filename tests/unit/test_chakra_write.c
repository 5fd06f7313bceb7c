/* chakra_write: what was asked for is in the file, byte for byte and when read back. */
#include "tests/unit/temp_file.h"
#include "tests/unit/test_chakra_util.h"

/* A record by hand: its length, then fields as (number << 3 | type), value. */
START_TEST(bytes_of_a_node)
{
    static const uint64_t data[] = {1, 300};
    static const unsigned char expected[] = {
        29,                                               /* length of the record */
        0x08, 7,                                          /* id 7 */
        0x12, 2,    'a',  'b',                            /* name */
        0x18, 4,                                          /* type 4 */
        0x2a, 3,    1,    0xac, 0x02,                     /* data parents 1, 300, packed */
        0x30, 5,                                          /* start 5 us */
        0x38, 0x96, 0x01,                                 /* duration 150 us */
        0x52, 9,    0x0a, 5,    'r',  'o', 'o', 't', '2', /* attribute: name .. */
        0x48, 3,                                          /* .. int64 3 */
    };
    struct bench bench;
    bench_begin(&bench, NULL);
    const struct chakra_write_attr attr = {.name = "root2", .encoding = ENCODE_INT64, .number = 3};
    chakra_writer_node(&bench.writer, &(struct chakra_write_node){.id = 7,
                                                                  .name = "ab",
                                                                  .type = OP_COMPUTE,
                                                                  .data = data,
                                                                  .data_count = 2,
                                                                  .duration_us = 150,
                                                                  .start_us = 5,
                                                                  .attr = &attr,
                                                                  .attr_count = 1});
    ck_assert_int_eq(chakra_writer_close(&bench.writer, &bench.diag), STATUS_OK);
    ck_assert_uint_eq(bench.length, sizeof expected);
    ck_assert_mem_eq(bench.bytes, expected, sizeof expected);
    bench_end(&bench);
}
END_TEST

/* Lengths are varints: records around 127 bytes and beyond the first buffer. */
static const uint32_t name_lengths[] = {0, 1, 120, 121, 122, 123, 127, 128, 16383, 70000};

START_TEST(records_of_any_length)
{
    char *name = calloc(1, name_lengths[_i] + 1);
    struct bench bench;
    memset(name, 'n', name_lengths[_i]);
    bench_begin(&bench, "0.0.4");
    for (uint64_t id = 1; id <= 3; id++)
        chakra_writer_node(&bench.writer,
                           &(struct chakra_write_node){
                               .id = id, .name = name, .type = OP_COMPUTE, .start_us = id});
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.trace->count, 3);
    ck_assert_str_eq(trace_name(bench.trace, 2), name);
    ck_assert_uint_eq(bench.trace->node[2].start_ns, 3000);
    bench_end(&bench);
    free(name);
}
END_TEST

START_TEST(metadata)
{
    struct bench bench;
    bench_begin(&bench, NULL);
    const struct chakra_write_attr attr[] = {
        {.name = "schema", .encoding = ENCODE_STRING, .text = "1.1.1-chakra.0.0.4"},
        {.name = "pid", .encoding = ENCODE_INT64, .number = 1},
        {.name = "time", .encoding = ENCODE_STRING, .text = "noon"},
        {.name = "start_ts", .encoding = ENCODE_INT64, .number = 1},
        {.name = "finish_ts", .encoding = ENCODE_INT64, .number = 2}};
    chakra_writer_metadata(&bench.writer, "0.0.4", attr, _i ? 5 : 4);
    chakra_writer_node(&bench.writer, &(struct chakra_write_node){.id = 1, .type = OP_COMPUTE});
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    ck_assert_str_eq(bench.trace->version, "0.0.4");
    ck_assert_str_eq(bench.trace->schema, "1.1.1-chakra.0.0.4");
    /* All five together are the mark of the PyTorch converter. */
    ck_assert_int_eq(bench.trace->producer, _i ? PRODUCER_PYTORCH_CONVERTER : PRODUCER_UNKNOWN);
    bench_end(&bench);
}
END_TEST

/* The file appears when it is whole. */
START_TEST(file_appears_on_close)
{
    char folder[TEMP_PATH], path[TEMP_PATH + 8];
    struct chakra_writer writer;
    struct diag diag = DIAG_NONE;
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/t.et", folder);
    ck_assert_int_eq(chakra_writer_open(&writer, path, &diag), STATUS_OK);
    chakra_writer_metadata(&writer, "0.0.4", NULL, 0);
    ck_assert(!file_exists(path));
    ck_assert_int_eq(chakra_writer_close(&writer, &diag), STATUS_OK);
    ck_assert(file_exists(path));
    temp_folder_remove(folder);
    ck_assert_int_eq(chakra_writer_open(&writer, "/no/such/folder/t.et", &diag), STATUS_IO);
}
END_TEST

/* A write that fails is an error at the end. */
START_TEST(full_disk)
{
    struct chakra_writer writer;
    struct diag diag = DIAG_NONE;
    FILE *out = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(out);
    chakra_writer_attach(&writer, out);
    chakra_writer_metadata(&writer, "0.0.4", NULL, 0);
    ck_assert_int_eq(chakra_writer_close(&writer, &diag), STATUS_IO);
    ck_assert_int_eq(diag.status, STATUS_IO);
    fclose(out);
}
END_TEST

static Suite *chakra_write_suite(void)
{
    Suite *suite = suite_create("chakra_write");
    TCase *tcase = tcase_create("chakra_write");
    tcase_add_test(tcase, bytes_of_a_node);
    tcase_add_loop_test(tcase, records_of_any_length, 0,
                        (int)(sizeof name_lengths / sizeof *name_lengths));
    tcase_add_loop_test(tcase, metadata, 0, 2);
    tcase_add_test(tcase, file_appears_on_close);
    tcase_add_test(tcase, full_disk);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(chakra_write_suite())
