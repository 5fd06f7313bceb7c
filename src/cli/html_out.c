#include "cli/html_out.h"

#include "cli/output.h"
#include "page/run_page.h"

enum status html_out_run_plain(struct job *job, const struct simulate_watch *hook)
{
    char why[sizeof job->diag.message];
    snprintf(why, sizeof why, "%s", job->diag.message);
    job->diag = DIAG_NONE;
    result_release(&job->result);
    result_init(&job->result);
    enum status status = simulate(&job->config, work_load_of(&job->work), &job->groups, hook,
                                  &job->result, &job->diag);
    notices_add(&job->result.notices, NOTICE_CLAMPED, "page without timeline and critical path", 1,
                "%s", why);
    return status;
}

enum status html_out(const struct job *job, const struct report_context *context, struct diag *diag)
{
    const char *name = job_name(job);
    const struct run_page page = {.title = *name ? name : "run",
                                  .result = &job->result,
                                  .config = &job->config,
                                  .context = context,
                                  .blame = job->has_path ? &job->blame : NULL,
                                  .sensitivity = job->has_path ? &job->sensitivity : NULL,
                                  .timeline = job->has_timeline ? &job->timeline : NULL};
    struct out_file out;
    enum status status = output_open(&out, job->options->html, diag);
    if (status != STATUS_OK)
        return status;
    run_page_write(&page, out.stream);
    return output_commit(&out, diag);
}
