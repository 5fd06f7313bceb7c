#include "compare/step_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double half_pi = 1.57079632679489661923;

static int compare_steps(const void *left, const void *right)
{
    const struct outcome_step *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/*
 * P(|T| <= t) for `freedom` degrees: the finite sums of Abramowitz and Stegun, 26.7.3 (odd) and
 * 26.7.4 (even), with theta = atan(t / sqrt(freedom)).
 */
static double student_inside(double t, uint32_t freedom)
{
    double theta = atan(t / sqrt(freedom)), c = cos(theta), term, sum;
    bool is_odd = freedom % 2;
    if (freedom == 1)
        return theta / half_pi;
    term = is_odd ? c : 1;
    sum = term;
    for (uint32_t k = is_odd ? 3 : 2; k < freedom; k += 2) {
        term *= c * c * (k - 1) / k;
        sum += term;
    }
    return is_odd ? (theta + sin(theta) * sum) / half_pi : sin(theta) * sum;
}

double step_times_student(uint32_t freedom)
{
    double low = 1.9, high = 13; /* t is 12.706 for 1, and above 1.95996 always */
    if (freedom > 100000)
        return 1.959964;
    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (student_inside(middle, freedom) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void summarise(struct step_times *times, double *time, uint32_t count)
{
    double sum = 0, squares = 0;
    qsort(time, count, sizeof *time, compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        sum += time[i];
    times->count = count;
    times->mean_ps = sum / count;
    times->median_ps = (time[(count - 1) / 2] + time[count / 2]) / 2;
    times->least_ps = time[0];
    times->most_ps = time[count - 1];
    if (count < 2)
        return;
    for (uint32_t i = 0; i < count; i++)
        squares += (time[i] - times->mean_ps) * (time[i] - times->mean_ps);
    times->deviation_ps = sqrt(squares / (count - 1));
    double half = step_times_student(count - 1) * times->deviation_ps / sqrt(count);
    times->has_interval = true;
    times->low_ps = times->mean_ps - half;
    times->high_ps = times->mean_ps + half;
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
