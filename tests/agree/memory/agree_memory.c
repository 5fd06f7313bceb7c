/*
 * agree_memory [--brief] [--data FOLDER] - the memory model beside a paper's formulas and published
 * runs.
 *
 * Data: $ORRERY_SHARED (or ../shared)/data/validation; without it the program says "skipped". Three
 * parts:
 *   memory_footprint.csv   Korthikanti 2022: GiB exactly, percentages (off a plot) to 0.15 points
 *   training.csv           column mem_gib: the worst stage beside the measured peak, by series; the
 *                          median absolute error must be at most 10 %; and of all rows, which ran,
 *                          95 % must fit by our count
 * Exit code 1 if one does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/agree/memory/memory_parts.h"

int main(int argc, char **argv)
{
    bool is_brief = false;
    const char *data = NULL;
    for (int i = 1; i < argc; i++) {
        is_brief = is_brief || strcmp(argv[i], "--brief") == 0;
        if (strcmp(argv[i], "--data") == 0 && i + 1 < argc)
            data = argv[++i];
    }
    const char *shared = getenv("ORRERY_SHARED");
    char folder[4096], path[4200];
    snprintf(folder, sizeof folder, data ? "%.4000s" : "%.4000s/data/validation",
             data     ? data
             : shared ? shared
                      : "../shared");
    snprintf(path, sizeof path, "%s/memory_footprint.csv", folder);
    if (!file_exists(path)) {
        printf("agree_memory: 0 passed, 0 failed, 1 skipped\nskipped: no %s\n", path);
        return 0;
    }
    FILE *out = is_brief ? NULL : stdout;
    struct memory_score score = {0, 0};
    struct diag diag = DIAG_NONE;
    enum status status = memory_footprint(path, out, &score, &diag);
    if (status == STATUS_OK)
        status = memory_runs(folder, out, &score, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        return status_exit_code(status);
    }
    printf("agree_memory: %u passed, %u failed, 0 skipped\n", score.passed, score.failed);
    return score.failed > 0;
}
