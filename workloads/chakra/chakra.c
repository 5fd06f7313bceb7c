#define _GNU_SOURCE
#include "workloads/chakra/chakra.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "workloads/chakra/chakra_build.h"
#include "workloads/chakra/chakra_json.h"
#include "workloads/chakra/chakra_reference.h"
#include "workloads/chakra/chakra_schema.h"

enum {
    HASH_PIECE = 4 << 20,
    KEEP_FILE_BYTES = 1 << 20, /* names of smaller files are copied */
    DROP_BYTES = 16 << 20,     /* input pages are dropped in steps of this */
    SAMPLE_NODES = 4096,       /* for the estimate of memory */
    WORST_BYTES_PER_BYTE = 40, /* memory per byte of input: a 3-byte node costs 96 bytes */
    INFLATE_RATIO = 200,       /* a gzip file may grow this much (or to 64 MiB) */
    INFLATE_ALWAYS = 64 << 20,
};

/* -- input pages --------------------------------------------------------------------------- */

/* Gives back the pages of a mapped input from *dropped to `offset`, in large steps. */
static void drop_input(const struct file *file, size_t *dropped, size_t offset)
{
    if (!file || !file->map || file->was_gzip || offset < *dropped + DROP_BYTES)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    offset = offset / page * page;
    madvise((char *)file->map + *dropped, offset - *dropped, MADV_DONTNEED);
    *dropped = offset;
}

uint64_t chakra_hash(const struct file *file)
{
    uint64_t hash = 0;
    size_t dropped = 0, at = 0;
    if (file->length == 0)
        return hash_bytes("", 0, 0);
    do {
        size_t left = file->length - at;
        size_t piece = left < HASH_PIECE ? left : HASH_PIECE;
        hash = hash_bytes(file->bytes + at, piece, hash);
        at += piece;
        drop_input(file, &dropped, at);
    } while (at < file->length);
    return hash;
}

/* -- loading ------------------------------------------------------------------------------- */

struct load {
    const char *path;
    const uint8_t *bytes;
    size_t length;
    const struct file *file; /* NULL when read from memory */
    const struct chakra_options *options;
    struct notices *notices;
    struct diag *diag;
    struct chakra_layout layout;
    chakra_read_node *read_node;
    void *reader_state;
};

static bool fast_read_node(void *state, const uint8_t *bytes, size_t length,
                           struct chakra_draft *draft)
{
    (void)state;
    return wire_read_node(bytes, length, draft);
}

static void choose_reader(struct load *load)
{
    static chakra_read_node *const readers[] = {
        [SCHEMA_0_0_1] = legacy_read_node_1,
        [SCHEMA_0_0_2] = legacy_read_node_2,
        [SCHEMA_0_0_3] = legacy_read_node_3,
        [SCHEMA_CURRENT] = fast_read_node,
    };
    bool by_reference = load->options->reader == CHAKRA_READER_REFERENCE;
    chakra_detect(load->bytes, load->length,
                  by_reference ? reference_read_metadata : wire_read_metadata, &load->layout);
    load->read_node = readers[load->layout.schema];
    if (by_reference && load->layout.schema == SCHEMA_CURRENT)
        load->read_node = reference_read_node;
}

static enum status damaged_frame(struct load *load, const struct chakra_record *record)
{
    uint64_t left = load->length - record->offset;
    if (record->claimed)
        diag_fail(load->diag, STATUS_BAD_INPUT,
                  "the record here says %" PRIu64 " bytes, but the file ends after %" PRIu64
                  ": cut or damaged",
                  record->claimed, left);
    else
        diag_fail(load->diag, STATUS_BAD_INPUT,
                  "the record here has no readable length: cut or damaged");
    diag_at(load->diag, DIAG_BYTE, record->offset);
    return STATUS_BAD_INPUT;
}

static enum status damaged_record(struct load *load, const struct chakra_record *record)
{
    diag_fail(load->diag, STATUS_BAD_INPUT,
              "the record here (%zu bytes) is not a Chakra node: damaged, or not a trace",
              record->length);
    diag_at(load->diag, DIAG_BYTE, record->offset);
    return STATUS_BAD_INPUT;
}

