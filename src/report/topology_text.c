#include "report/topology_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/visible.h"
#include "config/names.h"
#include "report/columns.h"
#include "report/topology_words.h"

enum { LABEL = 14, PATH_SHOWN = 40 };

static void label(FILE *out, const char *name)
{
    fprintf(out, "%-*s", LABEL, name);
}

static const char *rate(char to[32], double Bps)
{
    return units_show_rate(to, 32, Bps);
}

static const char *time_of(char to[32], double ns)
{
    return units_show_time(to, 32, time_rounded(ns, false));
}

/* -- nodes and links -------------------------------------------------------------------------- */

static void put_counts(const struct topology_report *report, FILE *out)
{
    const struct survey *survey = report->survey;
    label(out, "NPUs");
    fprintf(out, "%" PRIu32 "\n", survey->role_count[ROLE_NPU]);
    label(out, "switches");
    fprintf(out, "%" PRIu32, survey->role_count[ROLE_SWITCH]);
    for (uint32_t level = 1; level < survey->level_count; level++)
        fprintf(out, "%s%" PRIu32 " in level %" PRIu32, level == 1 ? ": " : ", ",
                survey->level_switches[level], level);
    fputc('\n', out);
    if (survey->role_count[ROLE_NIC] || survey->role_count[ROLE_HOST]) {
        label(out, "others");
        uint32_t nics = survey->role_count[ROLE_NIC], hosts = survey->role_count[ROLE_HOST];
        fprintf(out, "%" PRIu32 " %s, %" PRIu32 " %s\n", nics, topology_role_words(ROLE_NIC, nics),
                hosts, topology_role_words(ROLE_HOST, hosts));
    }
    label(out, "cables");
    fprintf(out, "%" PRIu64, survey->cables);
    if (survey->one_way)
        fprintf(out, " (%" PRIu64 " one-way)", survey->one_way);
    if (survey->failed)
        fprintf(out, "; %" PRIu64 " link%s failed", survey->failed,
                survey->failed == 1 ? " has" : "s have");
    fputc('\n', out);
}

static void put_dims(const struct fabric *fabric, FILE *out)
{
    struct columns table;
    columns_init(&table, "rlrrr");
    static const char *const heading[] = {"dim", "kind", "NPUs", "bandwidth", "latency"};
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&table, "%s", heading[i]);
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric_dim *dim = &fabric->dim[d];
        char text[32];
        columns_add(&table, "%" PRIu32, d);
        columns_add(&table, "%s%s", fabric_kind_name(dim->kind), dim->oneway ? ", one-way" : "");
        columns_add(&table, "%" PRIu32, dim->npus);
        bool has_link = dim->bandwidth_Bps > 0; /* an imported graph may have none */
        columns_add(&table, "%s", has_link ? rate(text, dim->bandwidth_Bps) : "-");
        columns_add(&table, "%s", has_link ? time_of(text, dim->latency_ns) : "-");
    }
    fputs("\ndimensions (dimension 0 varies fastest; bandwidth of an NPU's link, per direction)\n",
          out);
    columns_print(&table, out);
    columns_release(&table);
    fputc('\n', out);
}

/* -- figures -------------------------------------------------------------------------------- */

static void put_diameter(const struct topology_report *report, FILE *out)
{
    const struct survey *survey = report->survey;
    const struct fabric *fabric = report->fabric;
    label(out, "diameter");
    if (fabric->npu_count < 2) {
        fputs("0 hops\n", out);
        return;
    }
    fprintf(out, "%s%" PRIu32 " hop%s", survey->diameter_how == SURVEY_SOME_NPUS ? "at least " : "",
            survey->diameter_hops, survey->diameter_hops == 1 ? "" : "s");
    fprintf(out, " (%s to %s)\n", fabric->node[survey->far_src].name,
            fabric->node[survey->far_dst].name);
}

static void put_bisection(const struct topology_report *report, FILE *out)
{
    const struct survey *survey = report->survey;
    char text[32], each[32];
    label(out, "bisection");
    if (survey->bisection_how == SURVEY_UNKNOWN) {
        fputs(report->fabric->npu_count < 2 ? "none\n" : "not computed: too many links\n", out);
        return;
    }
    double half = report->fabric->npu_count / 2;
    fprintf(out, "%s%s each way, %s per NPU of a half",
            survey->bisection_how == SURVEY_SOME_HALVES ? "at most " : "",
            rate(text, survey->bisection_Bps), rate(each, survey->bisection_Bps / half));
    if (survey->bisection_how == SURVEY_EXACT)
        fputs(" (exact)\n", out);
    else if (survey->bisection_dim >= 0)
        fprintf(out, " (halves of dimension %d)\n", survey->bisection_dim);
    else
        fputs(" (halves of the ranks)\n", out);
}

