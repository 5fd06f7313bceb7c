/*
 * job - everything that one `orrery run` holds: options, inputs, results, in one place to release.
 */
#ifndef ORRERY_CLI_JOB_H
#define ORRERY_CLI_JOB_H

#include "base/file.h"
#include "cli/inputs.h"
#include "cli/rerun.h"
#include "cli/timeline_out.h"
#include "report/report.h"
#include "run/simulate.h"
#include "cli/work.h"

struct run_options {
    struct inputs inputs; /* first: INPUT_OPTIONS fills it */
    const char *format, *output, *wall_limit, *against, *links, *heat_map, *html;
    struct timeline_options timeline;
    bool print_config, quiet, progress, all_ranks, host_figures, ignore_memory;
};

/*
 * Rows of option tables whose structure begins with `struct run_options`: what is written, in one
 * of `formats`, and where; a run that is watched.
 */
/* clang-format off */
#define REPORT_OPTIONS(formats)                                                                    \
    {.name = "--format", .argument = "NAME", .help = formats,                                      \
     .take = take_text, .offset = offsetof(struct run_options, format)},                           \
    {.name = "--output", .argument = "FILE",                                                       \
     .help = "write the report there (complete, or not at all)",                                   \
     .take = take_text, .offset = offsetof(struct run_options, output)}
#define WATCH_OPTIONS                                                                              \
    {.name = "--wall-limit", .argument = "TIME",                                                   \
     .help = "stop after so much time of this machine (30s)",                                      \
     .take = take_text, .offset = offsetof(struct run_options, wall_limit)},                       \
    {.name = "--progress", .help = "a progress line also where there is no terminal",              \
     .take = take_flag, .offset = offsetof(struct run_options, progress)},                         \
    {.name = "--quiet", .help = "no progress line, no notices",                                    \
     .take = take_flag, .offset = offsetof(struct run_options, quiet)}
/* clang-format on */

struct job {
    const struct run_options *options;
    struct rerun rerun;
    struct inputs inputs; /* what runs: the options', or those of a RESULT (rerun.h) */
    const struct report_ops *format;
    double wall_limit_s;
    struct config config;
    struct group_file groups;
    struct work work;
    struct out_file out;
    bool has_out;
    struct run_result result;
    struct timeline timeline; /* --timeline, --html */
    struct path_blame blame;  /* --html: the critical path, if has_path */
    struct sensitivity sensitivity;
    bool has_path, has_timeline;
    struct timeline_request timeline_request;
    struct link_series links;   /* --timeline, with counters of links */
    struct config other_config; /* --against */
    struct run_result other;
    struct diag diag;
};

void job_init(struct job *job, const struct run_options *run_options);
void job_release(struct job *job);

/* Reads options, configuration and traces, of a RESULT too; job->diag says what is wrong. */
enum status job_load(struct job *job);

/* After the run: does a RESULT end as it did? */
enum status job_check_end(struct job *job);

/* The arguments that make it again, for a report. */
const char *const *job_command(struct job *job);

/* The job's name, or the prefix of its traces. */
const char *job_name(const struct job *job);

/* True if the format has room for notices and findings. */
bool job_report_holds_all(const struct job *job);

#endif
