#include "tests/agree/forms/form_rows.h"

#define BIT(kind)  (1u << (kind))
#define SHIFTS     (BIT(COLL_ALL_REDUCE) | BIT(COLL_ALL_GATHER) | BIT(COLL_REDUCE_SCATTER))
#define EXCHANGES  (SHIFTS | BIT(COLL_ALL_TO_ALL))
#define WHOLES     (BIT(COLL_BROADCAST) | BIT(COLL_REDUCE))
#define ROOTED     (WHOLES | BIT(COLL_GATHER) | BIT(COLL_SCATTER))
#define ALL_REDUCE BIT(COLL_ALL_REDUCE)

const struct form_row form_rows[] = {
    {"ring", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"oneRing", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"direct", MEETS_NEVER, SWITCH_PORT, true, true, EXCHANGES},
    {"direct3", MEETS_NEVER, SWITCH_BOUND, true, true, EXCHANGES},
    {"oneDirect", MEETS_NEVER, SWITCH_PORT, true, true, EXCHANGES},
    {"halvingDoubling", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"oneHalvingDoubling", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"doubleBinaryTree", ENDS_UNEVENLY, SWITCH_BOUND, true, true, ALL_REDUCE},
    {"bidirectional-ring", MEETS_TWO, SWITCH_BOUND, true, true, SHIFTS},
    {"bidirectional-ring-full", MEETS_NEVER, SWITCH_BOUND, true, true, SHIFTS},
    {"multi-ring", MEETS_NEVER, SWITCH_BOUND, true, true, SHIFTS},
    {"multi-ring:channels=3", MEETS_NEVER, SWITCH_BOUND, true, true, SHIFTS},
    {"multi-ring:flat:channels=2", MEETS_SHAPED, SWITCH_BOUND, true, true, SHIFTS},
    {"hierarchical", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"torus-bucket", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"torus-bucket-multiport", MEETS_TWO, SWITCH_BOUND, true, true, SHIFTS},
    {"recursive-doubling", MEETS_NEVER, SWITCH_POWER, false, true, 0},
    {"halving-doubling", MEETS_UNEVEN, SWITCH_POWER, true, true, SHIFTS},
    {"bruck", MEETS_NEVER, SWITCH_PATH, true, true, BIT(COLL_ALL_GATHER)},
    {"bruck:radix=4", MEETS_NEVER, SWITCH_BOUND, false, true, BIT(COLL_ALL_GATHER)},
    {"pat", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"pat:chunks=3", MEETS_NEVER, SWITCH_PATH, true, true, SHIFTS},
    {"swing", MEETS_TWO, SWITCH_BOUND, true, true, SHIFTS},
    {"swing-latency", MEETS_TWO, SWITCH_BOUND, true, true, 0},
    {"one-shot", MEETS_NEVER, SWITCH_PORT, false, true, 0},
    {"two-shot", MEETS_NEVER, SWITCH_PORT, false, true, ALL_REDUCE},
    {"double-binary-tree", MEETS_NEVER, SWITCH_BOUND, false, false, ALL_REDUCE},
    {"double-binary-tree:chunks=5", MEETS_ALWAYS, SWITCH_BOUND, false, false, ALL_REDUCE},
    {"binomial", MEETS_NEVER, SWITCH_POWER, false, true, WHOLES},
    {"chain", MEETS_NEVER, SWITCH_PATH, false, true, WHOLES},
    {"chain:chunks=5", MEETS_NEVER, SWITCH_PATH, false, true, WHOLES},
    {"scatter-all-gather", MEETS_UNEVEN, SWITCH_POWER, false, true, 0},
    {"linear", MEETS_NEVER, SWITCH_PORT, false, true, ROOTED | BIT(COLL_ALL_TO_ALL)},
    {"pairwise", MEETS_NEVER, SWITCH_PATH, true, true, BIT(COLL_ALL_TO_ALL)},
    {"two-step", MEETS_NEVER, SWITCH_PATH, true, true, 0},
    {"rail-aware", MEETS_NEVER, SWITCH_BOUND, false, true, 0},
    {"nvls", MEETS_NEVER, SWITCH_PATH, true, true, 0},
    {"sharp", MEETS_NEVER, SWITCH_PATH, true, true, 0},
    {"nvls-tree", MEETS_NEVER, SWITCH_PATH, false, false, 0},
    {"dissemination", MEETS_NEVER, SWITCH_PATH, true, true, 0},
    {0},
};

uint64_t form_identity(enum collective_kind kind, uint64_t n, uint64_t bytes)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
        return 2 * (n - 1) * bytes;
    case COLL_ALL_GATHER:
        return n * (n - 1) * bytes;
    default: /* reduce-scatter, all-to-all; rooted kinds */
        return (n - 1) * bytes;
    }
}
