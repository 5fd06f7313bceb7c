/*
 * chakra: the fast reader against protobuf-c on every sample file and on damaged copies, and the
 * census of each against the golden summaries. Data from $ORRERY_SHARED (default ../shared).
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <sys/stat.h>

#include "base/doc.h"
#include "tests/unit/test_chakra_util.h"
#include "workloads/census.h"

enum { MAX_FILES = 4000, MUTATIONS = 300, MUTATED_BYTES = 20000 };

/* Sample files: filled once by find_samples(). */
static struct {
    char path[512];
    size_t bytes;
} sample[MAX_FILES];
static size_t sample_count;

static int note_sample(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)where;
    const char *dot = strrchr(path, '.');
    bool is_trace = dot && (strcmp(dot, ".et") == 0 || strcmp(dot, ".eg") == 0);
    if (kind != FTW_F || !is_trace || sample_count == MAX_FILES || strlen(path) >= 512)
        return 0;
    strcpy(sample[sample_count].path, path);
    sample[sample_count++].bytes = (size_t)info->st_size;
    return 0;
}

/* False, with a line that says so, if there is no reference data. */
static bool find_samples(void)
{
    const char *shared = bench_shared();
    if (!shared)
        return false;
    char path[512];
    sample_count = 0;
    snprintf(path, sizeof path, "%s/data/traces", shared);
    nftw(path, note_sample, 16, FTW_PHYS);
    snprintf(path, sizeof path, "%s/data/astra/cases", shared);
    nftw(path, note_sample, 16, FTW_PHYS);
    ck_assert_uint_gt(sample_count, 100);
    return true;
}

static struct trace *parse(const void *bytes, size_t length, enum chakra_reader_id reader)
{
    struct chakra_options options = {.reader = reader, .rank = -1};
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct trace *trace = NULL;
    notices_init(&notices);
    chakra_parse(&trace, "sample", bytes, length, &options, &notices, &diag);
    notices_release(&notices);
    return trace;
}

/* Both readers accept or refuse, and what they read is the same. Returns whether they accept. */
static bool readers_agree(const void *bytes, size_t length, const char *path)
{
    struct trace *fast = parse(bytes, length, CHAKRA_READER_FAST);
    struct trace *reference = parse(bytes, length, CHAKRA_READER_REFERENCE);
    ck_assert_msg((fast != NULL) == (reference != NULL), "%s: only one reader accepts", path);
    if (!fast)
        return false;
    const char *unsound = trace_unsound(fast), *differs = trace_difference(fast, reference);
    ck_assert_msg(!unsound, "%s: %s", path, unsound);
    ck_assert_msg(!differs, "%s: %s", path, differs);
    fast->destroy(fast);
    reference->destroy(reference);
    return true;
}

START_TEST(readers_agree_on_samples)
{
    if (!find_samples())
        return;
    for (size_t i = 0; i < sample_count; i++) {
        struct file file;
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(chakra_open_file(&file, sample[i].path, &diag), STATUS_OK);
        ck_assert_msg(readers_agree(file.bytes, file.length, sample[i].path), "%s: refused",
                      sample[i].path);
        file_release(&file);
    }
}
END_TEST

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* Changes one to four bytes, or cuts, or repeats a part. Returns the new length. */
static size_t mutate(unsigned char *bytes, size_t length)
{
    size_t at = random_below(length);
    if (random_below(8) == 0)
        return at + 1;
    if (random_below(8) == 0) {
        size_t part = 1 + random_below(length - at < 32 ? length - at : 32);
        memmove(bytes + random_below(length - part + 1), bytes + at, part);
        return length;
    }
    for (uint64_t n = 1 + random_below(4); n; n--)
        bytes[random_below(length)] ^= (unsigned char)(1 + random_below(255));
    return length;
}

START_TEST(readers_agree_on_damage)
{
    if (!find_samples())
        return;
    size_t accepted = 0, refused = 0;
    unsigned char *copy = malloc(MUTATED_BYTES);
    for (size_t i = 0; i < sample_count; i += 1 + sample_count / 60) {
        struct file file;
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(chakra_open_file(&file, sample[i].path, &diag), STATUS_OK);
        for (int n = 0; n < MUTATIONS && file.length <= MUTATED_BYTES; n++) {
            memcpy(copy, file.bytes, file.length);
            size_t length = mutate(copy, file.length);
            bool ok = readers_agree(copy, length, sample[i].path);
            accepted += ok;
            refused += !ok;
        }
        file_release(&file);
    }
    free(copy);
    /* Both must occur often, or the test shows nothing. */
    ck_assert_uint_gt(accepted, 500);
    ck_assert_uint_gt(refused, 500);
}
END_TEST

/* -- golden census ------------------------------------------------------------------------- */

static const char *const type_names[] = {
    "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
    "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE",
};
static const char *const kind_names[] = {
    "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER",  "SCATTER", "BROADCAST",
    "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER",
};

static uint64_t u64_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *value = doc_find(map, key);
    return value ? value->magnitude : 0;
}

static bool same_types(const struct census *census, const struct doc_node *row)
{
    const struct doc_node *types = doc_find(row, "types"), *times = doc_find(row, "duration_us");
    bool same = true;
    for (uint32_t t = 0; t < 8; t++) {
        char host[40], device[40];
        snprintf(host, sizeof host, "%s/cpu", type_names[t]);
        snprintf(device, sizeof device, "%s/gpu", type_names[t]);
        const struct census_sum *op = census->op[t];
        same &= op[0].count + op[1].count == u64_of(types, type_names[t]);
        same &= op[1].duration_ns == 1000 * u64_of(times, host);
        /* Without the flag the summary's key has no suffix; absent means device. */
        same &= op[0].duration_ns == 1000 * (u64_of(times, device) + u64_of(times, type_names[t]));
    }
    return same;
}

