#include "workloads/generate/job_graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/generate/job_groups.h"
#include "workloads/generate/job_stage.h"
#include "workloads/generate/pipeline.h"

enum { NODE_BYTES = 160, MOST_CHUNKS = 4096 };

static uint64_t items_of(const struct layer_piece *piece)
{
    return (uint64_t)piece->forward.count + piece->backward.count;
}

/* Traces are in memory whole: about a node for each item of each layer and micro-batch. */
static enum status check_size(const struct job_input *input, struct diag *diag)
{
    uint64_t items =
        items_of(&input->book->piece[PIECE_EMBEDDING]) + items_of(&input->book->piece[PIECE_HEAD]);
    for (uint32_t i = 0; i < input->model->layers; i++)
        items += items_of(&input->book->piece[layer_kind(input->model, i)]);
    uint64_t most = memory_limit() / 2 / NODE_BYTES / (items + 1);
    uint64_t micro_batches = input->plan->micro_batches;
    if (micro_batches <= most && micro_batches <= UINT32_MAX / MOST_CHUNKS)
        return STATUS_OK;
    diag_fail(diag, STATUS_NO_MEMORY,
              "the graph of %" PRIu64 " micro-batches, each of %" PRIu64
              " ops, does not fit in the memory here",
              micro_batches, items);
    diag_field(diag, "plan.global-batch");
    diag_hint(diag, "a smaller batch, larger micro-batches or more data parallelism");
    return STATUS_NO_MEMORY;
}

enum status job_graph_make(struct job_graph *job, const struct job_input *input, struct diag *diag)
{
    *job = (struct job_graph){0};
    group_file_init(&job->groups);
    struct pipeline_spec spec = pipeline_spec_of(input->plan);
    struct job_layout layout;
    enum status status = check_size(input, diag);
    if (!status)
        status = pipeline_check(&spec, diag);
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
