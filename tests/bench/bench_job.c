/* The generator: nodes per second of CPU time of the graphs of one training step, made again and
 * again. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/bench.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"

enum { LEAST_S = 1 };

static enum status make_once(const struct job_spec *spec, uint64_t *nodes, struct diag *diag)
{
    struct arena arena;
    struct layer_book book;
    struct job_graph job;
    arena_init(&arena);
    layer_book_make(&book, &spec->model, &spec->plan, &spec->framework, &arena);
    const struct job_input input = {&spec->model, &spec->plan, &spec->framework, &book};
    enum status status = job_graph_make(&job, &input, diag);
    for (uint32_t t = 0; status == STATUS_OK && t < job.workload.trace_count; t++)
        *nodes += job.workload.traces[t]->count;
    if (status == STATUS_OK)
        job_graph_release(&job);
    arena_release(&arena);
    return status;
}

static enum status bench_job(const char *path, uint32_t devices, struct diag *diag)
{
    struct job_spec spec;
    struct notices notices;
    notices_init(&notices);
    job_spec_init(&spec);
    enum status status = job_spec_load(&spec, path, &notices, diag);
    if (status == STATUS_OK)
        status = job_spec_finish(&spec, devices, &notices, diag);
    double begin_s = bench_user_s(), seconds = 0;
    uint64_t nodes = 0, times = 0;
    while (status == STATUS_OK && seconds < LEAST_S) {
        status = make_once(&spec, &nodes, diag);
        seconds = bench_user_s() - begin_s;
        times++;
    }
    if (status == STATUS_OK)
        printf("  generator, %-12s %6" PRIu32 " devices: %7" PRIu64
               " nodes, %.1f million nodes/s\n",
               spec.model.name, devices, nodes / times, (double)nodes / seconds / 1e6);
    job_spec_release(&spec);
    notices_release(&notices);
    return status;
}

int main(void)
{
    struct diag diag = DIAG_NONE;
    enum status status = bench_job("configs/examples/jobs/llama3-70b.yaml", 1024, &diag);
    if (status == STATUS_OK)
        status = bench_job("configs/examples/jobs/llama3-405b.yaml", 16384, &diag);
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    return status_exit_code(status);
}
