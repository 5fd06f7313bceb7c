/*
 * Training jobs folded and not: traces of pipeline stages, groups of tensor and data parallelism,
 * messages between stages, on random symmetric fabrics. Every figure of every rank must be the
 * same.
 */
#include "base/mix.h"
#include "tests/unit/mini.h"

#include <math.h>

#include "config/algorithm_name.h"
#include "config/names.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "tests/unit/series_util.h"

enum { MOST_STAGES = 4, MOST_RANKS = 64, MOST_ENTRIES = 3 * MOST_RANKS };

/* As a framework's traces are: each rank has its own, which names ranks and its own groups. */
struct own_trace {
    struct mini_trace of;
    char name[3][8];
    const char *names[3];
};

/* Ranks in a box of tp x dp x pp; `stride` of each axis says which varies fastest. */
struct job {
    struct mini *mini;
    uint32_t size[3], stride[3], ranks; /* tensor, data, pipeline */
    uint32_t micro_batches;
    struct group_entry entry[MOST_ENTRIES];
    uint32_t member[MOST_ENTRIES][MOST_RANKS];
    uint32_t entry_count;
    char topology[96];
    struct own_trace *own; /* [ranks], or NULL: a trace for each stage */
    struct trace *traces[MOST_RANKS];
    char entry_name[MOST_ENTRIES][8];
    struct link_series links;
};

enum axis { TENSOR, DATA, PIPELINE };
static const char *const axis_name[] = {"tp", "dp", "pp"};

/* -- what the job is --------------------------------------------------------------------------- */

static void draw_box(struct job *job, uint64_t *state)
{
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    do {
        for (int a = 0; a < 3; a++)
            job->size[a] = 1u << random_below(state, 3);
        job->ranks = job->size[0] * job->size[1] * job->size[2];
    } while (job->ranks < 4);
    const uint32_t *order = orders[random_below(state, 3) ? 0 : random_below(state, 6)];
    for (uint32_t i = 0, stride = 1; i < 3; i++) {
        job->stride[order[i]] = stride;
        stride *= job->size[order[i]];
    }
    job->micro_batches = 1 + random_below(state, 3);
}

/* All groups along an axis. */
static void add_groups(struct job *job, enum axis axis)
{
    for (uint32_t r = 0; r < job->ranks; r++) {
        if (r / job->stride[axis] % job->size[axis])
            continue;
        uint32_t *member = job->member[job->entry_count];
        for (uint32_t i = 0; i < job->size[axis]; i++)
            member[i] = r + i * job->stride[axis];
        job->entry[job->entry_count++] =
            (struct group_entry){axis_name[axis], member, job->size[axis]};
    }
}

static void draw_topology(struct job *job, uint64_t *state)
{
    uint32_t n = job->ranks, a = 1u << random_below(state, 3), b;
    while (n % a || n / a < 2)
        a /= 2;
    b = n / a;
    static const char *const lat[] = {"100ns", "0ns", "7ns"};
    const char *l = lat[random_below(state, 3)];
    switch (random_below(state, a > 1 ? 6 : 2)) {
    case 0:
        snprintf(job->topology, sizeof job->topology, "switch:%u,lat=%s", n, l);
        break;
    case 1:
        snprintf(job->topology, sizeof job->topology, "ring:%u,lat=%s", n, l);
        break;
    case 2:
        snprintf(job->topology, sizeof job->topology, "switch:%u,bw=300GB/s*switch:%u,bw=33GB/s", a,
                 b);
        break;
    case 3:
        snprintf(job->topology, sizeof job->topology, "torus:%ux%u", a, b);
        break;
    case 4:
        snprintf(job->topology, sizeof job->topology, "xgft:2/%u,%u/1,%u/1,1", a, b, a);
        break;
    default:
        snprintf(job->topology, sizeof job->topology, "full:%u*ring:%u,lat=%s", a, b, l);
        break;
    }
}

static void last_in_group(struct job *job, uint32_t t, enum axis axis)
{
    mini_in_group(job->mini, t, axis_name[axis]);
}

