/*
 * plain_run - runs a workload on one switch with rings, unfolded: for tests that compare the times
 * of two workloads.
 */
#ifndef ORRERY_TESTS_UNIT_PLAIN_RUN_H
#define ORRERY_TESTS_UNIT_PLAIN_RUN_H

#include "run/simulate.h"
#include "tests/unit/unit.h"

/* The makespan in ps. 50 GB/s, 500 ns; roofline compute of 500 TFLOP/s and 2 TB/s. */
static inline uint64_t plain_run_ps(const struct workload *workload,
                                    const struct group_file *groups)
{
    struct config config;
    struct run_result result;
    struct diag why = DIAG_NONE;
    config_init(&config);
    result_init(&result);
    config.fold = false;
    config.network.npu_count = workload->rank_count;
    config.network.dim_count = 1;
    config.network.dim[0] = (struct net_dim){.block = NET_SWITCH,
                                             .npus = workload->rank_count,
                                             .bandwidth_B_per_ns = 50,
                                             .latency_ns = 500};
    config.system.dataset_splits = 1;
    config.system.compute = COMPUTE_ROOFLINE;
    config.system.peak_flop_per_s = 5e14;
    config.system.local_memory_Bps = 2e12;
    config.system.host_slots = config.system.compute_slots = config.system.comm_slots = 1;
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        config.system.algorithm[s].count = 1;
        config.system.algorithm[s].choice[0] = (struct algorithm_choice){.id = ALG_RING};
    }
    enum status status = simulate(&config, workload, groups, NULL, &result, &why);
    ck_assert_msg(!status, "%s %s", why.message, why.hint);
    uint64_t end_ps = result.end_ps;
    result_release(&result);
    config_release(&config);
    return end_ps;
}

#endif
