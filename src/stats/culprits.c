#include "stats/culprits.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct place {
    double time;
    uint32_t sample;
};

static int slowest_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? 1 : -1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

uint32_t culprits_tail(uint32_t count)
{
    return (count + 9) / 10;
}

/* What the slowest samples say of a thing; `squares` of u there. */
struct verdict {
    double mean, late, u, squares;
};

static struct verdict judge(const struct culprit_question *question, const struct place *order,
                            uint32_t thing)
{
    uint32_t n = question->count, k = culprits_tail(n);
    double sum = 0, squares = 0, late = 0, late_squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        double figure = question->figure(question->context, order[i].sample, thing);
        sum += figure;
        squares += figure * figure;
        late += i < k ? figure : 0;
        late_squares += i < k ? figure * figure : 0;
    }
    double mean = sum / n, variance = (squares - sum * mean) / (n - 1);
    struct verdict verdict = {.mean = mean, .late = late / k};
    if (!(variance > 1e-12 * mean * mean)) /* it does not vary, but for rounding */
        return verdict;
    verdict.u = (verdict.late - mean) / sqrt(variance);
    verdict.squares = (late_squares / k - 2 * mean * verdict.late + mean * mean) / variance;
    return verdict;
}

static void keep(struct culprit *to, uint32_t room, uint32_t found, const struct culprit *culprit)
{
    uint32_t place = found < room ? found : room;
    while (place > 0 && to[place - 1].z < culprit->z) {
        if (place < room)
            to[place] = to[place - 1];
        place--;
    }
    if (place < room)
        to[place] = *culprit;
}

uint32_t culprits_find(const struct culprit_question *question, struct culprit *to, uint32_t room)
{
    uint32_t n = question->count, found = 0;
    if (n < CULPRITS_LEAST)
        return 0;
    struct place *order = malloc(n * sizeof *order);
    need_memory(order != NULL);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct place){question->time[i], i};
    qsort(order, n, sizeof *order, slowest_first);
    uint32_t things = question->things;
    struct verdict *verdict = calloc(things + 1, sizeof *verdict);
    need_memory(verdict != NULL);
    double m = 0, variance = 0;
    for (uint32_t i = 0; i < things; i++) {
        verdict[i] = judge(question, order, i);
        m += verdict[i].u / things;
        variance += (verdict[i].squares - verdict[i].u * verdict[i].u) / things;
    }
    double bar = sqrt(2 * log(20.0 * things)), error = sqrt(variance / culprits_tail(n));
    for (uint32_t i = 0; i < things && error > 0; i++) {
        const struct culprit culprit = {i, (verdict[i].u - m) / error, verdict[i].late,
                                        verdict[i].mean};
        if (culprit.z > bar)
            keep(to, room, found++, &culprit);
    }
    free(verdict);
    free(order);
    return found;
}
