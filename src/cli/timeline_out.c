#include "cli/timeline_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "report/timeline_json.h"
#include "report/timeline_native.h"
#include "report/timeline_ranks.h"

enum { FOLLOWED_OPS = 1 << 27, MOST_OPS = 100000000, MOST_LINKS = 1000, USUAL_LINKS = 8 };

struct timeline_format {
    const char *ending;
    void (*write)(const struct timeline_view *view, const struct timeline_pick *pick, FILE *out);
};

static const struct timeline_format formats[] = {
    {".json", timeline_json},
    {".pftrace", timeline_native},
    {".perfetto-trace", timeline_native},
};

/* -- the request ------------------------------------------------------------------------------ */

static const struct timeline_format *format_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t length = strlen(name), ending = strlen(formats[i].ending);
        if (length >= ending && strcmp(name + length - ending, formats[i].ending) == 0)
            return &formats[i];
    }
    return strchr(name, '.') ? NULL : &formats[0];
}

static enum status read_time(const char *option, const char *text, time_ps *time, struct diag *diag)
{
    double ns;
    if (!text)
        return STATUS_OK;
    if (units_parse_duration(text, NULL, &ns, NULL, diag) != STATUS_OK) {
        diag_field(diag, "%s", option);
        diag->status = STATUS_USAGE;
        return STATUS_USAGE;
    }
    *time = time_rounded(ns, false);
    return STATUS_OK;
}

static enum status read_most(const char *text, uint64_t *most, struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    if (!decimal_u64(text, strlen(text), most) || *most == 0 || *most > MOST_OPS)
        return usage_error(diag, "--timeline-ops", "expected 1 to %d, found \"%.60s\"", MOST_OPS,
                           text);
    return STATUS_OK;
}

static enum status read_links(const char *text, uint32_t *links, struct diag *diag)
{
    uint64_t most;
    if (!text)
        return STATUS_OK;
    if (!decimal_u64(text, strlen(text), &most) || most > MOST_LINKS)
        return usage_error(diag, "--timeline-links", "expected 0 to %d, found \"%.60s\"",
                           MOST_LINKS, text);
    *links = (uint32_t)most;
    return STATUS_OK;
}

static enum status read_window(struct timeline_request *request,
                               const struct timeline_options *options, struct diag *diag)
{
    enum status status = read_time("--timeline-from", options->from, &request->from, diag);
    if (status == STATUS_OK)
        status = read_time("--timeline-to", options->to, &request->to, diag);
    if (status == STATUS_OK && options->to && request->to <= request->from)
        return usage_error(diag, "--timeline-to", "is not after --timeline-from");
    return status;
}

static enum status read_ranks(struct timeline_request *request, const char *text,
                              uint32_t rank_count, struct diag *diag)
{
    if (!text || timeline_read_ranks(text, rank_count, &request->rank, &request->rank_count,
                                     diag) == STATUS_OK)
        return STATUS_OK;
    diag_field(diag, "--timeline-ranks");
    return diag->status;
}

/* An option that says something of a file that was not asked for. */
static const char *first_given(const struct timeline_options *options)
{
    return options->ranks   ? "--timeline-ranks"
           : options->most  ? "--timeline-ops"
           : options->from  ? "--timeline-from"
           : options->to    ? "--timeline-to"
           : options->links ? "--timeline-links"
                            : NULL;
}

enum status timeline_request_read(struct timeline_request *request,
                                  const struct timeline_options *options, uint32_t rank_count,
                                  struct diag *diag)
{
    *request = (struct timeline_request){.most = TIMELINE_USUAL_SLICES, .links = USUAL_LINKS};
    if (!options->file)
        return first_given(options)
                   ? usage_error(diag, first_given(options), "is for --timeline FILE")
                   : STATUS_OK;
    request->format = format_of(options->file);
    if (!request->format)
        return usage_error(diag, "--timeline",
                           "expected a name that ends in .json, .pftrace or .perfetto-trace, "
                           "found \"%.200s\"",
                           options->file);
    enum status status = read_ranks(request, options->ranks, rank_count, diag);
    if (status == STATUS_OK)
        status = read_most(options->most, &request->most, diag);
    if (status == STATUS_OK)
        status = read_links(options->links, &request->links, diag);
    if (status == STATUS_OK)
        status = read_window(request, options, diag);
    return status;
}

