#include "run/simulate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "net/topology/fabric.h"
#include "run/explain_run.h"
#include "run/fold.h"
#include "run/op_times.h"
#include "run/prepare.h"
#include "sched/sched.h"
#include "stats/breakdown.h"

enum { EVENTS_PER_SLICE = 1 << 14 };

/* One attempt at a run: folded or not. */
struct attempt {
    const struct config *config;
    const struct workload *workload;
    struct prepared *prepared;
    const struct simulate_also *also;
    struct run_result *result;
    struct diag *diag;
    const struct op_times *times;
    const struct fold *fold; /* NULL: every rank is simulated */
    struct engine engine;
    struct breakdown breakdown;
    struct sched *sched;
};

enum status preflight(const struct config *config, const struct workload *workload,
                      const struct group_file *groups, struct notices *notices, struct diag *diag)
{
    struct prepared prepared;
    enum status status = prepare(&prepared, config, workload, groups, notices, diag);
    if (!status)
        prepared_release(&prepared);
    return status;
}

/* -- running -------------------------------------------------------------------------------- */

static enum status past_end_fail(const struct attempt *attempt)
{
    diag_fail(attempt->diag, STATUS_LIMIT,
              "something would take longer than simulated time can hold (2^64 ps, 213 days)");
    diag_hint(attempt->diag, "a bandwidth, peak or duration is off by orders of magnitude; "
                             "--print-config shows what is used");
    return STATUS_LIMIT;
}

/* Runs until the job ends, is stuck, or is stopped. */
static enum status run_events(struct attempt *attempt)
{
    const struct simulate_watch *watch = attempt->also->watch;
    sched_start(attempt->sched);
    for (;;) {
        enum engine_end end =
            engine_run(&attempt->engine, EVENTS_PER_SLICE, attempt->config->max_time_ps);
        if (end == ENGINE_STOP && attempt->engine.is_past_end)
            return past_end_fail(attempt);
        if (end == ENGINE_STOP)
            return sched_finding(attempt->sched, attempt->diag);
        if (end == ENGINE_LIMIT)
            return STATUS_LIMIT;
        if (watch && !watch->watch(watch->context, attempt->engine.now, attempt->engine.processed))
            return STATUS_INTERRUPTED;
        if (end == ENGINE_DRY && !sched_wake_late(attempt->sched))
            return sched_all_finished(attempt->sched) ? STATUS_OK : STATUS_STUCK;
    }
}

/* Servers that the network model tells of: links, or dimensions of a model that sees no links, if
 * a message stands for the same number of others wherever it is from. */
static uint32_t server_count_of(const struct attempt *attempt)
{
    const struct network_config *network = &attempt->config->network;
    const struct network_ops *ops = network_model_of(network->backend);
    if (!ops->meter)
        return 0;
    if (ops->links)
        return network->fabric->link_count;
    return !attempt->fold || attempt->fold->ranks.count == 1 ? network->dim_count : 0;
}

static enum status start(struct attempt *attempt)
{
    engine_init(&attempt->engine);
    const struct fold *fold = attempt->fold;
    uint32_t ranks = fold ? fold->ranks.count : attempt->config->network.npu_count;
    if (!breakdown_init(&attempt->breakdown, ranks, attempt->prepared->groups.table.count))
        return diag_fail(attempt->diag, STATUS_NO_MEMORY,
                         "the system refuses to reserve address space");
    struct timeline *timeline = attempt->also->timeline;
    if (timeline && timeline_begin(timeline, attempt->workload, fold ? &fold->ranks : NULL,
                                   attempt->diag) != STATUS_OK)
        return attempt->diag->status;
    struct link_series *links = attempt->also->links;
    if (links)
        link_series_begin(links, server_count_of(attempt));
    const struct sched_parts parts = {
        .config = attempt->config,
        .workload = attempt->workload,
        .graphs = attempt->prepared->graphs,
        .groups = &attempt->prepared->groups,
        .book = &attempt->prepared->book,
        .engine = &attempt->engine,
        .observer = {&breakdown_observer, &attempt->breakdown},
        .follower = {timeline ? &timeline_follower : NULL, timeline},
        .meter = links ? link_series_meter(links) : (struct link_meter){0},
        .free = attempt->also->free,
        .notices = &attempt->result->notices,
        .fold = fold ? &fold->ranks : NULL,
        .link_fold = fold ? fold_links(fold) : NULL,
        .shape_ps = attempt->times->of_trace,
        .launch_ps = attempt->times->launch_of_trace,
    };
    return sched_create(&attempt->sched, &parts, attempt->diag);
}

