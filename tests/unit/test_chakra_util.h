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

#endif