void timeline_request_release(struct timeline_request *request)
{
    free(request->rank);
    request->rank = NULL;
}

struct timeline_want timeline_request_want(const struct timeline_request *request)
{
    return (struct timeline_want){.most_ops = FOLLOWED_OPS,
                                  .most_shown = request->most,
                                  .rank = request->rank,
                                  .rank_count = request->rank_count};
}

/* -- the file --------------------------------------------------------------------------------- */

static void say_left_out(const struct timeline_pick *pick, struct notices *notices)
{
    char length[32];
    if (pick->count < pick->asked)
        notices_add(notices, NOTICE_CLAMPED, "timeline of fewer ranks than asked for", 1,
                    "%" PRIu32 " of %" PRIu32 ", evenly spaced; --timeline-ranks, --timeline-from "
                    "and -to choose, --timeline-ops is the limit",
                    pick->count, pick->asked);
    if (pick->too_short)
        notices_add(notices, NOTICE_CLAMPED, "op too short for the timeline", pick->too_short,
                    "those of up to %s; --timeline-from and -to choose, --timeline-ops is the "
                    "limit",
                    units_show_time(length, sizeof length, pick->longest_short));
}

static enum status write_file(const char *path, const struct timeline_format *format,
                              const struct timeline_view *view, struct notices *notices,
                              struct diag *diag)
{
    struct out_file out;
    struct timeline_pick pick;
    enum status status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    timeline_pick_init(&pick, view);
    say_left_out(&pick, notices);
    format->write(view, &pick, out.stream);
    timeline_pick_release(&pick);
    return output_commit(&out, diag);
}

/* A job so large that only some ranks were followed shows those. */
static void take_followed(struct timeline_view *view, const struct timeline *timeline,
                          struct notices *notices)
{
    if (!timeline->followed)
        return;
    view->asked_count = view->rank ? view->rank_count : timeline->seats;
    view->rank = timeline->followed;
    view->rank_count = timeline->followed_count;
    notices_add(notices, NOTICE_CLAMPED, "timeline without critical path", 1,
                "a job of more than %d ops: %" PRIu32 " ranks were followed", FOLLOWED_OPS,
                timeline->followed_count);
}

/* Link counters, if the network model told of links. */
static void add_links(struct timeline_view *view, const struct timeline_request *request,
                      const struct timeline_run *run)
{
    struct run_result *result = run->result;
    if (!request->links)
        return;
    if (!run->links->link_count) {
        notices_add(&result->notices, NOTICE_IGNORED, "timeline without counters of links", 1,
                    "this network model tells of none; flow, link and analytical do");
        return;
    }
    view->links = run->links;
    view->network = &run->config->network;
    view->most_links = request->links;
}

enum status timeline_out(const char *path, const struct timeline_request *request, const char *job,
                         const struct timeline_run *run, struct diag *diag)
{
    struct run_result *result = run->result;
    struct timeline_view view = {.timeline = run->timeline,
                                 .result = result,
                                 .version = ORRERY_VERSION,
                                 .job = job,
                                 .rank = request->rank,
                                 .rank_count = request->rank_count,
                                 .most_slices = request->most,
                                 .from = request->from,
                                 .to = request->to};
    struct critical_path critical;
    enum status status = STATUS_OK;
    critical_path_init(&critical);
    take_followed(&view, run->timeline, &result->notices);
    if (result->status == STATUS_OK && !run->timeline->followed) { /* of a run that ended */
        critical_path_find(&critical, run->timeline, run->config->system.rendezvous,
                           result->end_ps);
        status = critical_path_check(&critical, diag);
        view.path = &critical;
    }
    add_links(&view, request, run);
    if (status == STATUS_OK)
        status = write_file(path, request->format, &view, &result->notices, diag);
    critical_path_release(&critical);
    return status;
}
