#define _XOPEN_SOURCE 700
#include "compare/run_astra.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "compare/astra_process.h"
#include "compare/sides.h"
#include "workloads/chakra/chakra.h"

enum { PATH_ROOM = 4096 };

struct astra {
    const struct astra_request *request;
    struct arena arena;
    char folder[PATH_ROOM];
    char log[PATH_ROOM + 32];                           /* what it printed */
    const char *system, *network, *memory, *comm_group; /* absolute */
    struct process_end end;
    struct diag *diag;
};

/* -- the folder -------------------------------------------------------------------------------- */

static enum status fail_errno(struct astra *astra, const char *path, const char *doing)
{
    diag_fail(astra->diag, STATUS_IO, "%s: %s", doing, strerror(errno));
    diag_in(astra->diag, path);
    return STATUS_IO;
}

static enum status make_folder(struct astra *astra)
{
    const char *where = getenv("TMPDIR");
    snprintf(astra->folder, sizeof astra->folder, "%.3000s/orrery-astra-XXXXXX",
             where && *where ? where : "/tmp");
    if (!mkdtemp(astra->folder)) {
        char name[PATH_ROOM];
        memcpy(name, astra->folder, sizeof name);
        astra->folder[0] = '\0';
        return fail_errno(astra, name, "cannot make a folder");
    }
    snprintf(astra->log, sizeof astra->log, "%s/output.log", astra->folder);
    return STATUS_OK;
}

/* Files of `path` and, one level down, of its folders; then itself. ASTRA-sim makes no deeper. */
static void remove_folder(const char *path, int depth)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char name[PATH_ROOM + 300];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0 && depth < 3)
            remove_folder(name, depth + 1);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* An absolute path in the arena: the binary runs in another folder. */
static enum status absolute(struct astra *astra, const char *path, const char **found)
{
    char resolved[PATH_MAX];
    *found = NULL;
    if (!path)
        return STATUS_OK;
    if (!realpath(path, resolved))
        return fail_errno(astra, path, "cannot be found");
    *found = arena_text(&astra->arena, resolved, strlen(resolved));
    return STATUS_OK;
}

static enum status link_trace(struct astra *astra, uint32_t rank, const char *target)
{
    char name[PATH_ROOM + 64];
    snprintf(name, sizeof name, "%s/workload.%" PRIu32 ".et", astra->folder, rank);
    return symlink(target, name) == 0 ? STATUS_OK : fail_errno(astra, name, "cannot make a link");
}

/* ASTRA-sim reads binary traces as they are. */
static enum status check_trace(struct astra *astra, const struct trace *trace)
{
    const struct chakra_facts *facts = chakra_facts(trace);
    if (facts && !facts->was_gzip && strncmp(trace->format, "chakra-et", 9) == 0)
        return STATUS_OK;
    diag_fail(astra->diag, STATUS_BAD_INPUT,
              "ASTRA-sim reads Chakra traces that are binary and "
              "not compressed; this is %s%s",
              trace->format, facts && facts->was_gzip ? ", gzip" : "");
    diag_in(astra->diag, trace->path);
    return STATUS_BAD_INPUT;
}

static enum status link_traces(struct astra *astra)
{
    const struct workload *workload = astra->request->workload;
    const char **target = arena_array(&astra->arena, workload->trace_count + 1, sizeof *target);
    enum status status = STATUS_OK;
    for (uint32_t t = 0; t < workload->trace_count && status == STATUS_OK; t++) {
        status = check_trace(astra, workload->traces[t]);
        if (status == STATUS_OK)
            status = absolute(astra, workload->traces[t]->path, &target[t]);
    }
    for (uint32_t r = 0; r < workload->rank_count && status == STATUS_OK; r++)
        status = link_trace(astra, r, target[workload->trace_of_rank[r]]);
    return status;
}

/* ASTRA-sim wants a file of remote memory. */
static enum status make_memory(struct astra *astra)
{
    char name[PATH_ROOM + 32];
    snprintf(name, sizeof name, "%s/memory.json", astra->folder);
    FILE *out = fopen(name, "we");
    bool is_good = out && fputs("{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n", out) >= 0;
    if (out)
        is_good = fclose(out) == 0 && is_good;
    if (!is_good)
        return fail_errno(astra, name, "cannot write");
    astra->memory = arena_text(&astra->arena, name, strlen(name));
    return STATUS_OK;
}

