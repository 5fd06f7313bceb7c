/* What each position holds before and after a collective: model/collective.h, rule 3. */
#include "net/collective/verify_flow.h"

static bool holds(enum collective_kind kind, uint32_t p, uint32_t n, uint32_t root, uint32_t piece,
                  uint32_t per_block, bool at_end)
{
    uint32_t block = piece / per_block;
    switch (kind) {
    case COLL_ALL_REDUCE:
        return true;
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return !at_end || block == p;
    case COLL_ALL_GATHER:
    case COLL_BARRIER:
        return at_end || block == p;
    case COLL_GATHER:
        return at_end ? p == root : block == p;
    case COLL_SCATTER:
        return at_end ? block == p : p == root;
    case COLL_BROADCAST:
        return at_end || p == root;
    case COLL_REDUCE:
        return !at_end || p == root;
    case COLL_ALL_TO_ALL:
        return at_end ? block % n == p : block / n == p;
    default:
        return false;
    }
}

struct data_layout *verify_standard_layout(const struct schedule_request *request, uint32_t pieces,
                                           struct arena *arena)
{
    uint32_t n = request->n, blocks = request->kind == COLL_ALL_TO_ALL ? n * n : n;
    uint32_t per_block = pieces >= blocks ? pieces / blocks : 1;
    struct data_layout *layout = arena_take(arena, sizeof *layout);
    uint32_t *begin = arena_array(arena, (size_t)n * pieces, sizeof *begin);
    uint32_t *end = arena_array(arena, (size_t)n * pieces, sizeof *end);
    for (size_t i = 0; i < (size_t)n * pieces; i++) {
        uint32_t p = (uint32_t)(i / pieces), piece = (uint32_t)(i % pieces);
        bool is_held = holds(request->kind, p, n, request->root, piece, per_block, false);
        bool is_wanted = holds(request->kind, p, n, request->root, piece, per_block, true);
        begin[i] = is_held ? piece : VERIFY_NONE;
        end[i] = is_wanted ? piece : VERIFY_NONE;
    }
    *layout = (struct data_layout){pieces, pieces, begin, end};
    return layout;
}
