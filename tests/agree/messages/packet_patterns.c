#include <math.h>
#include <string.h>

#include "net/topology/fabric.h"
#include "net/traffic/traffic.h"
#include "tests/agree/fluid/peer.h"
#include "tests/agree/messages/messages.h"

/* htsim's packets: 4096 B of data in 4160 B on the wire. */
enum { PAYLOAD = 4096, HEADER = 64 };

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Sprayed transports see a bundle of links as one, as `link` does then. */
static enum net_routing routing_of(const char *transport)
{
    bool sprays = starts_with(transport, "ndp") || strcmp(transport, "eqds_spray128") == 0;
    return sprays ? ROUTING_SPRAY : ROUTING_ECMP;
}

static enum status run_row(const struct doc *row, const struct traffic *traffic,
                           struct traffic_result *result, struct diag *diag)
{
    const struct doc_node *map = doc_find(row->root, "topology");
    struct network_config config = {.backend = NET_LINK,
                                    .forwarding = FORWARD_STORE,
                                    .routing = routing_of(peer_text(row, "transport")),
                                    .segment_bytes = PAYLOAD,
                                    .segment_header_bytes = HEADER};
    char topology[128];
    snprintf(topology, sizeof topology, "fattree:%g,bw=%gGbps,lat=%gus", peers_number(map, "k"),
             peers_number(map, "gbps"), peers_number(map, "hop_latency_us"));
    enum status status = fabric_parse(topology, &config.fabric, diag);
    if (status != STATUS_OK)
        return status;
    config.npu_count = config.fabric->npu_count;
    const struct traffic_net net = {network_model_of(NET_LINK), &config};
    status = traffic_check(traffic, config.npu_count, diag);
    if (status == STATUS_OK)
        status = traffic_run(traffic, &net, NULL, result, diag);
    fabric_destroy(config.fabric);
    return status;
}

struct spread {
    double least, most, log_sum;
    uint32_t count;
};

static enum status compare_row(const struct doc *row, bool brief, FILE *out, struct spread *spread,
                               struct diag *diag)
{
    struct traffic traffic;
    struct traffic_result result;
    enum status status = STATUS_OK;
    const char *transport = peer_text(row, "transport");
    traffic_init(&traffic);
    traffic_result_init(&result);
    peer_flows(row, &traffic);
    double theirs_us = peer_number(row, "makespan_us");
    if (traffic_count(&traffic) > 1 && theirs_us > 0)
        status = run_row(row, &traffic, &result, diag);
    if (status == STATUS_OK && result.makespan_ps > 0) {
        double ratio = (double)result.makespan_ps / 1e6 / theirs_us;
        if (!brief)
            fprintf(out, "%-15s %-15s %6.0f %12.1f %12.1f %8.3f\n", transport,
                    peer_text(row, "pattern"), peer_number(row, "hosts"),
                    (double)result.makespan_ps / 1e6, theirs_us, ratio);
        if (starts_with(transport, "ndp")) {
            spread->least = fmin(spread->least, ratio);
            spread->most = fmax(spread->most, ratio);
            spread->log_sum += log(ratio);
            spread->count++;
        }
    }
    traffic_result_release(&result);
    traffic_release(&traffic);
    return status;
}

enum status agree_packet_patterns(const char *shared, bool brief, FILE *out,
                                  struct part_count *count, struct diag *diag)
{
    struct doc *rows;
    uint32_t row_count;
    struct spread spread = {.least = HUGE_VAL};
    enum status status = peers_load(shared, "htsim_reference.jsonl", &rows, &row_count, diag);
    if (status == STATUS_OK && peers_are_absent(row_count, out, count))
        return STATUS_OK;
    if (!brief)
        fprintf(out, "\n%-15s %-15s %6s %12s %12s %8s\n", "transport", "pattern", "hosts",
                "link us", "htsim us", "ratio");
    for (uint32_t i = 0; i < row_count && status == STATUS_OK; i++)
        status = compare_row(&rows[i], brief, out, &spread, diag);
    if (!brief)
        fprintf(out,
                "  Segments of 4096 + 64 B, stored and forwarded; no acknowledgements, windows "
                "or pauses;\n  hashed paths (ecmp) collide elsewhere than htsim's.\n");
    if (status == STATUS_OK && spread.count)
        fprintf(out,
                "htsim's patterns at link, for information: %u of NDP, ours / theirs %.2f "
                "(%.2f .. %.2f)\n",
                spread.count, exp(spread.log_sum / spread.count), spread.least, spread.most);
    peers_release(rows, row_count);
    return status;
}
