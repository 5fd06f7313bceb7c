#include "net/traffic/traffic.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "net/topology/fabric.h"

#define MOST_FLOWS ((size_t)1 << 31)
#define MOST_DEPS  ((size_t)UINT32_MAX - 1)

void traffic_init(struct traffic *traffic)
{
    need_memory(grow_init(&traffic->flows, sizeof(struct traffic_flow), MOST_FLOWS));
    need_memory(grow_init(&traffic->deps, sizeof(uint32_t), MOST_DEPS));
}

void traffic_release(struct traffic *traffic)
{
    grow_release(&traffic->flows);
    grow_release(&traffic->deps);
}

uint32_t traffic_add(struct traffic *traffic, uint32_t src, uint32_t dst, uint64_t bytes)
{
    uint32_t index = (uint32_t)grow_push(&traffic->flows, 1);
    *traffic_flow(traffic, index) =
        (struct traffic_flow){.id = (uint64_t)index + 1,
                              .bytes = bytes,
                              .src = src,
                              .dst = dst,
                              .first_dep = (uint32_t)traffic->deps.count};
    return index;
}

void traffic_depend(struct traffic *traffic, uint32_t index)
{
    *traffic_dep(traffic, (uint32_t)grow_push(&traffic->deps, 1)) = index;
    traffic_flow(traffic, traffic_count(traffic) - 1)->dep_count++;
}

/* Who waits for whom: the flows that depend on flow i are child[first[i]] .. child[first[i +
 * 1]]. */
struct children {
    uint32_t *first, *child;
};

static void children_make(struct children *children, const struct traffic *traffic)
{
    uint32_t count = traffic_count(traffic);
    children->first = calloc((size_t)count + 2, sizeof *children->first);
    children->child = calloc(traffic->deps.count + 1, sizeof *children->child);
    need_memory(children->first != NULL && children->child != NULL);
    for (uint32_t d = 0; d < traffic->deps.count; d++)
        children->first[*traffic_dep(traffic, d) + 2]++;
    for (uint32_t i = 0; i < count; i++)
        children->first[i + 2] += children->first[i + 1];
    for (uint32_t i = 0; i < count; i++) {
        const struct traffic_flow *flow = traffic_flow(traffic, i);
        for (uint32_t d = 0; d < flow->dep_count; d++) {
            uint32_t parent = *traffic_dep(traffic, flow->first_dep + d);
            children->child[children->first[parent + 1]++] = i;
        }
    }
}

static void children_release(struct children *children)
{
    free(children->first);
    free(children->child);
}

/* -- checks ------------------------------------------------------------------------------------ */

static enum status check_flow(const struct traffic_flow *flow, uint32_t npu_count,
                              struct diag *diag)
{
    uint32_t worst = flow->src > flow->dst ? flow->src : flow->dst;
    if (worst >= npu_count) {
        diag_fail(diag, STATUS_BAD_INPUT,
                  "flow %" PRIu64 " goes from %" PRIu32 " to %" PRIu32
                  ", the network has NPUs 0 to %" PRIu32,
                  flow->id, flow->src, flow->dst, npu_count - 1);
        diag_hint(diag, "choose a larger --topo, or number ranks from 0");
        return diag->status;
    }
    if (flow->src == flow->dst) {
        diag_fail(diag, STATUS_BAD_INPUT,
                  "flow %" PRIu64 " goes from %" PRIu32 " to itself, which needs no network",
                  flow->id, flow->src);
        diag_hint(diag, "take it out of the list");
    }
    return diag->status;
}

static void name_circle(const struct traffic *traffic, const uint32_t *waiting, struct diag *diag)
{
    uint32_t at = 0;
    while (!waiting[at])
        at++;
    /* Any flow that still waits has a parent that does: walking upwards ends in the circle. */
    for (uint32_t step = 0; step < traffic_count(traffic); step++) {
        const struct traffic_flow *flow = traffic_flow(traffic, at);
        uint32_t d = 0;
        while (!waiting[*traffic_dep(traffic, flow->first_dep + d)])
            d++;
        at = *traffic_dep(traffic, flow->first_dep + d);
    }
    diag_fail(diag, STATUS_BAD_INPUT, "flow %" PRIu64 " depends on itself, by way of others",
              traffic_flow(traffic, at)->id);
    diag_hint(diag, "dependencies must not form a circle");
}

static enum status check_circles(const struct traffic *traffic, struct diag *diag)
{
    uint32_t count = traffic_count(traffic), done = 0, ready_count = 0;
    struct children children;
    uint32_t *waiting = malloc(((size_t)count + 1) * sizeof *waiting);
    uint32_t *ready = malloc(((size_t)count + 1) * sizeof *ready);
    need_memory(waiting != NULL && ready != NULL);
    children_make(&children, traffic);
    for (uint32_t i = 0; i < count; i++) {
        waiting[i] = traffic_flow(traffic, i)->dep_count;
        if (waiting[i] == 0)
            ready[ready_count++] = i;
    }
    while (done < ready_count) {
        uint32_t i = ready[done++];
        for (uint32_t c = children.first[i]; c < children.first[i + 1]; c++) {
            if (--waiting[children.child[c]] == 0)
                ready[ready_count++] = children.child[c];
        }
    }
    if (done < count)
        name_circle(traffic, waiting, diag);
    children_release(&children);
    free(waiting);
    free(ready);
    return diag->status;
}

