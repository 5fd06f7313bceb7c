/* workload_set, synth and census: which files serve which rank, and what the generator writes. */
#include "base/doc.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/test_chakra_util.h"
#include "workloads/census.h"
#include "workloads/synth/synth.h"
#include "workloads/workload_set.h"

#define LEN(array) (sizeof(array) / sizeof *(array))

/* A folder of its own for each test, removed by teardown(). */
static char folder[TEMP_PATH];
static char prefix[TEMP_PATH + 8];

static void setup(void)
{
    temp_folder(folder);
    snprintf(prefix, sizeof prefix, "%s/w", folder);
}

static void teardown(void)
{
    temp_folder_remove(folder);
}

static const struct synth_spec skew = {.kind = SYNTH_SKEW,
                                       .ranks = 8,
                                       .collective = COLL_ALL_REDUCE,
                                       .size_bytes = 1 << 20,
                                       .count = 2,
                                       .base_us = 5,
                                       .spread_us = 97};

static void write_set(const struct synth_spec *spec)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(synth_write(spec, prefix, &diag), STATUS_OK);
}

/* One load of `ranks` ranks; what it gave. */
struct opened {
    enum status status;
    struct workload workload;
    struct notices notices;
    struct diag diag;
};

static struct opened open_set(const struct workload_config *config, uint32_t ranks)
{
    struct opened opened = {.diag = DIAG_NONE};
    notices_init(&opened.notices);
    opened.status =
        workload_open(&opened.workload, config, ranks, NULL, &opened.notices, &opened.diag);
    ck_assert_int_eq(opened.status, opened.diag.status);
    return opened;
}

static void close_set(struct opened *opened)
{
    if (opened->status == STATUS_OK)
        workload_release(&opened->workload);
    notices_release(&opened->notices);
}

START_TEST(a_file_per_rank)
{
    write_set(&skew);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 8);
    ck_assert_int_eq(set.status, STATUS_OK);
    ck_assert_uint_eq(set.workload.trace_count, 8);
    for (uint32_t r = 0; r < 8; r++) {
        const struct trace *trace = set.workload.traces[set.workload.trace_of_rank[r]];
        ck_assert_uint_eq(trace->count, 4);
        for (uint32_t i = 0; i < 2; i++)
            ck_assert_uint_eq(trace->node[2 * i].duration_ns,
                              1000 * (5 + (7919 * r + 104729 * i) % 97));
    }
    close_set(&set);
}
END_TEST

/* T19a: 8 traces on 16 NPUs names the first missing rank, both numbers and the option. */
START_TEST(too_few_files)
{
    write_set(&skew);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 16);
    ck_assert_int_eq(set.status, STATUS_IO);
    ck_assert_int_eq(set.diag.rank, 8);
    ck_assert_ptr_nonnull(strstr(set.diag.message, "8 of 16"));
    ck_assert_ptr_nonnull(strstr(set.diag.hint, "--replicate"));
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = prefix, .replicate = true}, 16);
    ck_assert_int_eq(set.status, STATUS_OK);
    ck_assert_uint_eq(set.workload.trace_count, 1);
    ck_assert_uint_eq(set.workload.trace_of_rank[15], 0);
    close_set(&set);
}
END_TEST

START_TEST(a_gap_in_the_files)
{
    write_set(&skew);
    char path[TEMP_PATH + 96];
    snprintf(path, sizeof path, "%s.5.et", prefix);
    unlink(path);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 8);
    ck_assert_int_eq(set.diag.rank, 5);
    ck_assert_ptr_nonnull(strstr(set.diag.message, "7 of 8"));
    close_set(&set);
}
END_TEST

START_TEST(too_many_files)
{
    write_set(&skew);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 6);
    ck_assert_int_eq(set.status, STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(set.diag.message, "8 trace files"));
    ck_assert_ptr_nonnull(strstr(set.diag.message, "6 NPUs"));
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = prefix, .ignore_extra = true}, 6);
    ck_assert_int_eq(set.status, STATUS_OK);
    ck_assert_uint_eq(set.workload.rank_count, 6);
    ck_assert_uint_eq(set.notices.count, 1);
    ck_assert_uint_eq(set.notices.row[0].count, 2);
    close_set(&set);
}
END_TEST

START_TEST(no_files_at_all)
{
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 4);
    ck_assert_int_eq(set.status, STATUS_IO);
    ck_assert_ptr_nonnull(strstr(set.diag.message, "0 of 4"));
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = prefix, .replicate = true}, 4);
    ck_assert_int_eq(set.status, STATUS_IO);
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = NULL}, 4);
    ck_assert_int_eq(set.status, STATUS_BAD_CONFIG);
    close_set(&set);
}
END_TEST

