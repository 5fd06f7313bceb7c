#include "net/model/paths.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum status paths_check(const struct network_config *config, struct diag *diag)
{
    if (config->fabric)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "the %s network model needs a topology, none was given",
              network_model_of(config->backend)->name);
    diag_field(diag, "topology");
    diag_hint(diag, "name one: ring:8, torus:4x4x4, fat-tree:16, or a topology file");
    return STATUS_BAD_CONFIG;
}

/* Bandwidths add up, the largest latency counts. */
static void measure_servers(struct paths *paths, const struct variation_config *variation)
{
    const struct fabric *fabric = paths->fabric;
    paths->B_per_ns = arena_array(&paths->arena, paths->server_count, sizeof *paths->B_per_ns);
    paths->latency_ns = arena_array(&paths->arena, paths->server_count, sizeof *paths->latency_ns);
    bool varies = variation && variation->form != JITTER_NONE && variation->link_ratio > 0;
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        const struct fabric_link *link = &fabric->link[i];
        uint32_t server = paths->server_of_link ? paths->server_of_link[i] : i;
        double B_per_ns = link->bandwidth_Bps / 1e9;
        paths->B_per_ns[server] += varies ? B_per_ns / link_speed_factor(variation, i) : B_per_ns;
        if (paths->latency_ns[server] < link->latency_ns)
            paths->latency_ns[server] = link->latency_ns;
    }
}

/* Latencies of single links: those of bundles stay (link_speed.h, rule 2). */
static void vary_latencies(struct paths *paths, const struct variation_config *variation)
{
    if (!variation || variation->form == JITTER_NONE || !(variation->latency_ratio > 0) ||
        paths->server_of_link)
        return;
    paths->late_ns = arena_array(&paths->arena, paths->server_count, sizeof *paths->late_ns);
    for (uint32_t i = 0; i < paths->server_count; i++) {
        paths->late_ns[i] = paths->latency_ns[i] * (link_latency_factor(variation, i) - 1);
        paths->latency_ns[i] += paths->late_ns[i];
    }
}

enum status paths_init(struct paths *paths, const struct network_config *config, struct diag *diag)
{
    *paths = (struct paths){.fabric = config->fabric, .server_count = config->fabric->link_count};
    arena_init(&paths->arena);
    enum status status = routing_create(&paths->routing, config->fabric, config, diag);
    if (status != STATUS_OK)
        return status;
    uint32_t bundles = routing_bundles(paths->routing, &paths->server_of_link);
    if (bundles > 0)
        paths->server_count = bundles;
    paths->hop = arena_take(&paths->arena, sizeof *paths->hop);
    measure_servers(paths, config->variation);
    vary_latencies(paths, config->variation);
    return link_speed_create(&paths->speed, config, paths->server_of_link, paths->B_per_ns, diag);
}

void paths_release(struct paths *paths)
{
    if (paths->routing)
        routing_destroy(paths->routing);
    paths->routing = NULL;
    link_speed_destroy(paths->speed);
    paths->speed = NULL;
    if (paths->classes)
        free(paths->classes->server);
    paths->classes = NULL;
    arena_release(&paths->arena);
}

void paths_fold(struct paths *paths, const struct link_fold *fold)
{
    promise(fold->by_bundle == (paths->server_of_link != NULL));
    paths->fold = fold;
    paths->classes = arena_take(&paths->arena, sizeof *paths->classes);
}

static void find_classes(const struct paths *paths, struct route *route)
{
    struct class_route *classes = paths->classes;
    classes->first_link = route->link[0];
    if (route->count > classes->capacity) {
        classes->capacity = 2 * route->count;
        free(classes->server);
        classes->server = malloc(classes->capacity * sizeof *classes->server);
        need_memory(classes->server);
    }
    for (uint32_t i = 0; i < route->count; i++)
        classes->server[i] = paths->fold->class_of[route->link[i]];
    route->link = classes->server;
}

/* Bundled routes lead from NPU to NPU; a hop of a reduction is one link, whose bundle it takes. */
static bool find_hop(const struct paths *paths, uint32_t src, uint32_t dst, struct route *route)
{
    uint32_t npus = paths->fabric->npu_count;
    if (src < npus && dst < npus)
        return false;
    uint32_t link = fabric_find_link(paths->fabric, src, dst);
    if (link == FABRIC_NONE)
        return false;
    *paths->hop = paths->server_of_link[link];
    *route = (struct route){
        .count = 1, .link = paths->hop, .latency_ns = paths->fabric->link[link].latency_ns};
    return true;
}

void paths_find(const struct paths *paths, uint32_t src, uint32_t dst, struct route *route)
{
    if (paths->server_of_link && find_hop(paths, src, dst, route))
        return;
    if (paths->server_of_link)
        routing_find_bundled(paths->routing, src, dst, route);
    else
        routing_find(paths->routing, src, dst, route);
    for (uint32_t i = 0; paths->late_ns && !route->share && i < route->count; i++)
        route->latency_ns += paths->late_ns[route->link[i]];
    if (paths->fold)
        find_classes(paths, route);
}

struct path_cost paths_cost(const struct paths *paths, const struct route *route)
{
    struct path_cost cost = {route->latency_ns, HUGE_VAL};
    for (uint32_t i = 0; i < route->count; i++) {
        double B_per_ns = paths->B_per_ns[route->link[i]];
        if (route->share)
            B_per_ns /= route->share[i];
        if (B_per_ns < cost.B_per_ns)
            cost.B_per_ns = B_per_ns;
    }
    return cost;
}

uint32_t paths_dimension(const struct paths *paths, uint32_t src, uint32_t dst)
{
    const struct fabric *fabric = paths->fabric;
    if (src >= fabric->npu_count || dst >= fabric->npu_count)
        return 0;
    uint32_t d = 0;
    while (d + 1 < fabric->dim_count && src % fabric->dim[d].npus == dst % fabric->dim[d].npus) {
        src /= fabric->dim[d].npus;
        dst /= fabric->dim[d].npus;
        d++;
    }
    return d;
}

static double share_of(const struct paths *paths, uint32_t link)
{
    double B_per_ns = paths->fabric->link[link].bandwidth_Bps / 1e9;
    return paths->server_of_link && B_per_ns > 0
               ? B_per_ns / paths->B_per_ns[paths->server_of_link[link]]
               : 1;
}

uint32_t paths_server(const struct paths *paths, const struct link_fold *fold, uint32_t link,
                      double *share)
{
    uint32_t server = paths->server_of_link ? paths->server_of_link[link] : link;
    *share = share_of(paths, link);
    return fold ? fold->class_of[server] : server;
}

void paths_add_figures(const struct paths *paths, const struct link_figures *servers,
                       struct link_figures *rows)
{
    const struct fabric *fabric = paths->fabric;
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        uint32_t server = paths->server_of_link ? paths->server_of_link[i] : i;
        const struct link_figures *of = &servers[server];
        rows[i].bytes += of->bytes * share_of(paths, i);
        rows[i].busy_ns += of->busy_ns;
        rows[i].queued_ns += of->queued_ns;
        rows[i].messages += of->messages;
    }
}
