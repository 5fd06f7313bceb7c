#include "run/explain_run.h"

#include <stdlib.h>

#include "run/collective_profile.h"

static void find_slack(const struct explained *run)
{
    const struct timeline *timeline = run->also->timeline;
    struct path_blame *blame = run->also->blame;
    time_ps *slack = path_slack_find(timeline, run->prepared->graphs, run->result->end_ps);
    blame->slack_count = path_slack_rows(timeline, slack, &blame->arena, &blame->slack);
    free(slack);
}

/* Replays the run, as far as it is not too large for that. */
static enum status replay_it(const struct explained *run, const struct replay_input *input,
                             struct diag *diag)
{
    struct replay replay;
    enum status status = replay_init(&replay, input, diag);
    if (status == STATUS_OK)
        sensitivity_find(run->also->sensitivity, &replay, input->timeline);
    replay_release(&replay);
    return status;
}

/* What its parameters are worth. */
static enum status find_sensitivity(const struct explained *run, struct path_splitter *splitter,
                                    struct diag *to)
{
    struct notices *notices = &run->result->notices;
    struct collective_profiles profiles;
    struct diag diag = DIAG_NONE;
    enum status status = collective_profiles_find(&profiles, run);
    const struct replay_input input = {.timeline = run->also->timeline,
                                       .graphs = run->prepared->graphs,
                                       .splitter = splitter,
                                       .launch_ps = run->times->launch_of_trace,
                                       .profiles = profiles.profile,
                                       .profile_of = profiles.of_meeting,
                                       .end_ps = run->result->end_ps};
    if (status == STATUS_OK) {
        status = replay_it(run, &input, &diag);
        collective_steps_mark(&profiles, run->also->timeline, run->also->sensitivity);
        if (profiles.left_out)
            notices_add(notices, NOTICE_GUESSED,
                        "sensitivity of a collective that was not run alone: by closed form",
                        profiles.left_out, "in all");
        if (status == STATUS_LAW)
            *to = diag;
        else if (status != STATUS_OK)
            notices_add(notices, NOTICE_IGNORED, "sensitivities", 1, "%s", diag.message);
        status = status == STATUS_LAW ? status : STATUS_OK;
    }
    collective_profiles_release(&profiles);
    return status;
}

enum status explain_run(const struct explained *run, struct diag *diag)
{
    struct critical_path path;
    struct path_splitter splitter;
    critical_path_init(&path);
    critical_path_find(&path, run->also->timeline, run->config->system.rendezvous,
                       run->result->end_ps);
    enum status status = critical_path_check(&path, diag);
    if (status == STATUS_OK) {
        status = path_splitter_init(&splitter, run->config, run->workload, &run->prepared->groups,
                                    &run->prepared->book, diag);
        splitter.shape_ps = run->times->of_trace;
        if (status == STATUS_OK)
            path_blame_find(run->also->blame, &path, run->also->timeline, &splitter);
        if (status == STATUS_OK)
            find_slack(run);
        if (status == STATUS_OK && run->also->terms)
            status = rank_terms_find(run->also->terms, run->also->timeline, &splitter, run->result,
                                     diag);
        if (status == STATUS_OK && run->also->sensitivity)
            status = find_sensitivity(run, &splitter, diag);
        path_splitter_release(&splitter);
    }
    critical_path_release(&path);
    return status == STATUS_OK ? path_blame_check(run->also->blame, diag) : status;
}
