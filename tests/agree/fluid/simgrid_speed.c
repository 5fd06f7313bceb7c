#include <string.h>
#include <sys/resource.h>

#include "net/traffic/pattern.h"
#include "tests/agree/fluid/fluid_parts.h"
#include "tests/agree/fluid/peer.h"

/*
 * SimGrid's run_cpu_s leaves the building of its platform out; so does our figure, which times
 * traffic_run() less the making of fabric and routes: a run of one flow.
 */
enum { LEAST_HOSTS = 1024, LEAST_SYMMETRIC = 10, LEAST_RANDOM = 100 };
#define LEAST_MEASURED_S 0.05 /* runs are repeated until they took this long */

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* What must hold for a row. */
enum kind { KIND_OTHER, KIND_SYMMETRIC, KIND_RANDOM };

struct speed_row {
    char topology[96];
    const struct traffic_pattern *pattern;
    struct pattern_request request;
    enum kind kind;
    uint32_t flows;
    double makespan_s; /* SimGrid's, or 0 where the flows are others (random) */
};

static double argument(const struct doc *row, const char *key)
{
    const struct doc_node *args = doc_find(row->root, "pattern_args");
    const struct doc_node *node = args ? doc_find(args, key) : NULL;
    return node ? node->number : 0;
}

static bool read_pattern(const struct doc *row, struct speed_row *speed)
{
    const char *pattern = peer_text(row, "pattern");
    const char *ours = NULL, *bytes = "bytes";
    speed->kind = KIND_SYMMETRIC;
    speed->makespan_s = peer_number(row, "makespan_s");
    if (strncmp(pattern, "ring_allreduce", 14) == 0) {
        ours = "ring";
        bytes = "chunk";
        speed->request.count = (uint32_t)argument(row, "steps");
    } else if (strcmp(pattern, "rd_allreduce") == 0) {
        ours = "recursive-doubling";
        bytes = "total";
    } else if (strcmp(pattern, "alltoall") == 0) {
        ours = "all-to-all";
    } else if (strcmp(pattern, "alltoall_shift") == 0) {
        ours = "all-to-all-steps";
    } else if (strcmp(pattern, "uniform_rand") == 0 || strcmp(pattern, "randperm") == 0) {
        bool is_uniform = *pattern == 'u';
        ours = is_uniform ? "uniform" : "permutation";
        speed->kind = is_uniform ? KIND_RANDOM : KIND_OTHER;
        speed->request.count = (uint32_t)argument(row, "m");
        speed->makespan_s = 0;
    }
    speed->pattern = ours ? pattern_find(ours) : NULL;
    speed->request.bytes = (uint64_t)argument(row, bytes);
    return speed->pattern != NULL;
}

static bool read_row(const struct doc *row, struct speed_row *speed)
{
    *speed = (struct speed_row){0};
    const char *theirs = peer_text(row, "topology");
    bool is_xgft = strncmp(theirs, "fattreex:", 9) == 0;
    if (strncmp(peer_text(row, "latency_mode"), "zero", 4) != 0 || !read_pattern(row, speed))
        return false;
    snprintf(speed->topology, sizeof speed->topology, "%s%.60s,bw=%.0fB/s,lat=0ns",
             is_xgft ? "xgft:" : "", is_xgft ? theirs + 9 : theirs,
             peer_number(row, "link_bw_Bps"));
    speed->request.npus = (uint32_t)peer_number(row, "hosts");
    speed->request.seed = 2;
    speed->flows = (uint32_t)peer_number(row, "flows");
    if (speed->kind == KIND_SYMMETRIC && speed->request.npus < LEAST_HOSTS)
        speed->kind = KIND_OTHER;
    if (speed->kind == KIND_RANDOM && speed->request.npus < LEAST_HOSTS / 2)
        speed->kind = KIND_OTHER;
    return true;
}

