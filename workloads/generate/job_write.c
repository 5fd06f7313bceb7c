#include "workloads/generate/job_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/table.h"
#include "workloads/chakra/chakra_write.h"
#include "workloads/generate/job_entries.h"

enum { MAX_PATH = 4096, SHAPE_TEXT = 256, ATTRS = 12 };

struct writing {
    const struct workload *workload;
    const char *prefix;
    enum job_form form;
    struct job_files files;
    struct job_entries entries;
    struct diag *diag;
};

/* -- nodes ---------------------------------------------------------------------------------- */

/* Attributes of one node. */
struct attributes {
    struct chakra_write_attr attr[ATTRS];
    uint32_t count;
    char shape[SHAPE_TEXT], group[16];
};

static void add_number(struct attributes *to, const char *name, enum chakra_encoding encoding,
                       uint64_t number)
{
    to->attr[to->count++] =
        (struct chakra_write_attr){.name = name, .encoding = encoding, .number = (int64_t)number};
}

static void add_text(struct attributes *to, const char *name, const char *text)
{
    to->attr[to->count++] =
        (struct chakra_write_attr){.name = name, .encoding = ENCODE_STRING, .text = text};
}

static void add_group(struct attributes *to, const struct writing *writing,
                      const struct trace *trace, const struct trace_node *node, uint32_t rank)
{
    if (node->group == TRACE_NONE)
        return;
    const char *name = trace->group_names[node->group];
    if (writing->form == JOB_FORM_RANKS) {
        uint32_t entry = job_entry_of(&writing->entries, name, rank);
        if (entry == TRACE_NONE)
            return;
        snprintf(to->group, sizeof to->group, "%" PRIu32, entry + 1);
        name = to->group;
    }
    add_text(to, "pg_name", name);
}

static void add_message(struct attributes *to, const struct writing *writing,
                        const struct trace *trace, const struct trace_node *node, uint32_t rank)
{
    add_number(to, "comm_size", ENCODE_INT64, node->size_bytes);
    bool is_placed = node->flags & NODE_PEER_IN_GROUP;
    if (is_placed && writing->form == JOB_FORM_SHARED) {
        add_group(to, writing, trace, node, rank);
        add_number(to, "peer_places", ENCODE_INT32, node->peer);
    } else {
        uint32_t peer = node->peer;
        if (is_placed)
            peer = job_member_after(
                &writing->entries,
                job_entry_of(&writing->entries, trace->group_names[node->group], rank), rank,
                node->peer);
        bool is_send = node->type == OP_SEND;
        add_number(to, "comm_src", ENCODE_INT32, is_send ? rank : peer);
        add_number(to, "comm_dst", ENCODE_INT32, is_send ? peer : rank);
    }
    if (node->flags & NODE_HAS_TAG)
        add_number(to, "comm_tag", ENCODE_INT32, node->tag);
}

/* ASTRA-sim divides by operations per byte: 0 operations on some bytes would be no number. */
static uint64_t operations(const struct writing *writing, const struct trace_node *node)
{
    bool needs_one = writing->form == JOB_FORM_RANKS && !node->flop_count && node->size_bytes;
    return needs_one ? 1 : node->flop_count;
}

static void add_all(struct attributes *to, const struct writing *writing, const struct trace *trace,
                    const struct trace_node *node, uint32_t rank)
{
    add_number(to, "is_cpu_op", ENCODE_BOOL, (node->flags & NODE_IS_HOST) != 0);
    if (node->flags & NODE_HAS_STREAM)
        add_number(to, "stream", ENCODE_INT64, (uint64_t)(int64_t)node->stream);
    switch (node->type) {
    case OP_COLLECTIVE:
        add_number(to, "comm_type", ENCODE_INT64, node->collective);
        add_number(to, "comm_size", ENCODE_INT64, node->size_bytes);
        add_group(to, writing, trace, node, rank);
        return;
    case OP_SEND:
    case OP_RECV:
        add_message(to, writing, trace, node, rank);
        return;
    default:
        break;
    }
    if (node->flags & NODE_HAS_FLOPS)
        add_number(to, "num_ops", ENCODE_INT64, operations(writing, node));
    if (node->kernels)
        add_number(to, "kernels", ENCODE_INT32, node->kernels);
    if (node->flags & NODE_HAS_SIZE)
        add_number(to, "tensor_size", ENCODE_UINT64, node->size_bytes);
    if (node->shape != TRACE_NONE) {
        op_shape_print(&trace->shape[node->shape], to->shape, sizeof to->shape);
        add_text(to, "op_shape", to->shape);
    }
}

