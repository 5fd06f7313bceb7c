/*
 * Laws over random networks and collectives. Each case is a seed: a network of one to three
 * factors, routing, an algorithm, a size, chunks. It is run at each fidelity, and again with
 * something changed. A law that needs not hold says where and why (ledger.h). At `analytical`
 * messages never meet, and nothing is excused. Lists of flows are in flow_laws.c.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "tests/agree/forms/draw.h"
#include "tests/agree/forms/flow_laws.h"
#include "tests/agree/forms/forms.h"
#include "tests/agree/forms/ledger.h"
#include "tests/agree/forms/lone.h"

enum { CASES = 600 };

/* What a run gave. */
struct times {
    time_ps end_ps, rank_ps[DRAW_MOST_RANKS];
    uint32_t ranks;
    uint64_t messages;
    double bytes;
    bool is_symmetric;
};

struct sample {
    uint64_t seed, state;
    struct drawn_net net;
    struct drawn_collective drawn;
    enum net_backend fidelity;
    struct times base;
};

enum law_id {
    LAW_BANDWIDTH,
    LAW_DIMENSION,
    LAW_BYTES,
    LAW_LATENCY,
    LAW_UNITS,
    LAW_TOGETHER,
    LAW_FOLD,
    LAWS
};

/*
 * Graham's anomalies (1969): a message that comes earlier in one place may meet, or overtake, one
 * that more depends on. Rounding to a ps that falls the other way does the same to equal times.
 */
#define GRAHAM "messages meet elsewhere (Graham)"

static const struct law laws[] = {
    [LAW_BANDWIDTH] = {.name = "bandwidth", .text = "more of it everywhere is never later"},
    [LAW_DIMENSION] = {.name = "dimension",
                       .text = "more of it in one factor is never later",
                       .known = GRAHAM,
                       .excused = AT(NET_IDEAL) | AT(NET_FLOW) | AT(NET_LINK),
                       .most_known = 1},
    [LAW_BYTES] = {.name = "bytes", .text = "twice as many are never earlier"},
    [LAW_LATENCY] = {.name = "latency",
                     .text = "more of it everywhere is never earlier",
                     .known = GRAHAM,
                     .excused = AT(NET_IDEAL) | AT(NET_FLOW) | AT(NET_LINK),
                     .most_known = 1},
    [LAW_UNITS] = {.name = "units",
                   .text = "twice the bandwidth, half the latency: half of every time",
                   .known = "a tie that rounding to ps breaks",
                   .excused = AT(NET_IDEAL) | AT(NET_FLOW),
                   .most_known = 1},
    [LAW_TOGETHER] = {.name = "together",
                      .text = "symmetric ranks of a vertex-transitive network end together",
                      .known = "ties in ports and queues go by rank",
                      .excused = AT(NET_IDEAL) | AT(NET_LINK),
                      .most_known = 10},
    [LAW_FOLD] = {.name = "fold", .text = "folded and unfolded: the same times, messages, bytes"},
};

struct judge {
    struct ledger ledger[LAWS];
    uint32_t stuck; /* runs whose chunks block each other's queues: a finding, no law */
    bool brief;
    FILE *out;
};

/* -- runs ------------------------------------------------------------------------------------- */

static void complete(const struct sample *sample, const struct drawn_collective *drawn,
                     struct lone_case *given)
{
    *given = drawn->given;
    given->fidelity = sample->fidelity;
    lone_set(given, "network.routing", sample->net.routing);
    lone_set(given, "network.seed", drawn->seed);
    lone_set(given, "system.dataset-splits", drawn->chunks);
    lone_set(given, "system.active-chunks-per-dim", drawn->active);
}

static void read_times(const struct lone *lone, struct times *times)
{
    const struct run_result *result = &lone->result;
    *times = (struct times){.end_ps = result->end_ps,
                            .ranks = result->rank_count,
                            .messages = result->messages,
                            .bytes = result->bytes_sent,
                            .is_symmetric = lone->is_symmetric};
    for (uint32_t r = 0; r < result->rank_count && r < DRAW_MOST_RANKS; r++)
        times->rank_ps[r] = result_rank(result, r)->finish_ps;
}

