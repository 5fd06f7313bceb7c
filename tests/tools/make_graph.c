/*
 * make_graph chain|wide COUNT PATH - one trace of COUNT compute nodes of 1 us, all in a row, or all
 * between one node of no cost that opens and one that closes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/op.h"
#include "workloads/chakra/chakra_write.h"

static void put(struct chakra_writer *writer, uint64_t id, enum op_type type,
                const uint64_t *parent, uint32_t parent_count)
{
    const struct chakra_write_attr attr = {.name = "is_cpu_op", .encoding = ENCODE_BOOL};
    chakra_writer_node(writer, &(struct chakra_write_node){.id = id,
                                                           .name = "n",
                                                           .type = type,
                                                           .data = parent,
                                                           .data_count = parent_count,
                                                           .duration_us = type == OP_COMPUTE,
                                                           .attr = &attr,
                                                           .attr_count = 1});
}

static void write_chain(struct chakra_writer *writer, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t parent = i - 1;
        put(writer, i, OP_COMPUTE, &parent, i > 0);
    }
}

static void write_wide(struct chakra_writer *writer, uint32_t count, uint64_t *ids)
{
    const uint64_t first = 0;
    put(writer, 0, OP_METADATA, NULL, 0);
    for (uint32_t i = 1; i <= count; i++) {
        put(writer, i, OP_COMPUTE, &first, 1);
        ids[i - 1] = i;
    }
    put(writer, (uint64_t)count + 1, OP_METADATA, ids, count);
}

int main(int argc, char **argv)
{
    struct chakra_writer writer;
    struct diag diag = DIAG_NONE;
    long count = argc == 4 ? strtol(argv[2], NULL, 10) : 0;
    if (count < 1 || count > 100000000) {
        fputs("usage: make_graph chain|wide COUNT PATH\n", stderr);
        return status_exit_code(STATUS_USAGE);
    }
    uint64_t *ids = calloc((size_t)count, sizeof *ids);
    promise(ids != NULL);
    enum status status = chakra_writer_open(&writer, argv[3], &diag);
    if (status == STATUS_OK) {
        chakra_writer_metadata(&writer, "0.0.4", NULL, 0);
        if (strcmp(argv[1], "chain") == 0)
            write_chain(&writer, (uint32_t)count);
        else
            write_wide(&writer, (uint32_t)count, ids);
        status = chakra_writer_close(&writer, &diag);
    }
    free(ids);
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    return status_exit_code(status);
}