static void finish(struct attempt *attempt)
{
    sched_destroy(attempt->sched);
    breakdown_release(&attempt->breakdown);
    engine_release(&attempt->engine);
}

/* -- the result ----------------------------------------------------------------------------- */

/* Totals over all ranks. Sums of bytes may pass 2^64: the laws compare them modulo that. */
struct whole {
    struct sched_totals of_all;
    double bytes_sent, bytes_arrived, dimension_bytes[CONFIG_MAX_DIMS];
};

static void add_totals(struct whole *whole, const struct sched_totals *totals, uint64_t ranks)
{
    struct sched_totals *all = &whole->of_all;
    all->nodes_done += totals->nodes_done * ranks;
    all->messages_sent += totals->messages_sent * ranks;
    all->messages_arrived += totals->messages_arrived * ranks;
    all->bytes_sent += totals->bytes_sent * ranks;
    all->bytes_arrived += totals->bytes_arrived * ranks;
    all->control_messages += totals->control_messages * ranks;
    all->seats_finished += (uint32_t)(totals->seats_finished * ranks);
    whole->bytes_sent += (double)totals->bytes_sent * (double)ranks;
    whole->bytes_arrived += (double)totals->bytes_arrived * (double)ranks;
    for (uint32_t d = 0; d < CONFIG_MAX_DIMS; d++) {
        all->dimension[d].messages += totals->dimension[d].messages * ranks;
        all->dimension[d].bytes += totals->dimension[d].bytes * ranks;
        whole->dimension_bytes[d] += (double)totals->dimension[d].bytes * (double)ranks;
    }
}

static struct whole whole_of(const struct attempt *attempt)
{
    struct whole whole = {0};
    const struct fold *fold = attempt->fold;
    for (uint32_t c = 0; c < (fold ? fold->ranks.count : 1); c++)
        add_totals(&whole, sched_totals(attempt->sched, c), fold ? fold->ranks.size[c] : 1);
    return whole;
}

static void fill_dimensions(const struct attempt *attempt, const struct whole *whole)
{
    const struct network_config *network = &attempt->config->network;
    struct run_result *result = attempt->result;
    result->dimension_count = network->dim_count;
    result->dimension = arena_array(&result->arena, network->dim_count, sizeof *result->dimension);
    for (uint32_t d = 0; d < network->dim_count; d++) {
        double bytes = whole->dimension_bytes[d];
        result->dimension[d] = (struct dimension_row){
            .dim = d,
            .block = network->fabric ? fabric_kind_name(network->fabric->dim[d].kind)
                                     : net_block_name(network->dim[d].block),
            .npus = network->dim[d].npus,
            .messages = whole->of_all.dimension[d].messages,
            .bytes = bytes,
            .ideal_busy_ns = bytes / network->dim[d].bandwidth_B_per_ns,
        };
    }
}

/* What is told as messages go is what figures say when all have arrived. */
static void fill_link_series(const struct attempt *attempt, bool has_ended)
{
    struct link_series *series = attempt->also->links;
    for (uint32_t l = 0; l < attempt->result->link_count; l++) {
        double share;
        uint32_t server = sched_link_server(attempt->sched, l, &share);
        link_series_map(series, l, server, share);
    }
    if (has_ended)
        link_series_settle(series, attempt->result->link);
}

/* Of one rank for all, if the run is folded. */
static void fill_dimension_series(const struct attempt *attempt)
{
    struct link_series *series = attempt->also->links;
    double ranks = attempt->fold ? attempt->config->network.npu_count : 1;
    for (uint32_t d = 0; d < series->link_count; d++)
        link_series_map(series, d, d, ranks);
}

