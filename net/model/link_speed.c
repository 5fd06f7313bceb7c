#include "net/model/link_speed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/topology/changes.h"

double link_speed_factor(const struct variation_config *config, uint32_t link)
{
    struct jitter jitter;
    jitter_init(&jitter, config, JITTER_OF_LINK, config->link_ratio);
    double factor = jitter_factor(&jitter, link, 0);
    return factor > 1e-3 ? factor : 1e-3; /* the solver wants finite rates */
}

double link_latency_factor(const struct variation_config *config, uint32_t link)
{
    struct jitter jitter;
    jitter_init(&jitter, config, JITTER_OF_LATENCY, config->latency_ratio);
    return jitter_factor(&jitter, link, 0);
}

/* -- links that are slow for a time ------------------------------------------------------------ */

struct reading {
    struct link_speed *speed;
    const struct network_config *config;
    const uint32_t *server_of_link;
    const struct slow_line *line;
    double ratio;
};

static struct slow_link *slow_of(struct reading *reading, uint32_t link)
{
    struct link_speed *speed = reading->speed;
    for (uint32_t i = 0; i < speed->count; i++) {
        if (speed->slow[i].link == link)
            return &speed->slow[i];
    }
    speed->slow = realloc(speed->slow, (speed->count + 1) * sizeof *speed->slow);
    need_memory(speed->slow != NULL);
    struct slow_link *slow = &speed->slow[speed->count++];
    double B_per_ns = reading->config->fabric->link[link].bandwidth_Bps / 1e9;
    *slow = (struct slow_link){
        .link = link,
        .server = reading->server_of_link ? reading->server_of_link[link] : link,
        .B_per_ns = B_per_ns / link_speed_factor(reading->config->variation, link),
    };
    return slow;
}

static void take_link(void *context, uint32_t link)
{
    struct reading *reading = context;
    pace_multiply(&slow_of(reading, link)->pace, reading->line->from, reading->line->to,
                  1 / reading->ratio);
}

static enum status take_line(void *context, struct slow_line *line, struct diag *diag)
{
    struct reading *reading = context;
    reading->line = line;
    enum status status = fabric_read_ratio(line->action, &reading->ratio, diag);
    if (status == STATUS_OK)
        status = fabric_visit_named(reading->config->fabric, line->what, take_link, reading, diag);
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct slow_link *a = left, *b = right;
    if (a->server != b->server)
        return a->server < b->server ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

enum status link_speed_create(struct link_speed **made, const struct network_config *config,
                              const uint32_t *server_of_link, const double *B_per_ns,
                              struct diag *diag)
{
    *made = NULL;
    if (!config->variation || !config->variation->slow_links)
        return STATUS_OK;
    struct link_speed *speed = calloc(1, sizeof *speed);
    need_memory(speed != NULL);
    speed->B_per_ns = B_per_ns;
    struct reading reading = {.speed = speed, .config = config, .server_of_link = server_of_link};
    enum status status = slow_list_read(config->variation->slow_links, "variation.slow-links",
                                        take_line, &reading, diag);
    if (status != STATUS_OK || speed->count == 0) {
        link_speed_destroy(speed);
        return status;
    }
    qsort(speed->slow, speed->count, sizeof *speed->slow, compare);
    *made = speed;
    return STATUS_OK;
}

void link_speed_destroy(struct link_speed *speed)
{
    if (!speed)
        return;
    for (uint32_t i = 0; i < speed->count; i++)
        pace_release(&speed->slow[i].pace);
    free(speed->slow);
    free(speed);
}

/* -- at a time --------------------------------------------------------------------------------- */

double link_speed_at(const struct link_speed *speed, uint32_t server, time_ps time)
{
    uint32_t low = 0, high = speed->count;
    while (low < high) { /* the first of the server */
        uint32_t middle = low + (high - low) / 2;
        if (speed->slow[middle].server < server)
            low = middle + 1;
        else
            high = middle;
    }
    double B_per_ns = speed->B_per_ns[server];
    for (; low < speed->count && speed->slow[low].server == server; low++) {
        const struct slow_link *slow = &speed->slow[low];
        B_per_ns -= slow->B_per_ns * (1 - 1 / pace_at(&slow->pace, time));
    }
    return B_per_ns;
}

time_ps link_speed_next(const struct link_speed *speed, time_ps time)
{
    time_ps least = TIME_NEVER;
    for (uint32_t i = 0; i < speed->count; i++) {
        time_ps next = pace_next(&speed->slow[i].pace, time);
        least = next < least ? next : least;
    }
    return least;
}