enum status traffic_check(const struct traffic *traffic, uint32_t npu_count, struct diag *diag)
{
    for (uint32_t i = 0; i < traffic_count(traffic); i++) {
        if (check_flow(traffic_flow(traffic, i), npu_count, diag) != STATUS_OK)
            return diag->status;
    }
    return traffic->deps.count > 0 ? check_circles(traffic, diag) : STATUS_OK;
}

/* -- the run ----------------------------------------------------------------------------------- */

enum { KIND_START = 1, KIND_ARRIVED = 2 };
enum { SLICE = 1 << 16 };

struct run {
    const struct traffic *traffic;
    struct traffic_result *result;
    struct engine engine;
    const struct network_ops *ops;
    void *net;
    struct children children;
    uint32_t *waiting; /* dependencies that have not arrived */
    uint32_t left;     /* flows that have not arrived */
};

static void start(struct run *run, uint32_t index)
{
    const struct traffic_flow *flow = traffic_flow(run->traffic, index);
    if (run->engine.now < flow->start_ps) {
        engine_push(&run->engine, flow->start_ps, engine_payload(KIND_START, index));
        return;
    }
    run->result->sent_ps[index] = run->engine.now;
    run->ops->send(run->net, flow->src, flow->dst, flow->bytes,
                   engine_payload(KIND_ARRIVED, index));
}

static void on_start(void *context, uint64_t payload)
{
    start(context, (uint32_t)(payload & ENGINE_DATA_MASK));
}

static void on_arrived(void *context, uint64_t payload)
{
    struct run *run = context;
    uint32_t index = (uint32_t)(payload & ENGINE_DATA_MASK);
    run->result->arrived_ps[index] = run->engine.now;
    run->left--;
    if (!run->waiting)
        return;
    for (uint32_t c = run->children.first[index]; c < run->children.first[index + 1]; c++) {
        uint32_t child = run->children.child[c];
        if (--run->waiting[child] == 0)
            start(run, child);
    }
}

static void run_init(struct run *run)
{
    uint32_t count = traffic_count(run->traffic);
    run->left = count;
    run->result->sent_ps = calloc((size_t)count + 1, sizeof *run->result->sent_ps);
    run->result->arrived_ps = calloc((size_t)count + 1, sizeof *run->result->arrived_ps);
    need_memory(run->result->sent_ps != NULL && run->result->arrived_ps != NULL);
    if (run->traffic->deps.count > 0) {
        run->waiting = malloc(count * sizeof *run->waiting);
        need_memory(run->waiting != NULL);
        children_make(&run->children, run->traffic);
    }
    engine_on(&run->engine, KIND_START, on_start, run);
    engine_on(&run->engine, KIND_ARRIVED, on_arrived, run);
}

static void start_all(struct run *run)
{
    for (uint32_t i = 0; i < traffic_count(run->traffic); i++) {
        const struct traffic_flow *flow = traffic_flow(run->traffic, i);
        run->result->bytes += (double)flow->bytes;
        if (run->waiting)
            run->waiting[i] = flow->dep_count;
        if (flow->dep_count == 0)
            start(run, i);
    }
}

static enum status run_to_end(struct run *run, const struct traffic_watch *watch, struct diag *diag)
{
    enum engine_end end;
    while ((end = engine_run(&run->engine, SLICE, TIME_NEVER)) == ENGINE_SLICE) {
        if (watch && !watch->watch(watch->context, run->engine.now, run->engine.processed))
            return diag_fail(diag, STATUS_INTERRUPTED, "stopped by a signal");
    }
    if (run->engine.is_past_end)
        return diag_fail(diag, STATUS_LIMIT,
                         "a flow ends after the end of simulated time, 2^64 ps");
    promise(end == ENGINE_DRY && run->left == 0);
    return STATUS_OK;
}

static void read_links(struct run *run, const struct network_config *config)
{
    struct traffic_result *result = run->result;
    if (!run->ops->links || !config->fabric)
        return;
    result->link_count = config->fabric->link_count;
    result->link = calloc((size_t)result->link_count + 1, sizeof *result->link);
    need_memory(result->link != NULL);
    run->ops->links(run->net, result->link);
}

enum status traffic_run(const struct traffic *traffic, const struct traffic_net *net,
                        const struct traffic_watch *watch, struct traffic_result *result,
                        struct diag *diag)
{
    struct run run = {.traffic = traffic, .result = result, .ops = net->ops};
    if (run.ops->check(net->config, diag) != STATUS_OK)
        return diag->status;
    engine_init(&run.engine);
    enum status status = run.ops->create(&run.net, net->config, &run.engine, diag);
    if (status == STATUS_OK) {
        run_init(&run);
        start_all(&run);
        status = run_to_end(&run, watch, diag);
        read_links(&run, net->config);
        run.ops->destroy(run.net);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < traffic_count(traffic); i++) {
        if (result->makespan_ps < result->arrived_ps[i])
            result->makespan_ps = result->arrived_ps[i];
    }
    result->events = run.engine.processed;
    children_release(&run.children);
    free(run.waiting);
    engine_release(&run.engine);
    return status;
}

void traffic_result_init(struct traffic_result *result)
{
    *result = (struct traffic_result){0};
}

void traffic_result_release(struct traffic_result *result)
{
    free(result->sent_ps);
    free(result->arrived_ps);
    free(result->link);
    *result = (struct traffic_result){0};
}
