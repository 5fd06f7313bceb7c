#include "report/traffic_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "config/names.h"
#include "net/topology/fabric.h"
#include "report/columns.h"
#include "report/json_writer.h"
#include "report/links.h"
#include "report/top.h"

enum { SHOWN = 32, SLOWEST = 5 };

/* From sending to arrival. */
static time_ps duration(const struct traffic_report *report, uint32_t flow)
{
    return report->result->arrived_ps[flow] - report->result->sent_ps[flow];
}

static double throughput_Bps(const struct traffic_report *report)
{
    double ps = (double)report->result->makespan_ps;
    return ps > 0 ? report->result->bytes / ps * 1e12 : 0;
}

struct run_result traffic_links(const struct traffic_result *result)
{
    return (struct run_result){
        .end_ps = result->makespan_ps, .link = result->link, .link_count = result->link_count};
}

/* -- durations: percentiles are of the nearest rank, ceil(p n) of n ---------------------------- */

struct spread_of_flows {
    time_ps least, median, p99, most;
    double mean_ps;
};

static int compare_times(const void *a, const void *b)
{
    time_ps x = *(const time_ps *)a, y = *(const time_ps *)b;
    return (x > y) - (x < y);
}

static struct spread_of_flows spread_of(const struct traffic_report *report)
{
    uint32_t count = traffic_count(report->traffic);
    time_ps *sorted = malloc((size_t)count * sizeof *sorted);
    need_memory(sorted != NULL);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = duration(report, i);
        sum += (double)sorted[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_times);
    struct spread_of_flows spread = {.least = sorted[0],
                                     .median = sorted[(count - 1) / 2],
                                     .p99 = sorted[((uint64_t)count * 99 + 99) / 100 - 1],
                                     .most = sorted[count - 1],
                                     .mean_ps = sum / count};
    free(sorted);
    return spread;
}

/* -- text -------------------------------------------------------------------------------------- */

static void say_time(FILE *out, const char *label, time_ps time)
{
    char text[SHOWN];
    fprintf(out, "  %-14s %s\n", label, units_show_time(text, sizeof text, time));
}

static void say_head(const struct traffic_report *report, FILE *out)
{
    const struct network_config *network = &report->config->network;
    char bytes[SHOWN], rate[SHOWN];
    fprintf(out, "%s: %" PRIu32 " flows, %s, on %s\n", report->what, traffic_count(report->traffic),
            units_show_bytes(bytes, sizeof bytes, report->result->bytes),
            network->fabric ? network->fabric->text : "the configured network");
    fprintf(out, "%s model, routing %s, %" PRIu32 " NPUs\n\n", net_backend_names[network->backend],
            net_routing_names[network->routing], network->npu_count);
    say_time(out, "makespan", report->result->makespan_ps);
    fprintf(out, "  %-14s %s, bytes / makespan\n", "throughput",
            units_show_rate(rate, sizeof rate, throughput_Bps(report)));
}

static void say_spread(const struct traffic_report *report, FILE *out)
{
    struct spread_of_flows spread = spread_of(report);
    fputs("\nflow completion time (arrival - send)\n", out);
    say_time(out, "least", spread.least);
    say_time(out, "mean", (time_ps)(spread.mean_ps + 0.5));
    say_time(out, "median", spread.median);
    say_time(out, "99 %", spread.p99);
    say_time(out, "most", spread.most);
}

static bool is_slower(const void *context, uint32_t a, uint32_t b)
{
    return duration(context, a) > duration(context, b);
}