static void put_injection(const struct topology_report *report, FILE *out)
{
    const struct survey *survey = report->survey;
    char least[32], most[32];
    label(out, "injection");
    if (survey->injection_least_Bps < survey->injection_most_Bps)
        fprintf(out, "%s (%s) to %s per NPU\n", rate(least, survey->injection_least_Bps),
                report->fabric->node[survey->injection_least_npu].name,
                rate(most, survey->injection_most_Bps));
    else
        fprintf(out, "%s per NPU\n", rate(most, survey->injection_most_Bps));
}

static void put_symmetry(const struct topology_report *report, FILE *out)
{
    const struct survey *survey = report->survey;
    label(out, "symmetry");
    if (survey->classes == 1) {
        fputs("all NPUs have the same surroundings\n", out);
        return;
    }
    fprintf(out, "%s%" PRIu32 " classes of NPUs: ", survey->classes_settled ? "" : "at least ",
            survey->classes);
    for (uint32_t c = 0; c < survey->classes && c < 4; c++)
        fprintf(out, "%s%" PRIu32 " like %s", c ? ", " : "", survey->class_members[c],
                report->fabric->node[survey->class_first[c]].name);
    fputs(survey->classes > 4 ? ", ..\n" : "\n", out);
}

/* -- routes --------------------------------------------------------------------------------- */

static void put_path(const struct fabric *fabric, const struct route *route, FILE *out)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                   fabric->node[fabric->link[route->link[0]].src].name);
    for (uint32_t i = 0; i < route->count && used < sizeof text; i++) {
        if (i == PATH_SHOWN) {
            snprintf(text + used, sizeof text - used, " -> ..");
            break;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, " -> %s",
                                 fabric->node[fabric->link[route->link[i]].dst].name);
    }
    columns_wrap(out, LABEL, LABEL, text);
}

static void put_shares(const struct fabric *fabric, const struct route *route, FILE *out)
{
    struct columns table;
    columns_init(&table, "llr");
    columns_add(&table, "from");
    columns_add(&table, "to");
    columns_add(&table, "share");
    for (uint32_t i = 0; i < route->count && i < PATH_SHOWN; i++) {
        columns_add(&table, "%s", fabric->node[fabric->link[route->link[i]].src].name);
        columns_add(&table, "%s", fabric->node[fabric->link[route->link[i]].dst].name);
        columns_add(&table, "%.4g %%", 100 * route->share[i]);
    }
    columns_print(&table, out);
    columns_release(&table);
    if (route->count > PATH_SHOWN)
        fprintf(out, "  .. and %" PRIu32 " more\n", route->count - PATH_SHOWN);
}

static void put_route(const struct topology_report *report, FILE *out)
{
    const struct fabric *fabric = report->fabric;
    if (report->src == report->dst)
        return;
    struct route route;
    routing_find(report->routing, report->src, report->dst, &route);
    char text[32];
    label(out, "route");
    fprintf(out, "%s to %s: ", fabric->node[report->src].name, fabric->node[report->dst].name);
    if (route.share) {
        fprintf(out, "spread over %" PRIu32 " links, %s\n", route.count,
                time_of(text, route.latency_ns));
        put_shares(fabric, &route, out);
        return;
    }
    fprintf(out, "%" PRIu32 " hop%s, %s%s\n", route.count, route.count == 1 ? "" : "s",
            time_of(text, route.latency_ns),
            route.is_detour ? "; a detour round failed links" : "");
    label(out, "");
    put_path(fabric, &route, out);
}

static void put_shift(const struct topology_report *report, FILE *out)
{
    if (!report->shift)
        return;
    const struct fabric *fabric = report->fabric;
    char text[32];
    label(out, "shift");
    fprintf(out, "all ranks send to rank + %" PRIu32 ": %s each; ", report->shift,
            rate(text, report->load.each_Bps));
    const struct fabric_link *link = &fabric->link[report->load.link];
    fprintf(out, "%s -> %s carries %.3g message%s\n", fabric->node[link->src].name,
            fabric->node[link->dst].name, report->load.messages,
            report->load.messages > 1 ? "s" : "");
}

/* -- the whole ------------------------------------------------------------------------------- */

void topology_report_text(const struct topology_report *report, FILE *out)
{
    label(out, "topology");
    visible_put(out, report->fabric->text, 0, INT32_MAX);
    fputs(report->fabric->has_changes ? " (changed)\n" : "\n", out);
    put_counts(report, out);
    put_dims(report->fabric, out);
    put_diameter(report, out);
    put_bisection(report, out);
    put_injection(report, out);
    put_symmetry(report, out);
    label(out, "routing");
    fprintf(out, "%s%s\n", net_routing_names[routing_policy(report->routing)],
            strcmp(report->routing_asked, "auto") == 0 ? " (auto)" : "");
    put_route(report, out);
    put_shift(report, out);
    struct topology_warnings warnings;
    topology_warn(&warnings, report);
    for (uint32_t i = 0; i < warnings.count; i++) {
        label(out, i == 0 ? "look at" : "");
        columns_wrap(out, LABEL, LABEL, warnings.text[i]);
    }
}
