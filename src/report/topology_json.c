#include "report/topology_report.h"

#include <math.h>
#include <string.h>

#include "config/names.h"
#include "report/json_writer.h"
#include "report/topology_words.h"

#define SCHEMA "orrery.topology/1"

static void put_nodes(struct json_writer *json, const struct fabric *fabric)
{
    json_list_begin(json, "nodes", JSON_LINES);
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        const struct fabric_node *node = &fabric->node[v];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "name", node->name);
        json_text(json, "role", topology_role_name(node->role));
        if (fabric->is_tree)
            json_u64(json, "level", node->level);
        json_map_end(json);
    }
    json_list_end(json);
}

/* Per direction; ends are indices into "nodes". */
static void put_links(struct json_writer *json, const struct fabric *fabric)
{
    json_list_begin(json, "links", JSON_LINES);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "from", link->src);
        json_u64(json, "to", link->dst);
        json_double(json, "bandwidth_Bps", link->bandwidth_Bps);
        json_double(json, "latency_ns", link->latency_ns);
        json_u64(json, "cables", link->count);
        json_u64(json, "dim", link->dim);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_dims(struct json_writer *json, const struct fabric *fabric)
{
    json_list_begin(json, "dimensions", JSON_LINES);
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric_dim *dim = &fabric->dim[d];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "kind", fabric_kind_name(dim->kind));
        json_u64(json, "npus", dim->npus);
        json_u64(json, "stride", dim->stride);
        json_double(json, "bandwidth_Bps", dim->bandwidth_Bps);
        json_double(json, "latency_ns", dim->latency_ns);
        json_bool(json, "one_way", dim->oneway);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_counts(struct json_writer *json, const struct survey *survey)
{
    json_map_begin(json, "count", JSON_LINES);
    json_u64(json, "npus", survey->role_count[ROLE_NPU]);
    json_u64(json, "switches", survey->role_count[ROLE_SWITCH]);
    json_u64(json, "nics", survey->role_count[ROLE_NIC]);
    json_u64(json, "hosts", survey->role_count[ROLE_HOST]);
    json_u64(json, "cables", survey->cables);
    json_u64(json, "one_way_links", survey->one_way);
    json_u64(json, "failed_links", survey->failed);
    json_map_end(json);
}

static const char *how_name(enum survey_how how)
{
    static const char *const names[] = {[SURVEY_EXACT] = "exact",
                                        [SURVEY_BY_SYMMETRY] = "by symmetry",
                                        [SURVEY_SOME_HALVES] = "narrowest of some halves",
                                        [SURVEY_SOME_NPUS] = "at least, seen from some NPUs",
                                        [SURVEY_UNKNOWN] = "unknown"};
    return names[how];
}

static void put_figures(struct json_writer *json, const struct topology_report *report)
{
    const struct survey *survey = report->survey;
    const struct fabric *fabric = report->fabric;
    json_map_begin(json, "diameter", JSON_INLINE);
    json_u64(json, "hops", survey->diameter_hops);
    json_text(json, "from", fabric->node[survey->far_src].name);
    json_text(json, "to", fabric->node[survey->far_dst].name);
    json_text(json, "how", how_name(survey->diameter_how));
    json_map_end(json);
    json_map_begin(json, "bisection", JSON_INLINE);
    json_double(json, "Bps", survey->bisection_how == SURVEY_UNKNOWN ? NAN : survey->bisection_Bps);
    json_text(json, "how", how_name(survey->bisection_how));
    json_map_end(json);
    json_map_begin(json, "injection", JSON_INLINE);
    json_double(json, "least_Bps", survey->injection_least_Bps);
    json_double(json, "most_Bps", survey->injection_most_Bps);
    json_double(json, "total_Bps", survey->injection_total_Bps);
    json_map_end(json);
    json_u64(json, "npu_classes", survey->classes);
}

static void put_route(struct json_writer *json, const struct topology_report *report)
{
    const struct fabric *fabric = report->fabric;
    if (report->src == report->dst)
        return;
    struct route route;
    routing_find(report->routing, report->src, report->dst, &route);
    json_map_begin(json, "route", JSON_LINES);
    json_text(json, "from", fabric->node[report->src].name);
    json_text(json, "to", fabric->node[report->dst].name);
    json_double(json, "latency_ns", route.latency_ns);
    json_bool(json, "detour", route.is_detour);
    json_list_begin(json, "links", JSON_INLINE);
    for (uint32_t i = 0; i < route.count; i++)
        json_u64(json, NULL, route.link[i]);
    json_list_end(json);
    if (route.share) {
        json_list_begin(json, "shares", JSON_INLINE);
        for (uint32_t i = 0; i < route.count; i++)
            json_double(json, NULL, route.share[i]);
        json_list_end(json);
    }
    json_map_end(json);
}

static void put_shift(struct json_writer *json, const struct topology_report *report)
{
    if (!report->shift)
        return;
    json_map_begin(json, "shift", JSON_INLINE);
    json_u64(json, "by", report->shift);
    json_double(json, "each_Bps", report->load.each_Bps);
    json_double(json, "each_if_sprayed_Bps",
                report->even.each_Bps > 0 ? report->even.each_Bps : NAN);
    json_u64(json, "busiest_link", report->load.link);
    json_double(json, "messages_on_it", report->load.messages);
    json_u64(json, "detours", report->load.detours);
    json_map_end(json);
}

static void put_warnings(struct json_writer *json, const struct topology_report *report)
{
    struct topology_warnings warnings;
    topology_warn(&warnings, report);
    json_list_begin(json, "warnings", JSON_LINES);
    for (uint32_t i = 0; i < warnings.count; i++)
        json_text(json, NULL, warnings.text[i]);
    json_list_end(json);
}

void topology_report_json(const struct topology_report *report, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", SCHEMA);
    json_text(&json, "topology", report->fabric->text);
    json_bool(&json, "changed", report->fabric->has_changes);
    put_counts(&json, report->survey);
    put_dims(&json, report->fabric);
    put_figures(&json, report);
    json_text(&json, "routing", net_routing_names[routing_policy(report->routing)]);
    put_route(&json, report);
    put_shift(&json, report);
    put_warnings(&json, report);
    json_notices(&json, &report->fabric->notices);
    put_nodes(&json, report->fabric);
    put_links(&json, report->fabric);
    json_map_end(&json);
}
