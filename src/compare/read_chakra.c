/*
 * Chakra execution traces with recorded durations, one file a rank: nodes of more than 0 ns.
 *
 * Begins are those that were recorded (start_time_micros), from the first one on; a trace in which
 * a node has none has no begins: its ops align by their order, and only sums are said of the rank.
 */
#include <inttypes.h>
#include <string.h>

#include "compare/reader.h"
#include "workloads/chakra/chakra.h"

struct trace_side {
    const struct reading *reading;
    struct trace *trace;
    uint32_t rank;
    uint64_t first_ns; /* start of the first node; 0: none has one */
};

static const char *class_of(const struct trace *trace, const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    if (node->flags & NODE_IS_HOST)
        return "host";
    if (type == OP_COLLECTIVE && node->flags & NODE_HAS_KIND)
        return collective_name((enum collective_kind)node->collective);
    if (type == OP_COMPUTE && node->shape != TRACE_NONE)
        return op_class_name((enum op_class)trace->shape[node->shape].class);
    return op_name(type);
}

static enum status add_node(const struct trace_side *side, uint32_t index)
{
    const struct trace_node *node = &side->trace->node[index];
    enum op_type type = trace_run_as(node);
    bool is_host = node->flags & NODE_IS_HOST || type == OP_HOST_WORK;
    struct outcome_op *op =
        outcome_add_op(side->reading->outcome, side->rank, trace_name(side->trace, index),
                       class_of(side->trace, node));
    int64_t begin;
    if (!outcome_ps_of_ns(node->duration_ns, &op->duration_ps) ||
        !outcome_ps_of_ns(side->first_ns ? node->start_ns - side->first_ns : 0, &begin)) {
        reading_fail_line(side->reading, 0, "a time of 106 days or more");
        diag_at(side->reading->diag, DIAG_NODE, node->id);
        return STATUS_BAD_INPUT;
    }
    op->begin_ps = side->first_ns ? begin : OUTCOME_UNSAID;
    op->is_compute = type == OP_COMPUTE && !is_host;
    op->is_communication = trace_is_communication(node);
    if (type == OP_COLLECTIVE && node->flags & NODE_HAS_KIND)
        op->collective = node->collective;
    if (op->is_communication && node->flags & NODE_HAS_SIZE)
        op->size_bytes = node->size_bytes;
    if (node->group == TRACE_NONE)
        return STATUS_OK;
    const char *group = side->trace->group_names[node->group];
    for (uint32_t i = 0; i < side->trace->group_count; i++)
        if (strcmp(side->trace->groups[i].name, group) == 0)
            op->group_size = side->trace->groups[i].count;
    return STATUS_OK;
}

static void find_first(struct trace_side *side)
{
    side->first_ns = UINT64_MAX;
    for (uint32_t i = 0; i < side->trace->count; i++) {
        const struct trace_node *node = &side->trace->node[i];
        if (node->duration_ns && node->start_ns < side->first_ns)
            side->first_ns = node->start_ns;
    }
    if (side->first_ns == UINT64_MAX)
        side->first_ns = 0;
}

static enum status add_nodes(struct trace_side *side)
{
    struct outcome *outcome = side->reading->outcome;
    uint32_t timeless = 0;
    enum status status = STATUS_OK;
    find_first(side);
    for (uint32_t i = 0; i < side->trace->count && status == STATUS_OK; i++) {
        if (side->trace->node[i].duration_ns)
            status = add_node(side, i);
        else
            timeless++;
    }
    if (status != STATUS_OK)
        return status;
    if (timeless == side->trace->count) {
        status = reading_fail_line(side->reading, 0, "no node has a recorded duration");
        diag_hint(side->reading->diag, "this is a job to run (orrery run), not a measurement");
        return status;
    }
    if (timeless)
        notices_add(&outcome->notices, NOTICE_IGNORED, "node without a duration", timeless,
                    "of rank %" PRIu32, side->rank);
    if (!side->first_ns)
        notices_add(&outcome->notices, NOTICE_ODDITY, "trace without recorded starts", 1,
                    "rank %" PRIu32 ": only durations are compared", side->rank);
    return STATUS_OK;
}

static enum status read_trace(const struct reading *reading)
{
    struct trace_side side = {.reading = reading,
                              .rank = reading->rank < 0 ? 0 : (uint32_t)reading->rank};
    struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
    enum status status =
        chakra_parse(&side.trace, reading->path, reading->file->bytes, reading->file->length,
                     &options, &reading->outcome->notices, reading->diag);
    if (status != STATUS_OK) {
        diag_hint(reading->diag, "what is not text is taken for a Chakra trace; timelines of "
                                 "orrery are read as .json");
        return status;
    }
    reading->outcome->grain_ps = 1000;
    status = add_nodes(&side);
    side.trace->destroy(side.trace);
    return status;
}

/* What is no text, or the JSON form. */
static bool is_trace(const char *head, size_t length)
{
    if (length && *head == '{')
        return reader_has(head, length, "\"workload_graph\"");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)head[i] < 32 && !strchr("\t\n\r\f\033", head[i]))
            return true;
    return length && memchr(head, '\0', length) != NULL;
}

const struct reader reader_chakra = {
    .name = "Chakra trace",
    .from = "a Chakra execution trace with durations; one file a rank",
    .is_mine = is_trace,
    .read = read_trace,
    .is_per_rank = true,
};