static enum status lay_out(struct astra *astra)
{
    const struct astra_request *request = astra->request;
    enum status status = make_folder(astra);
    if (status == STATUS_OK)
        status = absolute(astra, request->system, &astra->system);
    if (status == STATUS_OK)
        status = absolute(astra, request->network, &astra->network);
    if (status == STATUS_OK)
        status = absolute(astra, request->comm_group, &astra->comm_group);
    if (status == STATUS_OK)
        status =
            request->memory ? absolute(astra, request->memory, &astra->memory) : make_memory(astra);
    return status == STATUS_OK ? link_traces(astra) : status;
}

/* -- running ----------------------------------------------------------------------------------- */

static const char *const memory_options[] = {"remote-memory-configuration", "memory-configuration"};

static const char *word(struct astra *astra, const char *name, const char *value)
{
    char *text = arena_take(&astra->arena, strlen(name) + strlen(value) + 4);
    snprintf(text, strlen(name) + strlen(value) + 4, "--%s=%s", name, value);
    return text;
}

static enum status run_once(struct astra *astra, const char *memory_option)
{
    const struct astra_request *request = astra->request;
    const char *words[ASTRA_MOST_OPTIONS + 8], *program = request->program;
    uint32_t count = 0;
    enum status status = STATUS_OK;
    if (strchr(program, '/'))
        status = absolute(astra, program, &program);
    if (status != STATUS_OK)
        return status;
    char prefix[PATH_ROOM + 16];
    snprintf(prefix, sizeof prefix, "%s/workload", astra->folder);
    words[count++] = program;
    words[count++] = word(astra, "workload-configuration", prefix);
    words[count++] = word(astra, "system-configuration", astra->system);
    words[count++] = word(astra, "network-configuration", astra->network);
    words[count++] = word(astra, memory_option, astra->memory);
    if (astra->comm_group)
        words[count++] = word(astra, "comm-group-configuration", astra->comm_group);
    for (uint32_t i = 0; i < request->option_count; i++)
        words[count++] = request->option[i];
    words[count] = NULL;
    const struct process process = {
        .words = words, .folder = astra->folder, .log = astra->log, .limit_s = request->limit_s};
    return process_run(&process, &astra->end, astra->diag);
}

/* -- its log ----------------------------------------------------------------------------------- */

static bool log_has(const struct file *file, const char *what)
{
    return reader_has((const char *)file->bytes, file->length, what);
}

/* The last line that has something in it. */
static void last_words(const struct file *file, char *to, size_t size)
{
    const char *text = (const char *)file->bytes;
    size_t end = file->length, begin;
    while (end && strchr("\n\r \t", text[end - 1]) && text[end - 1])
        end--;
    for (begin = end; begin && text[begin - 1] != '\n';)
        begin--;
    snprintf(to, size, "%.*s", (int)(end - begin < size ? end - begin : size - 1), text + begin);
}

static enum status fail_empty(struct astra *astra, const struct file *file)
{
    char how[160], words[200];
    process_describe(&astra->end, how, sizeof how);
    last_words(file, words, sizeof words);
    if (astra->end.is_over_time)
        diag_fail(astra->diag, STATUS_LIMIT, "it was stopped after %s, and no rank had finished",
                  astra->request->limit);
    else
        diag_fail(astra->diag, STATUS_IO, "no rank finished: ASTRA-sim ended with %s%s%s", how,
                  *words ? "; its last words: " : " and said nothing", words);
    diag_in(astra->diag, astra->request->program);
    if (astra->end.is_over_time)
        diag_hint(astra->diag, "--astra-limit gives it longer");
    else
        diag_hint(astra->diag, "--astra-log FILE keeps all that it printed");
    return astra->diag->status;
}

static const char result_line[] = "] finished, ", op_line[] = "issue,sys->id=";

