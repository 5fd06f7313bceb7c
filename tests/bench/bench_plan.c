/*
 * bench_plan - the first pass of `orrery plan`: plans per second of CPU time, checked, fitted into
 * memory and estimated. The line of issue 4: at least 100,000 a second on one core.
 */
#include <inttypes.h>
#include <stdio.h>

#include "estimate/search.h"
#include "tests/bench/bench.h"

enum { LEAST_S = 1 }; /* of searches, one after the other, each with caches of its own */

struct job {
    const char *model;
    uint32_t ranks;
    uint64_t seq, global_batch;
};

static enum status bench_job(const struct job *job, struct tuner *tuner, struct diag *diag)
{
    struct arena arena;
    struct notices notices;
    struct model_spec model;
    struct device device;
    struct framework framework;
    struct estimate_setting setting = {.model = &model, .device = &device, .framework = &framework};
    arena_init(&arena);
    notices_init(&notices);
    enum status status = model_spec_load(&model, job->model, &arena, &notices, diag);
    if (status == STATUS_OK)
        status = device_load(&device, "h100-sxm", &arena, &notices, diag);
    if (status == STATUS_OK)
        status = framework_load(&framework, "megatron-core", &arena, &notices, diag);
    if (status == STATUS_OK)
        status = tuner_find_system(tuner, "h100-dgx", &setting.system, diag);
    if (status == STATUS_OK) {
        struct search_request request = {
            .setting = &setting, .ranks = job->ranks, .domain = 8, .most = 10};
        struct search_result result;
        train_plan_defaults(&request.base);
        framework_plan(&framework, &request.base);
        request.base.seq = job->seq;
        request.base.global_batch = job->global_batch;
        double begin = bench_user_s(), seconds = 0;
        uint64_t plans = 0;
        while (seconds < LEAST_S) {
            search_run(&request, &result, &arena);
            plans += result.valid;
            seconds = bench_user_s() - begin;
        }
        printf("%-14s %6" PRIu32 " devices %6" PRIu64 " plans, %5" PRIu64 " fit: %.0f plans/s\n",
               job->model, job->ranks, result.valid, result.fitting, (double)plans / seconds);
    }
    notices_release(&notices);
    arena_release(&arena);
    return status;
}

int main(void)
{
    static const struct job jobs[] = {{"llama3-8b", 64, 8192, 512},
                                      {"llama3-70b", 1024, 8192, 1024},
                                      {"llama3-405b", 16384, 8192, 4096},
                                      {"gpt3-175b", 4096, 2048, 6144}};
    struct diag diag = DIAG_NONE;
    struct tuner *tuner;
    enum status status = tuner_create(&tuner, NULL, &diag);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && status == STATUS_OK; i++)
        status = bench_job(&jobs[i], tuner, &diag);
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    tuner_destroy(tuner);
    return status_exit_code(status);
}
