#include "workloads/workload_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/table.h"
#include "base/memory.h"
#include "workloads/text/text_file.h"
#include "workloads/text/text_workload.h"

enum { MAX_PATH = 4096, MAX_COUNTED_EXTRA = 1 << 20, MAX_LOOKED_AFTER = 1 << 14 };

static const char *const suffixes[] = {".et", ".json", ".et.gz", ".json.gz", ".eg", NULL};

struct loader {
    struct workload *workload;
    const char *prefix;
    struct chakra_options options;
    struct notices *notices;
    struct diag *diag;
    struct table by_hash; /* content hash -> trace */
    struct table by_file; /* hash of device and inode -> trace: links are not read again */
    struct file shared;   /* bytes of the trace last compared with */
    uint32_t shared_trace;
    uint32_t capacity;     /* of workload->traces */
    uint64_t memory_bytes; /* arrays may still take, before traces are paged */
    uint64_t limit_bytes;  /* for one trace */
};

/* file_exists() also says yes to a folder of that name, which PREFIX often is. */
static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* PREFIX.<middle><suffix> for the first suffix that exists. */
static bool find_file(const char *prefix, const char *middle, char path[MAX_PATH])
{
    for (const char *const *suffix = suffixes; *suffix; suffix++) {
        int length = snprintf(path, MAX_PATH, "%s.%s%s", prefix, middle, *suffix);
        if (length > 0 && length < MAX_PATH && is_file(path))
            return true;
    }
    return false;
}

static bool find_rank(const char *prefix, uint32_t rank, char path[MAX_PATH])
{
    char middle[16];
    snprintf(middle, sizeof middle, "%u", rank);
    return find_file(prefix, middle, path);
}

uint32_t workload_count_files(const char *prefix, uint32_t limit)
{
    char path[MAX_PATH];
    uint32_t count = 0;
    while (count < limit && find_rank(prefix, count, path))
        count++;
    return count;
}

/* The one file that serves all ranks. */
static bool find_replicated(const char *prefix, char path[MAX_PATH])
{
    if (is_file(prefix))
        return snprintf(path, MAX_PATH, "%s", prefix) < MAX_PATH;
    return find_file(prefix, "all", path) || find_file(prefix, "0", path);
}