static bool same_kinds(const struct census *census, const struct doc_node *row)
{
    bool same = true;
    for (uint32_t k = 0; k < COLL_KIND_COUNT; k++) {
        same &= census->kind[k].count == u64_of(doc_find(row, "collectives"), kind_names[k]);
        same &= census->kind[k].size_bytes == u64_of(doc_find(row, "comm_bytes"), kind_names[k]);
    }
    return same &&
           census->kind[CENSUS_NO_KIND].count == u64_of(doc_find(row, "collectives"), "None");
}

static uint64_t group_count(const struct census_group *group)
{
    uint64_t count = group->send.count + group->receive.count;
    for (uint32_t k = 0; k < CENSUS_KINDS; k++)
        count += group->kind[k].count;
    return count;
}

static bool same_groups_and_streams(const struct census *census, const struct doc_node *row)
{
    bool same = true;
    for (uint32_t g = 0; g < census->group_count; g++) {
        const struct census_group *group = &census->group[g];
        if (strcmp(group->name, "all ranks") != 0)
            same &= group_count(group) == u64_of(doc_find(row, "pg_names"), group->name);
    }
    for (uint32_t s = 0; s < census->stream_count; s++) {
        char name[16];
        snprintf(name, sizeof name, "%d", census->stream[s].stream);
        const struct doc_node *stream = doc_find(doc_find(row, "streams"), name);
        /* The summary leaves out stream 0, which the converter gives to host nodes. */
        same &= census->stream[s].stream == 0 ||
                (stream && census->stream[s].sum.count == stream->magnitude);
    }
    return same;
}

static bool same_edges(const struct census *census, const struct doc_node *row)
{
    const struct doc_node *ids = doc_find(row, "ids"), *sorted = doc_find(row, "sorted_by_id");
    return census->data_edges == u64_of(row, "data_deps") &&
           census->control_edges == u64_of(row, "ctrl_deps") &&
           census->missing_data == u64_of(row, "missing_parents") &&
           census->forward_data == u64_of(row, "forward_refs") &&
           census->first_id == ids->child[0].magnitude &&
           census->last_id == ids->child[1].magnitude &&
           (census->unsorted_files == 0) == sorted->boolean;
}

static bool matches(const char *path, const struct doc_node *row)
{
    struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct trace *trace = NULL;
    struct census census;
    notices_init(&notices);
    census_init(&census);
    ck_assert_int_eq(chakra_load(&trace, path, &options, &notices, &diag), STATUS_OK);
    census_add(&census, trace, 1);
    bool same = census.nodes == u64_of(row, "nodes") &&
                strcmp(trace->version, doc_find(row, "version")->text) == 0 &&
                same_types(&census, row) && same_kinds(&census, row) &&
                same_groups_and_streams(&census, row) && same_edges(&census, row);
    trace->destroy(trace);
    census_release(&census);
    notices_release(&notices);
    return same;
}

/* The row's file is known by its name and size only: one of those must match. */
static bool any_sample_matches(const struct doc_node *row, bool *found)
{
    const char *name = doc_find(row, "file")->text;
    for (size_t i = 0; i < sample_count; i++) {
        const char *base = strrchr(sample[i].path, '/') + 1;
        if (strcmp(base, name) != 0 || sample[i].bytes != u64_of(row, "bytes"))
            continue;
        *found = true;
        if (matches(sample[i].path, row))
            return true;
    }
    return false;
}

static size_t check_line(const char *line, const char *path)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, path, line, strlen(line), DOC_JSON, &diag), STATUS_OK);
    bool found = false, is_ok = strcmp(doc_find(doc.root, "parses")->text, "ok") == 0;
    /* Files that today's schema cannot parse have no golden numbers. */
    bool same = !is_ok || any_sample_matches(doc.root, &found);
    ck_assert_msg(same || !found, "%s: %s differs from its census", path,
                  doc_find(doc.root, "file")->text);
    doc_release(&doc);
    return found;
}

static const char *const summaries[] = {
    "chakra_et_files_summary.jsonl",     "chakra_orig_summary.jsonl",
    "chakra_orig_derived_summary.jsonl", "generator_summary.jsonl",
    "text_converter_summary.jsonl",
};

START_TEST(golden_census)
{
    if (!find_samples())
        return;
    char path[512];
    snprintf(path, sizeof path, "%s/data/traces/expected/%s", bench_shared(), summaries[_i]);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *line = NULL;
    size_t capacity = 0, checked = 0;
    while (getline(&line, &capacity, file) > 0)
        checked += check_line(line, path);
    free(line);
    fclose(file);
    ck_assert_uint_gt(checked, 1);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("chakra_reader");
    TCase *readers = tcase_create("readers");
    tcase_set_timeout(readers, 120);
    tcase_add_test(readers, readers_agree_on_samples);
    tcase_add_test(readers, readers_agree_on_damage);
    suite_add_tcase(suite, readers);
    TCase *golden = tcase_create("golden");
    tcase_set_timeout(golden, 120);
    tcase_add_loop_test(golden, golden_census, 0, sizeof summaries / sizeof *summaries);
    suite_add_tcase(suite, golden);
    return suite;
}

RUN_SUITE(suite_of())
