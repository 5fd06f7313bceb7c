#include "run/lone_trace.h"

#include "base/mix.h"

static const char *no_name(struct trace *trace, uint32_t index)
{
    (void)trace, (void)index;
    return "";
}

void lone_trace_make(struct lone_trace *lone, const struct trace *from,
                     const struct trace_node *node, uint64_t delay_ns)
{
    uint32_t count = node ? 1 + (delay_ns > 0) : 0;
    *lone = (struct lone_trace){.parent_begin = {0, 0, 1}};
    if (count == 2)
        lone->node[0] = (struct trace_node){
            .type = OP_COMPUTE, .duration_ns = delay_ns, .group = TRACE_NONE, .shape = TRACE_NONE};
    if (node) {
        lone->node[count - 1] = *node;
        lone->node[count - 1].id = 1;
    }
    lone->trace = (struct trace){.count = count,
                                 .node = lone->node,
                                 .parent_begin = lone->parent_begin,
                                 .parent = lone->parent,
                                 .group_names = from->group_names,
                                 .group_name_count = from->group_name_count,
                                 .groups = from->groups,
                                 .group_count = from->group_count,
                                 .data_edge_count = count == 2,
                                 .content_hash = mix_in(from->content_hash, count),
                                 .path = "",
                                 .format = from->format,
                                 .version = "",
                                 .schema = "",
                                 .name_of = no_name};
}