START_TEST(equal_files_share_a_trace)
{
    struct diag diag = DIAG_NONE;
    char path[TEMP_PATH + 96];
    for (uint32_t r = 0; r < 6; r++) {
        snprintf(path, sizeof path, "%s.%u.et", prefix, r);
        ck_assert_int_eq(synth_write_rank(&skew, r / 2, path, &diag), STATUS_OK);
    }
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 6);
    ck_assert_int_eq(set.status, STATUS_OK);
    ck_assert_uint_eq(set.workload.trace_count, 3);
    for (uint32_t r = 0; r < 6; r++)
        ck_assert_uint_eq(set.workload.trace_of_rank[r], r / 2);
    close_set(&set);
}
END_TEST

START_TEST(one_rank_may_name_its_file)
{
    struct diag diag = DIAG_NONE;
    char path[TEMP_PATH + 96];
    snprintf(path, sizeof path, "%s.alone", prefix);
    ck_assert_int_eq(synth_write_rank(&skew, 0, path, &diag), STATUS_OK);
    struct opened set = open_set(&(struct workload_config){.prefix = path}, 1);
    ck_assert_int_eq(set.status, STATUS_OK);
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = path, .replicate = true}, 3);
    ck_assert_int_eq(set.status, STATUS_OK);
    close_set(&set);
    set = open_set(&(struct workload_config){.prefix = path}, 2);
    ck_assert_int_eq(set.status, STATUS_IO);
    ck_assert_ptr_nonnull(strstr(set.diag.hint, "--replicate"));
    close_set(&set);
}
END_TEST

/* Damage in one rank's file names the rank and the file. */
START_TEST(damage_names_the_rank)
{
    write_set(&skew);
    char path[TEMP_PATH + 96];
    snprintf(path, sizeof path, "%s.3.et", prefix);
    ck_assert_int_eq(truncate(path, 40), 0);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 8);
    ck_assert_int_eq(set.status, STATUS_BAD_INPUT);
    ck_assert_int_eq(set.diag.rank, 3);
    ck_assert_str_eq(set.diag.file, path);
    ck_assert_int_eq(set.diag.place, DIAG_BYTE);
    close_set(&set);
}
END_TEST

static void gzip_copy(const char *from, const char *to)
{
    char command[512];
    snprintf(command, sizeof command, "gzip -c '%s' > '%s' && rm '%s'", from, to, from);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(gzip_by_content)
{
    struct synth_spec dp = {
        .kind = SYNTH_DP, .ranks = 2, .layers = 3, .iterations = 2, .gradient_bytes = 4096};
    write_set(&dp);
    char from[TEMP_PATH + 96], to[sizeof prefix + 8];
    snprintf(from, sizeof from, "%s.all.et", prefix);
    struct opened plain = open_set(&(struct workload_config){.prefix = from}, 1);
    ck_assert_int_eq(plain.status, STATUS_OK);
    snprintf(to, sizeof to, "%s.0.et", prefix); /* without ".gz" */
    gzip_copy(from, to);
    struct opened packed = open_set(&(struct workload_config){.prefix = prefix}, 1);
    ck_assert_int_eq(packed.status, STATUS_OK);
    ck_assert(chakra_facts(packed.workload.traces[0])->was_gzip);
    ck_assert_ptr_null(trace_difference(plain.workload.traces[0], packed.workload.traces[0]));
    ck_assert_uint_eq(plain.workload.traces[0]->content_hash,
                      packed.workload.traces[0]->content_hash);
    close_set(&plain);
    close_set(&packed);
}
END_TEST

/* Names of a large file are read from it, not held, and its pages are given back while reading:
 * 300,000 nodes in more than 16 MiB. The same bytes from memory give the same trace. */
START_TEST(a_large_file)
{
    enum { LAYERS = 100000 };
    struct synth_spec dp = {.kind = SYNTH_DP,
                            .ranks = 1,
                            .layers = LAYERS,
                            .iterations = 1,
                            .forward_ops = UINT64_C(1) << 60,
                            .backward_ops = UINT64_C(1) << 60};
    write_set(&dp);
    char path[TEMP_PATH + 96];
    snprintf(path, sizeof path, "%s.all.et", prefix);
    struct opened set = open_set(&(struct workload_config){.prefix = path}, 1);
    ck_assert_int_eq(set.status, STATUS_OK);
    struct trace *trace = set.workload.traces[0];
    ck_assert_uint_gt(chakra_facts(trace)->byte_count, 16 << 20);
    ck_assert_uint_eq(trace->count, 3 * LAYERS);
    ck_assert_str_eq(trace_name(trace, 0), "fwd_i0_l0");
    ck_assert_str_eq(trace_name(trace, LAYERS - 1), "fwd_i0_l99999");
    ck_assert_str_eq(trace_name(trace, 3 * LAYERS - 1), "ar_i0_l0");
    ck_assert_uint_le(trace->resident_bytes, 3 * LAYERS * 104);
    struct bench bench;
    struct file file;
    bench_begin(&bench, NULL);
    ck_assert_int_eq(chakra_open_file(&file, path, &bench.diag), STATUS_OK);
    ck_assert_int_eq(bench_load_bytes(&bench, file.bytes, file.length), STATUS_OK);
    file_release(&file);
    ck_assert_ptr_null(trace_difference(trace, bench.trace));
    ck_assert_uint_eq(trace->content_hash, bench.trace->content_hash);
    bench_end(&bench);
    close_set(&set);
}
END_TEST

/* A file that cannot be read, and gzip that is cut, name the rank too. */
START_TEST(unreadable_files_name_the_rank)
{
    write_set(&skew);
    char path[TEMP_PATH + 96], packed[sizeof prefix + 8];
    snprintf(path, sizeof path, "%s.2.et", prefix);
    snprintf(packed, sizeof packed, "%s.packed", prefix);
    gzip_copy(path, packed);
    ck_assert_int_eq(rename(packed, path), 0);
    ck_assert_int_eq(truncate(path, 30), 0);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix}, 8);
    ck_assert_int_ne(set.status, STATUS_OK);
    ck_assert_int_eq(set.diag.rank, 2);
    ck_assert_str_eq(set.diag.file, path);
    close_set(&set);
}
END_TEST

