/*
 * paths - what the models that see links ask of a fabric: the route of a message as servers.
 *
 * A server is what messages queue at, or share. As a rule it is one link (parallel cables are one
 * link already). With ideal spraying on a tree it is a bundle of links (routing.h): its bandwidth
 * is that of all of them, its latency the largest of them.
 *
 * Rules:
 *  1. paths_find() is the one place where a message becomes a list of servers.
 *     In a folded run the servers are the classes of link_fold: the lowest link of each.
 *  2. A route with `share` (spraying on other graphs) is a set of paths: a server carries that
 *     fraction of the bytes. All other routes are one path, in order.
 */
#ifndef ORRERY_NET_MODEL_PATHS_H
#define ORRERY_NET_MODEL_PATHS_H

#include "base/arena.h"
#include "model/network.h"
#include "net/model/link_speed.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"

/* A route as classes of links, and its first link (or bundle) itself. */
struct class_route {
    uint32_t *server;
    uint32_t capacity;
    uint32_t first_link;
};

struct paths {
    struct arena arena;
    const struct fabric *fabric;
    struct routing *routing;
    const uint32_t *server_of_link; /* NULL: the link's number */
    uint32_t server_count;
    double *B_per_ns;   /* of a server */
    double *latency_ns; /* of a server */
    double *late_ns;    /* of a server: what latency-jitter adds to its latency; NULL: nothing */
    struct link_speed *speed; /* links that are slow for a time; NULL: none */

    const struct link_fold *fold; /* NULL: not folded */
    struct class_route *classes;  /* folded: the last route */
    uint32_t *hop;                /* the last route between neighbours, with bundles */
};

/* network_ops.check() of the models that need a fabric. */
enum status paths_check(const struct network_config *config, struct diag *diag);

/* Makes the routing. In every case paths_release() is due. */
enum status paths_init(struct paths *paths, const struct network_config *config, struct diag *diag);
void paths_release(struct paths *paths);

/* From now on the run is folded: network_ops.fold(). */
void paths_fold(struct paths *paths, const struct link_fold *fold);

/* The servers of a message (rule 2): route->link are server numbers, borrowed until the next call.
 */
void paths_find(const struct paths *paths, uint32_t src, uint32_t dst, struct route *route);

/* The least bandwidth that a message has on `route`, and its longest latency. Not of a time: links
 * that are slow for one have all of their bandwidth. */
struct path_cost {
    double latency_ns, B_per_ns;
};
struct path_cost paths_cost(const struct paths *paths, const struct route *route);

/* network_ops.dimension(): the first logical dimension in which two NPUs differ, else 0. */
uint32_t paths_dimension(const struct paths *paths, uint32_t src, uint32_t dst);

/* Messages that one of `src` on `server` stands for, per link of its class: 1 if not folded. */
static inline double paths_load(const struct paths *paths, uint32_t src, uint32_t server)
{
    return paths->fold ? link_fold_load(paths->fold, src, paths->fold->class_size[server]) : 1;
}

/* The server that counts for a link, folded into classes or not, and the link's part of it. */
uint32_t paths_server(const struct paths *paths, const struct link_fold *fold, uint32_t link,
                      double *share);

/* Spreads what each server has done over its links and adds it to rows[fabric->link_count]. */
void paths_add_figures(const struct paths *paths, const struct link_figures *servers,
                       struct link_figures *rows);

#endif