static void say_slowest(const struct traffic_report *report, FILE *out)
{
    uint32_t slowest[SLOWEST];
    struct top top = {.row = slowest, .most = SLOWEST, .is_before = is_slower, .context = report};
    for (uint32_t i = 0; i < traffic_count(report->traffic); i++)
        top_add(&top, i);
    struct columns table;
    columns_init(&table, "rrrrrrr");
    static const char *const heading[] = {"id", "from", "to", "bytes", "sent", "arrived", "took"};
    for (int i = 0; i < 7; i++)
        columns_add(&table, "%s", heading[i]);
    for (uint32_t i = 0; i < top.count; i++) {
        const struct traffic_flow *flow = traffic_flow(report->traffic, slowest[i]);
        char text[SHOWN];
        columns_add(&table, "%" PRIu64, flow->id);
        columns_add(&table, "%" PRIu32, flow->src);
        columns_add(&table, "%" PRIu32, flow->dst);
        columns_add(&table, "%s", units_show_bytes(text, sizeof text, (double)flow->bytes));
        const time_ps times[] = {report->result->sent_ps[slowest[i]],
                                 report->result->arrived_ps[slowest[i]],
                                 duration(report, slowest[i])};
        for (int t = 0; t < 3; t++)
            columns_add(&table, "%s", units_show_time(text, sizeof text, times[t]));
    }
    fputs("\nslowest flows\n", out);
    columns_print(&table, out);
    columns_release(&table);
}

static void write_text(const struct traffic_report *report, FILE *out)
{
    struct run_result links = traffic_links(report->result);
    say_head(report, out);
    say_spread(report, out);
    say_slowest(report, out);
    fputc('\n', out);
    links_text(&links, report->config, out);
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void json_flow(const struct traffic_report *report, uint32_t index, struct json_writer *json)
{
    const struct traffic_flow *flow = traffic_flow(report->traffic, index);
    json_map_begin(json, NULL, JSON_INLINE);
    json_u64(json, "id", flow->id);
    json_u64(json, "src", flow->src);
    json_u64(json, "dst", flow->dst);
    json_u64(json, "bytes", flow->bytes);
    json_u64(json, "sent_ps", report->result->sent_ps[index]);
    json_u64(json, "arrived_ps", report->result->arrived_ps[index]);
    json_map_end(json);
}

static void json_summary(const struct traffic_report *report, struct json_writer *json)
{
    struct spread_of_flows spread = spread_of(report);
    json_u64(json, "flow_count", traffic_count(report->traffic));
    json_whole(json, "bytes", report->result->bytes);
    json_u64(json, "makespan_ps", report->result->makespan_ps);
    json_double(json, "throughput_Bps", throughput_Bps(report));
    json_map_begin(json, "completion_time_ps", JSON_INLINE);
    json_u64(json, "least", spread.least);
    json_double(json, "mean", spread.mean_ps);
    json_u64(json, "median", spread.median);
    json_u64(json, "p99", spread.p99);
    json_u64(json, "most", spread.most);
    json_map_end(json);
}

static void write_json(const struct traffic_report *report, FILE *out)
{
    const struct network_config *network = &report->config->network;
    struct run_result links = traffic_links(report->result);
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.traffic/1");
    json_text(&json, "traffic", report->what);
    json_text(&json, "topology", network->fabric ? network->fabric->text : NULL);
    json_text(&json, "backend", net_backend_names[network->backend]);
    json_text(&json, "routing", net_routing_names[network->routing]);
    json_u64(&json, "seed", network->seed);
    json_u64(&json, "npus", network->npu_count);
    json_summary(report, &json);
    links_json(&links, report->config, &json);
    json_list_begin(&json, "flows", JSON_LINES);
    for (uint32_t i = 0; i < traffic_count(report->traffic); i++)
        json_flow(report, i, &json);
    json_list_end(&json);
    json_notices(&json, report->notices);
    json_map_end(&json);
}

/* -- CSV --------------------------------------------------------------------------------------- */

static void write_csv(const struct traffic_report *report, FILE *out)
{
    fputs("# orrery.traffic/1\nid,src,dst,bytes,sent_ps,arrived_ps\n", out);
    for (uint32_t i = 0; i < traffic_count(report->traffic); i++) {
        const struct traffic_flow *flow = traffic_flow(report->traffic, i);
        fprintf(out, "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                flow->id, flow->src, flow->dst, flow->bytes, report->result->sent_ps[i],
                report->result->arrived_ps[i]);
    }
}

const struct traffic_format traffic_formats[] = {
    {"text", write_text}, {"json", write_json}, {"csv", write_csv}, {0}};