/* Text of `holds` for node `index`, whose lives begin at *next; NULL if it has none. */
static char *holds_of(const struct trace *trace, uint32_t index, uint32_t *next)
{
    uint32_t from = *next;
    while (*next < trace->life_count && trace->life[*next].first == index)
        (*next)++;
    bool has_fixed = index == 0 && trace->fixed_bytes;
    if (from == *next && !has_fixed)
        return NULL;
    size_t room = 64 * (size_t)(*next - from + 1), at = 0;
    char *text = malloc(room);
    need_memory(text != NULL);
    if (has_fixed)
        at = (size_t)snprintf(text, room, "fixed:%" PRIu64, trace->fixed_bytes);
    for (uint32_t l = from; l < *next; l++) {
        const struct trace_life *life = &trace->life[l];
        at += (size_t)snprintf(text + at, room - at, "%s%s:%" PRIu64 ":%" PRIu64, at ? " " : "",
                               life_name((enum life_kind)life->kind), life->bytes,
                               trace->node[life->last].id);
    }
    return text;
}

struct id_pair {
    uint64_t *id;
    uint32_t room;
};

static const uint64_t *parent_ids(struct id_pair *ids, const struct trace *trace, uint32_t index)
{
    uint64_t begin = trace->parent_begin[index], count = trace->parent_begin[index + 1] - begin;
    if (count > ids->room) {
        ids->room = 2 * (uint32_t)count;
        ids->id = realloc(ids->id, ids->room * sizeof *ids->id);
        need_memory(ids->id != NULL);
    }
    for (uint64_t e = 0; e < count; e++)
        ids->id[e] = trace->node[trace->parent[begin + e] & PARENT_INDEX].id;
    return ids->id;
}

static enum status write_trace(struct writing *writing, uint32_t rank, const char *path)
{
    struct trace *trace = writing->workload->traces[writing->workload->trace_of_rank[rank]];
    struct chakra_writer writer;
    enum status status = chakra_writer_open(&writer, path, writing->diag);
    if (status)
        return status;
    const struct chakra_write_attr schema = {
        .name = "schema", .encoding = ENCODE_STRING, .text = trace->schema};
    chakra_writer_metadata(&writer, trace->version, &schema, 1);
    struct id_pair ids = {NULL, 0};
    for (uint32_t i = 0, next = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        struct attributes attributes = {.count = 0};
        add_all(&attributes, writing, trace, node, rank);
        char *holds = holds_of(trace, i, &next);
        if (holds)
            add_text(&attributes, "holds", holds);
        chakra_writer_node(&writer, &(struct chakra_write_node){
                                        .id = node->id,
                                        .name = trace_name(trace, i),
                                        .type = node->type,
                                        .data = parent_ids(&ids, trace, i),
                                        .data_count = (uint32_t)(trace->parent_begin[i + 1] -
                                                                 trace->parent_begin[i]),
                                        .duration_us = node->duration_ns / 1000,
                                        .start_us = node->start_ns / 1000,
                                        .attr = attributes.attr,
                                        .attr_count = attributes.count});
        free(holds);
    }
    free(ids.id);
    return chakra_writer_close(&writer, writing->diag);
}

/* -- files ---------------------------------------------------------------------------------- */

static enum status copy_file(const char *from, const char *to, struct diag *diag)
{
    struct file file;
    struct out_file out;
    enum status status = file_load(&file, from, FILE_NO_LIMIT, diag);
    if (status)
        return status;
    status = out_file_open(&out, to, diag);
    if (!status) {
        fwrite(file.bytes, 1, file.length, out.stream);
        status = out_file_commit(&out, diag);
    }
    file_release(&file);
    return status;
}

