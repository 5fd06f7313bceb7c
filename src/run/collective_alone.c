#include "run/collective_parts.h"

enum { WORK_PER_NPU = 16 };

const struct trace_node *profiling_node(const struct profiling *profiling, uint32_t member)
{
    const struct timeline *timeline = profiling->run->also->timeline;
    uint32_t op = profiling->op[member], seat = profiling->seat[member];
    return &timeline->workload->traces[timeline_trace(timeline, seat)]
                ->node[op - timeline->first[seat]];
}

/* Every rank of the members' traces has the node of its trace; those of member `late` wait. */
static void make_workload(struct profiling *profiling, int late, time_ps delay)
{
    const struct timeline *timeline = profiling->run->also->timeline;
    const struct workload *original = profiling->run->workload;
    const struct run_result *result = profiling->run->result;
    struct workload *workload = &profiling->workload;
    uint32_t traces = original->trace_count;
    lone_trace_make(&profiling->idle, original->traces[0], NULL, 0);
    for (uint32_t t = 0; t < traces; t++)
        workload->traces[t] = &profiling->idle.trace;
    for (uint32_t m = 0; m < profiling->count; m++) {
        uint32_t t = timeline_trace(timeline, profiling->seat[m]);
        lone_trace_make(&profiling->plain[t], original->traces[t], profiling_node(profiling, m), 0);
        workload->traces[t] = &profiling->plain[t].trace;
    }
    workload->trace_count = traces + (late != NO_SEAT);
    workload->rank_count = original->rank_count;
    uint32_t late_seat = late == NO_SEAT ? UINT32_MAX : profiling->seat[late];
    if (late != NO_SEAT) {
        uint32_t t = timeline_trace(timeline, late_seat);
        lone_trace_make(profiling->late, original->traces[t],
                        profiling_node(profiling, (uint32_t)late), delay / PS_PER_NS);
        workload->traces[traces] = &profiling->late->trace;
    }
    for (uint32_t r = 0; r < original->rank_count; r++)
        workload->trace_of_rank[r] =
            result->class_of_rank[r] == late_seat ? traces : original->trace_of_rank[r];
}

bool profiling_run(struct profiling *profiling, int late, time_ps delay)
{
    const struct explained *run = profiling->run;
    struct run_result result;
    struct diag diag = DIAG_NONE;
    result_init(&result);
    make_workload(profiling, late, delay);
    enum status status = simulate(&profiling->config, &profiling->workload, run->groups,
                                  run->also->watch, &result, &diag);
    if (status == STATUS_INTERRUPTED)
        profiling->status = status;
    profiling->work += result.events + (uint64_t)run->config->network.npu_count * WORK_PER_NPU;
    for (uint32_t m = 0; m < profiling->count && status == STATUS_OK; m++) {
        uint32_t rank = run->also->timeline->rank_of_seat[profiling->seat[m]];
        profiling->end_ps[m] = result_rank(&result, rank)->finish_ps;
    }
    result_release(&result);
    return status == STATUS_OK;
}
