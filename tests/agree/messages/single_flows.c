#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/network.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"
#include "tests/agree/messages/messages.h"

/* htsim's packets: 4096 B of data in 4160 B on the wire, acknowledged by 64 B. */
enum { PAYLOAD = 4096, HEADER = 64, KIND_DATA = 1, KIND_ACK };

#define TOLERANCE 0.02

struct flow {
    struct engine engine;
    const struct network_ops *ops;
    void *net;
    uint32_t src, dst;
    time_ps arrived, acknowledged;
};

/* The acknowledgement is an empty message: a header. The sender is done when it has come. */
static void on_data(void *context, uint64_t payload)
{
    struct flow *flow = context;
    (void)payload;
    flow->arrived = flow->engine.now;
    flow->ops->send(flow->net, flow->dst, flow->src, 0, engine_payload(KIND_ACK, 0));
}

static void on_ack(void *context, uint64_t payload)
{
    struct flow *flow = context;
    (void)payload;
    flow->acknowledged = flow->engine.now;
}

static enum status simulate_flow(struct flow *flow, const struct network_config *config,
                                 uint64_t bytes, struct diag *diag)
{
    flow->ops = network_model_of(config->backend);
    engine_init(&flow->engine);
    engine_on(&flow->engine, KIND_DATA, on_data, flow);
    engine_on(&flow->engine, KIND_ACK, on_ack, flow);
    enum status status = flow->ops->create(&flow->net, config, &flow->engine, diag);
    if (status == STATUS_OK) {
        flow->ops->send(flow->net, flow->src, flow->dst, bytes, engine_payload(KIND_DATA, 0));
        while (engine_run(&flow->engine, UINT64_MAX, TIME_NEVER) == ENGINE_SLICE)
            continue;
        flow->ops->destroy(flow->net);
    }
    engine_release(&flow->engine);
    return status;
}

/* (n - 1) ser + h (ser + lat) + h (ack + lat), in ns (peers/README.md item 3). */
static double closed_form_ns(double bytes, double hops, double B_per_ns, double latency_ns)
{
    double packets = ceil(bytes / PAYLOAD), ser = (PAYLOAD + HEADER) / B_per_ns;
    return (packets - 1) * ser + hops * (ser + latency_ns) +
           hops * (HEADER / B_per_ns + latency_ns);
}

static uint32_t hops_of(const char *where)
{
    return strcmp(where, "same_tor") == 0 ? 2 : strcmp(where, "same_pod") == 0 ? 4 : 6;
}

static enum status compare_row(const struct doc_node *map, bool brief, FILE *out,
                               struct part_count *count, struct diag *diag)
{
    const struct doc_node *topology = doc_find(map, "topology"),
                          *args = doc_find(map, "pattern_args");
    double gbps = peers_number(topology, "gbps"), us = peers_number(topology, "hop_latency_us");
    double bytes = peers_number(args, "bytes");
    char text[128];
    snprintf(text, sizeof text, "fattree:%g,bw=%gGbps,lat=%gus", peers_number(topology, "k"), gbps,
             us);
    struct network_config config = {.backend = NET_LINK,
                                    .forwarding = FORWARD_STORE,
                                    .segment_bytes = PAYLOAD,
                                    .segment_header_bytes = HEADER};
    struct flow flow = {.src = (uint32_t)peers_number(args, "src"),
                        .dst = (uint32_t)peers_number(args, "dst")};
    enum status status = fabric_parse(text, &config.fabric, diag);
    if (status != STATUS_OK)
        return status;
    config.npu_count = config.fabric->npu_count;
    status = simulate_flow(&flow, &config, (uint64_t)bytes, diag);
    fabric_destroy(config.fabric);
    if (status != STATUS_OK)
        return status;
    double hops = hops_of(peers_text(args, "where"));
    double ours_us = (double)flow.acknowledged / 1e6;
    double closed_us = closed_form_ns(bytes, hops, gbps / 8, us * 1e3) / 1e3;
    double theirs_us = peers_number(map, "makespan_us");
    const char *transport = peers_text(map, "transport");
    bool is_required = strncmp(transport, "eqds", 4) != 0; /* it sends credits first */
    bool good =
        fabs(ours_us / theirs_us - 1) <= TOLERANCE && fabs(ours_us / closed_us - 1) <= TOLERANCE;
    count->passed += is_required && good;
    count->failed += is_required && !good;
    if (!brief)
        fprintf(out, "%-15s %10.0f %4.0f %12.5f %12.5f %12.5f %8.4f %s\n", transport, bytes, hops,
                ours_us, closed_us, theirs_us, ours_us / theirs_us,
                !is_required ? "information"
                : good       ? "ok"
                             : "DIFFERS");
    return STATUS_OK;
}

enum status agree_single_flows(const char *shared, bool brief, FILE *out, struct part_count *count,
                               struct diag *diag)
{
    struct doc *rows;
    uint32_t row_count, used = 0;
    struct part_count own = {0};
    enum status status = peers_load(shared, "htsim_reference.jsonl", &rows, &row_count, diag);
    if (status == STATUS_OK && peers_are_absent(row_count, out, count))
        return STATUS_OK;
    if (!brief)
        fprintf(out, "\n%-15s %10s %4s %12s %12s %12s %8s\n", "single flow", "bytes", "hops",
                "link us", "closed us", "htsim us", "ratio");
    for (uint32_t i = 0; i < row_count && status == STATUS_OK; i++) {
        if (strcmp(peers_text(rows[i].root, "pattern"), "single") != 0)
            continue;
        used++;
        status = compare_row(rows[i].root, brief, out, &own, diag);
    }
    if (status == STATUS_OK)
        fprintf(out, "htsim, single flows: %u rows; %u of %u that must agree are within 2 %%\n",
                used, own.passed, own.passed + own.failed);
    count->passed += own.passed;
    count->failed += own.failed;
    peers_release(rows, row_count);
    return status;
}