/* Whether the arrays are likely to outgrow the limit, judged by the first nodes. */
static bool needs_paging(struct load *load)
{
    uint64_t limit = load->options->memory_limit_bytes;
    limit = limit ? limit : CHAKRA_DEFAULT_LIMIT_BYTES;
    if (load->length < limit / WORST_BYTES_PER_BYTE)
        return false;
    struct chakra_draft draft;
    draft_init(&draft);
    struct wire wire = {load->bytes, load->bytes + load->length};
    uint64_t bytes = 0, records = 0;
    struct chakra_record record;
    while (records < SAMPLE_NODES && wire.at < wire.end &&
           chakra_next_record(&wire, load->bytes, &record)) {
        draft_reset(&draft);
        load->read_node(load->reader_state, record.bytes, record.length, &draft);
        bytes += sizeof(struct trace_node) + 3 * sizeof(uint64_t) +
                 (draft.data.count + draft.control.count) * 12;
        records++;
    }
    draft_release(&draft);
    double scale = (double)load->length / (double)(wire.at - load->bytes + 1);
    return (double)bytes * scale > (double)limit;
}

static enum status read_records(struct load *load, struct chakra_build *build,
                                struct chakra_draft *draft)
{
    struct wire wire = {load->bytes, load->bytes + load->length};
    struct chakra_record record;
    size_t dropped = 0;
    if (load->layout.has_metadata)
        chakra_next_record(&wire, load->bytes, &record);
    while (wire.at < wire.end) {
        if (!chakra_next_record(&wire, load->bytes, &record))
            return damaged_frame(load, &record);
        draft_reset(draft);
        if (!load->read_node(load->reader_state, record.bytes, record.length, draft))
            return damaged_record(load, &record);
        enum status status = build_add(build, draft);
        if (status)
            return status;
        drop_input(load->file, &dropped, record.offset);
    }
    return STATUS_OK;
}

static bool is_published(const char *version)
{
    static const char *const published[] = {"0.0.1", "0.0.2", "0.0.3", "0.0.4", "1.0.0"};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        if (strcmp(version, published[i]) == 0)
            return true;
    }
    return false;
}

/* The version is in the metadata, or ends a converter's schema: "1.0.2-chakra.0.0.4". */
static void check_version(const struct load *load, const struct trace *trace)
{
    static const char mark[] = "chakra.";
    const char *in_schema = strstr(trace->schema, mark);
    const char *version = in_schema ? in_schema + sizeof mark - 1 : trace->version;
    if (*version && !is_published(version))
        notices_add(load->notices, NOTICE_DEFAULTED,
                    "trace of an unknown Chakra version, read by the fields it uses", 1,
                    "\"%.40s\" in %.80s is read as %s", version, load->path, trace->format);
}

static void describe(struct load *load, struct chakra_trace *made)
{
    static const char *const formats[] = {
        [SCHEMA_0_0_1] = "chakra-et 0.0.1",
        [SCHEMA_0_0_2] = "chakra-et 0.0.2",
        [SCHEMA_0_0_3] = "chakra-et 0.0.3",
        [SCHEMA_CURRENT] = "chakra-et 0.0.4",
    };
    const struct chakra_layout *layout = &load->layout;
    const struct chakra_metadata *metadata = &layout->metadata;
    struct trace *trace = &made->trace;
    trace->format = formats[layout->schema];
    if (layout->schema == SCHEMA_CURRENT && !layout->has_metadata)
        trace->format = "chakra-et 0.0.4 without metadata";
    if (metadata->version.length)
        trace->version = arena_text(&made->arena, metadata->version.at, metadata->version.length);
    if (metadata->schema.length)
        trace->schema = arena_text(&made->arena, metadata->schema.at, metadata->schema.length);
    check_version(load, trace);
    if (trace->schema[0] != '\0' && metadata->has_pid && metadata->has_time &&
        metadata->has_start_ts && metadata->has_finish_ts)
        trace->producer = PRODUCER_PYTORCH_CONVERTER;
}

/* Byte offset of node record number `target` (from 0, metadata not counted). */
static uint64_t offset_of_node(const struct load *load, uint32_t target)
{
    struct wire wire = {load->bytes, load->bytes + load->length};
    struct chakra_record record = {0};
    uint64_t skip = (uint64_t)target + load->layout.has_metadata;
    for (uint64_t i = 0; i <= skip && wire.at < wire.end; i++)
        chakra_next_record(&wire, load->bytes, &record);
    return record.offset;
}

static enum status duplicate_id(struct load *load, const struct chakra_build *build, bool is_json)
{
    uint32_t first = build->duplicate[0], second = build->duplicate[1];
    const struct trace_node *node = build->made->node.data;
    if (is_json) {
        diag_fail(load->diag, STATUS_BAD_INPUT,
                  "node id %" PRIu64 " is given to entries %u and %u of workload_graph",
                  node[first].id, first, second);
    } else {
        diag_fail(load->diag, STATUS_BAD_INPUT,
                  "node id %" PRIu64 " is given to two records, at bytes %" PRIu64 " and %" PRIu64,
                  node[first].id, offset_of_node(load, first), offset_of_node(load, second));
    }
    diag_at(load->diag, DIAG_NODE, node[first].id);
    diag_field(load->diag, "id");
    return STATUS_BAD_INPUT;
}