/* Makes `to` another name of `from`, whatever was there before; *is_copy: a file of its own with
 * the same bytes, where there are no links or that file has as many as can be. */
static enum status share_file(const char *from, const char *to, bool *is_copy, struct diag *diag)
{
    if (unlink(to) != 0 && errno != ENOENT)
        return diag_fail(diag, STATUS_IO, "cannot replace %.200s: %s", to, strerror(errno));
    *is_copy = link(from, to) != 0;
    return *is_copy ? copy_file(from, to, diag) : STATUS_OK;
}

static bool has_placed_messages(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->node[i].flags & NODE_PEER_IN_GROUP)
            return true;
    }
    return false;
}

/* Ranks with equal keys have equal files. */
static uint64_t key_of(const struct writing *writing, uint32_t rank, const bool *names_peers)
{
    uint32_t t = writing->workload->trace_of_rank[rank];
    const struct trace *trace = writing->workload->traces[t];
    uint64_t key = hash_bytes(&t, sizeof t, 0);
    if (writing->form == JOB_FORM_SHARED)
        return key;
    if (names_peers[t])
        return hash_bytes(&rank, sizeof rank, key);
    for (uint32_t i = 0; i < trace->group_name_count; i++) {
        uint32_t entry = job_entry_of(&writing->entries, trace->group_names[i], rank);
        key = hash_bytes(&entry, sizeof entry, key);
    }
    return key;
}

/* The file of `rank`: that of *twin again, which becomes `rank` if that file takes no more
 * links. */
static enum status write_rank(struct writing *writing, uint32_t rank, uint32_t *twin)
{
    char path[MAX_PATH], other[MAX_PATH];
    snprintf(path, sizeof path, "%s.%" PRIu32 ".et", writing->prefix, rank);
    if (*twin != TABLE_NONE) {
        bool is_copy = false;
        snprintf(other, sizeof other, "%s.%" PRIu32 ".et", writing->prefix, *twin);
        writing->files.shared++;
        enum status shared = share_file(other, path, &is_copy, writing->diag);
        *twin = is_copy ? rank : *twin;
        return shared;
    }
    *twin = rank;
    struct stat info;
    /* a link to another rank's file from a run before must not be written through */
    if (unlink(path) != 0 && errno != ENOENT)
        return diag_fail(writing->diag, STATUS_IO, "cannot replace %.200s: %s", path,
                         strerror(errno));
    enum status status = write_trace(writing, rank, path);
    if (!status && stat(path, &info) == 0)
        writing->files.bytes += (uint64_t)info.st_size;
    writing->files.written++;
    return status;
}

static enum status write_all(struct writing *writing)
{
    const struct workload *workload = writing->workload;
    bool *names_peers = calloc(workload->trace_count + (size_t)1, sizeof *names_peers);
    need_memory(names_peers != NULL);
    for (uint32_t t = 0; t < workload->trace_count; t++)
        names_peers[t] = has_placed_messages(workload->traces[t]);
    struct table first;
    table_init(&first);
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < workload->rank_count && !status; r++) {
        uint64_t key = key_of(writing, r, names_peers);
        uint32_t twin = table_find(&first, key), before = twin;
        status = write_rank(writing, r, &twin);
        if (twin != before)
            table_put(&first, key, twin);
    }
    table_release(&first);
    free(names_peers);
    return status;
}

enum status job_write(const struct workload *workload, const struct group_file *groups,
                      const char *prefix, enum job_form form, struct job_files *written,
                      struct diag *diag)
{
    struct writing writing = {.workload = workload, .prefix = prefix, .form = form, .diag = diag};
    char path[MAX_PATH];
    if (strlen(prefix) + 32 > MAX_PATH)
        return diag_fail(diag, STATUS_IO, "the path %.60s... is too long", prefix);
    job_entries_init(&writing.entries, groups, workload->rank_count);
    snprintf(path, sizeof path, "%s.groups.json", prefix);
    enum status status = job_entries_write(&writing.entries, path, form, diag);
    if (!status)
        status = write_all(&writing);
    job_entries_release(&writing.entries);
    if (written)
        *written = writing.files;
    return status;
}
