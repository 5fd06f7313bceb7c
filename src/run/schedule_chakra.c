#include "run/schedule_chakra.h"

#include <inttypes.h>

#include "net/collective/essence.h"
#include "workloads/chakra/chakra_write.h"

static void write_step(struct chakra_writer *writer, const struct program *program,
                       const struct essence *essence, uint32_t s, uint64_t *parents)
{
    const struct program_step *step = &program->step[s];
    bool is_send = step->op == STEP_SEND;
    uint32_t count = essence->first[s + 1] - essence->first[s];
    for (uint32_t i = 0; i < count; i++)
        parents[i] = essence->need[essence->first[s] + i];
    const struct chakra_write_attr attr[] = {
        {.name = "is_cpu_op", .encoding = ENCODE_BOOL},
        {.name = is_send ? "comm_dst" : "comm_src", .encoding = ENCODE_INT32, .number = step->peer},
        {.name = "comm_size", .encoding = ENCODE_INT64, .number = (int64_t)step->bytes},
        {.name = "comm_tag", .encoding = ENCODE_INT32, .number = step->slot},
    };
    const struct chakra_write_node node = {
        .id = s,
        .name = is_send ? "send" : "receive",
        .type = is_send ? OP_SEND : OP_RECV,
        .data = parents,
        .data_count = count,
        .attr = attr,
        .attr_count = sizeof attr / sizeof *attr,
    };
    chakra_writer_node(writer, &node);
}

static enum status write_position(const struct program *program, const char *path,
                                  struct diag *diag)
{
    struct chakra_writer writer;
    enum status status = chakra_writer_open(&writer, path, diag);
    if (status)
        return status;
    struct arena arena;
    arena_init(&arena);
    struct essence essence;
    essence_of(program, false, &arena, &essence);
    uint64_t *parents = arena_array(&arena, (size_t)program->count + 1, sizeof *parents);
    chakra_writer_metadata(&writer, "0.0.4", NULL, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].op == STEP_SEND || program->step[s].op == STEP_RECV)
            write_step(&writer, program, &essence, s, parents);
    }
    arena_release(&arena);
    return chakra_writer_close(&writer, diag);
}

static enum status check(const struct schedule_request *request, const struct program *program,
                         struct diag *diag)
{
    for (uint32_t p = 0; p < request->n; p++) {
        for (uint32_t s = 0; s < program[p].count; s++) {
            const struct program_step *step = &program[p].step[s];
            if (step->op == STEP_SEND && peer_is_network(step->peer))
                return diag_fail(diag, STATUS_BAD_CONFIG,
                                 "Chakra files cannot say what switches combine");
            if (step->op == STEP_DELAY && step->delay_ns)
                return diag_fail(diag, STATUS_BAD_CONFIG,
                                 "this schedule has delays, which are not written");
        }
    }
    return STATUS_OK;
}

enum status schedule_write_chakra(const struct schedule_request *request,
                                  const struct program *program, const char *prefix,
                                  struct diag *diag)
{
    enum status status = check(request, program, diag);
    for (uint32_t p = 0; p < request->n && !status; p++) {
        char path[1024];
        int length = snprintf(path, sizeof path, "%s.%" PRIu32 ".et", prefix, p);
        if (length >= (int)sizeof path)
            return diag_fail(diag, STATUS_USAGE, "the path of the Chakra files is too long");
        status = write_position(&program[p], path, diag);
    }
    return status;
}
