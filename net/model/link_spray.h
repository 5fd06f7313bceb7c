/*
 * link_spray - how the link model sends a message over several paths at once.
 *
 * A route with shares is a set of paths. A message is cut into SPRAY_PARTS equal parts (fewer if
 * segments are larger, or the bytes are less). Each part takes, at every node, the link of the
 * route for which (bytes of this message given to it so far + part) / share is least, so that the
 * shares are kept as well as whole parts allow; then the link that was given the least bytes ever;
 * then the first of the route.
 */
#ifndef ORRERY_NET_MODEL_LINK_SPRAY_H
#define ORRERY_NET_MODEL_LINK_SPRAY_H

#include "base/arena.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"

enum { SPRAY_PARTS = 16 };

struct link_spray {
    const struct fabric *fabric;
    double *given;            /* [links] bytes, ever */
    double *given_of_message; /* [links] of the message at hand */
};

/* Memory is taken from `arena`; `fabric` is borrowed. */
void spray_init(struct link_spray *spray, const struct fabric *fabric, struct arena *arena);

/* Into how many parts a message is cut: at least 1. */
uint64_t spray_parts(uint64_t bytes, uint64_t segment_bytes);

/* A new message along `route`. */
void spray_begin(struct link_spray *spray, const struct route *route);

/* The path of its next part: fills `links`, which has room for route->count, and returns their
 * number. */
uint32_t spray_path(struct link_spray *spray, const struct route *route, uint32_t src, uint32_t dst,
                    double bytes, uint32_t *links);

#endif
