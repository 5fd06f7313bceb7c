#include "compare/error_stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/samples.h"

void error_book_init(struct error_book *book, int64_t grain_ps)
{
    *book = (struct error_book){.grain_ps = grain_ps};
}

void error_book_release(struct error_book *book)
{
    free(book->abs_percent);
    book->abs_percent = NULL;
}

int64_t error_grains(int64_t ps, int64_t grain_ps)
{
    int64_t grains = ps / grain_ps;
    return ps % grain_ps < 0 ? grains - 1 : grains;
}

static void keep(struct error_book *book, double abs_percent)
{
    if (book->count == book->room) {
        book->room = book->room ? 2 * book->room : 64;
        book->abs_percent = realloc(book->abs_percent, book->room * sizeof *book->abs_percent);
        need_memory(book->abs_percent != NULL);
    }
    book->abs_percent[book->count++] = abs_percent;
}

static double distance(const struct error_wide *wide)
{
    return fabs((double)wide->a_ps - (double)wide->b_ps);
}

/* The first of equally far ones stays before the others. */
static void add_wide(struct error_stats *stats, const struct error_wide *wide)
{
    uint32_t at = stats->wide_count;
    if (at == ERROR_WIDE && distance(&stats->wide[at - 1]) >= distance(wide))
        return;
    at -= at == ERROR_WIDE;
    stats->wide_count = at + 1;
    for (; at > 0 && distance(&stats->wide[at - 1]) < distance(wide); at--)
        stats->wide[at] = stats->wide[at - 1];
    stats->wide[at] = *wide;
}

void error_book_add(struct error_book *book, int64_t a_ps, int64_t b_ps)
{
    struct error_stats *stats = &book->stats;
    double difference = (double)a_ps - (double)b_ps, percent = 0;
    uint64_t number = stats->pairs++;
    bool is_equal = error_grains(a_ps, book->grain_ps) == error_grains(b_ps, book->grain_ps);
    stats->equal += is_equal;
    stats->total_a_ps += (double)a_ps;
    stats->total_b_ps += (double)b_ps;
    if (!is_equal)
        add_wide(stats, &(struct error_wide){number, a_ps, b_ps});
    if (!is_equal && b_ps == 0) {
        stats->without_percent++;
        return;
    }
    if (!is_equal)
        percent = 100 * difference / fabs((double)b_ps);
    if (book->count == 0 || fabs(percent) > fabs(stats->worst_percent)) {
        stats->worst_percent = percent;
        stats->worst = number;
    }
    book->sum_percent += percent;
    book->sum_abs_percent += fabs(percent);
    keep(book, fabs(percent));
}

struct error_stats error_book_close(struct error_book *book)
{
    struct error_stats *stats = &book->stats;
    uint64_t n = book->count;
    if (n) {
        samples_sort(book->abs_percent, n);
        stats->mean_percent = book->sum_percent / (double)n;
        stats->mean_abs_percent = book->sum_abs_percent / (double)n;
        stats->median_abs_percent = (book->abs_percent[(n - 1) / 2] + book->abs_percent[n / 2]) / 2;
        stats->p90_abs_percent = book->abs_percent[(9 * n + 9) / 10 - 1]; /* ceil(9 n / 10) */
    }
    return *stats;
}
