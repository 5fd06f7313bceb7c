#include "stats/link_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void link_series_init(struct link_series *series)
{
    *series = (struct link_series){.link_count = 0};
}

void link_series_release(struct link_series *series)
{
    free(series->place);
    free(series->server);
    free(series->bucket);
    free(series->server_of);
    free(series->share_of);
    link_series_init(series);
}

static void *zeros(size_t count, size_t bytes)
{
    void *made = calloc(count + 1, bytes);
    need_memory(made != NULL);
    return made;
}

void link_series_begin(struct link_series *series, uint32_t link_count)
{
    link_series_release(series);
    series->link_count = link_count;
    series->buckets = LINK_SERIES_BUCKETS;
    series->width_ps = PS_PER_NS;
    series->most_bytes = LINK_SERIES_BYTES;
    series->place = zeros(link_count, sizeof *series->place);
    series->server_of = zeros(link_count, sizeof *series->server_of);
    series->share_of = zeros(link_count, sizeof *series->share_of);
}

/* -- room ------------------------------------------------------------------------------------- */

static uint64_t *buckets_at(const struct link_series *series, uint32_t place)
{
    return series->bucket + (size_t)place * series->buckets;
}

/* Two buckets become one; there are as many as before, the later half of them empty. */
static void widen(struct link_series *series)
{
    uint32_t half = series->buckets / 2;
    for (uint32_t p = 0; p < series->used; p++) {
        uint64_t *bucket = buckets_at(series, p);
        for (uint32_t b = 0; b < half; b++)
            bucket[b] = bucket[2 * b] + bucket[2 * b + 1];
        memset(bucket + half, 0, half * sizeof *bucket);
        series->server[p].last /= 2;
    }
    series->width_ps = time_times(series->width_ps, 2);
}

/* Half as many buckets for the same time. */
static void thin(struct link_series *series)
{
    widen(series);
    uint32_t half = series->buckets / 2;
    for (uint32_t p = 1; p < series->used; p++)
        memmove(series->bucket + (size_t)p * half, buckets_at(series, p),
                half * sizeof *series->bucket);
    series->buckets = half;
}

static uint64_t bytes_of(const struct link_series *series, uint32_t servers)
{
    return (uint64_t)servers * series->buckets * sizeof *series->bucket;
}

static uint32_t add_server(struct link_series *series)
{
    while (bytes_of(series, series->used + 1) > series->most_bytes &&
           series->buckets > LINK_SERIES_LEAST)
        thin(series);
    if (series->used == series->room) {
        uint32_t room = series->room ? 2 * series->room : 64;
        series->server = realloc(series->server, room * sizeof *series->server);
        need_memory(series->server != NULL);
        series->room = room;
    }
    series->bucket = realloc(series->bucket, bytes_of(series, series->used + 1));
    need_memory(series->bucket != NULL);
    uint32_t place = series->used++;
    series->server[place] = (struct link_server){.told = 0};
    memset(buckets_at(series, place), 0, series->buckets * sizeof *series->bucket);
    return place;
}

/* -- counting --------------------------------------------------------------------------------- */

/* `bytes` x `part` / `whole`, cut: the bytes of the first `part` ps of `whole`. */
static uint64_t bytes_until(uint64_t bytes, time_ps part, time_ps whole)
{
    return (uint64_t)((unsigned __int128)bytes * part / whole);
}

static void spread(struct link_series *series, uint32_t place, time_ps from, time_ps to,
                   uint64_t bytes)
{
    uint64_t *bucket = buckets_at(series, place), given = 0;
    uint32_t first = (uint32_t)(from / series->width_ps);
    uint32_t last = to > from ? (uint32_t)((to - 1) / series->width_ps) : first;
    for (uint32_t b = first; b < last; b++) {
        uint64_t until = bytes_until(bytes, (b + 1) * series->width_ps - from, to - from);
        bucket[b] += until - given;
        given = until;
    }
    bucket[last] += bytes - given;
    series->server[place].last = last;
}

static void carries(void *self, uint32_t server, time_ps from, time_ps to, double bytes)
{
    struct link_series *series = self;
    if (!(bytes > 0) || to == TIME_NEVER)
        return;
    if (!series->place[server])
        series->place[server] = add_server(series) + 1;
    while (time_later(from, to) / series->width_ps >= series->buckets)
        widen(series);
    uint32_t place = series->place[server] - 1;
    struct link_server *one = &series->server[place];
    one->told += bytes;
    uint64_t whole = one->told < 0x1p63 ? (uint64_t)(one->told + 0.5) : (uint64_t)1 << 63;
    uint64_t counted = one->counted;
    if (whole <= counted)
        return;
    one->counted = whole;
    spread(series, place, from, to, whole - counted);
}

struct link_meter link_series_meter(struct link_series *series)
{
    return (struct link_meter){carries, series};
}

/* -- links ------------------------------------------------------------------------------------ */

void link_series_map(struct link_series *series, uint32_t link, uint32_t server, double share)
{
    series->server_of[link] = server;
    series->share_of[link] = share;
}

/* Moves the sum of a server to `bytes`; what is too much is taken from the last buckets. */
static void settle_server(struct link_series *series, uint32_t place, double bytes)
{
    struct link_server *server = &series->server[place];
    uint64_t *bucket = buckets_at(series, place);
    uint64_t wanted = bytes < 0x1p63 ? (uint64_t)(bytes + 0.5) : (uint64_t)1 << 63;
    double missed = fabs((double)wanted - (double)server->counted);
    if (missed > series->most_missed_bytes)
        series->most_missed_bytes = missed;
    if (wanted >= server->counted)
        bucket[server->last] += wanted - server->counted;
    uint64_t over = server->counted > wanted ? server->counted - wanted : 0;
    for (uint32_t b = series->buckets; b-- > 0 && over > 0;) {
        uint64_t less = bucket[b] < over ? bucket[b] : over;
        bucket[b] -= less;
        over -= less;
    }
    server->counted = wanted;
}

void link_series_settle(struct link_series *series, const struct link_figures *rows)
{
    bool *is_settled = zeros(series->used, sizeof *is_settled);
    for (uint32_t l = 0; l < series->link_count; l++) {
        uint32_t place = series->place[series->server_of[l]];
        if (!place || is_settled[place - 1] || !(series->share_of[l] > 0))
            continue;
        is_settled[place - 1] = true;
        settle_server(series, place - 1, rows[l].bytes / series->share_of[l]);
    }
    free(is_settled);
}

const uint64_t *link_series_of(const struct link_series *series, uint32_t link)
{
    uint32_t place = series->place[series->server_of[link]];
    return place ? buckets_at(series, place - 1) : NULL;
}
