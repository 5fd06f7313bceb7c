#include "tests/agree/forms/forms.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "tests/agree/forms/form_nets.h"
#include "tests/agree/forms/form_rows.h"
#include "tests/agree/forms/lone.h"

/* What a case is about besides its network. */
enum variant {
    PLAIN,
    ODD,      /* a size that nothing divides, a bandwidth that no picosecond divides */
    REDUCING, /* reductions at 600 GB/s, three passes */
    HANDING,  /* an endpoint delay of 100 ns */
    UNEVEN,   /* all-to-all of a size of its own for each pair: small, so that the longest path is
               * that of the most messages, as collective_cost has it */
};

#define REDUCE_NS_PER_BYTE (3 / 600.0)
#define HANDING_NS         100.0

struct tally {
    uint32_t exact, bounds, identities, failed;
    double worst, farthest; /* relative: of the exact cases, and of bounds from their form */
};

struct judge {
    const struct form_row *row;
    struct tally tally;
    bool brief;
    FILE *out;
    struct diag *diag;
};

static double form_ns(const struct lone *lone, const struct form_net *net, enum variant variant)
{
    const struct collective_cost *cost = &lone->cost;
    uint64_t bytes = net->by_port ? cost->port_bytes : cost->path_bytes;
    double ns = (double)cost->latency_terms * net->latency_ns +
                (double)bytes / form_net_Bps(variant == ODD) * 1e9;
    if (variant == REDUCING)
        ns += (double)cost->reduce_bytes * REDUCE_NS_PER_BYTE;
    if (variant == HANDING)
        ns += (double)(cost->latency_terms + lone->phases) * HANDING_NS;
    return ns;
}

static void say(const struct judge *judge, const struct lone_case *given, const char *what,
                double got, double want)
{
    fprintf(judge->out, "    %s %s of %" PRIu64 " B on %s", given->algorithm,
            collective_name(given->kind), given->bytes, given->topology);
    for (uint32_t d = 0; given->shape[1] && d < 4 && given->shape[d]; d++)
        fprintf(judge->out, "%s%u", d ? "x" : " as ", given->shape[d]);
    fprintf(judge->out, ", %s: %s %.3f, not %.3f\n", network_model_of(given->fidelity)->name, what,
            got, want);
}

/* A picosecond for each message, and one for each hand-over at the ends of phases. */
static bool judge_time(struct judge *judge, const struct lone_case *given, const struct lone *lone,
                       const struct form_net *net, enum variant variant)
{
    struct tally *tally = &judge->tally;
    double form = form_ns(lone, net, variant), got = (double)lone->result.end_ps / 1000;
    double most = ((double)lone->cost.latency_terms + lone->phases + 1) * 0.001;
    double error = form > 0 ? got / form - 1 : got;
    enum relation relation = form_relation(judge->row, given, net);
    if (variant == REDUCING && !judge->row->is_reduced) {
        if (relation != RELATION_EXACT) /* bounded from both sides: nothing to say */
            return true;
        relation = RELATION_AT_MOST;
    }
    if (relation == RELATION_EXACT) {
        tally->exact++;
        tally->worst = fmax(tally->worst, fabs(error));
        if (fabs(got - form) <= most)
            return true;
    } else {
        tally->bounds++;
        tally->farthest = fabs(error) > fabs(tally->farthest) ? error : tally->farthest;
        if (relation == RELATION_AT_LEAST ? got >= form - most : got <= form + most)
            return true;
    }
    say(judge, given, relation == RELATION_EXACT ? "ns" : "(a bound) ns", got, form);
    return false;
}

static bool judge_bytes(struct judge *judge, const struct lone_case *given, const struct lone *lone,
                        enum variant variant)
{
    double sent = lone->result.bytes_sent, form = (double)lone->cost.total_bytes;
    uint32_t n = lone->config.network.npu_count;
    bool is_shaped = lone->config.network.dim_count > 1;
    if (sent != form || lone->result.bytes_delivered != sent) {
        say(judge, given, "bytes", sent, form);
        return false;
    }
    /* Pieces are whole where the size divides; per dimension all-to-all passes data on; the fold
     * of n to a power of two moves data twice. */
    bool is_optimal = variant != UNEVEN && judge->row->optimal >> given->kind & 1 &&
                      given->bytes % FORM_UNIT == 0 &&
                      (given->kind != COLL_ALL_TO_ALL || !is_shaped || lone->phases == 1) &&
                      (judge->row->meets != MEETS_UNEVEN || (n & (n - 1)) == 0) &&
                      (judge->row->meets != ENDS_UNEVENLY || !is_shaped);
    double identity = (double)form_identity(given->kind, n, given->bytes);
    judge->tally.identities += is_optimal;
    if (is_optimal && sent != identity)
        say(judge, given, "bytes of the identity", sent, identity);
    return !is_optimal || sent == identity;
}