static uint32_t collective(struct job *job, uint32_t t, int after, enum axis axis, uint64_t *state)
{
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER,
                                                 COLL_REDUCE_SCATTER, COLL_ALL_TO_ALL};
    uint32_t node = mini_collective(job->mini, t, after, kinds[random_below(state, 4)],
                                    1000 * (1 + random_below(state, 40)));
    last_in_group(job, t, axis);
    return node;
}

/* To or from a neighbouring stage. */
static uint32_t message(struct job *job, uint32_t t, int after, enum op_type type, bool is_next,
                        uint32_t tag, uint64_t bytes)
{
    uint32_t peer = is_next ? 1 : job->size[PIPELINE] - 1;
    uint32_t node = mini_message(job->mini, t, after, type, peer, tag, bytes);
    last_in_group(job, t, PIPELINE);
    job->mini->trace[t].node[node].flags |= NODE_PEER_IN_GROUP;
    return node;
}

/* One pass of a micro-batch through a stage, forwards or backwards; returns its last node. */
static uint32_t pass(struct job *job, uint32_t stage, int after, bool is_backward, uint32_t batch,
                     uint64_t shared)
{
    uint64_t state = shared; /* stages draw the same sizes */
    uint32_t t = stage, last = job->size[PIPELINE] - 1, tag = 2 * batch + is_backward;
    bool is_first = is_backward ? stage == last : stage == 0;
    bool is_last = is_backward ? stage == 0 : stage == last;
    uint64_t bytes = 5000 * (1 + random_below(&state, 5));
    uint64_t ns = 10 * (1 + random_below(&state, 4)), more_ns = 50 * random_below(&state, 3);
    int received = -1;
    if (!is_first)
        received = (int)message(job, t, -1, OP_RECV, is_backward, tag, bytes);
    uint32_t node = mini_compute(job->mini, t, after, ns + (stage == 0 ? more_ns : 0));
    if (received >= 0)
        mini_also_after(job->mini, t, (uint32_t)received);
    node = collective(job, t, (int)node, TENSOR, &state);
    uint32_t end = mini_compute(job->mini, t, (int)node, ns);
    if (!is_last)
        message(job, t, (int)end, OP_SEND, !is_backward, tag, bytes);
    return end;
}

static void make_stage(struct job *job, uint32_t stage, uint64_t shared)
{
    uint64_t state = shared;
    uint32_t t = mini_trace_new(job->mini);
    int last = -1;
    for (uint32_t b = 0; b < job->micro_batches; b++)
        last = (int)pass(job, stage, last, false, b, shared);
    for (uint32_t b = 0; b < job->micro_batches; b++) {
        last = (int)pass(job, stage, last, true, b, shared + 1);
        if (b + 1 == job->micro_batches || random_below(&state, 2))
            collective(job, t, last, DATA, &state);
    }
    mini_compute(job->mini, t, (int)job->mini->trace[t].trace.count - 1, 30);
}

/* -- the system -------------------------------------------------------------------------------- */

/* With and without a symmetry of all positions, and chains as well as many steps at once. */
static void set_algorithms(struct mini *mini, uint64_t *state)
{
    static const char *const names[][8] = {
        [SLOT_ALL_REDUCE] = {"ring", "direct", "halvingDoubling", "bidirectional-ring",
                             "recursive-doubling", "double-binary-tree", "halving-doubling",
                             "ring"},
        [SLOT_ALL_GATHER] = {"ring", "direct", "halvingDoubling", "bidirectional-ring", "bruck",
                             "multi-ring", "direct", "ring"},
        [SLOT_REDUCE_SCATTER] = {"ring", "direct", "halvingDoubling", "bidirectional-ring",
                                 "halving-doubling", "multi-ring", "direct", "ring"},
        [SLOT_ALL_TO_ALL] = {"ring", "direct", "direct", "direct", "bruck", "direct2", "direct",
                             "direct"},
    };
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        struct algorithm_list *list = &mini->config.system.algorithm[s];
        const char *name = names[s][random_below(state, 8)];
        list->count = 1;
        ck_assert_msg(algorithm_parse(name, &list->choice[0]), "%s", name);
        list->choice[0].flat = true;
    }
}

