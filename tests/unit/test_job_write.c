/* job_write: what is written and read again is the job in memory, node by node and in simulated
 * time. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/made_job.h"
#include "tests/unit/plain_run.h"
#include "tests/unit/temp_file.h"
#include "workloads/generate/job_write.h"
#include "workloads/trace_check.h"
#include "workloads/workload_set.h"

static char folder[TEMP_PATH], prefix[TEMP_PATH + 16];

static void make(const char *model, uint32_t devices, const char *plan)
{
    make_job(model, devices, plan);
    temp_folder(folder);
    snprintf(prefix, sizeof prefix, "%s/job", folder);
}

static void release(void)
{
    release_job();
    temp_folder_remove(folder);
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
    uint64_t expected = plain_run_ps(&job.workload, &job.groups);
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
        ck_assert_uint_eq(plain_run_ps(&read, &groups), expected);
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
