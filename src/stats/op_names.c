#include "stats/op_names.h"

#include <stdio.h>

const char op_launches[] = "(host launches)", op_nothing[] = "(nothing)",
           op_no_communication[] = "(no communication)";

const char *op_pattern(char *to, size_t size, const char *name)
{
    trace_family(name, to, size);
    if (!*to)
        snprintf(to, size, "(no name)");
    return to;
}

const char *op_collective_name(char *to, size_t size, const struct trace *trace,
                               const struct trace_node *node)
{
    if (!trace_is_communication(node)) {
        snprintf(to, size, "%s", op_no_communication);
        return to;
    }
    const char *group = node->group == TRACE_NONE ? "" : trace->group_names[node->group];
    if (node->type == OP_COLLECTIVE)
        snprintf(to, size, "%s, %.100s", collective_name((enum collective_kind)node->collective),
                 *group ? group : "all ranks");
    else
        snprintf(to, size, "send and receive");
    return to;
}
