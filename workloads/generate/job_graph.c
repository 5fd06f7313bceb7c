#include "workloads/generate/job_graph.h"

#include <stdlib.h>

#include "base/memory.h"
#include "workloads/generate/job_groups.h"
#include "workloads/generate/job_stage.h"
#include "workloads/generate/pipeline.h"

enum status job_graph_make(struct job_graph *job, const struct job_input *input, struct diag *diag)
{
    *job = (struct job_graph){0};
    group_file_init(&job->groups);
    struct pipeline_spec spec = pipeline_spec_of(input->plan);
    struct job_layout layout;
    enum status status = pipeline_check(&spec, diag);
    if (!status)
        status = job_layout_init(&layout, input->plan, diag);
    if (status)
        return status;
    struct workload *workload = &job->workload;
    *workload = (struct workload){.rank_count = layout.ranks, .trace_count = spec.stages};
    workload->trace_of_rank = calloc(layout.ranks, sizeof *workload->trace_of_rank);
    workload->traces = calloc(spec.stages, sizeof *workload->traces);
    need_memory(workload->trace_of_rank && workload->traces);
    uint32_t kinds = 0;
    for (uint32_t s = 0; s < spec.stages; s++)
        workload->traces[s] = stage_write(input, &layout, s, &kinds);
    for (uint32_t r = 0; r < layout.ranks; r++)
        workload->trace_of_rank[r] = job_layout_stage(&layout, r);
    job_groups_make(&job->groups, &layout, kinds);
    return STATUS_OK;
}

void job_graph_release(struct job_graph *job)
{
    for (uint32_t t = 0; t < job->workload.trace_count; t++)
        job->workload.traces[t]->destroy(job->workload.traces[t]);
    free(job->workload.traces);
    free(job->workload.trace_of_rank);
    group_file_release(&job->groups);
    *job = (struct job_graph){0};
}
