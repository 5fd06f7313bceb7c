#include "tests/unit/unit.h"

#include <string.h>

#include "base/doc.h"
#include "base/file.h"
#include "report/report.h"
#include "report/spread.h"

/*
 * A run made by hand: 4 ranks on Ring 2 x Switch 2. Ranks 0-2 are one class, rank 3 another.
 * UPDATE_GOLDEN=1 rewrites tests/golden/report/ instead of comparing.
 */
static struct run_result result;
static struct config config;
static struct report_context context;
static uint32_t classes[4];
static struct rank_result ranks[4];
static struct trace trace;
static struct trace *traces[1] = {&trace};
static uint32_t trace_of_rank[4];
static struct workload workload = {4, trace_of_rank, traces, 1};
static struct collective_row collective;
static struct group_row groups[2];
static struct dimension_row dimensions[2];
static struct provenance provenance[2];
static struct config_input inputs[] = {{"system", "S/sys.json", 0x63e01536b7b8de0b},
                                       {"custom", "S/two_steps.0.et", 0x42}};

static void make_ranks(void)
{
    for (int c = 0; c < 2; c++) {
        struct rank_result *rank = &ranks[c];
        rank->finish_ps = 43000000;
        rank->compute_ps = 20000000;
        rank->exposed_ps[COLL_ALL_REDUCE] = c == 0 ? 22000000 : 23000000;
        rank->waiting_ps = c == 0 ? 1000000 : 0;
        rank->overlapped_ps[COLL_ALL_REDUCE] = 5000000;
        rank->compute_sum_ps = 20000000;
        rank->nodes[OP_COMPUTE] = 2;
        rank->nodes[OP_COLLECTIVE] = 1;
        rank->finished = true;
    }
    classes[3] = 1;
}

static void make_config(void)
{
    config.network = (struct network_config){
        .backend = NET_CONGESTION_AWARE,
        .dim_count = 2,
        .npu_count = 4,
        .dim = {{NET_RING, 2, 53.6870912, 500}, {NET_SWITCH, 2, 26.8435456, 1250.5}}};
    config.system.policy = POLICY_LIFO;
    config.system.dataset_splits = 4;
    config.system.active_chunks_per_dim = 1;
    config.system.endpoint_delay_ns = 10;
    config.system.algorithm[SLOT_ALL_REDUCE] = (struct algorithm_list){
        .count = 2, .choice = {{ALG_RING, 0, false}, {ALG_DIRECT, 4, true}}};
    config.workload.prefix = "W/all_reduce";
    config.input = inputs;
    config.input_count = 2;
    provenance[0] = (struct provenance){"network.dim[0].bandwidth", "53.687 B/ns", "net.yml:3"};
    provenance[1] = (struct provenance){"run.fold", "on", "default"};
    config.provenance = provenance;
    config.provenance_count = 2;
}

static void make_tables(void)
{
    collective = (struct collective_row){.kind = COLL_ALL_REDUCE,
                                         .group_size = 4,
                                         .algorithm = "ring,direct",
                                         .count = 2,
                                         .bytes = 2097152,
                                         .time_ps = 44000000,
                                         .least_ps = 21000000,
                                         .most_ps = 23000000,
                                         .skew_ps = 2000000,
                                         .algorithm_Bps = 47.6e9,
                                         .bus_Bps = 71.5e9};
    groups[0] = (struct group_row){"world", 4, 1, 1, 1048576, 22000000};
    groups[1] = (struct group_row){"a \"quoted\" name\n", 2, 1, 1, 1048576, 22000000};
    dimensions[0] = (struct dimension_row){0, "Ring", 2, 96, 8388608, 156250};
    dimensions[1] = (struct dimension_row){1, "Switch", 2, 48, 4194304, 156250};
}