/* The limit is for the set: the first traces stay in memory, the rest are paged, all are equal. */
START_TEST(memory_limit_of_a_set)
{
    struct synth_spec pipeline = {
        .kind = SYNTH_PIPELINE, .ranks = 64, .count = 100, .size_bytes = 4096};
    write_set(&pipeline);
    struct opened whole = open_set(&(struct workload_config){.prefix = prefix}, 64);
    ck_assert_int_eq(whole.status, STATUS_OK);
    struct chakra_options options = {.memory_limit_bytes = 1 << 20, .rank = -1};
    struct opened paged = {.diag = DIAG_NONE};
    notices_init(&paged.notices);
    ck_assert_int_eq(workload_open(&paged.workload, &(struct workload_config){.prefix = prefix}, 64,
                                   &options, &paged.notices, &paged.diag),
                     STATUS_OK);
    uint64_t held = 0, paged_count = 0;
    for (uint32_t i = 0; i < 64; i++) {
        struct trace *trace = paged.workload.traces[i];
        bool is_paged = chakra_facts(trace)->is_paged;
        held += is_paged ? 0 : trace->resident_bytes;
        paged_count += is_paged;
        ck_assert_ptr_null(trace_difference(whole.workload.traces[i], trace));
    }
    ck_assert_uint_le(held, 1 << 20);
    ck_assert_uint_gt(paged_count, 0);
    ck_assert_uint_lt(paged_count, 64);
    close_set(&whole);
    close_set(&paged);
}
END_TEST

/* -- the generator against traces that others made ------------------------------------------ */

static uint64_t field(const struct doc_node *spec, const char *key)
{
    const struct doc_node *value = doc_find(spec, key);
    return value ? value->magnitude : 0;
}

static enum collective_kind kind_named(const struct doc_node *name)
{
    static const struct {
        const char *name;
        enum collective_kind kind;
    } kinds[] = {{"ALL_REDUCE", COLL_ALL_REDUCE},
                 {"ALL_GATHER", COLL_ALL_GATHER},
                 {"REDUCE_SCATTER", COLL_REDUCE_SCATTER},
                 {"ALL_TO_ALL", COLL_ALL_TO_ALL}};
    for (size_t i = 0; name && i < LEN(kinds); i++) {
        if (strcmp(kinds[i].name, name->text) == 0)
            return kinds[i].kind;
    }
    return COLL_ALL_REDUCE;
}

