/* job_write: what is written and read again is the job in memory, node by node and in simulated
 * time. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/simulate.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"
#include "workloads/generate/job_write.h"
#include "workloads/trace_check.h"
#include "workloads/workload_set.h"

static struct job_spec spec;
static struct layer_book book;
static struct job_graph job;
static struct notices notices;
static struct diag diag;
static char folder[TEMP_PATH], prefix[TEMP_PATH + 16];

static void make(const char *model, uint32_t devices, const char *plan)
{
    diag = DIAG_NONE;
    notices_init(&notices);
    job_spec_init(&spec);
    enum status status = job_spec_load(&spec, model, &notices, &diag);
    if (!status)
        status = job_spec_override(&spec, plan, &diag);
    if (!status)
        status = job_spec_finish(&spec, devices, &notices, &diag);
    ck_assert_msg(!status, "%s: %s", plan, diag.message);
    layer_book_make(&book, &spec.model, &spec.plan, &spec.framework, &spec.arena);
    const struct job_input input = {&spec.model, &spec.plan, &spec.framework, &book};
    ck_assert_msg(!job_graph_make(&job, &input, &diag), "%s: %s", plan, diag.message);
    temp_folder(folder);
    snprintf(prefix, sizeof prefix, "%s/job", folder);
}

static void release(void)
{
    job_graph_release(&job);
    job_spec_release(&spec);
    notices_release(&notices);
    temp_folder_remove(folder);
}

static uint64_t run(const struct workload *workload, const struct group_file *groups)
{
    struct config config;
    struct run_result result;
    config_init(&config);
    result_init(&result);
    config.fold = false;
    config.network.npu_count = workload->rank_count;
    config.network.dim_count = 1;
    config.network.dim[0] = (struct net_dim){.block = NET_SWITCH,
                                             .npus = workload->rank_count,
                                             .bandwidth_B_per_ns = 50,
                                             .latency_ns = 500};
    config.system.dataset_splits = 1;
    config.system.compute = COMPUTE_ROOFLINE;
    config.system.peak_flop_per_s = 5e14;
    config.system.local_memory_Bps = 2e12;
    config.system.host_slots = config.system.compute_slots = config.system.comm_slots = 1;
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        config.system.algorithm[s].count = 1;
        config.system.algorithm[s].choice[0] = (struct algorithm_choice){.id = ALG_RING};
    }
    enum status status = simulate(&config, workload, groups, NULL, &result, &diag);
    ck_assert_msg(!status, "%s %s", diag.message, diag.hint);
    uint64_t end_ps = result.end_ps;
    result_release(&result);
    config_release(&config);
    return end_ps;
}

static const struct {
    const char *model, *plan;
    uint32_t devices, own_files; /* of the form for ranks */
} jobs[] = {
    {"llama3-8b", "seq=1024,global-batch=8,zero=1", 8, 1}, /* data parallel: all ranks alike */
    {"llama3-8b", "tp=2,seq=1024,global-batch=8", 8, 8},   /* 4 tp groups x 2 dp groups */
    {"llama3-8b", "tp=2,pp=2,seq=1024,global-batch=8,sequence-parallel=true", 8, 8},
    {"llama3-8b", "cp=2,zero=3,shard-group=2,seq=1024,global-batch=8", 8, 8},
    {"llama3-8b", "pp=4,interleave=2,schedule=interleaved,seq=1024,global-batch=8", 8, 8},
    {"mixtral-8x7b", "ep=4,seq=1024,global-batch=4", 4,
     1}, /* 2 experts of a rank: 2 kernels a product */
};

START_TEST(files_are_the_job_in_memory)
{
    make(jobs[_i].model, jobs[_i].devices, jobs[_i].plan);
    uint64_t expected = run(&job.workload, &job.groups);
    for (enum job_form form = JOB_FORM_RANKS; form <= JOB_FORM_SHARED; form++) {
        struct job_files files;
        char path[TEMP_PATH + 64];
        ck_assert_msg(!job_write(&job.workload, &job.groups, prefix, form, &files, &diag), "%s",
                      diag.message);
        ck_assert_uint_eq(files.written,
                          form == JOB_FORM_SHARED ? spec.plan.pp : jobs[_i].own_files);
        ck_assert_uint_eq(files.written + files.shared, jobs[_i].devices);
        struct workload read;
        struct group_file groups;
        const struct workload_config config = {.prefix = prefix};
        ck_assert_msg(!workload_open(&read, &config, jobs[_i].devices, NULL, &notices, &diag), "%s",
                      diag.message);
        ck_assert_uint_eq(read.trace_count, files.written);
        snprintf(path, sizeof path, "%s.groups.json", prefix);
        group_file_init(&groups);
        ck_assert_msg(!group_file_load(&groups, path, &diag), "%s", diag.message);
        ck_assert_uint_eq(run(&read, &groups), expected);
        for (uint32_t t = 0; t < read.trace_count && form == JOB_FORM_SHARED; t++) {
            const char *differs = trace_difference(read.traces[t], job.workload.traces[t]);
            ck_assert_msg(!differs, "trace %u: %s", t, differs ? differs : "");
        }
        group_file_release(&groups);
        workload_release(&read);
    }
    ck_assert_uint_eq(notices.count, 0); /* nothing in the files is odd */
    release();
}
END_TEST

/* Ranks whose files are equal are one file. */
START_TEST(equal_files_are_links)
{
    make("llama3-8b", 4, "seq=1024,global-batch=4");
    ck_assert_int_eq(job_write(&job.workload, &job.groups, prefix, JOB_FORM_RANKS, NULL, &diag), 0);
    ck_assert_int_eq(job_write(&job.workload, &job.groups, prefix, JOB_FORM_RANKS, NULL, &diag), 0);
    char path[TEMP_PATH + 64];
    struct stat first, last;
    snprintf(path, sizeof path, "%s.0.et", prefix);
    ck_assert_int_eq(stat(path, &first), 0);
    snprintf(path, sizeof path, "%s.3.et", prefix);
    ck_assert_int_eq(stat(path, &last), 0);
    ck_assert_uint_eq(first.st_ino, last.st_ino);
    ck_assert_uint_eq(first.st_nlink, 4);
    release();
}
END_TEST

START_TEST(what_cannot_be_written_is_said)
{
    make("llama3-8b", 4, "seq=1024,global-batch=4");
    ck_assert_int_eq(
        job_write(&job.workload, &job.groups, "/no/folder/job", JOB_FORM_RANKS, NULL, &diag),
        STATUS_IO);
    ck_assert_msg(strstr(diag.file, "/no/folder/job") || strstr(diag.message, "/no/folder/job"),
                  "%s", diag.message);
    release();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("job_write");
    TCase *cases = tcase_create("job_write");
    tcase_add_loop_test(cases, files_are_the_job_in_memory, 0, (int)(sizeof jobs / sizeof *jobs));
    tcase_add_test(cases, equal_files_are_links);
    tcase_add_test(cases, what_cannot_be_written_is_said);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
