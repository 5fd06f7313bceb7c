/*
 * test_chakra_util - traces written to memory and read back, for the tests of workloads/.
 *
 * Rules: one `struct bench` per test; bench_begin(), write nodes, bench_load() (or
 * bench_load_bytes), look at `trace`, `diag` and `notices`, bench_end().
 */
#ifndef ORRERY_TESTS_UNIT_TEST_CHAKRA_UTIL_H
#define ORRERY_TESTS_UNIT_TEST_CHAKRA_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "workloads/chakra/chakra.h"
#include "workloads/chakra/chakra_write.h"
#include "workloads/trace_check.h"

struct bench {
    char *bytes; /* what was written */
    size_t length;
    FILE *stream;
    struct chakra_writer writer;
    struct chakra_options options;
    struct notices notices;
    struct diag diag;
    struct trace *trace;
};

/* Starts a trace in memory; version NULL leaves the metadata record out. */
static inline void bench_begin(struct bench *bench, const char *version)
{
    *bench = (struct bench){.options = CHAKRA_OPTIONS_DEFAULT, .diag = DIAG_NONE};
    notices_init(&bench->notices);
    bench->stream = open_memstream(&bench->bytes, &bench->length);
    ck_assert_ptr_nonnull(bench->stream);
    chakra_writer_attach(&bench->writer, bench->stream);
    if (version)
        chakra_writer_metadata(&bench->writer, version, NULL, 0);
}

static inline enum status bench_load_bytes(struct bench *bench, const void *bytes, size_t length)
{
    enum status status = chakra_parse(&bench->trace, "t.et", bytes, length, &bench->options,
                                      &bench->notices, &bench->diag);
    ck_assert_int_eq(status, bench->diag.status);
    if (status == STATUS_OK)
        ck_assert_ptr_null(trace_unsound(bench->trace));
    else
        ck_assert_ptr_null(bench->trace);
    return status;
}

/* Ends the writing and reads it all back. */
static inline enum status bench_load(struct bench *bench)
{
    chakra_writer_close(&bench->writer, &bench->diag);
    fflush(bench->stream);
    return bench_load_bytes(bench, bench->bytes, bench->length);
}

/* Forgets a load, so that the same bytes (or a part) can be read again. */
static inline void bench_again(struct bench *bench)
{
    if (bench->trace)
        bench->trace->destroy(bench->trace);
    bench->trace = NULL;
    bench->diag = DIAG_NONE;
}

static inline void bench_end(struct bench *bench)
{
    bench_again(bench);
    notices_release(&bench->notices);
    fclose(bench->stream);
    free(bench->bytes);
}

/* How often `key` was noticed. */
static inline uint64_t bench_noticed(const struct bench *bench, const char *key)
{
    for (size_t i = 0; i < bench->notices.count; i++) {
        if (strcmp(bench->notices.row[i].key, key) == 0)
            return bench->notices.row[i].count;
    }
    return 0;
}

/* Folder of reference data ($ORRERY_SHARED, default ../shared), or NULL with a line that says so.
 */
static inline const char *bench_shared(void)
{
    const char *shared = getenv("ORRERY_SHARED");
    shared = shared ? shared : "../shared";
    if (access(shared, R_OK) == 0)
        return shared;
    printf("skipped: no %s\n", shared);
    return NULL;
}

#define LEN(array) (sizeof(array) / sizeof *(array))

static inline struct chakra_write_attr number(const char *name, enum chakra_encoding as,
                                              int64_t value)
{
    return (struct chakra_write_attr){.name = name, .encoding = as, .number = value};
}

static inline struct chakra_write_attr text(const char *name, const char *value)
{
    return (struct chakra_write_attr){.name = name, .encoding = ENCODE_STRING, .text = value};
}

/* Writes node `id` of `type` with `count` attributes. */
static inline void put(struct bench *bench, uint64_t id, uint32_t type,
                       const struct chakra_write_attr *attr, uint32_t count)
{
    struct chakra_write_node node = {
        .id = id, .name = "op", .type = type, .attr = attr, .attr_count = count};
    chakra_writer_node(&bench->writer, &node);
}

static inline void put_deps(struct bench *bench, uint64_t id, const uint64_t *data,
                            uint32_t data_count, const uint64_t *control, uint32_t control_count)
{
    struct chakra_write_node node = {.id = id,
                                     .type = OP_COMPUTE,
                                     .data = data,
                                     .data_count = data_count,
                                     .control = control,
                                     .control_count = control_count};
    chakra_writer_node(&bench->writer, &node);
}

/* A small trace with a bit of everything. */
static inline void put_sample(struct bench *bench)
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

#endif
