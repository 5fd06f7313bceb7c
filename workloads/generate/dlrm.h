/*
 * dlrm - deep learning recommendation models (Naumov et al. 2019, arXiv:1906.00091): embedding
 * tables spread over all ranks, small networks on every rank.
 *
 * In a model's file:
 *
 *     family: dlrm
 *     dlrm:
 *       dense: 13                      # numeric features
 *       dim: 128                       # of an embedding, and what the bottom network gives
 *       rows: [39884406, 39043, ..]    # of each table
 *       lookups: 1                     # rows of a table that a sample adds up
 *       bottom: [512, 256, 128]        # widths; the last is `dim`
 *       top: [1024, 1024, 512, 256, 1]
 *
 * Rules:
 *  1. Interaction is the dot product of each pair of the T embeddings and the bottom network's
 *     result, beside that result: the top network begins with T (T + 1) / 2 + dim numbers. Linear
 *     layers have a bias.
 *  2. Tables are spread over N = dp ranks. All ranks do what the busiest does: ceil(T / N) tables
 *     if N <= T; else tables are cut by columns, ceil(N / T) ranks to a table. A rank looks up its
 *     tables for the whole micro-batch of all ranks; an all-to-all gives each rank the embeddings
 *     of its own samples, and brings gradients back. The tables' step is part of the backward pass
 *     (each touched row, at once).
 *  3. The all-to-all runs beside the bottom network; networks are data-parallel, the top one's
 *     gradients travel while the bottom one's are computed.
 *  4. Worked (MLPerf, 26 tables, 187,767,399 rows of 128): 24,034,227,072 parameters in tables,
 *     2,368,897 in networks.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_DLRM_H
#define ORRERY_WORKLOADS_GENERATE_DLRM_H

#include "workloads/generate/family.h"

enum { DLRM_MOST_TABLES = 1024, DLRM_MOST_LAYERS = 32 };

struct dlrm_spec {
    uint32_t dense, dim, lookups;
    double rows[DLRM_MOST_TABLES], bottom[DLRM_MOST_LAYERS],
        top[DLRM_MOST_LAYERS]; /* 0 ends each */
};

extern const struct family_ops family_dlrm;

#endif
