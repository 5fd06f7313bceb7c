#include "report/topology_words.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/visible.h"
#include "config/names.h"
#include "net/topology/bridges.h"

const char *topology_role_name(unsigned role)
{
    static const char *const names[] = {
        [ROLE_NPU] = "npu", [ROLE_SWITCH] = "switch", [ROLE_NIC] = "nic", [ROLE_HOST] = "host"};
    return names[role];
}

const char *topology_role_words(unsigned role, uint32_t count)
{
    static const char *const names[][2] = {[ROLE_NPU] = {"NPU", "NPUs"},
                                           [ROLE_SWITCH] = {"switch", "switches"},
                                           [ROLE_NIC] = {"NIC", "NICs"},
                                           [ROLE_HOST] = {"host", "hosts"}};
    return names[role][count != 1];
}

static void warn(struct topology_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void warn(struct topology_warnings *warnings, const char *format, ...)
{
    if (warnings->count == TOPOLOGY_WARNINGS)
        return;
    va_list args;
    va_start(args, format);
    visible_format(warnings->text[warnings->count++], TOPOLOGY_WARNING_TEXT, format, args);
    va_end(args);
}

/* Collectives over all ranks go as fast as their slowest member. */
static void warn_uneven(struct topology_warnings *warnings, const struct topology_report *report)
{
    const struct survey *survey = report->survey;
    if (survey->injection_least_Bps >= survey->injection_most_Bps * (1 - 1e-9))
        return;
    warn(
        warnings,
        "NPUs differ: %s can send at %.4g of the fastest one's bandwidth, and collectives over all "
        "ranks wait for the slowest",
        report->fabric->node[survey->injection_least_npu].name,
        survey->injection_least_Bps / survey->injection_most_Bps);
}

/* What collides could be spread. */
static void warn_collisions(struct topology_warnings *warnings,
                            const struct topology_report *report)
{
    if (!report->shift || report->load.each_Bps >= report->even.each_Bps * (1 - 1e-9))
        return;
    char text[32];
    warn(warnings,
         "routes collide: in the shift, evenly spread messages would have %s each, %.3g times as "
         "much",
         units_show_rate(text, sizeof text, report->even.each_Bps),
         report->even.each_Bps / report->load.each_Bps);
}

/* What the policy's name promises (no way down and up again, say) does not hold for these. */
static void warn_detours(struct topology_warnings *warnings, const struct topology_report *report)
{
    uint32_t detours = report->shift ? report->load.detours : 0;
    if (detours)
        warn(warnings,
             "links have failed: %" PRIu32 " of %" PRIu32
             " messages of the shift have no %s route, and take a shortest one that works",
             detours, report->fabric->npu_count,
             net_routing_names[routing_policy(report->routing)]);
}

static void warn_taper(struct topology_warnings *warnings, const struct topology_report *report)
{
    const struct fabric *fabric = report->fabric;
    const struct survey *survey = report->survey;
    if (!fabric->is_tree || survey->bisection_how == SURVEY_UNKNOWN)
        return;
    double full = fabric->npu_count / 2 * fabric->dim[fabric->dim_count - 1].bandwidth_Bps;
    if (survey->bisection_Bps >= full * (1 - 1e-9))
        return;
    warn(warnings, "tapered: what one half of the NPUs sends passes to the other at 1 : %.3g",
         full / survey->bisection_Bps);
}

static void warn_bridge(struct topology_warnings *warnings, const struct topology_report *report)
{
    const struct fabric *fabric = report->fabric;
    struct bridge bridge;
    uint32_t count = bridges_find(fabric, &bridge);
    if (!count)
        return;
    const struct fabric_link *link = &fabric->link[bridge.link];
    warn(warnings,
         "one cable holds it together: without %s - %s, %" PRIu32 " of %" PRIu32
         " NPUs are cut off%s",
         fabric->node[link->src].name, fabric->node[link->dst].name, bridge.npus, fabric->npu_count,
         count > 1 ? " (and there are more such cables)" : "");
}

static void warn_no_latency(struct topology_warnings *warnings,
                            const struct topology_report *report)
{
    const struct fabric *fabric = report->fabric;
    uint32_t count = 0;
    for (uint32_t l = 0; l < fabric->link_count; l++)
        count += fabric->link[l].latency_ns <= 0;
    if (count)
        warn(warnings, "%" PRIu32 " of %" PRIu32 " links have no latency", count,
             fabric->link_count);
}

/* Without switches between them, messages pass through NPUs, if these can do that. */
static void warn_relays(struct topology_warnings *warnings, const struct topology_report *report)
{
    const struct fabric *fabric = report->fabric;
    if (fabric->is_product || report->src == report->dst)
        return;
    struct route route;
    routing_find(report->routing, report->src, report->dst, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t at = fabric->link[route.link[i]].dst;
        if (at >= fabric->npu_count || at == report->dst)
            continue;
        warn(warnings, "messages may pass through other NPUs: %s to %s goes through %s",
             fabric->node[report->src].name, fabric->node[report->dst].name, fabric->node[at].name);
        return;
    }
}

void topology_warn(struct topology_warnings *warnings, const struct topology_report *report)
{
    warnings->count = 0;
    warn_uneven(warnings, report);
    warn_taper(warnings, report);
    warn_collisions(warnings, report);
    warn_detours(warnings, report);
    warn_bridge(warnings, report);
    warn_relays(warnings, report);
    warn_no_latency(warnings, report);
}