static void make(void)
{
    result_init(&result);
    memset(&config, 0, sizeof config);
    make_ranks();
    make_config();
    make_tables();
    trace = (struct trace){.path = "W/all_reduce.0.et",
                           .format = "chakra-et 0.0.4",
                           .content_hash = 0x0123456789abcdef};
    result.rank_count = result.finished_count = 4;
    result.class_count = 2;
    result.class_of_rank = classes;
    result.class_result = ranks;
    result.fold_note = "ranks 0-2 run the same trace";
    result.end_ps = 43000000;
    result.collective = &collective;
    result.collective_count = 1;
    result.group = groups;
    result.group_count = 2;
    result.dimension = dimensions;
    result.dimension_count = 2;
    result.node_total = result.node_done = 12;
    result.messages = 144;
    result.bytes_sent = result.bytes_delivered = 12582912;
    result.events = 777;
    notices_add(&result.notices, NOTICE_IGNORED, "unknown key", 3, "sys.json: \"peak-prf\"");
    context = (struct report_context){.version = "0.0.test", .workload = &workload};
}

static void make_stuck(void)
{
    static const char *lines[] = {
        "rank 3 waits in all-reduce #2 of group \"world\" (node 17) for ranks 0, 1, 2, which have "
        "no further collective of that group to run",
        "ranks 0-2 are finished"};
    make();
    result.status = STATUS_STUCK;
    result.finished_count = 3;
    result.node_done = 11;
    result.bytes_delivered = 12582900;
    result.wait_for = lines;
    result.wait_for_count = 2;
    ranks[1].finished = false;
    ranks[1].nodes[OP_COLLECTIVE] = 0;
}

/* The same ranks, each simulated by itself. */
static void unfold(void)
{
    ranks[3] = ranks[1];
    ranks[2] = ranks[1] = ranks[0];
    for (uint32_t r = 0; r < 4; r++)
        classes[r] = r;
    result.class_count = 4;
    result.fold_note = "--no-fold";
    result.events = 3108;
    config.fold = !config.fold;
    provenance[1].value = "off";
    provenance[1].source = "command line";
}

static void drop(void)
{
    result_release(&result);
}

static char *report(const char *format)
{
    char *text = NULL;
    size_t length = 0;
    struct diag diag = DIAG_NONE;
    const struct report_ops *ops = report_find(format);
    ck_assert_ptr_nonnull(ops);
    FILE *out = open_memstream(&text, &length);
    ck_assert_int_eq(ops->write(&result, &config, &context, out, &diag), STATUS_OK);
    fclose(out);
    return text;
}

static void compare(const char *format, const char *name)
{
    char path[128];
    char *text = report(format);
    snprintf(path, sizeof path, "tests/golden/report/%s.expected", name);
    if (getenv("UPDATE_GOLDEN") != NULL) {
        FILE *out = fopen(path, "w");
        ck_assert_ptr_nonnull(out);
        fputs(text, out);
        fclose(out);
    }
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_msg(file.length == strlen(text) && memcmp(file.bytes, text, file.length) == 0,
                  "%s differs; got:\n%s", path, text);
    file_release(&file);
    free(text);
}

static const char *const formats[] = {"text", "json", "csv", "astra"};

START_TEST(finished_run_prints_as_expected)
{
    compare(formats[_i], formats[_i]);
}
END_TEST

START_TEST(stuck_run_prints_how_far_it_got)
{
    char name[32];
    drop();
    make_stuck();
    snprintf(name, sizeof name, "stuck_%s", formats[_i]);
    compare(formats[_i], name);
}
END_TEST

/* Rule 3 of report.h: folded and unfolded differ in one line at most. */
START_TEST(folding_shows_in_one_line)
{
    char *folded = report(formats[_i]);
    unfold();
    char *whole = report(formats[_i]);
    int differing = 0;
    char *save_a, *save_b;
    char *a = strtok_r(folded, "\n", &save_a), *b = strtok_r(whole, "\n", &save_b);
    while (a != NULL && b != NULL) {
        differing += strcmp(a, b) != 0;
        a = strtok_r(NULL, "\n", &save_a);
        b = strtok_r(NULL, "\n", &save_b);
    }
    ck_assert_ptr_null(a);
    ck_assert_ptr_null(b);
    ck_assert_int_eq(differing, strcmp(formats[_i], "astra") == 0 ? 0 : 1);
    free(folded);
    free(whole);
}
END_TEST

