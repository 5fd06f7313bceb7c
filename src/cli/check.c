#include <inttypes.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/say.h"
#include "run/simulate.h"
#include "cli/work.h"

static const struct option options[] = {INPUT_OPTIONS, {0}};

static void print_network(const struct network_config *network)
{
    fputs("network  ", stdout);
    for (uint32_t d = 0; d < network->dim_count; d++) {
        char rate[32];
        const struct net_dim *dim = &network->dim[d];
        printf("%s%s %" PRIu32 " (%s, %g ns)", d ? " x " : "", net_block_name(dim->block),
               dim->npus, units_show_rate(rate, sizeof rate, dim->bandwidth_B_per_ns * 1e9),
               dim->latency_ns);
    }
    printf(": %" PRIu32 " NPUs\n", network->npu_count);
}

static void print_workload(const struct workload *workload)
{
    uint64_t nodes = 0;
    uint64_t edges = 0;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        const struct trace *trace = workload->traces[workload->trace_of_rank[r]];
        nodes += trace->count;
        edges += trace->data_edge_count + trace->control_edge_count;
    }
    printf("workload %" PRIu32 " rank%s, %" PRIu32 " distinct trace%s, %" PRIu64 " node%s, %" PRIu64
           " dependenc%s\n",
           workload->rank_count, workload->rank_count == 1 ? "" : "s", workload->trace_count,
           workload->trace_count == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", edges,
           edges == 1 ? "y" : "ies");
}

static enum status check(const struct inputs *inputs, struct config *config,
                         struct group_file *groups, struct notices *notices, struct diag *diag)
{
    struct work work;
    work_init(&work);
    enum status status = work_configure(&work, inputs, config, groups, notices, diag);
    if (status == STATUS_OK)
        status = work_open(&work, config, groups, notices, diag);
    const struct workload *workload = work_load_of(&work);
    if (status == STATUS_OK)
        status = preflight(config, workload, groups, notices, diag);
    if (status == STATUS_OK) {
        puts("ok");
        print_network(&config->network);
        print_workload(workload);
        printf("groups   %" PRIu32 " declared in files\n", groups->count);
        say_notices(notices, stdout);
    }
    work_release(&work);
    return status;
}

static int run_check(int argc, char **argv)
{
    struct inputs inputs = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_check, argc, argv, &inputs, take_input_word, &code))
        return code;
    struct config config;
    struct group_file groups;
    struct notices notices;
    config_init(&config);
    group_file_init(&groups);
    notices_init(&notices);
    enum status status = check(&inputs, &config, &groups, &notices, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    notices_release(&notices);
    group_file_release(&groups);
    config_release(&config);
    return status_exit_code(status);
}

const struct command command_check = {
    .name = "check",
    .summary = "parse and cross-check everything, simulate nothing",
    .usage = "CLUSTER.yaml | --workload PREFIX --network FILE --system FILE [OPTIONS]",
    .about = "Reads the traces and all configuration, checks each against the others, and says\n"
             "\"ok\" with counts. The same checks precede every run.\n",
    .examples = "  orrery check configs/examples/all_reduce.yaml --workload "
                "configs/examples/dp8/workload --replicate\n"
                "  orrery check --workload W/all_reduce --system sys.json --network net.yml\n",
    .options = options,
    .run = run_check,
};