static enum status run_changed(const struct sample *sample, const struct drawn_collective *drawn,
                               const struct net_change *change, struct times *times)
{
    char text[DRAW_MOST_TEXT];
    struct lone_case given;
    struct lone lone;
    struct diag diag = DIAG_NONE;
    complete(sample, drawn, &given);
    draw_net_text(&sample->net, change, text);
    given.topology = text;
    enum status status = lone_run(&lone, &given, &diag);
    if (status == STATUS_OK)
        read_times(&lone, times);
    lone_release(&lone);
    return status;
}

/* -- laws ------------------------------------------------------------------------------------- */

/* A command that shows it. */
static void say(const struct judge *judge, const struct sample *sample, enum law_id law,
                const struct net_change *change, double got, double want)
{
    char text[DRAW_MOST_TEXT], changed[DRAW_MOST_TEXT];
    draw_net_text(&sample->net, NULL, text);
    draw_net_text(&sample->net, change, changed);
    const struct lone_case *given = &sample->drawn.given;
    fprintf(judge->out,
            "    %s: %.0f, not %.0f ps: seed %" PRIu64 ": collective %s %" PRIu64
            "B (of a node) --algorithm %s --fidelity %s --routing %s --seed %s --chunks %s "
            "--active-chunks %s --no-fold --topo '%s' and '%s'\n",
            laws[law].name, got, want, sample->seed, collective_name(given->kind), given->bytes,
            given->algorithm, network_model_of(sample->fidelity)->name, sample->net.routing,
            sample->drawn.seed, sample->drawn.chunks, sample->drawn.active, text, changed);
}

static void enter(struct judge *judge, const struct sample *sample, enum law_id law,
                  const struct net_change *change, double got, double want, bool holds)
{
    if (ledger_enter(&judge->ledger[law], &laws[law], sample->fidelity, holds, got, want))
        say(judge, sample, law, change, got, want);
}

/* A picosecond for each message that may be rounded the other way. */
static time_ps slack(const struct sample *sample)
{
    return 2 + sample->base.messages / sample->base.ranks;
}

static enum status check_faster(struct judge *judge, struct sample *sample, enum law_id law,
                                uint32_t factor)
{
    static const double factors[] = {1.25, 2, 4};
    struct net_change change = {factor, factors[random_below(&sample->state, 3)], 1};
    struct times faster;
    enum status status = run_changed(sample, &sample->drawn, &change, &faster);
    if (status == STATUS_OK)
        enter(judge, sample, law, &change, (double)faster.end_ps, (double)sample->base.end_ps,
              faster.end_ps <= sample->base.end_ps + slack(sample));
    return status;
}

/* Sprayed shares follow the bandwidths: other routes, about which there is no law. */
static enum status check_bandwidth(struct judge *judge, struct sample *sample)
{
    enum status status = check_faster(judge, sample, LAW_BANDWIDTH, ALL_FACTORS);
    bool has_fixed_routes = strcmp(sample->net.routing, "spray") != 0;
    if (status == STATUS_OK && sample->net.factor_count > 1 && has_fixed_routes)
        status = check_faster(judge, sample, LAW_DIMENSION,
                              random_below(&sample->state, sample->net.factor_count));
    return status;
}

static enum status check_latency(struct judge *judge, struct sample *sample)
{
    struct net_change change = {ALL_FACTORS, 1, 1.5};
    struct times later;
    enum status status = run_changed(sample, &sample->drawn, &change, &later);
    if (status == STATUS_OK)
        enter(judge, sample, LAW_LATENCY, &change, (double)later.end_ps,
              (double)sample->base.end_ps, later.end_ps + slack(sample) >= sample->base.end_ps);
    return status;
}

static enum status check_bytes(struct judge *judge, struct sample *sample)
{
    struct drawn_collective more = sample->drawn;
    struct times later;
    more.given.bytes *= 2;
    enum status status = run_changed(sample, &more, NULL, &later);
    if (status == STATUS_OK)
        enter(judge, sample, LAW_BYTES, NULL, (double)later.end_ps, (double)sample->base.end_ps,
              later.end_ps + slack(sample) >= sample->base.end_ps);
    return status;
}

