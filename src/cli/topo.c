#include <string.h>

#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/say.h"
#include "config/names.h"
#include "config/settings.h"
#include "net/topology/changes.h"
#include "report/draw.h"
#include "report/topology_report.h"

/* The shift is tried while its routes have no more links than so many, all together (0.2 s); where
 * a route takes a search, up to so many NPUs. */
enum { MOST_SHIFTED = 1 << 26, MOST_SEARCHED = 1 << 12 };

struct topo_options {
    const char *spec;
    const char *format, *output, *routing, *routes, *seed, *changes;
    const char *from, *to; /* --route A B */
    bool want_to;          /* the next word is B */
    bool quiet;
};

static enum status take_route(void *to, const struct option *option, const char *value,
                              struct diag *diag)
{
    (void)option;
    (void)diag;
    struct topo_options *given = to;
    given->from = value;
    given->to = NULL;
    given->want_to = true;
    return STATUS_OK;
}

static const struct option options[] = {
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default), json, dot or svg",
     .take = take_text,
     .offset = offsetof(struct topo_options, format)},
    {.name = "--output",
     .argument = "FILE",
     .help = "write there (complete, or not at all)",
     .take = take_text,
     .offset = offsetof(struct topo_options, output)},
    {.name = "--routing",
     .argument = "NAME",
     .help = "auto (default), shortest, ecmp, dimension-order, up-down, spray, static, simgrid",
     .take = take_text,
     .offset = offsetof(struct topo_options, routing)},
    {.name = "--routes",
     .argument = "FILE",
     .help = "of --routing static: lines \"source destination: node node ..\"",
     .take = take_text,
     .offset = offsetof(struct topo_options, routes)},
    {.name = "--seed",
     .argument = "N",
     .help = "of hashed routes (default 0)",
     .take = take_text,
     .offset = offsetof(struct topo_options, seed)},
    {.name = "--changes",
     .argument = "TEXT",
     .help = "slow or failed links, slow ranks: \"leaf0--spine1:fail; rank 5:bw*0.8\"",
     .take = take_text,
     .offset = offsetof(struct topo_options, changes)},
    {.name = "--route",
     .argument = "A B",
     .help = "show the route from node A to node B (default: the two NPUs farthest apart)",
     .take = take_route},
    {.name = "--quiet",
     .help = "no notices",
     .take = take_flag,
     .offset = offsetof(struct topo_options, quiet)},
    {0},
};

/* The second word of --route, or the topology. */
static enum status take_spec(void *to, const char *text, struct diag *diag)
{
    struct topo_options *given = to;
    if (given->want_to) {
        given->to = text;
        given->want_to = false;
        return STATUS_OK;
    }
    return take_word(&given->spec, text, diag);
}

/* -- what was asked ------------------------------------------------------------------------- */

struct topo {
    struct config config; /* routing's settings go through their usual parsers */
    struct fabric *fabric;
    struct survey survey;
    struct routing *routing;
    struct topology_report report;
};

static enum status set(struct topo *topo, const char *key, const char *text, struct diag *diag)
{
    struct notices none;
    notices_init(&none);
    enum status status =
        text ? setting_set_text(&topo->config, setting_find(key), text, "command line", &none, diag)
             : STATUS_OK;
    notices_release(&none);
    return status;
}

