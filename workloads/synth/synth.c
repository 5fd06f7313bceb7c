#include "workloads/synth/synth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/memory.h"
#include "workloads/chakra/chakra_write.h"

enum { RANK_STEP = 7919, ROUND_STEP = 104729, MAX_PARENTS = 4 };

/* The trace being written: nodes get ids 0, 1, 2, .. */
struct synth {
    const struct synth_spec *spec;
    struct chakra_writer writer;
    uint32_t rank;
    uint64_t next_id;
    uint64_t parent[MAX_PARENTS]; /* of the next node */
    uint32_t parent_count;
};

static void after(struct synth *synth, uint64_t id)
{
    promise(synth->parent_count < MAX_PARENTS);
    synth->parent[synth->parent_count++] = id;
}

/* Writes a node that waits for what after() named; returns its id. */
static uint64_t put(struct synth *synth, struct chakra_write_node node)
{
    node.id = synth->next_id++;
    node.data = synth->parent;
    node.data_count = synth->parent_count;
    chakra_writer_node(&synth->writer, &node);
    synth->parent_count = 0;
    return node.id;
}

static uint64_t put_compute(struct synth *synth, const char *name, uint64_t ops, uint64_t bytes)
{
    const struct chakra_write_attr attr[] = {
        {.name = "is_cpu_op", .encoding = ENCODE_BOOL},
        {.name = "num_ops", .encoding = ENCODE_INT64, .number = (int64_t)ops},
        {.name = "tensor_size", .encoding = ENCODE_UINT64, .number = (int64_t)bytes},
    };
    return put(synth, (struct chakra_write_node){
                          .name = name, .type = OP_COMPUTE, .attr = attr, .attr_count = 3});
}

static uint64_t put_delay(struct synth *synth, const char *name, uint64_t duration_us)
{
    const struct chakra_write_attr attr = {.name = "is_cpu_op", .encoding = ENCODE_BOOL};
    return put(synth, (struct chakra_write_node){.name = name,
                                                 .type = OP_COMPUTE,
                                                 .duration_us = duration_us,
                                                 .attr = &attr,
                                                 .attr_count = 1});
}

static uint64_t put_collective(struct synth *synth, const char *name, enum collective_kind kind,
                               uint64_t bytes)
{
    const struct chakra_write_attr attr[] = {
        {.name = "is_cpu_op", .encoding = ENCODE_BOOL},
        {.name = "comm_type", .encoding = ENCODE_INT64, .number = (int64_t)kind},
        {.name = "comm_size", .encoding = ENCODE_INT64, .number = (int64_t)bytes},
    };
    return put(synth, (struct chakra_write_node){
                          .name = name, .type = OP_COLLECTIVE, .attr = attr, .attr_count = 3});
}

static uint32_t count_of(const struct synth_spec *spec)
{
    return spec->count ? spec->count : 1;
}

static void write_collectives(struct synth *synth)
{
    const struct synth_spec *spec = synth->spec;
    char name[32];
    for (uint32_t i = 0; i < count_of(spec); i++) {
        snprintf(name, sizeof name, "coll_%u", i);
        if (i && spec->kind == SYNTH_COLLECTIVE)
            after(synth, i - 1);
        put_collective(synth, name, spec->collective, spec->size_bytes);
    }
}

static void write_skew(struct synth *synth)
{
    const struct synth_spec *spec = synth->spec;
    char name[32];
    for (uint32_t i = 0; i < count_of(spec); i++) {
        uint64_t step = (uint64_t)synth->rank * RANK_STEP + (uint64_t)i * ROUND_STEP;
        uint64_t duration_us = spec->base_us + (spec->spread_us ? step % spec->spread_us : 0);
        snprintf(name, sizeof name, "comp_%u", 2 * i);
        if (i)
            after(synth, 2 * (uint64_t)i - 1);
        after(synth, put_delay(synth, name, duration_us));
        snprintf(name, sizeof name, "coll_%u", 2 * i + 1);
        put_collective(synth, name, spec->collective, spec->size_bytes);
    }
}

/* One forward and one backward pass. `reduce[l]` is layer l's all-reduce of the pass before, and
 * then of this one; `last` is the pass's last compute. */
static void write_dp_pass(struct synth *synth, uint32_t pass, uint64_t *reduce, uint64_t *last)
{
    const struct synth_spec *spec = synth->spec;
    char name[48];
    for (uint32_t l = 0; l < spec->layers; l++) {
        snprintf(name, sizeof name, "fwd_i%u_l%u", pass, l);
        if (l || pass)
            after(synth, *last);
        if (pass)
            after(synth, reduce[l]);
        *last = put_compute(synth, name, spec->forward_ops, spec->forward_bytes);
    }
    for (uint32_t l = spec->layers; l-- > 0;) {
        snprintf(name, sizeof name, "bwd_i%u_l%u", pass, l);
        after(synth, *last);
        *last = put_compute(synth, name, spec->backward_ops, spec->backward_bytes);
        snprintf(name, sizeof name, "ar_i%u_l%u", pass, l);
        after(synth, *last);
        reduce[l] = put_collective(synth, name, COLL_ALL_REDUCE, spec->gradient_bytes);
    }
}

