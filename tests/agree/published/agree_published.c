/*
 * agree_published [--brief | --perf] - the tuner against published measurements, alone.
 *
 * Data is $ORRERY_SHARED/data (default ../shared): validation/collectives.csv, or with --perf
 * perf/xla_collective_perf_table.csv; without it the program says "skipped". PUBLISHED_ROWS=1 prints
 * each row. Exit code 1 if a criterion does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/agree/published/published.h"

int main(int argc, char **argv)
{
    bool perf = argc > 1 && strcmp(argv[1], "--perf") == 0;
    bool brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    const char *shared = getenv("ORRERY_SHARED");
    char csv[4096];
    snprintf(csv, sizeof csv, "%.4000s/data/%s", shared ? shared : "../shared",
             perf ? "perf/xla_collective_perf_table.csv" : "validation/collectives.csv");
    if (!file_exists(csv)) {
        printf("agree_published: 0 passed, 0 failed, 2 skipped\nskipped: no %s\n", csv);
        return 0;
    }
    uint32_t passed = 0, failed = 0;
    struct diag diag = DIAG_NONE;
    enum status status = perf ? published_run_perf(csv, stdout, &diag)
                              : published_run(csv, brief, stdout, &passed, &failed, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        return status_exit_code(status);
    }
    printf("agree_published: %u passed, %u failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
