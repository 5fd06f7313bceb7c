#include "net/model/link_spray.h"

void spray_init(struct link_spray *spray, const struct fabric *fabric, struct arena *arena)
{
    spray->fabric = fabric;
    spray->given = arena_array(arena, fabric->link_count, sizeof *spray->given);
    spray->given_of_message =
        arena_array(arena, fabric->link_count, sizeof *spray->given_of_message);
}

uint64_t spray_parts(uint64_t bytes, uint64_t segment_bytes)
{
    uint64_t least = segment_bytes > 0 ? segment_bytes : 1;
    if (bytes / SPRAY_PARTS >= least)
        return SPRAY_PARTS;
    return bytes > 0 ? (bytes - 1) / least + 1 : 1;
}

void spray_begin(struct link_spray *spray, const struct route *route)
{
    for (uint32_t i = 0; i < route->count; i++)
        spray->given_of_message[route->link[i]] = 0;
}

/* Is link a of the route, not b, the one for a part of `bytes`? */
static bool is_rather(const struct link_spray *spray, const struct route *route, uint32_t a,
                      uint32_t b, double bytes)
{
    double of_a = (spray->given_of_message[route->link[a]] + bytes) / route->share[a];
    double of_b = (spray->given_of_message[route->link[b]] + bytes) / route->share[b];
    if (of_a != of_b)
        return of_a < of_b;
    return spray->given[route->link[a]] < spray->given[route->link[b]];
}

uint32_t spray_path(struct link_spray *spray, const struct route *route, uint32_t src, uint32_t dst,
                    double bytes, uint32_t *links)
{
    const struct fabric_link *link = spray->fabric->link;
    uint32_t count = 0;
    for (uint32_t at = src; at != dst; at = link[links[count - 1]].dst) {
        uint32_t best = FABRIC_NONE;
        for (uint32_t i = 0; i < route->count; i++)
            if (link[route->link[i]].src == at && route->share[i] > 0 &&
                (best == FABRIC_NONE || is_rather(spray, route, i, best, bytes)))
                best = i;
        promise(best != FABRIC_NONE && count < route->count);
        spray->given[route->link[best]] += bytes;
        spray->given_of_message[route->link[best]] += bytes;
        links[count++] = route->link[best];
    }
    return count;
}