/* False if the generator has no such kind. */
static bool read_spec(const struct doc_node *map, struct synth_spec *spec)
{
    static const char *const kinds[] = {[SYNTH_COLLECTIVE] = "coll",
                                        [SYNTH_DP] = "dp",
                                        [SYNTH_SKEW] = "skew",
                                        [SYNTH_PIPELINE] = "pipe"};
    const struct doc_node *gen = doc_find(map, "gen");
    for (size_t kind = 0; gen && kind < LEN(kinds); kind++) {
        if (!kinds[kind] || strcmp(kinds[kind], gen->text) != 0)
            continue;
        uint64_t count = field(map, kind == SYNTH_PIPELINE ? "microbatches" : "count");
        *spec = (struct synth_spec){.kind = (enum synth_kind)kind,
                                    .ranks = (uint32_t)field(map, "npus"),
                                    .collective = kind_named(doc_find(map, "comm")),
                                    .size_bytes = field(map, "size"),
                                    .count = (uint32_t)count,
                                    .layers = (uint32_t)field(map, "layers"),
                                    .iterations = (uint32_t)field(map, "iters"),
                                    .forward_ops = field(map, "fwd_ops"),
                                    .forward_bytes = field(map, "fwd_bytes"),
                                    .backward_ops = field(map, "bwd_ops"),
                                    .backward_bytes = field(map, "bwd_bytes"),
                                    .gradient_bytes = field(map, "grad_bytes"),
                                    .base_us = field(map, "base_us"),
                                    .spread_us = field(map, "spread_us")};
        return true;
    }
    return false;
}

static bool same_content(const char *one, const char *other)
{
    struct file a, b;
    struct diag diag = DIAG_NONE;
    if (file_load(&a, one, FILE_NO_LIMIT, &diag))
        return false;
    if (file_load(&b, other, FILE_NO_LIMIT, &diag)) {
        file_release(&a);
        return false;
    }
    bool same = a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
    file_release(&a);
    file_release(&b);
    return same;
}

/* Files of one case that the generator wrote differently; *compared counts all. */
static void compare_case(const char *shared, const char *name, const struct synth_spec *spec,
                         size_t *compared)
{
    char theirs[512], ours[TEMP_PATH + 96];
    bool is_symmetric = synth_is_symmetric(spec);
    write_set(spec);
    for (uint32_t r = 0; r < (is_symmetric ? 1 : spec->ranks); r++) {
        char middle[16] = "all";
        if (!is_symmetric)
            snprintf(middle, sizeof middle, "%u", r);
        snprintf(ours, sizeof ours, "%s.%s.et", prefix, middle);
        snprintf(theirs, sizeof theirs, "%s/data/astra/cases/%s/workload.%s.et", shared, name,
                 middle);
        if (!file_exists(theirs))
            continue;
        ck_assert_msg(same_content(ours, theirs), "%s differs", theirs);
        ++*compared;
    }
}

