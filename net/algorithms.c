#include "model/collective.h"

#include "config/config.h"
#include "net/collective/all_to_all.h"
#include "net/collective/binary_trees.h"
#include "net/collective/bruck.h"
#include "net/collective/bucket.h"
#include "net/collective/custom.h"
#include "net/collective/domain_all_to_all.h"
#include "net/collective/double_binary_tree.h"
#include "net/collective/exchange.h"
#include "net/collective/in_network.h"
#include "net/collective/msccl.h"
#include "net/collective/pipeline.h"
#include "net/collective/recursive.h"
#include "net/collective/rooted.h"
#include "net/collective/shots.h"
#include "net/collective/swing.h"
#include "net/collective/two_way_ring.h"

const struct collective_ops *const collective_algorithms[] = {
    [ALG_RING] = &collective_ring,
    [ALG_DIRECT] = &collective_direct,
    [ALG_HALVING_DOUBLING] = &collective_halving_doubling,
    [ALG_DOUBLE_BINARY_TREE] = &collective_double_binary_tree,
    [ALG_BIDIRECTIONAL_RING] = &collective_bidirectional_ring,
    [ALG_BIDIRECTIONAL_RING_FULL] = &collective_bidirectional_ring_full,
    [ALG_MULTI_RING] = &collective_multi_ring,
    [ALG_HIERARCHICAL] = &collective_hierarchical,
    [ALG_TORUS_BUCKET] = &collective_torus_bucket,
    [ALG_TORUS_BUCKET_MULTIPORT] = &collective_torus_bucket_multiport,
    [ALG_RECURSIVE_DOUBLING] = &collective_recursive_doubling,
    [ALG_RABENSEIFNER] = &collective_rabenseifner,
    [ALG_BRUCK] = &collective_bruck,
    [ALG_PAT] = &collective_pat,
    [ALG_SWING] = &collective_swing,
    [ALG_SWING_LATENCY] = &collective_swing_latency,
    [ALG_ONE_SHOT] = &collective_one_shot,
    [ALG_TWO_SHOT] = &collective_two_shot,
    [ALG_BINARY_TREES] = &collective_binary_trees,
    [ALG_BINOMIAL] = &collective_binomial,
    [ALG_CHAIN] = &collective_chain,
    [ALG_SCATTER_ALL_GATHER] = &collective_scatter_all_gather,
    [ALG_LINEAR] = &collective_linear,
    [ALG_PAIRWISE] = &collective_pairwise,
    [ALG_TWO_STEP] = &collective_two_step,
    [ALG_RAIL] = &collective_rail,
    [ALG_NVLS] = &collective_nvls,
    [ALG_NVLS_TREE] = &collective_nvls_tree,
    [ALG_SHARP] = &collective_sharp,
    [ALG_DISSEMINATION] = &collective_dissemination,
    &collective_custom,
    &collective_msccl,
    NULL,
};

const struct collective_ops *collective_default_algorithm(enum collective_kind kind)
{
    return kind == COLL_BARRIER ? &collective_dissemination : &collective_binomial;
}

const char *const collective_formula_words =
    "n positions; S the whole buffer, m = S/n (all-gather, gather, scatter: one position's "
    "bytes);\n"
    "  a latency and hand-over of a message, b time per byte, c chunks, k rings, D dimensions of "
    "d,\n"
    "  N domains of G";
