/*
 * unit - what every unit-test program shares: one main, one closing line for `make check`.
 *
 * Rules:
 *  1. A file tests/unit/test_<module>.c holds its checks, one `static Suite *suite_of(void)` (any
 *     name) and ends with RUN_SUITE(suite_of()). Nothing else is needed to be built and run.
 *  2. Tests run in child processes (CK_FORK=yes), so an abort fails one test; run with CK_FORK=no
 *     under a debugger or valgrind.
 *  3. The program runs with the repository as current folder; UNIT_ROOT overrides it.
 *  4. The last line printed is "unit: P passed, F failed, S skipped"; tests/run_all adds it up.
 */
#ifndef ORRERY_TESTS_UNIT_UNIT_H
#define ORRERY_TESTS_UNIT_UNIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Runs `suite`, prints what failed and the closing line; returns the program's exit code. */
static inline int unit_run(Suite *suite)
{
    const char *root = getenv("UNIT_ROOT");
    if (root != NULL && chdir(root) != 0) {
        fprintf(stderr, "unit: cannot enter %s\n", root);
        return 1;
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    int run = srunner_ntests_run(runner);
    srunner_free(runner);
    printf("unit: %d passed, %d failed, 0 skipped\n", run - failed, failed);
    /* A program that runs no test would pass for ever. */
    return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The main() of a test program. */
#define RUN_SUITE(make_suite)                                                                      \
    int main(void)                                                                                 \
    {                                                                                              \
        return unit_run(make_suite);                                                               \
    }

#endif