static void fill_links(const struct attempt *attempt, enum status status)
{
    const struct fabric *fabric = attempt->config->network.fabric;
    struct run_result *result = attempt->result;
    if (attempt->also->links && !network_model_of(attempt->config->network.backend)->links)
        fill_dimension_series(attempt);
    if (!fabric)
        return;
    result->link = arena_array(&result->arena, fabric->link_count, sizeof *result->link);
    if (sched_links(attempt->sched, result->link))
        result->link_count = fabric->link_count;
    if (attempt->fold && attempt->fold->has_proof && result->link_count)
        link_proof_spread(&attempt->fold->proof, result->link);
    if (attempt->also->links && result->link_count)
        fill_link_series(attempt, status == STATUS_OK);
}

/* What the links of one rank carry: two in a ring, one to each peer, or one to the switch. */
static double rank_rate_Bps(const struct network_config *network)
{
    double rate = 0;
    for (uint32_t d = 0; d < network->dim_count; d++) {
        const struct net_dim *dim = &network->dim[d];
        uint32_t links = dim->block == NET_FULLY_CONNECTED ? dim->npus - 1
                         : dim->block == NET_RING          ? 2
                                                           : 1;
        rate += links * dim->bandwidth_B_per_ns * 1e9;
    }
    return rate;
}

/* Without contention, messages sent at once over one link each have all of it. */
static void say_impossible_rates(struct run_result *result, const struct network_config *network)
{
    double limit = rank_rate_Bps(network);
    char bus[32], links[32];
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        if (network->backend != NET_CONGESTION_UNAWARE || row->bus_Bps <= 1.001 * limit)
            continue;
        notices_add(&result->notices, NOTICE_ODDITY,
                    "bus bandwidth above that of a rank's links: this network model has no "
                    "contention",
                    1, "%s %.40s of %u ranks: %s, the links carry %s", collective_name(row->kind),
                    row->algorithm, row->group_size, units_show_rate(bus, sizeof bus, row->bus_Bps),
                    units_show_rate(links, sizeof links, limit));
    }
}

/* What was sent has arrived, to the message and the byte, and each dimension's share adds up. */
static enum status check_totals(const struct attempt *attempt)
{
    const struct whole whole = whole_of(attempt);
    const struct sched_totals *totals = &whole.of_all;
    uint64_t messages = 0, bytes = 0;
    for (uint32_t d = 0; d < attempt->config->network.dim_count; d++) {
        messages += totals->dimension[d].messages;
        bytes += totals->dimension[d].bytes;
    }
    const struct {
        const char *what;
        uint64_t sent, other;
    } laws[] = {
        {"messages sent and arrived", totals->messages_sent, totals->messages_arrived},
        {"bytes sent and arrived", totals->bytes_sent, totals->bytes_arrived},
        {"messages sent and carried by dimensions", totals->messages_sent, messages},
        {"bytes sent and carried by dimensions", totals->bytes_sent, bytes},
    };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        if (laws[i].sent != laws[i].other)
            return diag_fail(attempt->diag, STATUS_LAW, "%s differ: %" PRIu64 " and %" PRIu64,
                             laws[i].what, laws[i].sent, laws[i].other);
    }
    return STATUS_OK;
}

/* Of groups that are alike one was run: the others did the same. */
static void spread_groups(struct attempt *attempt)
{
    const struct groups *groups = &attempt->prepared->groups;
    for (uint32_t g = 0; attempt->fold && g < groups->table.count; g++) {
        const struct rank_fold *fold = &attempt->fold->ranks;
        const struct group_row *lead =
            &attempt->breakdown.group[fold->group[fold->group_of[g]].lead];
        if (!lead->collectives)
            continue;
        attempt->breakdown.group[g] = *lead;
        attempt->breakdown.group[g].name = groups->table.group[g].name;
    }
}

