/*
 * goodput_ask - the words of `orrery goodput`, and the step, failures, checkpoints and restarts that
 * they mean.
 */
#ifndef ORRERY_CLI_GOODPUT_ASK_H
#define ORRERY_CLI_GOODPUT_ASK_H

#include "cli/job.h"
#include "goodput/goodput_run.h"
#include "report/goodput_report.h"

struct goodput_options {
    struct run_options run; /* first: job_load() reads it */
    const char *step_time, *tokens, *devices, *node_size;
    const char *mtbf, *node_mtbf, *failures, *planned;
    const char *size, *storage, *write, *stall;
    const char *restart, *detect, *reschedule, *load, *warm_up;
    const char *spares, *repair, *shrink_by;
    const char *interval, *runs, *days, *run_seed;
    bool is_async, shrinks;
};

/* The command in progress. */
struct estimating {
    const struct goodput_options *asked;
    struct goodput_input input;
    struct goodput_report report;
    double parameter_bytes; /* of a checkpoint of the job; 0: not known */
    uint32_t replica;       /* devices of a model replica; 0: not known */
    char name[300];
    struct job job;
    struct out_file out;
    bool has_out, is_json;
    double interval_s; /* 0: the best */
    struct diag diag;
};

/* Reads all options but the output's; simulates a step where a job was given. all->diag says what is
 * wrong or missing. */
enum status goodput_ask(struct estimating *all);

#endif