/* The first file of log/ in the order of names that holds results, and `what`; false: none. */
static bool find_logged(struct astra *astra, const char *what, struct file *file)
{
    char folder[PATH_ROOM + 8];
    struct dirent **entry;
    bool is_found = false;
    snprintf(folder, sizeof folder, "%s/log", astra->folder);
    int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char name[PATH_ROOM + 300];
        struct diag ignored = DIAG_NONE;
        struct file logged;
        snprintf(name, sizeof name, "%s/%s", folder, entry[i]->d_name);
        if (!is_found && file_load(&logged, name, FILE_NO_LIMIT, &ignored) == STATUS_OK) {
            is_found = log_has(&logged, result_line) && log_has(&logged, what);
            if (is_found) {
                file_release(file);
                *file = logged;
            } else {
                file_release(&logged);
            }
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return is_found;
}

static enum status keep_log(struct astra *astra, const struct file *file)
{
    struct out_file out;
    if (!astra->request->log_path)
        return STATUS_OK;
    struct diag diag = DIAG_NONE;
    enum status status = out_file_open(&out, astra->request->log_path, &diag);
    if (status == STATUS_OK) {
        fwrite(file->bytes, 1, file->length, out.stream);
        status = out_file_commit(&out, &diag);
    }
    if (status != STATUS_OK && astra->diag->status == STATUS_OK)
        *astra->diag = diag;
    return status;
}

static void note_end(struct astra *astra, struct outcome *outcome)
{
    char how[160];
    uint32_t all = astra->request->workload->rank_count;
    process_describe(&astra->end, how, sizeof how);
    if (astra->end.is_over_time)
        notices_add(&outcome->notices, NOTICE_ODDITY, "ASTRA-sim was stopped at its time limit", 1,
                    "after %" PRIu32 " of %" PRIu32 " ranks", outcome->rank_count, all);
    else if (!astra->end.is_good)
        notices_add(&outcome->notices, NOTICE_ODDITY, "ASTRA-sim did not end well", 1,
                    "%s, after %" PRIu32 " of %" PRIu32 " ranks", how, outcome->rank_count, all);
    else if (outcome->rank_count < all)
        notices_add(&outcome->notices, NOTICE_ODDITY, "ranks that never finished in ASTRA-sim",
                    all - outcome->rank_count, "it ran dry");
}

static enum status read_log(struct astra *astra, struct outcome *outcome)
{
    static const struct side_options options = {0};
    struct file file;
    enum status status = file_load(&file, astra->log, FILE_NO_LIMIT, astra->diag);
    if (status != STATUS_OK)
        return status;
    bool has_results = log_has(&file, result_line);
    if (!has_results)
        has_results = find_logged(astra, result_line, &file);
    else if (!log_has(&file, op_line))
        find_logged(astra, op_line, &file); /* there may be one with more to say */
    if (has_results)
        status = side_parse(outcome, astra->request->program, file.bytes, file.length, &options,
                            astra->diag);
    else
        status = fail_empty(astra, &file);
    if (status == STATUS_OK) {
        outcome->kind = "ASTRA-sim log"; /* of the run just made */
        note_end(astra, outcome);
    }
    enum status kept = keep_log(astra, &file);
    file_release(&file);
    return status == STATUS_OK ? kept : status;
}

/* Did it complain of the newer name of the option? */
static bool wants_older(struct astra *astra)
{
    struct diag ignored = DIAG_NONE;
    struct file file;
    if (astra->end.is_over_time || file_load(&file, astra->log, FILE_NO_LIMIT, &ignored))
        return false;
    bool wants = !astra->end.is_good && !log_has(&file, result_line) &&
                 log_has(&file, "memory-configuration");
    file_release(&file);
    return wants;
}

enum status astra_run(const struct astra_request *request, struct outcome *outcome,
                      struct astra_figures *figures, struct diag *diag)
{
    struct astra astra = {.request = request, .diag = diag};
    arena_init(&astra.arena);
    enum status status = lay_out(&astra);
    if (status == STATUS_OK)
        status = run_once(&astra, memory_options[0]);
    if (status == STATUS_OK && wants_older(&astra))
        status = run_once(&astra, memory_options[1]);
    if (status == STATUS_OK)
        status = read_log(&astra, outcome);
    *figures = (struct astra_figures){astra.end.seconds, astra.end.peak_bytes};
    if (astra.folder[0])
        remove_folder(astra.folder, 0);
    arena_release(&astra.arena);
    return status;
}