static void fill_result(struct attempt *attempt, enum status status)
{
    struct run_result *result = attempt->result;
    const struct whole whole = whole_of(attempt);
    const struct sched_totals *totals = &whole.of_all;
    result->status = status;
    result->rank_count = attempt->config->network.npu_count;
    result->finished_count = totals->seats_finished;
    uint32_t *class_of_rank =
        arena_array(&result->arena, result->rank_count, sizeof *class_of_rank);
    for (uint32_t r = 0; r < result->rank_count; r++)
        class_of_rank[r] = attempt->fold ? attempt->fold->ranks.class_of[r] : r;
    result->class_of_rank = class_of_rank;
    spread_groups(attempt);
    breakdown_close(&attempt->breakdown, attempt->engine.now);
    breakdown_fill(&attempt->breakdown, result);
    for (uint32_t c = 0; c < result->class_count; c++) {
        time_ps end = result->class_result[c].finish_ps;
        result->end_ps = end > result->end_ps ? end : result->end_ps;
    }
    fill_dimensions(attempt, &whole);
    fill_links(attempt, status);
    say_impossible_rates(result, &attempt->config->network);
    result->node_total = attempt->prepared->node_total;
    result->node_done = totals->nodes_done;
    result->messages = totals->messages_sent;
    result->bytes_sent = whole.bytes_sent;
    result->bytes_delivered = whole.bytes_arrived;
    result->events = attempt->engine.processed;
    if (totals->control_messages)
        notices_add(&result->notices, NOTICE_ODDITY,
                    "rendezvous control message of 8192 B (not in the totals)",
                    totals->control_messages, "in all");
    if (status == STATUS_OK)
        sched_say_leftovers(attempt->sched);
    if (status == STATUS_STUCK) {
        const char **lines;
        result->wait_for_count = sched_wait_for(attempt->sched, &result->arena, &lines);
        result->wait_for = lines;
    }
}

static enum status attempt_run(struct attempt *attempt, bool *give_up_fold)
{
    enum status status = start(attempt);
    if (!status) {
        status = run_events(attempt);
        *give_up_fold = sched_fold_broken(attempt->sched) ||
                        (attempt->fold && attempt->fold->proof.is_tied) ||
                        (attempt->fold && (status == STATUS_STUCK || status == STATUS_MISMATCH));
        if (status == STATUS_OK && !*give_up_fold)
            status = check_totals(attempt);
        if (!*give_up_fold)
            fill_result(attempt, status);
    }
    finish(attempt);
    return status;
}

/* All ranks are simulated, unless that is too much (config->must_fold). */
static enum status may_unfold(const struct attempt *attempt)
{
    if (!attempt->config->must_fold)
        return STATUS_OK;
    return diag_fail(attempt->diag, STATUS_NO_MEMORY,
                     "too many messages to simulate one by one, and no rank can stand for others: "
                     "%s",
                     attempt->result->fold_note);
}

static enum status run_prepared(struct attempt attempt)
{
    bool give_up_fold = false;
    struct fold fold;
    bool is_exact = fold_init(&fold, attempt.config, attempt.workload, attempt.prepared,
                              &attempt.result->fold_note);
    struct attempt first = attempt;
    first.fold = is_exact ? &fold : NULL;
    enum status status = is_exact ? STATUS_OK : may_unfold(&attempt);
    if (status == STATUS_OK)
        status = attempt_run(&first, &give_up_fold);
    fold_release(&fold);
    if (!give_up_fold)
        return status;
    attempt.result->fold_note = "a tie came up whose order can differ between ranks";
    status = may_unfold(&attempt);
    return status == STATUS_OK ? attempt_run(&attempt, &give_up_fold) : status;
}

enum status simulate(const struct config *config, const struct workload *workload,
                     const struct group_file *groups, const struct simulate_watch *watch,
                     struct run_result *result, struct diag *diag)
{
    const struct simulate_also also = {.watch = watch};
    return simulate_also(config, workload, groups, &also, result, diag);
}

enum status simulate_also(const struct config *config, const struct workload *workload,
                          const struct group_file *groups, const struct simulate_also *also,
                          struct run_result *result, struct diag *diag)
{
    struct prepared prepared;
    enum status status = prepare(&prepared, config, workload, groups, &result->notices, diag);
    if (status)
        return status;
    prepared.variant = also->free ? also->free->variant : NULL;
    struct op_times times;
    op_times_init(&times, config, workload, result);
    const struct attempt attempt = {.config = config,
                                    .workload = workload,
                                    .prepared = &prepared,
                                    .times = &times,
                                    .also = also,
                                    .result = result,
                                    .diag = diag};
    status = run_prepared(attempt);
    if (status == STATUS_OK && also->blame)
        status = explain_run(
            &(struct explained){config, workload, groups, &prepared, &times, also, result}, diag);
    op_times_release(&times);
    prepared_release(&prepared);
    if (status == STATUS_OK) {
        status = result_check(result, diag);
        result->status = status;
    }
    return status;
}
