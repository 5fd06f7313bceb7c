#include "tests/agree/forms/flow_laws.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "config/names.h"
#include "net/topology/fabric.h"
#include "net/traffic/traffic.h"
#include "tests/agree/forms/draw.h"
#include "tests/agree/forms/ledger.h"

enum { MOST_FLOWS = 40 };

enum law_id { LAW_ROTATED, LAW_SHIFTED, LAW_ALONE, LAW_BOUND, LAWS };

static const struct law laws[] = {
    [LAW_ROTATED] = {.name = "rotated",
                     .text = "flows between ranks that a symmetry maps arrive when theirs did"},
    [LAW_SHIFTED] = {.name = "shifted",
                     .text = "all ranks send as much to the same distance: all arrive together"},
    [LAW_ALONE] = {.name = "alone", .text = "of one message, ideal <= analytical = flow = link"},
    [LAW_BOUND] = {.name = "ideal",
                   .text = "of flows sent at once, ideal's last arrival is not later"},
};

struct judge {
    struct ledger ledger[LAWS];
    FILE *out;
    struct diag *diag;
};

/* A network and its text, alive for one case. */
struct ground {
    uint64_t seed, state;
    struct drawn_net net;
    char text[DRAW_MOST_TEXT];
    struct network_config config;
};

static enum status open_ground(struct ground *ground, uint64_t seed, struct diag *diag)
{
    *ground = (struct ground){.seed = seed, .state = ~seed};
    draw_net(&ground->state, DRAW_MOST_RANKS, &ground->net);
    draw_net_text(&ground->net, NULL, ground->text);
    enum status status = fabric_parse(ground->text, &ground->config.fabric, diag);
    unsigned routing;
    if (names_value(net_routing_names, ground->net.routing, &routing))
        ground->config.routing = (enum net_routing)routing;
    if (status == STATUS_OK)
        ground->config.npu_count = ground->config.fabric->npu_count;
    return status;
}

static bool is_transitive(const struct drawn_net *net)
{
    if (strcmp(net->routing, "auto") != 0)
        return false;
    for (uint32_t f = 0; f < net->factor_count; f++) {
        if (!net->factor[f].is_transitive)
            return false;
    }
    return true;
}

static enum status run(struct ground *ground, enum net_backend fidelity,
                       const struct traffic *traffic, struct traffic_result *result,
                       struct diag *diag)
{
    ground->config.backend = fidelity;
    const struct traffic_net net = {network_model_of(fidelity), &ground->config};
    enum status status = traffic_check(traffic, ground->config.npu_count, diag);
    return status == STATUS_OK ? traffic_run(traffic, &net, NULL, result, diag) : status;
}

static void enter(struct judge *judge, const struct ground *ground, enum law_id law,
                  enum net_backend fidelity, bool holds, double got, double want)
{
    if (ledger_enter(&judge->ledger[law], &laws[law], fidelity, holds, got, want))
        fprintf(judge->out, "    %s: %.0f, not %.0f ps: seed %" PRIu64 " of flows, %s, on %s\n",
                laws[law].name, got, want, ground->seed, network_model_of(fidelity)->name,
                ground->text);
}

/* -- lists of flows --------------------------------------------------------------------------- */

/* Rank `rank` moved by rank `by`: coordinates add up, modulo the dimensions. */
static uint32_t moved(const struct fabric *fabric, uint32_t rank, uint32_t by)
{
    uint32_t result = 0;
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric_dim *dim = &fabric->dim[d];
        uint32_t at = rank / dim->stride % dim->npus + by / dim->stride % dim->npus;
        result += at % dim->npus * dim->stride;
    }
    return result;
}

