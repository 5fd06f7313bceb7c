#include "model/collective.h"

#include "config/config.h"
#include "net/collective/custom.h"
#include "net/collective/double_binary_tree.h"
#include "net/collective/exchange.h"
#include "net/collective/rooted.h"

const struct collective_ops *const collective_algorithms[] = {
    [ALG_RING] = &collective_ring,
    [ALG_DIRECT] = &collective_direct,
    [ALG_HALVING_DOUBLING] = &collective_halving_doubling,
    [ALG_DOUBLE_BINARY_TREE] = &collective_double_binary_tree,
    [ALG_BINOMIAL] = &collective_binomial,
    [ALG_DISSEMINATION] = &collective_dissemination,
    &collective_custom,
    NULL,
};

const struct collective_ops *collective_default_algorithm(enum collective_kind kind)
{
    return kind == COLL_BARRIER ? &collective_dissemination : &collective_binomial;
}

const char *const collective_formula_words =
    "n positions; S bytes of the whole buffer; m = S/n, in all-gather, gather and scatter the "
    "bytes "
    "of one position; a latency and hand-over of a message; b time per byte; c = chunks";
