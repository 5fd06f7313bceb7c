/*
 * launch - one run of the built program in a child process, with its output and its cost.
 *
 * Rules:
 *  1. launch_start() forks; launch_reap() waits for any child and fills its outcome. Arguments are
 *     only needed until launch_start() returns.
 *  2. Output goes to files beside each other in `folder`: <tag>.out, <tag>.err; they are removed
 *     once read.
 *  3. A child that runs longer than its wall limit ends by SIGALRM, and says so in its outcome.
 */
#ifndef ORRERY_TESTS_AGREE_LAUNCH_H
#define ORRERY_TESTS_AGREE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the program printed for one rank. */
struct rank_line {
    bool seen;
    uint64_t cycles, exposed;
};

struct outcome {
    int exit_code; /* -1: ended by a signal */
    int signal_number;
    bool timed_out;
    double user_s;
    uint64_t peak_rss_kb;
    struct rank_line *rank; /* [npus] */
    uint32_t npus;
    uint32_t finished;  /* ranks with a line */
    uint32_t odd_lines; /* lines that are not result lines, or name a rank twice or beyond */
    uint64_t stdout_hash;
    char first_error[256]; /* first line of standard error, "" if none */
};

struct launch {
    pid_t pid;
    char folder[512];
    char tag[96];
    struct outcome *outcome;
};

/* Starts argv[0] (NULL-terminated list). False if the system refuses. */
bool launch_start(struct launch *launch, char *const *argv, unsigned wall_limit_s);

/*
 * Waits for one of `count` launches (pid 0: not running), fills its outcome and sets its pid to 0.
 * Returns its index, or -1 if none is running.
 */
int launch_reap(struct launch *launches, int count);

void outcome_init(struct outcome *outcome, uint32_t npus);
void outcome_release(struct outcome *outcome);

#endif