static enum status run_case(struct judge *judge, const struct form_net *net,
                            enum collective_kind kind, enum net_backend fidelity,
                            enum variant variant)
{
    struct lone lone;
    struct diag diag = DIAG_NONE;
    char topology[128];
    form_net_text(net, variant == ODD, topology, sizeof topology);
    struct lone_case given = {.topology = topology,
                              .kind = kind,
                              .algorithm = judge->row->name,
                              .fidelity = fidelity,
                              .is_unfolded = true};
    given.bytes = kind == COLL_BARRIER ? 0 : variant == ODD ? 1000003 : form_net_bytes(net);
    if (variant == UNEVEN)
        given.bytes = (uint64_t)net->n * 20;
    if (net->shape[1])
        memcpy(given.shape, net->shape, sizeof given.shape);
    if (variant == REDUCING)
        lone_set(&given, "system.local-memory-bandwidth", "600GB/s");
    if (variant == UNEVEN)
        lone_set(&given, "system.all-to-all-sizes", "zipf:1,seed=3");
    if (variant == HANDING)
        lone_set(&given, "system.endpoint-delay", "100ns");
    enum status status = lone_run(&lone, &given, &diag);
    if (status == STATUS_OK) {
        bool is_right = judge_time(judge, &given, &lone, net, variant);
        is_right = judge_bytes(judge, &given, &lone, variant) && is_right;
        judge->tally.failed += !is_right;
    } else if (!lone_is_refused(status)) {
        *judge->diag = diag;
    }
    lone_release(&lone);
    return lone_is_refused(status) ? STATUS_OK : status;
}

/* The folded halves of a n that is no power of two are handed over besides. */
static bool is_serial(const struct judge *judge, const struct form_net *net)
{
    return judge->row->is_serial &&
           (judge->row->meets != MEETS_UNEVEN || (net->n & (net->n - 1)) == 0);
}

/* Plainly at three fidelities; the variants at one each, as they do not concern the network. */
static enum status run_net(struct judge *judge, const struct form_net *net,
                           enum collective_kind kind)
{
    static const struct {
        enum net_backend fidelity;
        enum variant variant;
    } runs[] = {
        {NET_ANALYTICAL, PLAIN},  {NET_FLOW, PLAIN},    {NET_LINK, PLAIN},
        {NET_LINK, ODD},          {NET_FLOW, REDUCING}, {NET_ANALYTICAL, HANDING},
        {NET_ANALYTICAL, UNEVEN}, {NET_FLOW, UNEVEN},   {NET_LINK, UNEVEN},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && status == STATUS_OK; i++) {
        bool is_on_mesh = net->kind == FORM_NET_MESH;
        if ((runs[i].variant == HANDING && !is_serial(judge, net)) ||
            (runs[i].variant == UNEVEN && kind != COLL_ALL_TO_ALL) ||
            (runs[i].variant != PLAIN && !is_on_mesh) ||
            (runs[i].fidelity == NET_ANALYTICAL && net->by_port))
            continue;
        status = run_case(judge, net, kind, runs[i].fidelity, runs[i].variant);
    }
    return status;
}

static enum status run_row(struct judge *judge)
{
    struct algorithm_choice choice;
    struct form_net net = {0};
    enum status status = STATUS_OK;
    algorithm_parse(judge->row->name, &choice);
    while (status == STATUS_OK && form_net_next(judge->row, &net)) {
        for (int kind = 0; kind < COLL_KIND_COUNT && status == STATUS_OK; kind++) {
            if (collective_algorithms[choice.id]->kinds & KIND_BIT(kind))
                status = run_net(judge, &net, (enum collective_kind)kind);
        }
    }
    return status;
}

static void print_row(const struct judge *judge)
{
    const struct tally *tally = &judge->tally;
    if (judge->brief && !tally->failed)
        return;
    fprintf(judge->out, "%-28s %6u %9.1e %7u", judge->row->name, tally->exact, tally->worst,
            tally->bounds);
    if (tally->bounds)
        fprintf(judge->out, " %+8.1f %%", 100 * tally->farthest);
    else
        fprintf(judge->out, " %10s", "-");
    fprintf(judge->out, " %7u  %s\n", tally->identities, tally->failed ? "FAILED" : "pass");
}

enum status agree_forms(const char *shared, bool brief, FILE *out, struct part_count *count,
                        struct diag *diag)
{
    (void)shared;
    uint32_t passed = 0, failed = 0, cases = 0;
    if (!brief)
        fprintf(out, "\n%-28s %6s %9s %7s %10s %7s\n", "algorithm", "exact", "worst", "bounds",
                "farthest", "bytes");
    for (const struct form_row *row = form_rows; row->name; row++) {
        struct judge judge = {.row = row, .brief = brief, .out = out, .diag = diag};
        enum status status = run_row(&judge);
        if (status != STATUS_OK)
            return status;
        print_row(&judge);
        cases += judge.tally.exact + judge.tally.bounds;
        passed += !judge.tally.failed;
        failed += judge.tally.failed > 0;
    }
    if (!brief)
        fprintf(out,
                "  exact: the form to a ps per message; worst: relative. bounds: messages share a "
                "link, or\n  phases overlap (form_rows.h), so the form bounds. bytes: runs that "
                "match the kind's identity.\n");
    fprintf(out, "closed forms: %u algorithms, %u runs: %u pass, %u fail\n", passed + failed, cases,
            passed, failed);
    count->passed += passed;
    count->failed += failed;
    return STATUS_OK;
}