START_TEST(same_traces_as_the_reference_cases)
{
    const char *shared = bench_shared();
    if (!shared)
        return;
    char path[512];
    snprintf(path, sizeof path, "%s/data/astra/reference.jsonl", shared);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *line = NULL;
    size_t capacity = 0, compared = 0;
    while (getline(&line, &capacity, file) > 0) {
        struct doc doc;
        struct diag diag = DIAG_NONE;
        struct synth_spec spec;
        /* One line holds 2^63, which doc.h's reader does not take; it is no generated case. */
        if (doc_parse(&doc, path, line, strlen(line), DOC_JSON, &diag))
            continue;
        if (read_spec(doc_find(doc.root, "workload"), &spec))
            compare_case(shared, doc_find(doc.root, "case")->text, &spec, &compared);
        doc_release(&doc);
    }
    free(line);
    fclose(file);
    ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* -- census -------------------------------------------------------------------------------- */

START_TEST(census_of_a_set)
{
    struct synth_spec dp = {.kind = SYNTH_DP,
                            .ranks = 4,
                            .layers = 3,
                            .iterations = 2,
                            .forward_ops = 10,
                            .backward_ops = 20,
                            .gradient_bytes = 4096};
    write_set(&dp);
    struct opened set = open_set(&(struct workload_config){.prefix = prefix, .replicate = true}, 4);
    ck_assert_int_eq(set.status, STATUS_OK);
    struct census census;
    census_init(&census);
    census_add_workload(&census, &set.workload);
    ck_assert_uint_eq(census.ranks, 4);
    ck_assert_uint_eq(census.files, 1);
    ck_assert_uint_eq(census.nodes, 4 * 2 * 9); /* 3 layers: forward, backward, all-reduce */
    ck_assert_uint_eq(census.op[OP_COMPUTE][0].count, 4 * 2 * 6);
    ck_assert_uint_eq(census.op[OP_COMPUTE][0].flop_count, 4 * 2 * 3 * (10 + 20));
    ck_assert_uint_eq(census.kind[COLL_ALL_REDUCE].size_bytes, 4 * 2 * 3 * 4096);
    ck_assert_uint_eq(census.group_count, 1);
    ck_assert_str_eq(census.group[0].name, "all ranks");
    /* Pass 1: 2 forward + 3 backward + 3 all-reduce edges; pass 2: 3 + 3 forward. */
    ck_assert_uint_eq(census.data_edges, 4 * (8 + 12));
    ck_assert_uint_eq(census.root_nodes, 4);
    census_release(&census);
    close_set(&set);
}
END_TEST

START_TEST(census_counts_odd_edges)
{
    struct bench bench;
    bench_begin(&bench, "0.0.4");
    const uint64_t data[] = {1, 1, 2, 50}, control[] = {1, 3, 3};
    struct chakra_write_node node = {.id = 1, .type = OP_COMPUTE};
    chakra_writer_node(&bench.writer, &node);
    node = (struct chakra_write_node){.id = 2,
                                      .type = OP_COMPUTE,
                                      .data = data,
                                      .data_count = 4,
                                      .control = control,
                                      .control_count = 3};
    chakra_writer_node(&bench.writer, &node);
    node = (struct chakra_write_node){.id = 3, .type = OP_SEND};
    chakra_writer_node(&bench.writer, &node);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    struct census census;
    census_init(&census);
    census_add(&census, bench.trace, 2);
    ck_assert_uint_eq(census.repeated_edges, 2 * 2); /* 1 as data, 3 as control */
    ck_assert_uint_eq(census.shared_edges, 2);       /* 1 is data and control */
    ck_assert_uint_eq(census.self_edges, 2);
    ck_assert_uint_eq(census.missing_data, 2);
    ck_assert_uint_eq(census.forward_control, 4);
    ck_assert_uint_eq(census.peer_absent, 2);
    ck_assert_uint_eq(census.size_absent, 2);
    census_release(&census);
    bench_end(&bench);
}
END_TEST

/* Every line of the text is at most 100 columns, even with long names. */
START_TEST(census_text_is_narrow)
{
    struct bench bench;
    bench_begin(&bench, "a version text that is much longer than a version");
    struct chakra_write_attr attr[] = {
        {.name = "pg_name",
         .encoding = ENCODE_STRING,
         .text = "a communicator group with a name of some sixty characters or more"},
        {.name = "comm_size", .encoding = ENCODE_INT64, .number = INT64_MAX},
        {.name = "stream", .encoding = ENCODE_INT64, .number = INT32_MIN},
    };
    struct chakra_write_node node = {.id = UINT64_MAX,
                                     .type = OP_COLLECTIVE,
                                     .duration_us = UINT64_MAX / 1000000,
                                     .attr = attr,
                                     .attr_count = LEN(attr)};
    chakra_writer_node(&bench.writer, &node);
    ck_assert_int_eq(bench_load(&bench), STATUS_OK);
    struct census census;
    census_init(&census);
    census_add(&census, bench.trace, 2);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    census_print_text(&census, out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_uint_le(strlen(line), 100);
    free(text);
    census_release(&census);
    bench_end(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("workload");
    TCase *files = tcase_create("files");
    tcase_set_timeout(files, 60);
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, a_file_per_rank);
    tcase_add_test(files, too_few_files);
    tcase_add_test(files, a_gap_in_the_files);
    tcase_add_test(files, too_many_files);
    tcase_add_test(files, no_files_at_all);
    tcase_add_test(files, equal_files_share_a_trace);
    tcase_add_test(files, one_rank_may_name_its_file);
    tcase_add_test(files, damage_names_the_rank);
    tcase_add_test(files, gzip_by_content);
    tcase_add_test(files, a_large_file);
    tcase_add_test(files, unreadable_files_name_the_rank);
    tcase_add_test(files, memory_limit_of_a_set);
    tcase_add_test(files, same_traces_as_the_reference_cases);
    tcase_add_test(files, census_of_a_set);
    tcase_add_test(files, census_counts_odd_edges);
    tcase_add_test(files, census_text_is_narrow);
    suite_add_tcase(suite, files);
    return suite;
}

RUN_SUITE(suite_of())
