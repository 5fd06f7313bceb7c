/*
 * agree_published [--brief | --perf] [FILE] - the tuner against published measurements, alone.
 *
 * FILE is a table in the form of data/validation/collectives.csv, or with --perf of
 * data/perf/xla_collective_perf_table.csv; default: those of $ORRERY_SHARED (or ../shared), without
 * which the program says "skipped". PUBLISHED_ROWS=1 prints each row. Exit code 1 if a criterion
 * does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/agree/published/published.h"

int main(int argc, char **argv)
{
    bool perf = false, brief = false;
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        perf = perf || strcmp(argv[i], "--perf") == 0;
        brief = brief || strcmp(argv[i], "--brief") == 0;
        if (argv[i][0] != '-')
            file = argv[i];
    }
    const char *shared = getenv("ORRERY_SHARED");
    char csv[4096];
    if (file)
        snprintf(csv, sizeof csv, "%.4000s", file);
    else
        snprintf(csv, sizeof csv, "%.4000s/data/%s", shared ? shared : "../shared",
                 perf ? "perf/xla_collective_perf_table.csv" : "validation/collectives.csv");
    if (!file_exists(csv)) {
        printf("agree_published: 0 passed, 0 failed, 1 skipped\nskipped: no %s\n", csv);
        return 0;
    }
    struct part_count count = {0};
    struct diag diag = DIAG_NONE;
    enum status status = perf ? published_run_perf(csv, stdout, &diag)
                              : published_run(csv, brief, stdout, &count, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        return status_exit_code(status);
    }
    printf("agree_published: %u passed, %u failed, 0 skipped\n", count.passed, count.failed);
    return count.failed > 0;
}