/* Random pairs and sizes; with starts, at random times, some after others. */
static void draw_flows(uint64_t *state, uint32_t npus, bool has_starts, struct traffic *traffic)
{
    uint32_t count = 1 + random_below(state, MOST_FLOWS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t src = random_below(state, npus);
        uint32_t dst = (src + 1 + random_below(state, npus - 1)) % npus;
        uint32_t index = traffic_add(traffic, src, dst, 1000 * (1 + random_below(state, 500)));
        if (has_starts && random_below(state, 2))
            traffic_flow(traffic, index)->start_ps = (time_ps)random_below(state, 20) * 1000000;
        if (has_starts && i && random_below(state, 3) == 0)
            traffic_depend(traffic, random_below(state, i));
    }
}

static void move_flows(const struct fabric *fabric, const struct traffic *from, uint32_t by,
                       struct traffic *to)
{
    for (uint32_t i = 0; i < traffic_count(from); i++) {
        const struct traffic_flow *flow = traffic_flow(from, i);
        uint32_t index = traffic_add(to, moved(fabric, flow->src, by), moved(fabric, flow->dst, by),
                                     flow->bytes);
        traffic_flow(to, index)->start_ps = flow->start_ps;
        for (uint32_t d = 0; d < flow->dep_count; d++)
            traffic_depend(to, *traffic_dep(from, flow->first_dep + d));
    }
}

/* -- laws ------------------------------------------------------------------------------------- */

/* A flow may be rounded the other way once for each that it shared with before it arrived. */
static time_ps slack(enum net_backend fidelity)
{
    return fidelity == NET_FLOW ? MOST_FLOWS : 0;
}

static void compare_moved(struct judge *judge, const struct ground *ground,
                          enum net_backend fidelity, uint32_t count,
                          const struct traffic_result *one, const struct traffic_result *other)
{
    double most = -1, got = 0, want = 0;
    for (uint32_t i = 0; i < count; i++) {
        double error = fabs((double)one->arrived_ps[i] - (double)other->arrived_ps[i]);
        if (error <= most)
            continue;
        most = error;
        got = (double)other->arrived_ps[i];
        want = (double)one->arrived_ps[i];
    }
    enter(judge, ground, LAW_ROTATED, fidelity, most <= (double)slack(fidelity), got, want);
}

static enum status try_rotated(struct judge *judge, struct ground *ground)
{
    struct traffic traffic, turned;
    traffic_init(&traffic);
    traffic_init(&turned);
    draw_flows(&ground->state, ground->net.npus, true, &traffic);
    uint32_t by = random_below(&ground->state, ground->net.npus);
    move_flows(ground->config.fabric, &traffic, by, &turned);
    enum status status = STATUS_OK;
    for (int f = NET_IDEAL; f <= NET_LINK && status == STATUS_OK; f++) {
        struct traffic_result one, other;
        traffic_result_init(&one);
        traffic_result_init(&other);
        status = run(ground, (enum net_backend)f, &traffic, &one, judge->diag);
        if (status == STATUS_OK)
            status = run(ground, (enum net_backend)f, &turned, &other, judge->diag);
        if (status == STATUS_OK)
            compare_moved(judge, ground, (enum net_backend)f, traffic_count(&traffic), &one,
                          &other);
        traffic_result_release(&one);
        traffic_result_release(&other);
    }
    traffic_release(&traffic);
    traffic_release(&turned);
    return status;
}

static enum status try_shifted(struct judge *judge, struct ground *ground)
{
    struct traffic traffic;
    uint32_t npus = ground->net.npus, by = 1 + random_below(&ground->state, npus - 1);
    uint64_t bytes = 1000 * (1 + random_below(&ground->state, 500));
    traffic_init(&traffic);
    for (uint32_t r = 0; r < npus; r++)
        traffic_add(&traffic, r, moved(ground->config.fabric, r, by), bytes);
    enum status status = STATUS_OK;
    for (int f = NET_IDEAL; f <= NET_LINK && status == STATUS_OK; f++) {
        struct traffic_result result;
        traffic_result_init(&result);
        status = run(ground, (enum net_backend)f, &traffic, &result, judge->diag);
        time_ps least = result.makespan_ps;
        for (uint32_t i = 0; status == STATUS_OK && i < npus; i++)
            least = result.arrived_ps[i] < least ? result.arrived_ps[i] : least;
        if (status == STATUS_OK)
            enter(judge, ground, LAW_SHIFTED, (enum net_backend)f,
                  result.makespan_ps - least <= slack((enum net_backend)f), (double)least,
                  (double)result.makespan_ps);
        traffic_result_release(&result);
    }
    traffic_release(&traffic);
    return status;
}

