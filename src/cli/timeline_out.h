/*
 * timeline_out - the file of `orrery run --timeline`.
 *
 * Its format is chosen by the file's ending: .json (or none) is Chrome's trace event JSON
 * (report/timeline_json.h), .pftrace and .perfetto-trace are Perfetto's own (timeline_native.h).
 */
#ifndef ORRERY_CLI_TIMELINE_OUT_H
#define ORRERY_CLI_TIMELINE_OUT_H

#include "config/config.h"
#include "report/timeline_view.h"

/* As on the command line; NULL: not given. */
struct timeline_options {
    const char *file, *ranks, *most, *from, *to, *links;
};

/* Rows of an option table whose structure has a `struct timeline_options timeline`. */
/* clang-format off */
#define TIMELINE_OPTIONS                                                                           \
    {.name = "--timeline", .argument = "FILE",                                                     \
     .help = "write what each rank did when, for ui.perfetto.dev: FILE.pftrace, or .json (chrome)",\
     .take = take_text, .offset = offsetof(struct run_options, timeline.file)},                    \
    {.name = "--timeline-ranks", .argument = "LIST",                                               \
     .help = "of these ranks: 0,8-15; default: those simulated",                                   \
     .take = take_text, .offset = offsetof(struct run_options, timeline.ranks)},                   \
    {.name = "--timeline-ops", .argument = "N",                                                    \
     .help = "at most N ops (200000): else evenly spaced ranks, then the longest ops",             \
     .take = take_text, .offset = offsetof(struct run_options, timeline.most)},                    \
    {.name = "--timeline-from", .argument = "TIME",                                                \
     .help = "only what has not ended by then (1.5ms)",                                            \
     .take = take_text, .offset = offsetof(struct run_options, timeline.from)},                    \
    {.name = "--timeline-to", .argument = "TIME",                                                  \
     .help = "only what has begun by then",                                                        \
     .take = take_text, .offset = offsetof(struct run_options, timeline.to)},                      \
    {.name = "--timeline-links", .argument = "N",                                                  \
     .help = "counters of the N busiest links (8) and of all by dimension; 0: none",               \
     .take = take_text, .offset = offsetof(struct run_options, timeline.links)}
/* clang-format on */

struct timeline_format; /* timeline_out.c */

/* What the options mean. */
struct timeline_request {
    const struct timeline_format *format;
    uint32_t *rank; /* [rank_count] or NULL; owned */
    uint32_t rank_count;
    uint64_t most;
    time_ps from, to;
    uint32_t links; /* with counters; 0: nothing of links */
};

/* Before the run: a mistake is told at once. Release in every case. */
enum status timeline_request_read(struct timeline_request *request,
                                  const struct timeline_options *options, uint32_t rank_count,
                                  struct diag *diag);
void timeline_request_release(struct timeline_request *request);

/* What the run follows for it: of a job of more than 2^27 ops (4.4 GB) only ranks shown. */
struct timeline_want timeline_request_want(const struct timeline_request *request);

/* What the run filled; `links` as simulate_also(). */
struct timeline_run {
    const struct config *config;
    const struct timeline *timeline;
    const struct link_series *links;
    struct run_result *result;
};

/* Writes the timeline of a run to `path` (complete, or not at all). What does not fit is a notice
 * of the result. */
enum status timeline_out(const char *path, const struct timeline_request *request, const char *job,
                         const struct timeline_run *run, struct diag *diag);

#endif