static void write_dp(struct synth *synth)
{
    const struct synth_spec *spec = synth->spec;
    uint64_t *reduce = calloc(spec->layers + 1, sizeof *reduce);
    need_memory(reduce != NULL);
    uint64_t last = 0;
    for (uint32_t pass = 0; pass < (spec->iterations ? spec->iterations : 1); pass++)
        write_dp_pass(synth, pass, reduce, &last);
    free(reduce);
}

/* A message to or from a neighbour stage. */
static uint64_t put_message(struct synth *synth, bool sends, uint32_t other, uint32_t tag)
{
    uint32_t from = sends ? synth->rank : other, to = sends ? other : synth->rank;
    const struct chakra_write_attr attr[] = {
        {.name = "is_cpu_op", .encoding = ENCODE_BOOL},
        {.name = "comm_size", .encoding = ENCODE_INT64, .number = (int64_t)synth->spec->size_bytes},
        {.name = "comm_src", .encoding = ENCODE_INT32, .number = from},
        {.name = "comm_dst", .encoding = ENCODE_INT32, .number = to},
        {.name = "comm_tag", .encoding = ENCODE_INT32, .number = tag},
    };
    char name[40];
    snprintf(name, sizeof name, "%s_%llu", sends ? "send" : "recv",
             (unsigned long long)synth->next_id);
    return put(synth,
               (struct chakra_write_node){
                   .name = name, .type = sends ? OP_SEND : OP_RECV, .attr = attr, .attr_count = 5});
}

/* All micro-batches of one direction: receive, compute, send on. Tags count messages both ways. */
static void write_sweep(struct synth *synth, bool is_forward, uint64_t *last, bool *has_last)
{
    const struct synth_spec *spec = synth->spec;
    uint32_t count = count_of(spec), end = spec->ranks - 1;
    bool receives = is_forward ? synth->rank > 0 : synth->rank < end;
    bool sends = is_forward ? synth->rank < end : synth->rank > 0;
    uint32_t before = is_forward ? synth->rank - 1 : synth->rank + 1;
    uint32_t next = is_forward ? synth->rank + 1 : synth->rank - 1;
    char name[32];
    for (uint32_t m = 0; m < count; m++) {
        uint32_t tag = is_forward ? m : count + m;
        uint64_t received = receives ? put_message(synth, false, before, tag) : 0;
        if (*has_last)
            after(synth, *last);
        if (receives)
            after(synth, received);
        snprintf(name, sizeof name, "%s%u", is_forward ? "fwd" : "bwd", m);
        *last = put_compute(synth, name, is_forward ? spec->forward_ops : spec->backward_ops,
                            is_forward ? spec->forward_bytes : spec->backward_bytes);
        *has_last = true;
        if (sends) {
            after(synth, *last);
            put_message(synth, true, next, tag);
        }
    }
}

static void write_pipeline(struct synth *synth)
{
    uint64_t last = 0;
    bool has_last = false;
    write_sweep(synth, true, &last, &has_last);
    write_sweep(synth, false, &last, &has_last);
}

bool synth_is_symmetric(const struct synth_spec *spec)
{
    return spec->kind != SYNTH_SKEW && spec->kind != SYNTH_PIPELINE;
}

enum status synth_write_rank(const struct synth_spec *spec, uint32_t rank, const char *path,
                             struct diag *diag)
{
    static void (*const writers[])(struct synth *) = {
        [SYNTH_COLLECTIVE] = write_collectives,
        [SYNTH_PARALLEL] = write_collectives,
        [SYNTH_DP] = write_dp,
        [SYNTH_SKEW] = write_skew,
        [SYNTH_PIPELINE] = write_pipeline,
    };
    struct synth synth = {.spec = spec, .rank = rank};
    enum status status = chakra_writer_open(&synth.writer, path, diag);
    if (status)
        return status;
    chakra_writer_metadata(&synth.writer, "0.0.4", NULL, 0);
    writers[spec->kind](&synth);
    return chakra_writer_close(&synth.writer, diag);
}

enum status synth_write(const struct synth_spec *spec, const char *prefix, struct diag *diag)
{
    char path[4096];
    bool is_symmetric = synth_is_symmetric(spec);
    for (uint32_t rank = 0; rank < (is_symmetric ? 1 : spec->ranks); rank++) {
        int length = is_symmetric ? snprintf(path, sizeof path, "%s.all.et", prefix)
                                  : snprintf(path, sizeof path, "%s.%u.et", prefix, rank);
        if (length < 0 || (size_t)length >= sizeof path)
            return diag_fail(diag, STATUS_IO, "the path %.60s... is too long", prefix);
        enum status status = synth_write_rank(spec, rank, path, diag);
        if (status)
            return status;
    }
    return STATUS_OK;
}
