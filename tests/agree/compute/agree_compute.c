/*
 * agree_compute - compute models against measured kernels and other simulators.
 *
 * agree_compute [--brief] [--part NAME]; data is in $ORRERY_SHARED (default ../shared). Ends with
 * one line, "agree_compute: P passed, F failed, S skipped"; exit code 1 if anything failed.
 * A part is one file here, its run function declared in compute_parts.h, and a row below.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/agree/compute/compute_parts.h"

static const struct part parts_of_compute[] = {
    {"gemm", "published matrix products", agree_gemm, PART_NEEDS_DATA},
    {"systolic", "SCALE-Sim's reference runs", agree_systolic, PART_NEEDS_DATA},
    {"kernels", "published attention and memory-bound kernels", agree_kernels, PART_NEEDS_DATA},
    {"bandwidth", "memory bandwidth over size", agree_bandwidth, PART_NEEDS_DATA},
    {"profile", "kernels of a published training profile", agree_profile, PART_NEEDS_DATA},
    {0},
};

static int usage(void)
{
    fputs("usage: agree_compute [--brief] [--part NAME]\n", stderr);
    for (const struct part *part = parts_of_compute; part->name; part++)
        fprintf(stderr, "  %-12s %s\n", part->name, part->what);
    return STATUS_USAGE;
}

static bool is_part(const char *name)
{
    const struct part *part = parts_of_compute;
    while (part->name && strcmp(part->name, name) != 0)
        part++;
    return part->name != NULL;
}

static bool is_there(const char *shared)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/gemm.csv", shared);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return file != NULL;
}

static enum status run_parts(const char *only, bool brief, const char *shared,
                             struct part_count *count, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (const struct part *part = parts_of_compute; part->name && status == STATUS_OK; part++) {
        if (only && strcmp(only, part->name) != 0)
            continue;
        if (part->need != PART_NEEDS_NOTHING && !is_there(shared)) {
            printf("skipped: %s: no data in %s\n", part->name, shared);
            count->skipped++;
            continue;
        }
        printf("== %s\n", part->what);
        status = part->run(shared, brief, stdout, count, diag);
        fflush(stdout);
    }
    return status;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    bool brief = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0)
            brief = true;
        else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc && is_part(argv[i + 1]))
            only = argv[++i];
        else
            return usage();
    }
    const char *shared = getenv("ORRERY_SHARED");
    struct part_count count = {0};
    struct diag diag = DIAG_NONE;
    enum status status =
        run_parts(only, brief, shared && shared[0] ? shared : "../shared", &count, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        count.failed++;
    }
    printf("agree_compute: %u passed, %u failed, %u skipped\n", count.passed, count.failed,
           count.skipped);
    return count.failed > 0;
}
