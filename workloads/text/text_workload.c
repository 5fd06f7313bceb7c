#include "workloads/text/text_workload.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "workloads/text/text_graph.h"

#define FILE_MOST_BYTES ((size_t)1 << 30)

static void say(const struct text_file *file, struct notices *notices)
{
    notices_add(notices, NOTICE_GUESSED, "time unit of a text workload", 1,
                "times are taken as ns (ASTRA-sim 1.0's cycles at 1 GHz, SimAI's ns); Chakra's "
                "converter takes them as us");
    bool is_reverse = file->mode == TEXT_MODEL_DATA;
    static const char weights[] = "weight gradients", rest[] = "forward and input gradients";
    if (file->mode == TEXT_DATA_MODEL || is_reverse)
        notices_add(notices, NOTICE_GUESSED, "dimensions of a hybrid text workload", 1,
                    "%s: %s along the first network dimension, %s along the others, which a "
                    "network of one has not",
                    text_mode_name(file->mode), is_reverse ? weights : rest,
                    is_reverse ? rest : weights);
    if (file->pp > 1)
        notices_add(notices, NOTICE_IGNORED, "pipeline of a text workload", 1,
                    "pp: %" PRIu32 ": all stages run the layers of the file; messages between "
                    "stages and bubbles are not in it",
                    file->pp);
}

enum status text_workload_parse(struct trace **trace, const char *path, const void *bytes,
                                size_t length, uint32_t ranks, uint32_t passes,
                                struct notices *notices, struct diag *diag)
{
    struct arena arena;
    struct text_file file;
    arena_init(&arena);
    const char *kept = arena_text(&arena, path, strlen(path));
    enum status status = text_file_parse(&file, path, bytes, length, &arena, notices, diag);
    if (status == STATUS_OK)
        status = text_graph_check(&file, ranks, passes, diag);
    if (status != STATUS_OK) {
        diag_in(diag, path);
        arena_release(&arena);
        return status;
    }
    say(&file, notices);
    struct text_trace *text = text_trace_create(kept, &arena);
    uint64_t lone = text_graph_build(text, &file, ranks, passes);
    if (lone > 0)
        notices_add(notices, NOTICE_IGNORED, "collective of a text workload in a group of one rank",
                    lone, "groups of %" PRIu32 " (model-parallel), %" PRIu32 " ranks",
                    file.model_group, ranks);
    *trace = text_trace_finish(text, hash_bytes(bytes, length, 0));
    return STATUS_OK;
}

enum status text_workload_load(struct trace **trace, const char *path, uint32_t ranks,
                               uint32_t passes, struct notices *notices, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, FILE_MOST_BYTES, diag);
    if (status != STATUS_OK)
        return status;
    status =
        text_workload_parse(trace, path, file.bytes, file.length, ranks, passes, notices, diag);
    file_release(&file);
    return status;
}

uint32_t text_workload_ranks(const char *path)
{
    struct file file;
    struct diag ignored = DIAG_NONE;
    if (file_load(&file, path, FILE_MOST_BYTES, &ignored) != STATUS_OK)
        return 0;
    struct arena arena;
    struct text_file text;
    struct notices notices;
    arena_init(&arena);
    notices_init(&notices);
    enum status status =
        text_file_parse(&text, path, file.bytes, file.length, &arena, &notices, &ignored);
    uint32_t ranks = status == STATUS_OK ? text_graph_ranks(&text) : 0;
    notices_release(&notices);
    arena_release(&arena);
    file_release(&file);
    return ranks;
}
