#include <inttypes.h>

#include "cli/cli.h"
#include "workloads/workload_set.h"

enum { MOST_FILES = 1024 };

struct info_options {
    const char *file[MOST_FILES];
    int file_count;
};

static enum status take_file(void *to, const char *text, struct diag *diag)
{
    struct info_options *info = to;
    if (info->file_count == MOST_FILES)
        return usage_error(diag, NULL, "at most %d files are accepted", MOST_FILES);
    info->file[info->file_count++] = text;
    return STATUS_OK;
}

static int run_info(int argc, char **argv)
{
    static struct info_options info;
    info = (struct info_options){0};
    enum asked asked;
    struct diag diag = DIAG_NONE;
    if (options_parse(&command_info, argc, argv, &info, take_file, &asked, &diag) != STATUS_OK)
        return command_failed(&diag);
    if (asked == ASKED_HELP) {
        options_help(&command_info, stdout);
        return 0;
    }
    struct notices notices;
    notices_init(&notices);
    enum status status = STATUS_OK;
    for (int i = 0; i < info.file_count && status == STATUS_OK; i++) {
        struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
        struct trace *trace;
        status = chakra_load(&trace, info.file[i], &options, &notices, &diag);
        if (status != STATUS_OK)
            break;
        printf("%s: %s, %" PRIu32 " nodes\n", info.file[i], trace->format, trace->count);
        trace->destroy(trace);
    }
    notices_release(&notices);
    return status == STATUS_OK ? 0 : command_failed(&diag);
}

static const struct option no_options[] = {{0}};

const struct command command_info = {
    .name = "info",
    .summary = "what is in a trace: nodes by type, bytes by collective and group",
    .usage = "FILE..",
    .about = "Prints a census of traces.\n",
    .examples = "  orrery info W/all_reduce.0.et\n",
    .options = no_options,
    .run = run_info,
};