static enum status check_units(struct judge *judge, struct sample *sample)
{
    struct net_change change = {ALL_FACTORS, 2, 0.5};
    struct times half;
    enum status status = run_changed(sample, &sample->drawn, &change, &half);
    if (status != STATUS_OK)
        return status;
    double most = 0, got = 0, want = 0;
    for (uint32_t r = 0; r < half.ranks; r++) {
        double error = fabs(2 * (double)half.rank_ps[r] - (double)sample->base.rank_ps[r]);
        if (error < most)
            continue;
        most = error;
        got = (double)half.rank_ps[r];
        want = (double)sample->base.rank_ps[r] / 2;
    }
    enter(judge, sample, LAW_UNITS, &change, got, want, most <= 2 * (double)slack(sample) + 2);
    return status;
}

static bool same_times(const struct times *a, const struct times *b)
{
    return a->end_ps == b->end_ps && a->ranks == b->ranks && a->messages == b->messages &&
           a->bytes == b->bytes && memcmp(a->rank_ps, b->rank_ps, sizeof a->rank_ps) == 0;
}

static enum status check_fold(struct judge *judge, struct sample *sample)
{
    struct drawn_collective folded = sample->drawn;
    struct times times;
    folded.given.is_unfolded = false;
    enum status status = run_changed(sample, &folded, NULL, &times);
    if (status == STATUS_OK)
        enter(judge, sample, LAW_FOLD, NULL, (double)times.end_ps, (double)sample->base.end_ps,
              same_times(&times, &sample->base));
    return status;
}

/* Chunks may end in another order on each rank, so of one chunk. */
static void check_together(struct judge *judge, struct sample *sample)
{
    bool is_transitive = strcmp(sample->net.routing, "auto") == 0;
    for (uint32_t f = 0; f < sample->net.factor_count; f++)
        is_transitive = is_transitive && sample->net.factor[f].is_transitive;
    if (!is_transitive || !sample->base.is_symmetric || strcmp(sample->drawn.chunks, "1") != 0)
        return;
    time_ps least = TIME_NEVER, most = 0;
    for (uint32_t r = 0; r < sample->base.ranks; r++) {
        time_ps finish = sample->base.rank_ps[r];
        least = finish < least ? finish : least;
        most = finish > most ? finish : most;
    }
    enter(judge, sample, LAW_TOGETHER, NULL, (double)most, (double)least,
          most - least <= slack(sample));
}

/* -- the part --------------------------------------------------------------------------------- */

/* All laws of one run. An algorithm that cannot run this has none. */
static enum status check_sample(struct judge *judge, struct sample *sample)
{
    static enum status (*const checks[])(struct judge *, struct sample *) = {
        check_bandwidth, check_bytes, check_latency, check_units, check_fold};
    enum status status = run_changed(sample, &sample->drawn, NULL, &sample->base);
    if (status == STATUS_OK)
        check_together(judge, sample);
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == STATUS_OK; i++)
        status = checks[i](judge, sample);
    judge->stuck += status == STATUS_STUCK;
    return lone_is_refused(status) || status == STATUS_STUCK ? STATUS_OK : status;
}

enum status agree_properties(const char *shared, bool brief, FILE *out, struct part_count *count,
                             struct diag *diag)
{
    (void)shared;
    struct judge judge = {.brief = brief, .out = out};
    const struct part_count before = *count;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct sample sample = {.seed = seed, .state = seed};
        draw_net(&sample.state, 48, &sample.net);
        draw_collective(&sample.state, &sample.net, &sample.drawn);
        for (int f = NET_IDEAL; f <= NET_LINK; f++) {
            sample.fidelity = (enum net_backend)f;
            enum status status = check_sample(&judge, &sample);
            if (status != STATUS_OK)
                return diag_fail(diag, status, "properties: seed %" PRIu64 " cannot be run", seed);
        }
    }
    if (!brief)
        ledger_print_head(out);
    for (int law = 0; law < LAWS; law++)
        ledger_print(&judge.ledger[law], &laws[law], brief, out, count);
    enum status status = agree_flow_laws(CASES, brief, out, count, diag);
    fprintf(out,
            "properties: %u random cases: %u laws pass, %u fail; %u runs stuck (chunks in each "
            "other's way)\n",
            CASES, count->passed - before.passed, count->failed - before.failed, judge.stuck);
    return status;
}