static struct job *draw_job(uint64_t seed, enum net_backend backend, bool fold, const char *changes)
{
    struct job *job = calloc(1, sizeof *job);
    uint64_t state = seed;
    struct mini *mini = job->mini = mini_new();
    draw_box(job, &state);
    draw_topology(job, &state);
    mini->config.network.topology = job->topology;
    mini->config.network.routing = ROUTING_SPRAY;
    if (strncmp(job->topology, "xgft", 4) != 0)
        mini->config.network.routing = ROUTING_AUTO;
    mini->config.network.changes = changes;
    mini->config.network.backend = backend;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.own_form = true;
    mini->config.system.late_zero_cost = false;
    mini->config.fold = fold;
    config_note(&mini->config, "network.backend", "test", "set");
    ck_assert_msg(topology_resolve(&mini->config, NULL, &mini->diag) == STATUS_OK, "%s: %s",
                  job->topology, mini->diag.message);
    set_algorithms(mini, &state);
    mini->config.system.endpoint_delay_ns = random_below(&state, 2) ? 0 : 10;
    if (random_below(&state, 4) == 0) { /* ports, which messages of a rank share */
        mini->config.network.send_overhead_ns = 3 * random_below(&state, 3);
        mini->config.network.message_gap_ns = 40 * random_below(&state, 2);
        mini->config.network.injection_Bps = random_below(&state, 2) ? 20e9 : 0;
    }
    mini->config.system.comm_slots = 1u << (2 * random_below(&state, 3));
    ck_assert_msg(config_finish(&mini->config, &mini->result.notices, &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    for (enum axis axis = TENSOR; axis <= PIPELINE; axis++)
        add_groups(job, axis);
    for (uint32_t stage = 0; stage < job->size[PIPELINE]; stage++)
        make_stage(job, stage, seed * 77 + 5);
    for (uint32_t r = 0; r < job->ranks; r++)
        mini->of_rank[r] = r / job->stride[PIPELINE] % job->size[PIPELINE];
    return job;
}

/* The rank's own trace, and the names of its own groups. */
static void make_own(struct job *job, uint32_t rank)
{
    struct own_trace *own = &job->own[rank];
    const struct mini_trace *shared = &job->mini->trace[job->mini->of_rank[rank]];
    own->of = *shared;
    own->of.trace.node = own->of.node;
    own->of.trace.parent_begin = own->of.parent_begin;
    own->of.trace.parent = own->of.parent;
    own->of.trace.missing = own->of.missing;
    own->of.trace.group_names = own->names;
    for (uint32_t g = 0; g < shared->trace.group_name_count; g++) {
        enum axis axis = TENSOR;
        while (strcmp(axis_name[axis], shared->group_names[g]) != 0)
            axis++;
        uint32_t first = rank - rank / job->stride[axis] % job->size[axis] * job->stride[axis];
        snprintf(own->name[g], sizeof own->name[g], "%s%u", axis_name[axis], first % 1000);
        own->names[g] = own->name[g];
    }
    for (uint32_t i = 0; i < own->of.trace.count; i++) {
        struct trace_node *node = &own->of.node[i];
        if (!(node->flags & NODE_PEER_IN_GROUP))
            continue;
        uint32_t n = job->size[PIPELINE], stride = job->stride[PIPELINE];
        uint32_t stage = rank / stride % n, to = (stage + node->peer) % n;
        node->peer = rank + (to - stage) * stride;
        node->flags &= (uint16_t)~NODE_PEER_IN_GROUP;
        node->group = TRACE_NONE;
    }
    job->traces[rank] = &own->of.trace;
}

/* Every rank gets a trace of its own; groups get names of their own. */
static void make_all_own(struct job *job)
{
    job->own = calloc(job->ranks, sizeof *job->own);
    for (uint32_t r = 0; r < job->ranks; r++)
        make_own(job, r);
    for (uint32_t r = 0; r < job->ranks; r++)
        job->mini->of_rank[r] = r;
    for (uint32_t e = 0; e < job->entry_count; e++) {
        snprintf(job->entry_name[e], sizeof job->entry_name[e], "%s%u", job->entry[e].name,
                 job->entry[e].ranks[0] % 1000);
        job->entry[e].name = job->entry_name[e];
    }
}

static enum status run_job(struct job *job)
{
    struct mini *mini = job->mini;
    struct workload workload = {job->ranks, mini->of_rank, mini->traces, mini->trace_count};
    if (job->own) {
        workload.traces = job->traces;
        workload.trace_count = job->ranks;
    }
    struct group_file groups = {.entry = job->entry, .count = job->entry_count, .path = "job"};
    link_series_init(&job->links);
    const struct simulate_also also = {.links = &job->links};
    enum status status =
        simulate_also(&mini->config, &workload, &groups, &also, &mini->result, &mini->diag);
    if (status == STATUS_OK)
        expect_series(&job->links, &mini->result, &mini->config.network);
    return status;
}

static void free_job(struct job *job)
{
    mini_free(job->mini);
    free(job->own);
    link_series_release(&job->links);
    free(job);
}

/* -- comparison -------------------------------------------------------------------------------- */

static void compare(const struct job *job, const struct run_result *a, const struct run_result *b,
                    uint64_t seed)
{
    ck_assert_msg(a->end_ps == b->end_ps, "seed %lu on %s: folded %lu ps, else %lu",
                  (unsigned long)seed, job->topology, (unsigned long)a->end_ps,
                  (unsigned long)b->end_ps);
    for (uint32_t r = 0; r < a->rank_count; r++) {
        const struct rank_result *one = result_rank(a, r), *other = result_rank(b, r);
        ck_assert_msg(memcmp(one, other, sizeof *one) == 0,
                      "seed %lu on %s rank %u: %lu and %lu ps, waiting %lu and %lu",
                      (unsigned long)seed, job->topology, r, (unsigned long)one->finish_ps,
                      (unsigned long)other->finish_ps, (unsigned long)one->waiting_ps,
                      (unsigned long)other->waiting_ps);
    }
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_double_eq(a->bytes_sent, b->bytes_sent);
    ck_assert_uint_eq(a->node_done, b->node_done);
    ck_assert_uint_eq(a->collective_count, b->collective_count);
    for (uint32_t i = 0; i < a->collective_count; i++) {
        ck_assert_uint_eq(a->collective[i].count, b->collective[i].count);
        ck_assert_uint_eq(a->collective[i].time_ps, b->collective[i].time_ps);
        ck_assert_uint_eq(a->collective[i].skew_ps, b->collective[i].skew_ps);
    }
    ck_assert_uint_eq(a->group_count, b->group_count);
    for (uint32_t g = 0; g < a->group_count; g++) {
        ck_assert_str_eq(a->group[g].name, b->group[g].name);
        ck_assert_uint_eq(a->group[g].collectives, b->group[g].collectives);
        ck_assert_uint_eq(a->group[g].time_ps, b->group[g].time_ps);
    }
    ck_assert_uint_eq(a->link_count, b->link_count);
    for (uint32_t l = 0; l < a->link_count; l++)
        ck_assert_msg(fabs(a->link[l].bytes - b->link[l].bytes) <= 1e-9 * b->link[l].bytes,
                      "seed %lu on %s link %u: %.17g and %.17g B", (unsigned long)seed,
                      job->topology, l, a->link[l].bytes, b->link[l].bytes);
}

static uint32_t folded_count, job_count;

static void compare_job(uint64_t seed, enum net_backend backend, bool is_own)
{
    struct job *fold = draw_job(seed, backend, true, NULL);
    struct job *all = draw_job(seed, backend, false, NULL);
    if (is_own) {
        make_all_own(fold);
        make_all_own(all);
    }
    enum status status = run_job(all);
    ck_assert_msg(status == STATUS_OK || status == STATUS_STUCK, "seed %lu on %s: %s",
                  (unsigned long)seed, all->topology, all->mini->diag.message);
    ck_assert_int_eq(run_job(fold), status);
    if (status == STATUS_OK)
        compare(fold, &fold->mini->result, &all->mini->result, seed);
    job_count++;
    folded_count += fold->mini->result.class_count < fold->ranks;
    if (getenv("FOLD_JOBS"))
        fprintf(stderr, "%lu %s tp %u dp %u pp %u: %u of %u, %s\n", (unsigned long)seed,
                fold->topology, fold->size[0], fold->size[1], fold->size[2],
                fold->mini->result.class_count, fold->ranks, fold->mini->result.fold_note);
    free_job(fold);
    free_job(all);
}

enum { BATCHES = 16, JOBS = 40 };

static void compare_batch(int batch, enum net_backend backend, bool is_own, uint32_t least_share)
{
    folded_count = job_count = 0;
    for (uint64_t i = 0; i < JOBS; i++)
        compare_job((uint64_t)batch * 1000 + i + 1, backend, is_own);
    ck_assert_msg(folded_count * 100 >= job_count * least_share, "%u of %u jobs were folded",
                  folded_count, job_count);
}

START_TEST(jobs_at_analytical)
{
    compare_batch(_i, NET_ANALYTICAL, false, 40);
}
END_TEST

START_TEST(jobs_at_flow)
{
    compare_batch(_i, NET_FLOW, false, 40);
}
END_TEST

START_TEST(jobs_at_link)
{
    compare_batch(_i, NET_LINK, false, 20);
}
END_TEST

START_TEST(jobs_at_ideal)
{
    compare_batch(_i, NET_IDEAL, false, 10);
}
END_TEST

START_TEST(jobs_of_own_traces)
{
    compare_batch(_i, NET_FLOW, true, 40);
}
END_TEST

/* -- what is not alike is not folded ----------------------------------------------------------- */

/* Two data-parallel ranks of a pair of stages on a ring. Each breaks one condition of fold.h. */
enum odd { SLOW_LINK, OTHER_SIZE, UNASKED, TWO_OF_A_CLASS, ROOT_OF_MANY, ODDS };

/* Gives `rank` its own copy of its trace; returns the copy's number. */
static uint32_t copy_trace(struct mini *mini, uint32_t rank)
{
    uint32_t t = mini_trace_new(mini);
    struct mini_trace *copy = &mini->trace[t];
    *copy = mini->trace[mini->of_rank[rank]];
    copy->trace.node = copy->node;
    copy->trace.parent = copy->parent;
    copy->trace.parent_begin = copy->parent_begin;
    copy->trace.group_names = copy->group_names;
    copy->trace.missing = copy->missing;
    mini->of_rank[rank] = t;
    return t;
}

static struct mini *odd_system(enum odd odd, bool fold)
{
    struct mini *mini = mini_new();
    mini->config.network.topology = "full:4";
    mini->config.network.changes = odd == SLOW_LINK ? "npu0->npu1:bw*0.5" : NULL;
    mini->config.network.backend = NET_FLOW;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.own_form = true;
    mini->config.system.broadcast_replayed = false;
    mini->config.fold = fold;
    config_note(&mini->config, "network.backend", "test", "set");
    ck_assert_int_eq(topology_resolve(&mini->config, NULL, &mini->diag), STATUS_OK);
    mini_algorithm(mini, ALG_RING, 0);
    ck_assert_int_eq(config_finish(&mini->config, &mini->result.notices, &mini->diag), STATUS_OK);
    return mini;
}

static void add_stage(struct mini *mini, enum odd odd, uint32_t stage)
{
    uint32_t t = mini_trace_new(mini);
    mini_compute(mini, t, -1, 100);
    mini_collective(mini, t, 0, odd == ROOT_OF_MANY ? COLL_BROADCAST : COLL_ALL_REDUCE, 4000);
    mini_in_group(mini, t, "dp");
    if (odd == ROOT_OF_MANY) {
        mini->trace[t].node[1].flags |= NODE_HAS_PEER;
        mini->trace[t].node[1].peer = 2 * stage;
    }
    if (stage == 1 && odd == UNASKED)
        return;
    uint32_t node = mini_message(mini, t, 1, stage ? OP_RECV : OP_SEND, 1, 3, 5000);
    mini_in_group(mini, t, "pp");
    mini->trace[t].node[node].flags |= NODE_PEER_IN_GROUP;
}

/* Every rank has the same for both of the other stage. */
static void add_two_of_a_class(struct mini *mini)
{
    uint32_t second[2] = {copy_trace(mini, 1), copy_trace(mini, 3)};
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t stage = r / 2, t = r % 2 ? second[stage] : stage;
            mini_message(mini, t, 0, stage ? OP_RECV : OP_SEND, 2 * (1 - stage) + (r + i) % 2, 9,
                         700);
        }
    }
}

