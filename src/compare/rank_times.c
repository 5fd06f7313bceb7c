#include "compare/rank_times.h"

#include <string.h>

void rank_times_begin(struct rank_times *times)
{
    *times = (struct rank_times){.is_finished = true};
}

static bool is_word(const char *name, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(name, word, length) == 0;
}

static bool begins(const char *name, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

void rank_times_take(struct rank_times *times, const char *name, size_t length, uint64_t value)
{
    const struct {
        const char *name;
        uint64_t *value;
        bool *has;
    } fields[] = {
        {"rank", &times->rank, &times->has_rank},
        {"finish_ps", &times->finish, &times->has_finish},
        {"compute_ps", &times->compute, &times->has_compute},
        {"compute_sum_ps", &times->compute_sum, &times->has_sum},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!is_word(name, length, fields[i].name))
            continue;
        *fields[i].value = value;
        *fields[i].has = true;
        return;
    }
    if (is_word(name, length, "finished")) {
        times->is_finished = value != 0;
    } else if (begins(name, length, "exposed_") || is_word(name, length, "waiting_ps")) {
        times->has_alone = true;
        times->is_over |= __builtin_add_overflow(times->alone, value, &times->alone);
    } else if (begins(name, length, "overlapped_") && value > 0) {
        times->overlapped_kinds++;
        times->is_over |= __builtin_add_overflow(times->overlapped, value, &times->overlapped);
    }
}

static bool fits(uint64_t value)
{
    return value <= INT64_MAX;
}

bool rank_times_end(const struct rank_times *times, struct outcome *outcome)
{
    if (!times->has_rank || times->rank >= UINT32_MAX || times->is_over)
        return false;
    if (!fits(times->finish) || !fits(times->compute) || !fits(times->compute_sum) ||
        !fits(times->alone) || !fits(times->alone + times->overlapped))
        return false;
    if (!times->is_finished) {
        notices_add(&outcome->notices, NOTICE_IGNORED, "rank that did not finish", 1, "rank %u",
                    (unsigned)times->rank);
        return true;
    }
    int64_t *figure = outcome_add_rank(outcome, (uint32_t)times->rank)->figure_ps;
    if (times->has_finish)
        figure[RANK_FINISH] = (int64_t)times->finish;
    if (times->has_compute)
        figure[RANK_COMPUTE] = (int64_t)times->compute;
    if (times->has_sum)
        figure[RANK_COMPUTE_SUM] = (int64_t)times->compute_sum;
    if (times->has_alone)
        figure[RANK_ALONE] = (int64_t)times->alone;
    if (times->has_alone && times->overlapped_kinds <= 1)
        figure[RANK_COMMUNICATION] = (int64_t)(times->alone + times->overlapped);
    return true;
}
