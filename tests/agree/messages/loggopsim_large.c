#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "run/laboratory.h"
#include "tests/agree/messages/messages.h"

/* A row of 256 ranks and more has no program: what it ran is one of our algorithms. */
struct large_row {
    const char *pattern, *algorithm;
    enum collective_kind kind;
    bool sends_in_turn; /* several messages at a time: as the newer variant only (loggopsim.c) */
};

static const struct large_row patterns[] = {
    {"ring_allreduce", "ring", COLL_ALL_REDUCE, false},
    {"rd_allreduce", "recursive-doubling", COLL_ALL_REDUCE, false},
    {"alltoall", "direct", COLL_ALL_TO_ALL, true},
    {"alltoall_shift", "direct", COLL_ALL_TO_ALL, true},
};

static const struct large_row *pattern_of(const struct doc_node *map)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(peers_text(map, "pattern"), patterns[i].pattern) == 0)
            return &patterns[i];
    return NULL;
}

static double user_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* On a switch whose two hops take L together, unfolded or folded as it comes. */
static enum status run_row(const struct doc_node *map, const struct large_row *pattern,
                           double *ours_ns, double *seconds, struct diag *diag)
{
    const struct doc_node *params = doc_find(map, "params"), *args = doc_find(map, "args");
    double ranks = peers_number(map, "ranks");
    char topology[96], gap[32];
    snprintf(topology, sizeof topology, "switch:%g,bw=1000000TB/s,lat=%gns", ranks,
             peers_number(params, "L") / 2);
    snprintf(gap, sizeof gap, "%g", peers_number(params, "G"));
    struct lab_setting settings[] = {{"network.topology", topology},
                                     {"network.byte-gap", gap},
                                     {"system.endpoint-delay", "0ns"}};
    const char *algorithms[] = {pattern->algorithm, NULL};
    enum net_backend fidelity = NET_LINK;
    double bytes =
        pattern->sends_in_turn ? peers_number(args, "bytes") * ranks : peers_number(args, "total");
    struct lab_request request = {.kind = pattern->kind,
                                  .bytes = (uint64_t)bytes,
                                  .algorithm = algorithms,
                                  .fidelity = &fidelity,
                                  .fidelity_count = 1,
                                  .setting = settings,
                                  .setting_count = sizeof settings / sizeof settings[0]};
    struct lab lab;
    lab_init(&lab);
    double before = user_s();
    enum status status = lab_run(&lab, &request, NULL, diag);
    *seconds = user_s() - before;
    *ours_ns = status == STATUS_OK && lab.row_count ? (double)lab.row[0].time_ps[0] / 1e3 : 0;
    lab_release(&lab);
    return status;
}

static enum status compare_row(const struct doc_node *map, bool brief, FILE *out,
                               struct part_count *count, struct diag *diag)
{
    const struct large_row *pattern = pattern_of(map);
    const struct doc_node *params = doc_find(map, "params");
    if (!pattern || peers_number(params, "o") > 0 || peers_number(params, "g") > 0)
        return STATUS_OK;
    double ours_ns, seconds, theirs_ns = peers_number(map, "makespan_ns");
    enum status status = run_row(map, pattern, &ours_ns, &seconds, diag);
    if (status != STATUS_OK)
        return status;
    bool is_older = strncmp(peers_text(map, "variant"), "upstream", 8) == 0;
    bool required = !pattern->sends_in_turn || !is_older;
    bool same = fabs(ours_ns - theirs_ns) < 5e-4;
    count->passed += required && same;
    count->failed += required && !same;
    if (!brief)
        fprintf(out, "%-16s %-13s %6.0f %13.0f %13.0f %8.2f %8.2f %s\n", pattern->pattern,
                peers_text(map, "variant"), peers_number(map, "ranks"), ours_ns, theirs_ns, seconds,
                peers_number(map, "cpu_s"),
                !required ? "sends wait while it receives"
                : same    ? "same"
                          : "DIFFERS");
    return STATUS_OK;
}

enum status agree_loggopsim_large(const char *shared, bool brief, FILE *out,
                                  struct part_count *count, struct diag *diag)
{
    struct doc *rows;
    uint32_t row_count;
    struct part_count own = {0};
    enum status status = peers_load(shared, "loggopsim_reference.jsonl", &rows, &row_count, diag);
    if (status == STATUS_OK && peers_are_absent(row_count, out, count))
        return STATUS_OK;
    if (!brief && row_count > 0)
        fprintf(out, "\n%-16s %-13s %6s %13s %13s %8s %8s\n", "256 ranks and up", "variant",
                "ranks", "link ns", "LogGOPSim ns", "ours s", "its s");
    for (uint32_t i = 0; i < row_count && status == STATUS_OK; i++)
        if (!doc_find(rows[i].root, "goal"))
            status = compare_row(rows[i].root, brief, out, &own, diag);
    if (!brief)
        fprintf(out,
                "  seconds: ours are of folded runs where ranks are alike, LogGOPSim's without "
                "its readers\n");
    if (status == STATUS_OK)
        fprintf(out, "LogGOPSim, 256 ranks and up: %u of %u that must agree do, to the ns\n",
                own.passed, own.passed + own.failed);
    count->passed += own.passed;
    count->failed += own.failed;
    peers_release(rows, row_count);
    return status;
}
