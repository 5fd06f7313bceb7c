#include "tests/agree/part/part.h"

#include <stdlib.h>
#include <string.h>

struct asked {
    const char *only; /* a part; NULL: all */
    bool brief, untimed;
};

static int usage(const struct part_program *program)
{
    fprintf(stderr, "usage: %s [--brief] [--untimed] [--part NAME]\n", program->name);
    for (const struct part *part = program->part; part->name; part++)
        fprintf(stderr, "  %-15s %s\n", part->name, part->what);
    return status_exit_code(STATUS_USAGE);
}

static bool has_part(const struct part_program *program, const char *name)
{
    const struct part *part = program->part;
    while (part->name && strcmp(part->name, name) != 0)
        part++;
    return part->name != NULL;
}

static bool read_arguments(const struct part_program *program, int argc, char **argv,
                           struct asked *asked)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0)
            asked->brief = true;
        else if (strcmp(argv[i], "--untimed") == 0)
            asked->untimed = true;
        else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc && has_part(program, argv[i + 1]))
            asked->only = argv[++i];
        else
            return false;
    }
    return true;
}

static bool has_data(const struct part_program *program, const char *shared)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/%.150s", shared, program->probe);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return file != NULL;
}

static enum status run_parts(const struct part_program *program, const struct asked *asked,
                             const char *shared, struct part_count *count, struct diag *diag)
{
    for (const struct part *part = program->part; part->name; part++) {
        if ((asked->only && strcmp(asked->only, part->name) != 0) ||
            (asked->untimed && part->need == PART_NEEDS_CLOCK))
            continue;
        if (part->need != PART_NEEDS_NOTHING && !has_data(program, shared)) {
            printf("skipped: %s: no data in %s\n", part->name, shared);
            count->skipped++;
            continue;
        }
        printf("== %s\n", part->what);
        fflush(stdout);
        enum status status = part->run(shared, asked->brief, stdout, count, diag);
        if (status != STATUS_OK)
            return status;
        putchar('\n');
    }
    return STATUS_OK;
}

int part_program_run(const struct part_program *program, int argc, char **argv)
{
    struct asked asked = {0};
    if (!read_arguments(program, argc, argv, &asked))
        return usage(program);
    const char *shared = getenv("ORRERY_SHARED");
    struct part_count count = {0};
    struct diag diag = DIAG_NONE;
    enum status status =
        run_parts(program, &asked, shared && shared[0] ? shared : "../shared", &count, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        return status_exit_code(status);
    }
    printf("%s: %u passed, %u failed, %u skipped\n", program->name, count.passed, count.failed,
           count.skipped);
    return count.failed == 0 && count.passed + count.skipped > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
