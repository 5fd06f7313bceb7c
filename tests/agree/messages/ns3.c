#include <math.h>
#include <string.h>

#include "run/laboratory.h"
#include "tests/agree/messages/messages.h"

static const enum net_backend fidelities[] = {NET_IDEAL, NET_ANALYTICAL, NET_FLOW, NET_LINK};
enum { FIDELITIES = sizeof fidelities / sizeof fidelities[0] };

/* ns-3 moved packets of 1000 B; a switch of 400 Gb/s ports, 0.5 us each link. */
static const struct lab_setting settings[] = {
    {"network.topology", "switch:8,bw=400Gbps,lat=500ns"},
    {"network.forwarding", "store-and-forward"},
    {"network.segment", "1000B"},
    {"system.endpoint-delay", "10ns"},
    {"system.local-memory-bandwidth", "1600GB/s"},
};

struct span {
    double least, most, log_sum;
    uint32_t count;
};

static enum collective_kind kind_of(const char *comm)
{
    if (strcmp(comm, "ALL_GATHER") == 0)
        return COLL_ALL_GATHER;
    if (strcmp(comm, "REDUCE_SCATTER") == 0)
        return COLL_REDUCE_SCATTER;
    return strcmp(comm, "ALL_TO_ALL") == 0 ? COLL_ALL_TO_ALL : COLL_ALL_REDUCE;
}

static enum status compare_row(const struct doc_node *map, bool brief, FILE *out,
                               struct span *spans, struct diag *diag)
{
    const struct doc_node *workload = doc_find(map, "workload");
    const char *comm = peers_text(workload, "comm");
    const char *algorithms[] = {peers_text(map, "algorithm"), NULL};
    double npus = peers_number(workload, "npus"), size = peers_number(workload, "size");
    double theirs_ns = peers_number(map, "cycles_max");
    struct lab_request request = {
        .kind = kind_of(comm),
        /* ASTRA-sim's all-gather counts what one rank gives. */
        .bytes = (uint64_t)(kind_of(comm) == COLL_ALL_GATHER ? size * npus : size),
        .algorithm = algorithms,
        .fidelity = fidelities,
        .fidelity_count = FIDELITIES,
        .setting = settings,
        .setting_count = sizeof settings / sizeof settings[0],
    };
    struct lab lab;
    lab_init(&lab);
    enum status status = lab_run(&lab, &request, NULL, diag);
    if (status == STATUS_OK && !brief)
        fprintf(out, "%-15s %-16s %10.0f %11.0f", comm, algorithms[0], size, theirs_ns);
    for (uint32_t f = 0; f < FIDELITIES && status == STATUS_OK && lab.row_count; f++) {
        double ratio = (double)lab.row[0].time_ps[f] / 1e3 / theirs_ns;
        if (!(ratio > 0)) {
            if (!brief)
                fprintf(out, " %10s", "-");
            continue;
        }
        spans[f].least = fmin(spans[f].least, ratio);
        spans[f].most = fmax(spans[f].most, ratio);
        spans[f].log_sum += log(ratio);
        spans[f].count++;
        if (!brief)
            fprintf(out, " %10.3f", ratio);
    }
    if (!brief)
        fprintf(out, "\n");
    lab_release(&lab);
    return status;
}

enum status agree_ns3(const char *shared, bool brief, FILE *out, struct part_count *count,
                      struct diag *diag)
{
    struct doc *rows;
    uint32_t row_count;
    struct span spans[FIDELITIES];
    (void)count; /* for information */
    for (uint32_t f = 0; f < FIDELITIES; f++)
        spans[f] = (struct span){.least = HUGE_VAL};
    enum status status = peers_load(shared, "astra_ns3.jsonl", &rows, &row_count, diag);
    if (status == STATUS_OK && peers_are_absent(row_count, out, count))
        return STATUS_OK;
    if (!brief)
        fprintf(out, "\n%-15s %-16s %10s %11s %10s %10s %10s %10s\n", "collective", "algorithm",
                "bytes", "ns-3 ns", "ideal", "analytical", "flow", "link");
    for (uint32_t i = 0; i < row_count && status == STATUS_OK; i++)
        status = compare_row(rows[i].root, brief, out, spans, diag);
    if (!brief)
        fprintf(out, "  ours over ns-3. It is later by 1.03 to 1.09 us for each dependent message "
                     "(the way back of an\n  acknowledgement takes 1 us), and moves large ones at "
                     "0.9 of the line rate.\n");
    fprintf(out, "ASTRA-sim over ns-3, for information: %u rows", row_count);
    for (uint32_t f = 0; f < FIDELITIES; f++)
        if (spans[f].count)
            fprintf(out, "; %s %.2f (%.2f .. %.2f)", network_model_of(fidelities[f])->name,
                    exp(spans[f].log_sum / spans[f].count), spans[f].least, spans[f].most);
    fprintf(out, "\n");
    peers_release(rows, row_count);
    return status;
}
