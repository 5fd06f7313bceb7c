#include "cli/timeline_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "report/timeline_ranks.h"

enum status timeline_out_check(const char *path, const char *ranks, uint32_t rank_count,
                               struct diag *diag)
{
    uint32_t *rank, count;
    if (!ranks)
        return STATUS_OK;
    if (!path)
        return usage_error(diag, "--timeline-ranks", "is for --timeline FILE");
    if (timeline_read_ranks(ranks, rank_count, &rank, &count, diag) != STATUS_OK) {
        diag_field(diag, "--timeline-ranks");
        return diag->status;
    }
    free(rank);
    return STATUS_OK;
}

static enum status write_file(const char *path, const struct timeline_view *view, struct diag *diag)
{
    struct out_file out;
    enum status status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    timeline_json(view, out.stream);
    return output_commit(&out, diag);
}

enum status timeline_out(const char *path, const char *ranks, const char *job,
                         const struct timeline *timeline, struct run_result *result,
                         struct diag *diag)
{
    uint32_t *rank = NULL, count = 0;
    if (ranks && timeline_read_ranks(ranks, result->rank_count, &rank, &count, diag) != STATUS_OK)
        return diag->status;
    const struct timeline_view view = {.timeline = timeline,
                                       .result = result,
                                       .version = ORRERY_VERSION,
                                       .job = job,
                                       .rank = rank,
                                       .rank_count = count};
    uint32_t asked = rank ? count : timeline->seats, shown = timeline_fits(&view);
    if (shown < asked)
        notices_add(&result->notices, NOTICE_CLAMPED, "timeline of fewer ranks than asked for", 1,
                    "the first %" PRIu32 " of %" PRIu32 "; --timeline-ranks chooses", shown, asked);
    enum status status = write_file(path, &view, diag);
    free(rank);
    return status;
}