static enum status find_node(const struct fabric *fabric, const char *name, uint32_t *node,
                             struct diag *diag)
{
    *node = fabric_find_node(fabric, name);
    if (*node != FABRIC_NONE)
        return STATUS_OK;
    enum { MOST_KNOWN = 2000 };
    const char *known[MOST_KNOWN + 1];
    uint32_t count = fabric->node_count < MOST_KNOWN ? fabric->node_count : MOST_KNOWN;
    for (uint32_t v = 0; v < count; v++)
        known[v] = fabric->node[v].name;
    known[count] = NULL;
    usage_error(diag, "--route", "there is no node \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, known);
    diag_hint(diag, "did you mean \"%s\"?", nearest ? nearest : fabric->node[0].name);
    return STATUS_USAGE;
}

/* Routes are asked for between NPUs, and switches. */
static enum status choose_route(struct topo *topo, const struct topo_options *given,
                                struct diag *diag)
{
    struct topology_report *report = &topo->report;
    report->src = topo->survey.far_src;
    report->dst = topo->survey.far_dst;
    if (!given->from)
        return STATUS_OK;
    if (!given->to)
        return usage_error(diag, "--route", "expected two nodes: --route npu0 npu5");
    enum status status = find_node(topo->fabric, given->from, &report->src, diag);
    if (status == STATUS_OK)
        status = find_node(topo->fabric, given->to, &report->dst, diag);
    if (status == STATUS_OK && report->src == report->dst)
        status = usage_error(diag, "--route", "expected two different nodes");
    return status;
}

static bool needs_searches(const struct fabric *fabric)
{
    return !fabric->is_product && !fabric->is_tree;
}

/* The same messages, evenly spread: what colliding routes lose. Where there are no levels to spread
 * over, a sprayed route is a search. */
static enum status try_even(struct topo *topo, struct diag *diag)
{
    if (!topo->fabric->is_tree && topo->fabric->npu_count > MOST_SEARCHED)
        return STATUS_OK;
    struct network_config sprayed = topo->config.network;
    sprayed.routing = ROUTING_SPRAY;
    struct routing *spray;
    enum status status = routing_create(&spray, topo->fabric, &sprayed, diag);
    if (status != STATUS_OK)
        return status;
    topo->report.even = shift_load_take(spray, topo->fabric, topo->report.shift);
    routing_destroy(spray);
    return STATUS_OK;
}

static enum status try_shift(struct topo *topo, struct diag *diag)
{
    const struct fabric *fabric = topo->fabric;
    uint64_t hops = (uint64_t)fabric->npu_count * topo->survey.diameter_hops;
    bool is_quick = !needs_searches(fabric) || fabric->npu_count <= MOST_SEARCHED;
    if (fabric->npu_count < 2 || hops > MOST_SHIFTED || !is_quick)
        return STATUS_OK;
    struct topology_report *report = &topo->report;
    report->shift = fabric->npu_count / 2;
    report->load = shift_load_take(topo->routing, fabric, report->shift);
    return try_even(topo, diag);
}

static enum status build(struct topo *topo, const struct topo_options *given, struct diag *diag)
{
    enum status status = set(topo, "network.routing", given->routing, diag);
    if (status == STATUS_OK)
        status = set(topo, "network.routes", given->routes, diag);
    if (status == STATUS_OK)
        status = set(topo, "network.seed", given->seed, diag);
    if (status == STATUS_OK)
        status = fabric_parse(given->spec, &topo->fabric, diag);
    if (status == STATUS_OK && given->routes && topo->config.network.routing != ROUTING_STATIC)
        status = diag_fail(diag, STATUS_USAGE, "--routes: needs --routing static");
    if (status == STATUS_OK && given->changes &&
        fabric_change(topo->fabric, given->changes, diag) != STATUS_OK) {
        diag_field(diag, "--changes");
        status = diag->status;
    }
    return status;
}

static enum status look_at(struct topo *topo, const struct topo_options *given, struct diag *diag)
{
    survey_take(&topo->survey, topo->fabric);
    topo->report =
        (struct topology_report){.fabric = topo->fabric,
                                 .survey = &topo->survey,
                                 .routing_asked = given->routing ? given->routing : "auto"};
    enum status status = routing_create(&topo->routing, topo->fabric, &topo->config.network, diag);
    topo->report.routing = topo->routing;
    if (status == STATUS_OK)
        status = choose_route(topo, given, diag);
    if (status == STATUS_OK)
        status = try_shift(topo, diag);
    return status;
}

/* -- formats --------------------------------------------------------------------------------- */

static void write_dot(const struct topology_report *report, FILE *out)
{
    draw_dot(report->fabric, out);
}

static void write_svg(const struct topology_report *report, FILE *out)
{
    draw_svg(report->fabric, NULL, 0, out);
}

static const struct topo_format {
    const char *name;
    void (*write)(const struct topology_report *report, FILE *out);
} formats[] = {{"text", topology_report_text},
               {"json", topology_report_json},
               {"dot", write_dot},
               {"svg", write_svg},
               {NULL, NULL}};

static enum status write_report(const struct topo *topo, const struct topo_format *format,
                                const char *path, struct diag *diag)
{
    struct out_file out;
    enum status status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    format->write(&topo->report, out.stream);
    return output_commit(&out, diag);
}

static enum status show(struct topo *topo, const struct topo_options *given, struct diag *diag)
{
    const struct topo_format *format = options_format(formats, sizeof *format, given->format, diag);
    enum status status = diag->status;
    if (status == STATUS_OK && !given->spec) {
        status = usage_error(diag, NULL, "no topology was given");
        diag_hint(diag, "for example: orrery topo torus:4x4x4");
    }
    if (status == STATUS_OK)
        status = build(topo, given, diag);
    if (status == STATUS_OK)
        status = look_at(topo, given, diag);
    if (status == STATUS_OK)
        status = write_report(topo, format, given->output, diag);
    if (status == STATUS_OK && !given->quiet && strcmp(format->name, "json") != 0)
        say_notices(&topo->fabric->notices, stderr);
    return status;
}

static int run_topo(int argc, char **argv)
{
    struct topo_options given = {0};
    int code;
    if (!options_begin(&command_topo, argc, argv, &given, take_spec, &code))
        return code;
    struct topo topo = {0};
    struct diag diag = DIAG_NONE;
    config_init(&topo.config);
    enum status status = show(&topo, &given, &diag);
    routing_destroy(topo.routing);
    fabric_destroy(topo.fabric);
    config_release(&topo.config);
    return status == STATUS_OK ? 0 : command_failed(&diag);
}

const struct command command_topo = {
    .name = "topo",
    .summary = "what a topology is: counts, diameter, bisection, routes; or its drawing",
    .usage = "SPEC [OPTIONS]",
    .about = "Builds a topology and prints what was built. SPEC is a one-line form, or a file: a\n"
             "YAML graph, copies of a node with a network, lstopo's XML, ns-3's text, ASTRA-sim's\n"
             "network file (told apart by content), or a preset (orrery list presets).\n"
             "`orrery list topologies` has the one-line forms.\n"
             "\n"
             "--changes takes NODE->NODE (one way), NODE--NODE (both), rank N, node NAME, dim N or "
             "a class of nodes, then ':'\n"
             "and fail, bw*0.5, bw=25GB/s, lat*2, lat=3us or lat+1us; several with ';'.\n",
    .examples = "  orrery topo torus:4x4x4\n"
                "  orrery topo fattree:8,taper=2 --routing ecmp --route npu0 npu127\n"
                "  orrery topo preset:dgx-h100,nodes=64 --format json\n"
                "  orrery topo configs/examples/topologies/cube_mesh.yaml\n"
                "  orrery topo torus:4x4 --changes \"npu0--npu1:fail; rank 5:bw*0.5\"\n"
                "  orrery topo leafspine:8x4 --format svg --output fabric.svg\n",
    .options = options,
    .run = run_topo,
};
