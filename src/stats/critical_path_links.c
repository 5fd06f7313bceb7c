#include <math.h>

#include "stats/critical_path_split.h"

/* One dimension's time of latency or bandwidth, given to links by their weights. */
struct giving {
    struct path_splitter *splitter;
    const struct split_form *form;
    uint32_t dim;
    bool is_latency;
    /* where to; NULL: weights are only summed */
    void (*visit)(void *context, uint32_t link, time_ps time_ps);
    void *context;
    double sum, time_ps; /* of all weights; to give */
    double seen;         /* weights so far: what is given is rounded as a sum */
    time_ps given;
};

static void take(struct giving *giving, uint32_t server, double weight)
{
    if (giving->splitter->server_dims[server] != giving->dim || !(weight > 0))
        return;
    giving->seen += weight;
    if (!giving->visit)
        return;
    double upto = floor(giving->seen / giving->sum * giving->time_ps + 0.5);
    time_ps until = (time_ps)(giving->seen < giving->sum ? upto : giving->time_ps);
    if (until > giving->given)
        giving->visit(giving->context, giving->splitter->server_link[server],
                      until - giving->given);
    giving->given = until > giving->given ? until : giving->given;
}

/* The server that has least to offer a message on the route. */
static uint32_t slowest(const struct paths *paths, const struct route *route)
{
    uint32_t at = 0;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < route->count; i++) {
        double share = route->share ? route->share[i] : 1;
        double rate = share > 0 ? paths->B_per_ns[route->link[i]] / share : HUGE_VAL;
        if (rate < least) {
            least = rate;
            at = i;
        }
    }
    return route->link[at];
}

/* Latency of a route without any (endpoint costs) is its slowest link's. */
static void take_message(struct giving *giving, const struct split_message *message)
{
    const struct paths *paths = &giving->splitter->paths;
    struct route route = {0};
    double sum_ns = 0;
    if (message->src != message->dst)
        paths_find(paths, message->src, message->dst, &route);
    for (uint32_t i = 0; i < route.count; i++)
        sum_ns += paths->latency_ns[route.link[i]] * (route.share ? route.share[i] : 1);
    if (!route.count)
        return;
    if (!giving->is_latency || !(sum_ns > 0)) {
        take(giving, slowest(paths, &route),
             giving->is_latency ? message->latency_ps : message->bandwidth_ps);
        return;
    }
    for (uint32_t i = 0; i < route.count; i++) {
        double share = paths->latency_ns[route.link[i]] * (route.share ? route.share[i] : 1);
        take(giving, route.link[i], message->latency_ps * share / sum_ns);
    }
}

static void give(struct giving *giving, time_ps time)
{
    void (*visit)(void *, uint32_t, time_ps) = giving->visit;
    if (!time)
        return;
    giving->visit = NULL;
    for (uint32_t m = 0; m < giving->form->message_count; m++)
        take_message(giving, &giving->form->message[m]);
    giving->visit = visit;
    giving->sum = giving->seen;
    giving->seen = 0;
    giving->time_ps = (double)time;
    for (uint32_t m = 0; m < giving->form->message_count; m++)
        take_message(giving, &giving->form->message[m]);
}

void path_split_links(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                      const struct path_split *split,
                      void (*visit)(void *context, uint32_t link, time_ps time_ps), void *context)
{
    struct split_form form;
    path_split_form(splitter, rank, node, &form);
    for (uint32_t d = 0; d < CONFIG_MAX_DIMS; d++) {
        struct giving latency = {splitter, &form, d, true, visit, context, 0, 0, 0, 0};
        struct giving bandwidth = {splitter, &form, d, false, visit, context, 0, 0, 0, 0};
        give(&latency, split->latency_ps[d]);
        give(&bandwidth, split->bandwidth_ps[d]);
    }
}
