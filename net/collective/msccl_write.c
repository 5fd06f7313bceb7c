#include "net/collective/msccl_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "net/collective/msccl_plan.h"

/* -- text -------------------------------------------------------------------------------------- */

/* A step as it is written. */
struct line {
    const char *type;
    struct chunk_run src, dst;
    uint32_t depid, deps; /* NO_STEP: none */
    bool no_wait, is_needed;
};

static void write_line(FILE *out, uint32_t number, const struct line *line)
{
    static const char buffers[] = "ios";
    bool is_nop = line->src.count == 0;
    fprintf(out,
            "      <step s=\"%" PRIu32 "\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%" PRId64
            "\" dstbuf=\"%c\" dstoff=\"%" PRId64 "\" cnt=\"%" PRIu32 "\" depid=\"%" PRId64
            "\" deps=\"%" PRId64 "\" hasdep=\"%d\"%s/>\n",
            number, line->type, buffers[line->src.buffer], is_nop ? -1 : (int64_t)line->src.offset,
            buffers[line->dst.buffer], is_nop ? -1 : (int64_t)line->dst.offset, line->src.count,
            line->depid == NO_STEP ? -1 : (int64_t)line->depid,
            line->deps == NO_STEP ? -1 : (int64_t)line->deps, line->is_needed,
            line->no_wait ? " wait=\"0\"" : "");
}

/* Writes the steps of one message: what it waits for, and the message with its copies. */
static uint32_t write_message(const struct export_gpu *gpu, const struct export_message *message,
                              uint32_t number, FILE *out)
{
    for (uint32_t i = 0; i + 1 < message->need_count; i++) {
        const struct export_message *needed = &gpu->message[gpu->need[message->first_need + i]];
        struct line nop = {.type = "nop", .depid = needed->block, .deps = needed->last_line};
        write_line(out, number++, &nop);
    }
    struct line line = {.depid = NO_STEP, .deps = NO_STEP};
    if (message->need_count) {
        uint32_t last = gpu->need[message->first_need + message->need_count - 1];
        line.depid = gpu->message[last].block;
        line.deps = gpu->message[last].last_line;
    }
    const struct chunk_run *run = &gpu->run[message->first_run];
    bool is_packed = message->run_count > 1;
    struct chunk_run whole = is_packed ? message->scratch : run[0], rest = message->scratch;
    for (uint32_t r = 0; r < message->run_count && is_packed && message->is_send; r++) {
        rest.count = run[r].count;
        line.type = "cpy";
        line.src = run[r];
        line.dst = rest;
        write_line(out, number++, &line);
        line.depid = line.deps = NO_STEP;
        rest.offset += run[r].count;
    }
    line.type = message->is_send ? "s" : message->combines && !is_packed ? "rrc" : "r";
    line.src = line.dst = whole;
    line.no_wait = message->no_wait;
    bool is_unpacked = is_packed && !message->is_send;
    line.is_needed = message->is_needed && !is_unpacked;
    write_line(out, number++, &line);
    line =
        (struct line){.type = message->combines ? "re" : "cpy", .depid = NO_STEP, .deps = NO_STEP};
    for (uint32_t r = 0; r < message->run_count && is_unpacked; r++) {
        rest.count = run[r].count;
        line.is_needed = message->is_needed && r + 1 == message->run_count;
        line.src = rest;
        line.dst = run[r];
        write_line(out, number++, &line);
        rest.offset += run[r].count;
    }
    return number;
}

static void write_block(const struct export_gpu *gpu, const struct export_block *block, uint32_t id,
                        FILE *out)
{
    fprintf(out,
            "    <tb id=\"%" PRIu32 "\" send=\"%" PRId64 "\" recv=\"%" PRId64 "\" chan=\"%" PRIu32
            "\">\n",
            id, block->is_send ? (int64_t)block->peer : -1,
            block->is_send ? -1 : (int64_t)block->peer, block->chan);
    uint32_t number = 0;
    for (uint32_t m = block->first_message; m != NO_STEP; m = gpu->message[m].next_in_block)
        number = write_message(gpu, &gpu->message[m], number, out);
    fprintf(out, "    </tb>\n");
}

static void write_gpu(const struct export_plan *plan, uint32_t p, FILE *out)
{
    const struct export_gpu *gpu = &plan->gpu[p];
    fprintf(out,
            "  <gpu id=\"%" PRIu32 "\" i_chunks=\"%" PRIu32 "\" o_chunks=\"%" PRIu32
            "\" s_chunks=\"%" PRIu32 "\">\n",
            p, plan->chunks[BUFFER_INPUT], plan->chunks[BUFFER_OUTPUT], gpu->scratch);
    for (uint32_t b = 0; b < gpu->block_count; b++)
        write_block(gpu, &gpu->block[b], b, out);
    if (plan->own_chunks) { /* all-to-all: what a position keeps */
        struct line line = {
            .type = "cpy",
            .src = {BUFFER_INPUT, p * plan->own_chunks, plan->own_chunks},
            .dst = {BUFFER_OUTPUT, p * plan->own_chunks, plan->own_chunks},
            .depid = NO_STEP,
            .deps = NO_STEP,
        };
        fprintf(out, "    <tb id=\"%" PRIu32 "\" send=\"-1\" recv=\"-1\" chan=\"0\">\n",
                gpu->block_count);
        write_line(out, 0, &line);
        fprintf(out, "    </tb>\n");
    }
    fprintf(out, "  </gpu>\n");
}

static const char *coll_of(enum collective_kind kind)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
        return "allreduce";
    case COLL_ALL_GATHER:
        return "allgather";
    case COLL_ALL_TO_ALL:
        return "alltoall";
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return "reduce_scatter";
    case COLL_BROADCAST:
    case COLL_REDUCE:
    case COLL_GATHER:
    case COLL_SCATTER:
        return collective_name(kind);
    default:
        return NULL;
    }
}

/* A name without what XML takes for its own. */
static void write_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(strchr("<>&\"'", *name) || (unsigned char)*name < ' ' ? '_' : *name, out);
}

enum status msccl_write(const struct schedule_request *request, const struct schedule *schedule,
                        const struct program *program, const char *name, FILE *out,
                        struct diag *diag)
{
    if (!coll_of(request->kind))
        return diag_fail(diag, STATUS_BAD_CONFIG, "an MSCCL file cannot hold a %s",
                         collective_name(request->kind));
    struct export_plan plan;
    enum status status = export_plan_make(&plan, request, schedule, program, diag);
    if (!status) {
        fprintf(out, "<algo name=\"");
        write_name(name, out);
        fprintf(out,
                "\" proto=\"Simple\" nchannels=\"%" PRIu32 "\" nchunksperloop=\"%" PRIu32
                "\" ngpus=\"%" PRIu32 "\" coll=\"%s\" inplace=\"%d\" outofplace=\"%d\">\n",
                plan.channels, plan.chunks_per_loop, request->n, coll_of(request->kind),
                !plan.own_chunks, plan.own_chunks != 0);
        for (uint32_t p = 0; p < request->n; p++)
            write_gpu(&plan, p, out);
        fprintf(out, "</algo>\n");
    }
    export_plan_release(&plan);
    return status;
}
