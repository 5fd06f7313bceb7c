/* perturb: each part's parameter is changed by 1 % so that the part takes longer, and put back. */
#include <string.h>

#include "base/mix.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "run/perturb.h"
#include "tests/unit/mini.h"

static const struct row {
    enum path_part part;
    size_t offset; /* in struct system_config */
    double before, after;
} rows[] = {
    {PART_MATRIX, offsetof(struct system_config, matrix_ratio), 0, 1 / 1.01}, /* 0 stands for 1 */
    {PART_MATRIX, offsetof(struct system_config, matrix_ratio), 0.8, 0.8 / 1.01},
    {PART_ATTENTION, offsetof(struct system_config, attention_ratio), 0.5, 0.5 / 1.01},
    {PART_MEMORY_BOUND, offsetof(struct system_config, memory_ratio), 0, 1.01},
    {PART_PEAK, offsetof(struct system_config, peak_flop_per_s), 1e12, 1e12 / 1.01},
    {PART_LOCAL_MEMORY, offsetof(struct system_config, local_memory_Bps), 1e9, 1e9 / 1.01},
    {PART_SLOWED, offsetof(struct system_config, overlap_slowdown), 0.1, 0.101},
    {PART_STEP_OVERHEAD, offsetof(struct system_config, step_overhead_ns), 100, 101},
    {PART_LAUNCH, offsetof(struct system_config, launch_overhead_ns), 200, 202},
    {PART_LAUNCH_COMM, offsetof(struct system_config, collective_launch_ns), 300, 303},
};

START_TEST(a_setting_is_changed_and_put_back)
{
    const struct row *row = &rows[_i];
    struct config config;
    struct perturbed perturbed;
    config_init(&config);
    double *value = (double *)((char *)&config.system + row->offset);
    *value = row->before;
    ck_assert(perturb_begin(&perturbed, &config, row->part, -1, 1.01));
    ck_assert_double_eq_tol(*value / row->after, 1, 1e-12);
    perturb_end(&perturbed);
    ck_assert(bits_of(*value) == bits_of(row->before));
    config_release(&config);
}
END_TEST

START_TEST(parts_without_a_parameter_are_left)
{
    static const enum path_part parts[] = {PART_COMPUTE,  PART_HOST, PART_REMOTE_MEMORY,
                                           PART_REPLAYED, PART_IDLE, PART_CONTENTION};
    struct config config;
    struct perturbed perturbed;
    config_init(&config);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert(!perturb_begin(&perturbed, &config, parts[i], -1, 1.01));
    ck_assert(!perturb_begin(&perturbed, &config, PART_LATENCY, 0, 1.01)); /* no such dimension */
    config_release(&config);
}
END_TEST

/* Only links of the dimension, and all of them to the bit afterwards. */
START_TEST(links_of_a_dimension_are_changed_and_put_back)
{
    struct mini *mini = mini_new();
    struct config *config = &mini->config;
    config->network.backend = NET_FLOW;
    config->network.topology = "switch:4,bw=10GB/s,lat=100ns*switch:2,bw=1GB/s,lat=700ns";
    ck_assert_msg(topology_resolve(config, &mini->result.notices, &mini->diag) == STATUS_OK, "%s",
                  mini->diag.message);
    struct fabric *fabric = config->network.fabric;
    size_t bytes = fabric->link_count * sizeof *fabric->link;
    struct fabric_link *before = malloc(bytes);
    memcpy(before, fabric->link, bytes);
    struct perturbed perturbed;
    ck_assert(perturb_begin(&perturbed, config, PART_BANDWIDTH, 1, 1.01));
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        double factor = before[l].dim == 1 ? 1.01 : 1;
        ck_assert_double_eq_tol(fabric->link[l].bandwidth_Bps * factor, before[l].bandwidth_Bps, 1);
        ck_assert(bits_of(fabric->link[l].latency_ns) == bits_of(before[l].latency_ns));
    }
    perturb_end(&perturbed);
    ck_assert_mem_eq(fabric->link, before, bytes);
    ck_assert(perturb_begin(&perturbed, config, PART_LATENCY, 0, 1.01));
    for (uint32_t l = 0; l < fabric->link_count; l++)
        ck_assert_double_eq_tol(fabric->link[l].latency_ns,
                                before[l].latency_ns * (before[l].dim == 0 ? 1.01 : 1), 1e-9);
    perturb_end(&perturbed);
    ck_assert_mem_eq(fabric->link, before, bytes);
    free(before);
    mini_free(mini);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("perturb");
    TCase *tests = tcase_create("perturb");
    tcase_add_loop_test(tests, a_setting_is_changed_and_put_back, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, parts_without_a_parameter_are_left);
    tcase_add_test(tests, links_of_a_dimension_are_changed_and_put_back);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
