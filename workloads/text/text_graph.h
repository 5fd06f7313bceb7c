/*
 * text_graph - the order of work that a mode of parallelism means, as a graph.
 *
 * Compute nodes form one chain, as a node of ASTRA-sim 1.0 does one thing at a time;
 * modes differ in order and in what a collective holds up. Layers l = 0 .. L - 1, forward upwards,
 * backward downwards:
 *
 *   MICRO             each layer's weight-gradient collective, all at once
 *   DATA, DATA_REORDER  forward l; backward: weight gradient l, its collective, input gradient l
 *                     (not of layer 0). Collectives of forward and input gradient are not run
 *   MODEL             forward l + 1 (and backward) waits for forward's collective l; backward:
 *                     input gradient l, its collective (not of layer 0), weight gradient l; input
 *                     gradient l - 1 waits for the collective. Weight-gradient collectives are not
 *                     run
 *   HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_TRANSFORMER   MODEL, with weight-gradient
 *                     collectives that nothing of the pass waits for; the transformer's layer 0 has
 *                     an input-gradient collective too
 *   .._FWD_IN_BCKWD   HYBRID_TRANSFORMER; before the input gradient of a layer that initiates,
 *                     forward is done again (and its collectives) from the nearest checkpoint
 *                     before it up to the layer below it
 *   HYBRID_CUSTOMIZED HYBRID_DATA_MODEL, each layer with the collectives of its own mode
 *   HYBRID_DLRM, .._ENHANCED n   as DATA; of forward, collectives that are all-to-alls hold up
 *                     nothing but layer n, which waits for layer 0's; layer 0's input-gradient
 *                     collective starts after input gradient n + 1, and its weight gradient waits
 *                     for it
 *   DISTRIBUTED_INFERENCE   forward of MODEL only
 *
 * In a later pass, forward l waits for the weight-gradient collective of layer l of the pass
 * before.
 *
 * Among whom (a collective of PLAIN scope): all ranks, but
 *   HYBRID_DATA_MODEL   forward and input gradient along the network's first dimension, weight
 *                     gradients along the others; HYBRID_MODEL_DATA the reverse (ASTRA-sim 1.0).
 *                     Dimensions that are not there are no work
 *   transformers      forward and input gradient in groups "tp" of model_parallel_NPU_group ranks
 *                     in a row; weight gradients in groups "dp" of the same place, within a stage
 *                     of ranks / pp ranks in a row. _EP: "ep", `ep` members of a "dp" group in a
 *                     row; _DP_EP: "dp-ep", the same place of each. Groups of one rank have no work
 *
 * Sources: Chakra's text converter for what it takes; ASTRA-sim 1.0's workload layer, for what
 * Chakra's converter refuses. Stages (pp, vpp, ga, pp_comm) have no schedule in these files: every
 * rank runs all layers, and a notice says that messages between stages are not simulated.
 */
#ifndef ORRERY_WORKLOADS_TEXT_TEXT_GRAPH_H
#define ORRERY_WORKLOADS_TEXT_TEXT_GRAPH_H

#include "workloads/text/text_trace.h"

/* Fails if `ranks` are not what the file's groups need, or if there would be more nodes than a
 * trace can have. */
enum status text_graph_check(const struct text_file *file, uint32_t ranks, uint32_t passes,
                             struct diag *diag);

/* Ranks that the file asks for, or the fewest with which groups have work: twice the product of
 * their sizes. */
uint32_t text_graph_ranks(const struct text_file *file);

/* Adds all nodes. The file must have passed text_graph_check(). Returns how many collectives there
 * are not, because their groups are of one rank. */
uint64_t text_graph_build(struct text_trace *text, const struct text_file *file, uint32_t ranks,
                          uint32_t passes);

#endif