/* CPU seconds of one run. */
static enum status measure(const struct peer_network *network, const struct traffic *traffic,
                           double *seconds, time_ps *makespan, struct diag *diag)
{
    double begin = cpu_s();
    uint32_t runs = 0;
    do {
        struct traffic_result result;
        traffic_result_init(&result);
        peer_run(network, traffic, &result, diag);
        *makespan = result.makespan_ps;
        traffic_result_release(&result);
        runs++;
    } while (diag->status == STATUS_OK && cpu_s() - begin < LEAST_MEASURED_S);
    *seconds = (cpu_s() - begin) / runs;
    return diag->status;
}

static enum status run_row(const struct speed_row *speed, double *seconds, time_ps *makespan,
                           struct diag *diag)
{
    struct traffic one, all;
    const struct peer_network network = {
        .topology = speed->topology, .backend = NET_FLOW, .routing = ROUTING_SIMGRID};
    double set_up_s;
    time_ps ignored;
    traffic_init(&one);
    traffic_init(&all);
    traffic_add(&one, 0, 1, 1);
    if (pattern_add(speed->pattern, &speed->request, &all, diag) == STATUS_OK &&
        measure(&network, &one, &set_up_s, &ignored, diag) == STATUS_OK &&
        measure(&network, &all, seconds, makespan, diag) == STATUS_OK)
        *seconds = *seconds > set_up_s ? *seconds - set_up_s : 0;
    traffic_release(&one);
    traffic_release(&all);
    return diag->status;
}

static enum status compare(const struct doc *row, bool brief, FILE *out, struct part_count *count,
                           struct diag *diag)
{
    struct speed_row speed;
    if (!read_row(row, &speed))
        return STATUS_OK;
    double seconds;
    time_ps makespan;
    struct diag refused = DIAG_NONE; /* a topology that we cannot make is a row that fails */
    enum status status = run_row(&speed, &seconds, &makespan, &refused);
    if (status == STATUS_BAD_CONFIG) {
        count->failed++;
        fprintf(out, "  %-42.42s FAILED: %s\n", peer_text(row, "topology"), refused.message);
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        *diag = refused;
        return status;
    }
    double theirs = speed.flows / peer_number(row, "run_cpu_s");
    double ours = seconds > 0 ? speed.flows / seconds : 1e9;
    double least = speed.kind == KIND_SYMMETRIC ? LEAST_SYMMETRIC
                   : speed.kind == KIND_RANDOM  ? LEAST_RANDOM
                                                : 0;
    double off = speed.makespan_s > 0 ? (double)makespan / 1e12 / speed.makespan_s - 1 : 0;
    bool holds = ours >= least * theirs && off < 1e-5 && off > -1e-5;
    if (least > 0)
        *(holds ? &count->passed : &count->failed) += 1;
    if (!brief || !holds)
        fprintf(out, "  %-42.42s %-18s %7u %10.0f %10.0f %7.0f x %s\n", peer_text(row, "topology"),
                speed.pattern->name, speed.flows, theirs, ours, ours / theirs,
                least == 0 ? ""
                : holds    ? "holds"
                           : "FAILED");
    return STATUS_OK;
}

enum status agree_simgrid_speed(const char *shared, bool brief, FILE *out, struct part_count *count,
                                struct diag *diag)
{
    char path[4096];
    struct peer_file peers;
    struct doc row;
    uint32_t before = count->passed;
    snprintf(path, sizeof path, "%.3900s/data/peers/simgrid_speed.jsonl", shared);
    if (peer_open(&peers, path, diag) != STATUS_OK)
        return diag->status;
    if (!brief)
        fprintf(out, "  %-42s %-18s %7s %10s %10s\n", "flows per CPU second", "", "flows",
                "SimGrid", "flow");
    while (diag->status == STATUS_OK && peer_next(&peers, &row, diag)) {
        compare(&row, brief, out, count, diag);
        doc_release(&row);
    }
    peer_close(&peers);
    fprintf(out,
            "  %u rows at least %d (symmetric, %d hosts or more) or %d (random sizes, %d or "
            "more) times as fast\n",
            count->passed - before, LEAST_SYMMETRIC, LEAST_HOSTS, LEAST_RANDOM, LEAST_HOSTS / 2);
    return diag->status;
}