static enum status makespans(struct judge *judge, struct ground *ground,
                             const struct traffic *traffic, double end_ps[NET_BACKEND_COUNT])
{
    enum status status = STATUS_OK;
    for (int f = NET_IDEAL; f <= NET_LINK && status == STATUS_OK; f++) {
        struct traffic_result result;
        traffic_result_init(&result);
        status = run(ground, (enum net_backend)f, traffic, &result, judge->diag);
        end_ps[f] = (double)result.makespan_ps;
        traffic_result_release(&result);
    }
    return status;
}

static enum status try_bound(struct judge *judge, struct ground *ground)
{
    struct traffic traffic;
    double end_ps[NET_BACKEND_COUNT];
    traffic_init(&traffic);
    draw_flows(&ground->state, ground->net.npus, false, &traffic);
    enum status status = makespans(judge, ground, &traffic, end_ps);
    for (int f = NET_FLOW; f <= NET_LINK && status == STATUS_OK; f++)
        enter(judge, ground, LAW_BOUND, (enum net_backend)f, end_ps[NET_IDEAL] <= end_ps[f] + 1,
              end_ps[NET_IDEAL], end_ps[f]);
    traffic_release(&traffic);
    return status;
}

static enum status try_alone(struct judge *judge, struct ground *ground)
{
    struct traffic traffic;
    double end_ps[NET_BACKEND_COUNT];
    uint32_t npus = ground->net.npus, src = random_below(&ground->state, npus);
    traffic_init(&traffic);
    traffic_add(&traffic, src, (src + 1 + random_below(&ground->state, npus - 1)) % npus,
                random_below(&ground->state, 10000000));
    enum status status = makespans(judge, ground, &traffic, end_ps);
    double want = end_ps[NET_ANALYTICAL];
    if (status == STATUS_OK) {
        enter(judge, ground, LAW_ALONE, NET_IDEAL, end_ps[NET_IDEAL] <= want + 1, end_ps[NET_IDEAL],
              want);
        for (int f = NET_FLOW; f <= NET_LINK; f++)
            enter(judge, ground, LAW_ALONE, (enum net_backend)f, fabs(end_ps[f] - want) <= 1,
                  end_ps[f], want);
    }
    traffic_release(&traffic);
    return status;
}

enum status agree_flow_laws(uint32_t cases, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag)
{
    struct judge judge = {.out = out, .diag = diag};
    enum status status = STATUS_OK;
    for (uint64_t seed = 1; seed <= cases && status == STATUS_OK; seed++) {
        struct ground ground;
        status = open_ground(&ground, seed, diag);
        /* Sprayed parts may fit the links' shares better than the whole (analytical.h). */
        if (status == STATUS_OK && ground.config.routing != ROUTING_SPRAY)
            status = try_alone(&judge, &ground);
        if (status == STATUS_OK)
            status = try_bound(&judge, &ground);
        if (status == STATUS_OK && is_transitive(&ground.net))
            status = try_rotated(&judge, &ground);
        if (status == STATUS_OK && is_transitive(&ground.net))
            status = try_shifted(&judge, &ground);
        fabric_destroy(ground.config.fabric);
    }
    for (int law = 0; law < LAWS && status == STATUS_OK; law++)
        ledger_print(&judge.ledger[law], &laws[law], brief, out, count);
    return status;
}