static bool is_same_file(const struct stat *file, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* A text workload, which serves all ranks as it is. */
static bool is_text(const char *prefix)
{
    return is_file(prefix) && text_file_is(prefix);
}

uint32_t workload_file_ranks(const char *path)
{
    uint32_t ranks = is_text(path) ? text_workload_ranks(path) : 1;
    return ranks > 0 && ranks <= CONFIG_MAX_NPUS ? ranks : 1;
}

bool workload_reads(const struct workload_config *config, uint32_t rank_count, const char *path)
{
    char input[MAX_PATH];
    struct stat file;
    if (!config->prefix || stat(path, &file) != 0)
        return false;
    if (is_text(config->prefix))
        return is_same_file(&file, config->prefix);
    if (config->replicate || (rank_count == 1 && is_file(config->prefix)))
        return find_replicated(config->prefix, input) && is_same_file(&file, input);
    for (uint32_t r = 0; r < rank_count && find_rank(config->prefix, r, input); r++) {
        if (is_same_file(&file, input))
            return true;
    }
    return false;
}

/* -- which files --------------------------------------------------------------------------- */

static enum status missing_rank(const struct loader *loader, uint32_t rank, uint32_t rank_count)
{
    char path[MAX_PATH];
    uint32_t found = rank; /* all before it */
    uint32_t looked = rank_count - rank < MAX_LOOKED_AFTER ? rank_count : rank + MAX_LOOKED_AFTER;
    for (uint32_t r = rank; r < looked; r++)
        found += find_rank(loader->prefix, r, path);
    diag_fail(loader->diag, STATUS_IO,
              "no trace for rank %u (%.200s.%u.et): %u of %s%u ranks have a trace file", rank,
              loader->prefix, rank, found, looked < rank_count ? "the first " : "", looked);
    diag_rank(loader->diag, rank);
    bool has_one = is_file(loader->prefix) || find_file(loader->prefix, "all", path);
    if (found > rank && !has_one && rank == 0)
        diag_hint(loader->diag,
                  "ranks are numbered from 0: add the trace of rank 0, or rename the files");
    else if (found > rank && !has_one)
        diag_hint(loader->diag,
                  "add the trace of rank %u: the ranks before it and some after it have theirs",
                  rank);
    else if (has_one || found == 1)
        diag_hint(loader->diag, "--replicate runs one trace file on all %u NPUs", rank_count);
    else if (found)
        diag_hint(loader->diag,
                  "give a network of %u NPUs, or --replicate to run one trace file on all %u NPUs",
                  found, rank_count);
    else
        diag_hint(loader->diag, "traces are named PREFIX.<rank>.et; the prefix given was %.200s",
                  loader->prefix);
    return STATUS_IO;
}

static enum status check_extra(const struct loader *loader, uint32_t rank_count, bool ignore_extra)
{
    char path[MAX_PATH];
    if (!find_rank(loader->prefix, rank_count, path))
        return STATUS_OK;
    uint32_t extra = 1;
    while (extra < MAX_COUNTED_EXTRA && find_rank(loader->prefix, rank_count + extra, path))
        extra++;
    if (ignore_extra) {
        notices_add(loader->notices, NOTICE_IGNORED, "trace file beyond the number of NPUs", extra,
                    "%.100s.%u.et: the network has %u NPUs", loader->prefix, rank_count,
                    rank_count);
        return STATUS_OK;
    }
    diag_fail(loader->diag, STATUS_BAD_CONFIG,
              "%u trace files (%.200s.0.et and on), but the network has %u NPUs",
              rank_count + extra, loader->prefix, rank_count);
    diag_hint(loader->diag,
              "give a network of %u NPUs, or --ignore-extra-traces to run the first %u",
              rank_count + extra, rank_count);
    return STATUS_BAD_CONFIG;
}

/* -- loading ------------------------------------------------------------------------------- */

/* True if `file` has the bytes of trace `index`. */
static bool same_bytes(struct loader *loader, const struct file *file, uint32_t index)
{
    const struct trace *trace = loader->workload->traces[index];
    const struct chakra_facts *facts = chakra_facts(trace);
    if (facts->byte_count != file->length)
        return false;
    if (loader->shared_trace != index) {
        struct diag ignored = DIAG_NONE;
        file_release(&loader->shared);
        loader->shared_trace = TRACE_NONE;
        if (chakra_open_file(&loader->shared, trace->path, &ignored))
            return false;
        loader->shared_trace = index;
    }
    return loader->shared.length == file->length &&
           memcmp(loader->shared.bytes, file->bytes, file->length) == 0;
}

static uint32_t add_trace(struct loader *loader, struct trace *trace)
{
    struct workload *workload = loader->workload;
    if (workload->trace_count == loader->capacity) {
        loader->capacity = loader->capacity ? 2 * loader->capacity : 16;
        workload->traces = realloc(workload->traces, loader->capacity * sizeof *workload->traces);
        need_memory(workload->traces != NULL);
    }
    workload->traces[workload->trace_count] = trace;
    return workload->trace_count++;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void set_limits(struct loader *loader)
{
    uint64_t given = loader->options.memory_limit_bytes;
    loader->memory_bytes = given ? given : memory_limit() / 2;
    loader->limit_bytes = given ? given : lesser(CHAKRA_DEFAULT_LIMIT_BYTES, memory_limit() / 4);
}

/* Loads a file whose bytes are new; the file is taken over. */
static enum status load_new(struct loader *loader, const char *path, int64_t rank,
                            struct file *file, uint64_t hash, uint32_t *index)
{
    struct trace *trace;
    loader->options.rank = rank;
    /* 0 would mean the default: at least 1 */
    loader->options.memory_limit_bytes = lesser(loader->limit_bytes, loader->memory_bytes) | 1;
    enum status status =
        chakra_load_file(&trace, path, file, hash, &loader->options, loader->notices, loader->diag);
    if (status)
        return status;
    if (!chakra_facts(trace)->is_paged)
        loader->memory_bytes -= lesser(loader->memory_bytes, trace->resident_bytes);
    *index = add_trace(loader, trace);
    return STATUS_OK;
}

/* Loads `path`, or finds the trace with the same bytes. */
static enum status load_bytes(struct loader *loader, const char *path, int64_t rank,
                              uint32_t *index)
{
    struct file file;
    enum status status = chakra_open_file(&file, path, loader->diag);
    if (status) {
        if (rank >= 0)
            diag_rank(loader->diag, rank);
        return status;
    }
    uint64_t hash = chakra_hash(&file);
    *index = table_find(&loader->by_hash, hash);
    if (*index != TABLE_NONE && same_bytes(loader, &file, *index)) {
        file_release(&file);
        return STATUS_OK;
    }
    bool is_new = *index == TABLE_NONE;
    status = load_new(loader, path, rank, &file, hash, index);
    if (!status && is_new)
        table_put(&loader->by_hash, hash, *index);
    return status;
}

/* The same, for a file that may be another name of one that was read. */
static enum status load_path(struct loader *loader, const char *path, int64_t rank, uint32_t *index)
{
    struct stat info;
    if (stat(path, &info) != 0 || info.st_nlink < 2)
        return load_bytes(loader, path, rank, index);
    const uint64_t file[2] = {(uint64_t)info.st_dev, (uint64_t)info.st_ino};
    uint64_t key = hash_bytes(file, sizeof file, 0);
    *index = table_find(&loader->by_file, key);
    if (*index != TABLE_NONE && is_same_file(&info, loader->workload->traces[*index]->path))
        return STATUS_OK;
    enum status status = load_bytes(loader, path, rank, index);
    if (!status)
        table_put(&loader->by_file, key, *index);
    return status;
}

static enum status load_one_for_all(struct loader *loader, const char *path)
{
    uint32_t index;
    enum status status = load_path(loader, path, -1, &index);
    for (uint32_t r = 0; !status && r < loader->workload->rank_count; r++)
        loader->workload->trace_of_rank[r] = index;
    return status;
}

static enum status load_replicated(struct loader *loader)
{
    char path[MAX_PATH];
    if (find_replicated(loader->prefix, path))
        return load_one_for_all(loader, path);
    diag_fail(loader->diag, STATUS_IO,
              "no trace to replicate: neither %.120s nor %.120s.all.et "
              "nor %.120s.0.et is a file",
              loader->prefix, loader->prefix, loader->prefix);
    return STATUS_IO;
}

static enum status load_text(struct loader *loader, uint32_t passes)
{
    struct trace *trace;
    enum status status = text_workload_load(&trace, loader->prefix, loader->workload->rank_count,
                                            passes > 0 ? passes : 1, loader->notices, loader->diag);
    if (status == STATUS_OK)
        add_trace(loader, trace); /* trace_of_rank is all 0 */
    return status;
}

static enum status load_ranks(struct loader *loader, const struct workload_config *config)
{
    uint32_t rank_count = loader->workload->rank_count;
    char path[MAX_PATH];
    if (rank_count == 1 && is_file(loader->prefix))
        return load_one_for_all(loader, loader->prefix);
    /* All files are looked for before the first is read: a wrong count is told at once. */
    for (uint32_t r = 0; r < rank_count; r++) {
        if (!find_rank(loader->prefix, r, path))
            return missing_rank(loader, r, rank_count);
    }
    enum status status = check_extra(loader, rank_count, config->ignore_extra);
    for (uint32_t r = 0; !status && r < rank_count; r++) {
        if (!find_rank(loader->prefix, r, path))
            return missing_rank(loader, r, rank_count);
        status = load_path(loader, path, r, &loader->workload->trace_of_rank[r]);
    }
    return status;
}

enum status workload_open(struct workload *workload, const struct workload_config *config,
                          uint32_t rank_count, const struct chakra_options *options,
                          struct notices *notices, struct diag *diag)
{
    *workload = (struct workload){.rank_count = rank_count};
    if (!config->prefix || !*config->prefix)
        return diag_fail(diag, STATUS_BAD_CONFIG, "no workload was given");
    workload->trace_of_rank = calloc(rank_count + (size_t)1, sizeof *workload->trace_of_rank);
    need_memory(workload->trace_of_rank != NULL);
    struct loader loader = {.workload = workload,
                            .prefix = config->prefix,
                            .options = options ? *options : CHAKRA_OPTIONS_DEFAULT,
                            .notices = notices,
                            .diag = diag,
                            .shared_trace = TRACE_NONE};
    table_init(&loader.by_hash);
    table_init(&loader.by_file);
    set_limits(&loader);
    enum status status = is_text(config->prefix) ? load_text(&loader, config->passes)
                         : config->replicate     ? load_replicated(&loader)
                                                 : load_ranks(&loader, config);
    table_release(&loader.by_hash);
    table_release(&loader.by_file);
    file_release(&loader.shared);
    if (status)
        workload_release(workload);
    return status;
}

void workload_release(struct workload *workload)
{
    for (uint32_t i = 0; i < workload->trace_count; i++)
        workload->traces[i]->destroy(workload->traces[i]);
    free(workload->traces);
    free(workload->trace_of_rank);
    *workload = (struct workload){0};
}