/* The JSON is read back by the reader of the program, with the figures of the result. */
START_TEST(json_reads_back)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    char *text = report("json");
    ck_assert_int_eq(doc_parse(&doc, "report", text, strlen(text), DOC_JSON, &diag), STATUS_OK);
    const struct doc_node *ranks_node = doc_find(doc.root, "ranks");
    ck_assert_uint_eq(doc_find(doc.root, "end_ps")->magnitude, result.end_ps);
    ck_assert_uint_eq(ranks_node->count, 4);
    ck_assert_uint_eq(doc_find(&ranks_node->child[3], "exposed_all_reduce_ps")->magnitude,
                      23000000);
    ck_assert_str_eq(doc_find(&doc_find(doc.root, "groups")->child[1], "name")->text,
                     groups[1].name);
    doc_release(&doc);
    free(text);
}
END_TEST

START_TEST(text_fits_the_page)
{
    char *text = report("text");
    char *save;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ck_assert_msg(strlen(line) <= 100, "%zu columns: %s", strlen(line), line);
    free(text);
}
END_TEST

/* Above 16 ranks the table of ranks is shown only on request. */
START_TEST(many_ranks_need_full)
{
    static uint32_t many[17];
    result.class_of_rank = many;
    result.rank_count = result.finished_count = 17;
    char *brief = report("text");
    context.full = true;
    char *full = report("text");
    ck_assert_ptr_null(strstr(brief, "\nranks\n"));
    ck_assert_ptr_nonnull(strstr(full, "\nranks\n"));
    free(brief);
    free(full);
}
END_TEST

START_TEST(host_figures_only_on_request)
{
    result.host = (struct host_figures){1.5, 1.25, 4096000};
    char *quiet = report("text");
    context.with_host = true;
    char *loud = report("text");
    char *json = report("json");
    ck_assert_ptr_null(strstr(quiet, "1.250 s"));
    ck_assert_ptr_nonnull(strstr(loud, "1.500 s wall, 1.250 s user"));
    ck_assert_ptr_nonnull(strstr(json, "\"peak_rss_bytes\": 4096000"));
    free(quiet);
    free(loud);
    free(json);
}
END_TEST

/* ASTRA-sim subtracts in uint64: 43000 - 50000 wraps. */
START_TEST(astra_exposed_wraps_below_zero)
{
    ranks[0].compute_sum_ps = 50000000;
    char *text = report("astra");
    ck_assert_ptr_nonnull(strstr(text, "sys[0] finished, 43000 cycles, exposed communication "
                                       "18446744073709544616 cycles.\n"));
    free(text);
}
END_TEST

START_TEST(spread_counts_every_rank)
{
    const struct time_category *waiting = NULL;
    for (uint32_t i = 0; i < time_category_count; i++) {
        if (strcmp(time_categories[i].key, "waiting") == 0)
            waiting = &time_categories[i];
    }
    struct spread spread = spread_of(&result, waiting);
    ck_assert_uint_eq(spread.least, 0);
    ck_assert_uint_eq(spread.mean, 750000); /* (1 + 1 + 1 + 0) us / 4 */
    ck_assert_uint_eq(spread.most, 1000000);
    ck_assert_uint_eq(spread.most_rank, 0);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
    struct diag diag = DIAG_NONE;
    FILE *out = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(report_formats[_i]->write(&result, &config, &context, out, &diag), STATUS_IO);
    fclose(out);
}
END_TEST

START_TEST(unknown_format_is_not_found)
{
    ck_assert_ptr_null(report_find("html"));
    ck_assert_str_eq(report_formats[0]->name, "text");
}
END_TEST

static Suite *report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *golden = tcase_create("formats");
    tcase_add_checked_fixture(golden, make, drop);
    tcase_add_loop_test(golden, finished_run_prints_as_expected, 0, 4);
    tcase_add_loop_test(golden, stuck_run_prints_how_far_it_got, 0, 4);
    tcase_add_loop_test(golden, folding_shows_in_one_line, 0, 4);
    tcase_add_loop_test(golden, a_full_disk_is_an_error, 0, 4);
    tcase_add_test(golden, json_reads_back);
    tcase_add_test(golden, text_fits_the_page);
    tcase_add_test(golden, many_ranks_need_full);
    tcase_add_test(golden, host_figures_only_on_request);
    tcase_add_test(golden, astra_exposed_wraps_below_zero);
    tcase_add_test(golden, spread_counts_every_rank);
    tcase_add_test(golden, unknown_format_is_not_found);
    suite_add_tcase(suite, golden);
    return suite;
}

RUN_SUITE(report_suite())
