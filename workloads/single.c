#include "workloads/single.h"

#include <stdlib.h>

#include "base/memory.h"

/* A trace and its one node. */
struct single {
    struct trace trace;
    struct trace_node node;
    uint64_t parent_begin[2];
};

static const char *name_of(struct trace *trace, uint32_t index)
{
    (void)index;
    return collective_name((enum collective_kind)trace->node[0].collective);
}

static void destroy(struct trace *trace)
{
    free(trace); /* the first member of struct single */
}

void single_collective(struct workload *workload, enum collective_kind kind, uint64_t size_bytes,
                       uint32_t ranks)
{
    struct single *single = calloc(1, sizeof *single);
    *workload = (struct workload){.rank_count = ranks,
                                  .trace_of_rank = calloc(ranks, sizeof *workload->trace_of_rank),
                                  .traces = calloc(1, sizeof *workload->traces),
                                  .trace_count = 1};
    need_memory(single && workload->trace_of_rank && workload->traces);
    single->node = (struct trace_node){.type = OP_COLLECTIVE,
                                       .collective = (uint8_t)kind,
                                       .size_bytes = size_bytes,
                                       .group = TRACE_NONE,
                                       .shape = TRACE_NONE,
                                       .flags = NODE_HAS_SIZE | NODE_HAS_KIND};
    single->trace = (struct trace){.count = 1,
                                   .node = &single->node,
                                   .parent_begin = single->parent_begin,
                                   .path = "",
                                   .format = "in memory",
                                   .version = "",
                                   .schema = "",
                                   .name_of = name_of,
                                   .destroy = destroy};
    workload->traces[0] = &single->trace;
}
