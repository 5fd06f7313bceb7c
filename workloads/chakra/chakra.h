/*
 * chakra - reads Chakra execution traces: every published layout of .et, and the JSON form.
 *
 * Rules:
 *  1. The kind of file is told by its content, never by its name: gzip by magic (base/file.h), JSON
 *     by its opening brace, the layout of a binary trace by the fields it uses (chakra_schema.h).
 *  2. The input is not trusted. Damage ends in STATUS_BAD_INPUT with a byte offset (of the inflated
 *     bytes) or a node id and attribute; memory grows only with bytes actually read.
 *  3. What was accepted although it is odd, guessed or ignored is counted in `notices`.
 *  4. A trace without nodes loads (count 0): the caller decides whether that is an error.
 *  5. Names are not held in memory: a large mapped file stays mapped and names are read from it on
 *     demand, so the file must not be overwritten during the run. Names of gzip, small (below 1
 *     MiB) and in-memory inputs are copied.
 *  6. Traces whose node and edge arrays are estimated to exceed `memory_limit_bytes` keep them in
 *     an unlinked temporary file (spill.h). Pages of a mapped input are given back as they are
 *     consumed, so resident memory does not grow with the file.
 *
 * Attributes read, each from any integer member of the value union (bool, all widths and signs; a
 * floating-point member only if its value is whole, with a notice; text is an error):
 *     is_cpu_op, num_ops, tensor_size, comm_type, comm_size, comm_src, comm_dst, comm_tag,
 *     comm_priority, stream, root or root_rank (rooted collectives), runtime (0.0.2, 0.0.3; us),
 *     pg_name (text, or a number used as text), comm_group (the same, if pg_name is absent),
 *     involved_dim (list of booleans or integers, at most 8).
 * Recorded start (only to choose the edge that --break-cycles drops): start_time_micros of the
 * current layout; in JSON start_time_micros, startTimeMicros, start_time, startTime or start, in
 * microseconds as `runtime` is.
 * Size of a collective: comm_size, else tensor_size (guessed), else derived from input shapes and
 * types. Size of a send or receive: comm_size, else tensor_size, else derived. Others: tensor_size.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_H

#include "base/diag.h"
#include "base/file.h"
#include "base/notice.h"
#include "model/trace.h"

/* CHAKRA_READER_REFERENCE decodes with protobuf-c: slower, used to check the other. */
enum chakra_reader_id { CHAKRA_READER_FAST, CHAKRA_READER_REFERENCE };

#define CHAKRA_DEFAULT_LIMIT_BYTES (UINT64_C(1) << 30)

struct chakra_options {
    enum chakra_reader_id reader;
    uint64_t memory_limit_bytes; /* 0: the default, 1 GiB */
    int64_t rank;                /* named in messages, or -1 */
};

#define CHAKRA_OPTIONS_DEFAULT ((struct chakra_options){.rank = -1})

/* What the file looked like and `struct trace` does not tell. */
struct chakra_facts {
    uint64_t byte_count;         /* of the inflated file */
    uint64_t forward_data_count; /* data edges to a parent stored after its child */
    uint64_t forward_control_count;
    bool was_sorted; /* the file was in ascending id */
    bool was_gzip;
    bool is_paged; /* node and edge arrays are in a temporary file */
};

/* Loads one trace. On success *trace is released with (*trace)->destroy(*trace). */
enum status chakra_load(struct trace **trace, const char *path,
                        const struct chakra_options *options, struct notices *notices,
                        struct diag *diag);

/* The same from bytes that are borrowed for the call only; `name` stands for the path. */
enum status chakra_parse(struct trace **trace, const char *name, const void *bytes, size_t length,
                         const struct chakra_options *options, struct notices *notices,
                         struct diag *diag);

/* Loads the bytes of a trace file; a gzip file may not grow more than 200-fold (64 MiB is allowed).
 */
enum status chakra_open_file(struct file *file, const char *path, struct diag *diag);

/*
 * The same as chakra_load() from a loaded file, which is taken over (also on failure).
 * `content_hash` is what chakra_hash() gave for it.
 */
enum status chakra_load_file(struct trace **trace, const char *path, struct file *file,
                             uint64_t content_hash, const struct chakra_options *options,
                             struct notices *notices, struct diag *diag);

/* Content hash of a file's bytes: hash_bytes() chained over 4 MiB pieces. Pages of a large mapped
 * file are given back as they are hashed. */
uint64_t chakra_hash(const struct file *file);

/* Facts of a trace that this module made; NULL for any other. */
const struct chakra_facts *chakra_facts(const struct trace *trace);

#endif