static enum status read_binary(struct load *load, struct chakra_build *build)
{
    struct chakra_draft draft;
    draft_init(&draft);
    enum status status = read_records(load, build, &draft);
    draft_release(&draft);
    return status;
}

/* Names are read from the file on demand when it is a large mapped one. */
static bool may_keep_file(const struct load *load)
{
    return load->file && load->file->map && !load->file->was_gzip &&
           load->length >= KEEP_FILE_BYTES && load->length < UINT64_C(1) << 40 &&
           load->read_node != reference_read_node;
}

static enum status load_into(struct load *load, struct chakra_trace *made, bool is_json)
{
    struct chakra_build build;
    bool is_paged = false;
    if (!is_json) {
        choose_reader(load);
        is_paged = needs_paging(load);
        describe(load, made);
        if (may_keep_file(load))
            chakra_trace_keep_file(made, load->file);
    } else {
        made->trace.format = "chakra-json";
    }
    build_init(&build, made, is_paged, load->notices, load->diag, load->options->rank);
    enum status status = is_json ? chakra_read_json(&build, load->path, load->bytes, load->length)
                                 : read_binary(load, &build);
    if (!status)
        status = build_finish(&build);
    if (build.has_duplicate)
        status = duplicate_id(load, &build, is_json);
    build_release(&build);
    return status;
}

static enum status load_bytes(struct trace **trace, struct load *load, uint64_t content_hash)
{
    *trace = NULL;
    if (load->length == 0) {
        diag_fail(load->diag, STATUS_BAD_INPUT, "the file is empty");
        diag_at(load->diag, DIAG_BYTE, 0);
        diag_in(load->diag, load->path);
        return STATUS_BAD_INPUT;
    }
    struct chakra_reference reference;
    reference_init(&reference);
    load->reader_state = &reference;
    struct chakra_trace *made = chakra_trace_create(load->path);
    made->trace.content_hash = content_hash;
    made->facts.byte_count = load->length;
    made->facts.was_gzip = load->file && load->file->was_gzip;
    enum status status = load_into(load, made, chakra_is_json(load->bytes, load->length));
    reference_release(&reference);
    if (status) {
        diag_in(load->diag, load->path);
        if (load->options->rank >= 0)
            diag_rank(load->diag, load->options->rank);
        made->has_file = false; /* the caller still owns it */
        made->trace.destroy(&made->trace);
        return status;
    }
    *trace = &made->trace;
    return STATUS_OK;
}

enum status chakra_load_file(struct trace **trace, const char *path, struct file *file,
                             uint64_t content_hash, const struct chakra_options *options,
                             struct notices *notices, struct diag *diag)
{
    struct load load = {.path = path,
                        .bytes = file->bytes,
                        .length = file->length,
                        .file = file,
                        .options = options,
                        .notices = notices,
                        .diag = diag};
    enum status status = load_bytes(trace, &load, content_hash);
    if (status || !((struct chakra_trace *)*trace)->has_file)
        file_release(file);
    *file = (struct file){0};
    return status;
}

/* Inflated bytes accepted: a few gzip bytes must not become gigabytes. */
static size_t size_limit(const char *path)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return FILE_NO_LIMIT;
    size_t limit = (size_t)info.st_size * INFLATE_RATIO;
    return limit < INFLATE_ALWAYS ? INFLATE_ALWAYS : limit;
}

enum status chakra_open_file(struct file *file, const char *path, struct diag *diag)
{
    return file_load(file, path, size_limit(path), diag);
}

enum status chakra_load(struct trace **trace, const char *path,
                        const struct chakra_options *options, struct notices *notices,
                        struct diag *diag)
{
    struct file file;
    *trace = NULL;
    enum status status = chakra_open_file(&file, path, diag);
    if (status) {
        if (options->rank >= 0)
            diag_rank(diag, options->rank);
        return status;
    }
    return chakra_load_file(trace, path, &file, chakra_hash(&file), options, notices, diag);
}

enum status chakra_parse(struct trace **trace, const char *name, const void *bytes, size_t length,
                         const struct chakra_options *options, struct notices *notices,
                         struct diag *diag)
{
    struct load load = {.path = name,
                        .bytes = bytes,
                        .length = length,
                        .options = options,
                        .notices = notices,
                        .diag = diag};
    struct file file = {.bytes = bytes, .length = length};
    return load_bytes(trace, &load, chakra_hash(&file));
}
