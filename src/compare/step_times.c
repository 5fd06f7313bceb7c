#include "compare/step_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/samples.h"

static int compare_steps(const void *left, const void *right)
{
    const struct outcome_step *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void summarise(struct step_times *times, double *time, uint32_t count)
{
    samples_sort(time, count);
    struct sample_estimate mean = samples_mean(time, count, &times->deviation_ps);
    times->count = count;
    times->mean_ps = mean.at;
    times->median_ps = (time[(count - 1) / 2] + time[count / 2]) / 2;
    times->least_ps = time[0];
    times->most_ps = time[count - 1];
    times->has_interval = count > 1;
    if (times->has_interval) {
        times->low_ps = mean.range.low;
        times->high_ps = mean.range.high;
    }
}

enum status step_times_find(struct step_times *times, const struct outcome *outcome,
                            struct diag *diag)
{
    *times = (struct step_times){0};
    if (!outcome->step_count)
        return STATUS_OK;
    uint32_t all = outcome->step_count, count = 0;
    struct outcome_step *step = malloc(all * sizeof *step);
    double *time = malloc(all * sizeof *time);
    need_memory(step && time);
    memcpy(step, outcome->step, all * sizeof *step);
    qsort(step, all, sizeof *step, compare_steps);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < all; i++) {
        bool is_new = i == 0 || step[i].step != step[i - 1].step;
        if (!is_new && step[i].rank == step[i - 1].rank) {
            status =
                diag_fail(diag, STATUS_BAD_INPUT, "step %" PRIu64 " is there twice", step[i].step);
            diag_in(diag, outcome->path);
            break;
        }
        if (is_new)
            time[count++] = 0;
        if ((double)step[i].time_ps > time[count - 1])
            time[count - 1] = (double)step[i].time_ps;
    }
    if (status == STATUS_OK)
        summarise(times, time, count);
    free(time);
    free(step);
    return status;
}