static struct mini *odd_job(enum odd odd, bool fold, struct group_file *file,
                            uint32_t members[4][2], struct group_entry entry[4])
{
    struct mini *mini = odd_system(odd, fold);
    for (uint32_t i = 0; i < 4; i++) {
        members[i][0] = i < 2 ? i : 2 * (i - 2);
        members[i][1] = i < 2 ? i + 2 : 2 * (i - 2) + 1;
        entry[i] = (struct group_entry){i < 2 ? "pp" : "dp", members[i], 2};
    }
    *file = (struct group_file){.entry = entry, .count = 4, .path = "odd"};
    for (uint32_t stage = 0; stage < 2; stage++)
        add_stage(mini, odd, stage);
    for (uint32_t r = 0; r < 4; r++)
        mini->of_rank[r] = r / 2;
    if (odd == OTHER_SIZE) /* rank 1 has a trace of its own, with another duration */
        mini->trace[copy_trace(mini, 1)].node[0].duration_ns = 150;
    if (odd == TWO_OF_A_CLASS)
        add_two_of_a_class(mini);
    return mini;
}

START_TEST(what_differs_is_not_folded)
{
    static const char *const says[] = {
        [SLOW_LINK] = "differ in what their messages pass",
        [OTHER_SIZE] = "differ in what their messages pass",
        [UNASKED] = "does not ask for",
        [TWO_OF_A_CLASS] = "two ranks of one class",
        [ROOT_OF_MANY] = "names a root",
    };
    struct group_file files[2];
    uint32_t members[2][4][2];
    struct group_entry entry[2][4];
    struct mini *mini[2];
    enum status status[2];
    for (int f = 0; f < 2; f++) {
        mini[f] = odd_job((enum odd)_i, f, &files[f], members[f], entry[f]);
        struct workload workload = {4, mini[f]->of_rank, mini[f]->traces, mini[f]->trace_count};
        status[f] = simulate(&mini[f]->config, &workload, &files[f], NULL, &mini[f]->result,
                             &mini[f]->diag);
    }
    ck_assert_int_eq(status[0], status[1]);
    if (_i != ROOT_OF_MANY)
        ck_assert_msg(status[1] == STATUS_OK, "%s", mini[1]->diag.message);
    if (status[1] == STATUS_OK) {
        ck_assert_msg(strstr(mini[1]->result.fold_note, says[_i]) != NULL, "%s",
                      mini[1]->result.fold_note);
        for (uint32_t r = 0; r < 4; r++)
            ck_assert_uint_eq(result_rank(&mini[0]->result, r)->finish_ps,
                              result_rank(&mini[1]->result, r)->finish_ps);
    }
    mini_free(mini[0]);
    mini_free(mini[1]);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("fold_jobs");
    TCase *cases = tcase_create("fold_jobs");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, jobs_at_analytical, 0, BATCHES);
    tcase_add_loop_test(cases, jobs_at_flow, 0, BATCHES);
    tcase_add_loop_test(cases, jobs_at_link, 0, BATCHES);
    tcase_add_loop_test(cases, jobs_at_ideal, 0, BATCHES);
    tcase_add_loop_test(cases, jobs_of_own_traces, 0, BATCHES);
    tcase_add_loop_test(cases, what_differs_is_not_folded, 0, ODDS);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
