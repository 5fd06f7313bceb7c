/*
 * census - what is in a set of traces: counts, bytes and durations, before anything is simulated.
 *
 * Rules:
 *  1. census_init(), census_add() for each trace with the number of ranks that run it, then read
 *     the fields or print them, census_release().
 *  2. All counts are over ranks: a trace that four ranks run counts four times. Facts about files
 *     (files, file_bytes, resident_bytes, layouts) count it once.
 *  3. Rows are in order of first appearance; streams ascend.
 */
#ifndef ORRERY_WORKLOADS_CENSUS_H
#define ORRERY_WORKLOADS_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/table.h"
#include "model/trace.h"

/* A kind of work. `size_bytes` is payload for communication, tensor bytes for the rest. */
struct census_sum {
    uint64_t count;
    uint64_t size_bytes;
    uint64_t duration_ns; /* as recorded */
    uint64_t flop_count;
};

enum { CENSUS_NO_KIND = COLL_KIND_COUNT, CENSUS_KINDS }; /* collectives without a kind */

/* A communicator that nodes name; the first row is "all ranks", for nodes that name none. */
struct census_group {
    const char *name; /* owned by the census */
    struct census_sum kind[CENSUS_KINDS];
    struct census_sum send, receive;
};

struct census_stream {
    int32_t stream;
    struct census_sum sum;
};

/* A layout of trace files, e.g. "chakra-et 0.0.4" with version "1.0.0". */
struct census_layout {
    const char *text;
    uint64_t files;
};

struct census {
    uint64_t files, file_bytes, resident_bytes; /* distinct files */
    uint64_t ranks;
    uint64_t nodes, fewest_nodes, most_nodes; /* total, per rank */
    struct census_sum op[OP_TYPE_COUNT][2];   /* [type][runs on the host] */
    struct census_sum kind[CENSUS_KINDS];     /* collectives, all groups */
    struct census_group *group;
    uint32_t group_count;
    struct census_stream *stream;
    uint32_t stream_count;
    struct census_layout *layout;
    uint32_t layout_count;

    uint64_t data_edges, control_edges; /* as in the files */
    uint64_t missing_data, missing_control;
    uint64_t repeated_edges; /* a parent named again in the same list */
    uint64_t shared_edges;   /* a parent named as data and as control */
    uint64_t self_edges;
    uint64_t forward_data, forward_control; /* parent stored after its child */
    uint64_t first_id, last_id;
    uint64_t unsorted_files, gzip_files, paged_files, pytorch_files;
    uint64_t root_nodes;            /* without any resolved parent */
    uint64_t zero_duration_compute; /* compute or host work with duration 0 and no operations */
    uint64_t size_derived, size_absent, kind_absent; /* communication nodes */
    uint64_t peer_absent;                            /* sends and receives */
    uint64_t declared_groups;

    /* private */
    struct names group_names, layout_names;
    struct table stream_index;
    uint32_t group_capacity, stream_capacity, layout_capacity;
};

void census_init(struct census *census);
void census_release(struct census *census);

/* Adds one distinct trace that `ranks` ranks run. */
void census_add(struct census *census, const struct trace *trace, uint64_t ranks);

/* Adds all traces of a workload. */
void census_add_workload(struct census *census, const struct workload *workload);

/* Aligned tables with units, at most 100 columns wide (long group names are cut). */
void census_print_text(const struct census *census, FILE *out);

#endif
