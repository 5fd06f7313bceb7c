/*
 * difference, rank_terms and rank_time: terms by hand, and exact sums over random jobs.
 *
 * Two ranks on a link of 1 B/ns and 100 ns, times to the ps.
 */
#include "base/mix.h"
#include "stats/difference.h"
#include "tests/unit/mini.h"

enum { RANDOM_PAIRS = 150 };

struct ran {
    struct mini *mini;
    struct workload workload;
    struct path_blame blame;
    struct rank_terms terms;
};

static struct mini *new_job(double bandwidth_B_per_ns, uint32_t ranks)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, ranks, bandwidth_B_per_ns, 100);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.system.endpoint_delay_ns = 0;
    mini->config.system.small_group_delay_ns = 0;
    mini->config.own_form = true;
    mini->config.system.comm_slots = 4;
    for (uint32_t r = 0; r < ranks; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
    }
    return mini;
}

static void run(struct ran *ran, struct mini *mini)
{
    *ran = (struct ran){.mini = mini,
                        .workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                     mini->trace_count}};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    struct timeline timeline;
    timeline_init(&timeline);
    path_blame_init(&ran->blame);
    rank_terms_init(&ran->terms);
    const struct simulate_also also = {
        .timeline = &timeline, .blame = &ran->blame, .terms = &ran->terms};
    enum status status =
        simulate_also(&mini->config, &ran->workload, &groups, &also, &mini->result, &mini->diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s %s", status_name(status), mini->diag.message,
                  mini->result.wait_for_count ? mini->result.wait_for[0] : "");
    timeline_release(&timeline);
}

static void release(struct ran *ran)
{
    rank_terms_release(&ran->terms);
    path_blame_release(&ran->blame);
    mini_free(ran->mini);
}

static void compare(struct difference *difference, const struct ran *a, const struct ran *b)
{
    struct diag diag = DIAG_NONE;
    const struct difference_side in_a = {&a->terms, &a->blame, &a->mini->result, &a->workload};
    const struct difference_side in_b = {&b->terms, &b->blame, &b->mini->result, &b->workload};
    difference_init(difference);
    ck_assert_msg(difference_make(difference, &in_a, &in_b, &diag) == STATUS_OK, "%s",
                  diag.message);
}

/* B - A of a term, over its parts. */
static int64_t change(const struct difference *difference, enum rank_term term)
{
    const struct difference_table *table = &difference->by[DIFFERENCE_MEAN + TERMS_BY_PART];
    int64_t sum = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].term == term)
            sum += difference_of(table->row[i].a_ps, table->row[i].b_ps);
    }
    return sum;
}

static int64_t all_changes(const struct difference *difference, int by)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < difference->by[by].count; i++)
        sum += difference_of(difference->by[by].row[i].a_ps, difference->by[by].row[i].b_ps);
    return sum;
}

/* Fails unless the terms change by that many ns, and all others not at all. */
static void expect_changes(const struct difference *difference, const int64_t *ns)
{
    for (int term = 0; term < RANK_TERM_COUNT; term++)
        ck_assert_msg(change(difference, term) == ns[term] * 1000, "%s: %ld ps, want %ld ns",
                      rank_term_keys[term], (long)change(difference, term), (long)ns[term]);
}

/* -- by hand ----------------------------------------------------------------------------------- */

/* Rank 0 computes, then sends 1000 B; rank 1 waits for them from the start. */
static struct mini *message_job(double bandwidth_B_per_ns, uint64_t compute_ns)
{
    struct mini *mini = new_job(bandwidth_B_per_ns, 2);
    int last = (int)mini_compute(mini, 0, -1, compute_ns);
    mini_message(mini, 0, last, OP_SEND, 1, 1, 1000);
    mini_message(mini, 1, -1, OP_RECV, 0, 1, 1000);
    return mini;
}

/* At half the bandwidth 1000 B take 1000 ns more, of both ranks: bandwidth, and nothing else. */
START_TEST(half_the_bandwidth)
{
    struct ran a, b;
    struct difference difference;
    run(&a, message_job(1, 300));
    run(&b, message_job(0.5, 300));
    compare(&difference, &a, &b);
    ck_assert_uint_eq(difference.a_ps, (300 + 100 + 1000) * 1000);
    ck_assert_uint_eq(difference.b_ps, (300 + 100 + 2000) * 1000);
    expect_changes(&difference, (int64_t[RANK_TERM_COUNT]){[RANK_TERM_BANDWIDTH] = 1000});
    ck_assert_uint_eq(difference.rank_count, 2);
    difference_release(&difference);
    release(&a);
    release(&b);
}
END_TEST

/* Rank 0 computes 200 ns more: its compute, and rank 1's wait for what was not sent: a half of each
 * in the mean. */
START_TEST(a_bubble)
{
    struct ran a, b;
    struct difference difference;
    run(&a, message_job(1, 300));
    run(&b, message_job(1, 500));
    compare(&difference, &a, &b);
    expect_changes(&difference,
                   (int64_t[RANK_TERM_COUNT]){[RANK_TERM_COMPUTE] = 100, [RANK_TERM_BUBBLE] = 100});
    /* the rank whose own work changed comes first */
    ck_assert_uint_eq(difference.rank[0].first, 0);
    ck_assert_uint_eq(difference.rank[1].first, 1);
    difference_release(&difference);
    release(&a);
    release(&b);
}
END_TEST

/* With rendezvous a send waits for its receive, which comes after a compute of rank 1; then for its
 * control message of 8192 B, which takes 100 + 8192 ns: contention, queues, hand-overs of both. */
START_TEST(a_bubble_of_a_send)
{
    struct ran ran;
    struct mini *mini = new_job(1, 2);
    mini->config.system.rendezvous = true;
    mini_message(mini, 0, -1, OP_SEND, 1, 1, 1000);
    mini_message(mini, 1, (int)mini_compute(mini, 1, -1, 700), OP_RECV, 0, 1, 1000);
    run(&ran, mini);
    ck_assert_uint_eq(ran.terms.end_ps, (700 + 8292 + 1100) * 1000);
    ck_assert_uint_eq(ran.terms.of_seat[0][RANK_TERM_BUBBLE], 700 * 1000);
    ck_assert_uint_eq(ran.terms.of_seat[0][RANK_TERM_CONTENTION], 8292 * 1000);
    ck_assert_uint_eq(ran.terms.of_seat[0][RANK_TERM_BANDWIDTH], 1000 * 1000);
    ck_assert_uint_eq(ran.terms.of_seat[1][RANK_TERM_COMPUTE], 700 * 1000);
    ck_assert_uint_eq(ran.terms.of_seat[1][RANK_TERM_BUBBLE], 0);
    release(&ran);
}
END_TEST

/*
 * A ring all-reduce of 2000 B on two ranks is 2 messages of 1000 B: 2 x (100 + 1000) ns. At half
 * the bandwidth: 2 x 1000 ns more. If rank 1 comes 400 ns later, rank 0 waits so long; its first
 * message is ahead by that, so rank 1 sends its second as before, at 1600, and rank 0 ends at 2700,
 * 1800 after all had come, and is idle for 400; rank 1 ends at 3100.
 */
START_TEST(waiting_for_a_member)
{
    struct ran ran[3];
    struct difference difference;
    for (int i = 0; i < 3; i++) {
        struct mini *mini = new_job(i == 1 ? 0.5 : 1, 2);
        for (uint32_t r = 0; r < 2; r++) {
            int last = (int)mini_compute(mini, r, -1, i == 2 && r ? 900 : 500);
            mini_collective(mini, r, last, COLL_ALL_REDUCE, 2000);
        }
        run(&ran[i], mini);
    }
    ck_assert_uint_eq(ran[0].terms.end_ps, (500 + 2200) * 1000);
    compare(&difference, &ran[0], &ran[1]);
    expect_changes(&difference, (int64_t[RANK_TERM_COUNT]){[RANK_TERM_BANDWIDTH] = 2000});
    difference_release(&difference);
    compare(&difference, &ran[0], &ran[2]);
    ck_assert_int_eq(change(&difference, RANK_TERM_COMPUTE), 200 * 1000);
    ck_assert_int_eq(change(&difference, RANK_TERM_WAITING), 200 * 1000);
    ck_assert_int_eq(change(&difference, RANK_TERM_IDLE), 200 * 1000);
    ck_assert_int_eq(change(&difference, RANK_TERM_LATENCY) +
                         change(&difference, RANK_TERM_BANDWIDTH),
                     -200 * 1000);
    ck_assert_uint_eq(ran[2].terms.of_seat[0][RANK_TERM_WAITING], 400 * 1000);
    difference_release(&difference);
    for (int i = 0; i < 3; i++)
        release(&ran[i]);
}
END_TEST

/* Half of the all-reduce (2200 ns) is under a compute of 1100 ns: half of each of its parts is
 * exposed. The host's 300 ns come first, and the rank with less to do is idle at its end. */
START_TEST(half_hidden)
{
    struct ran ran;
    struct mini *mini = new_job(1, 2);
    for (uint32_t r = 0; r < 2; r++) {
        int host = (int)mini_host(mini, r, -1, 300);
        mini_collective(mini, r, host, COLL_ALL_REDUCE, 2000);
        int compute = (int)mini_compute(mini, r, host, 1100);
        if (!r)
            mini_compute(mini, r, compute, 1900);
    }
    run(&ran, mini);
    const time_ps *other = ran.terms.of_seat[1];
    ck_assert_uint_eq(ran.terms.end_ps, 3300 * 1000);
    ck_assert_uint_eq(other[RANK_TERM_HOST], 300 * 1000);
    ck_assert_uint_eq(other[RANK_TERM_COMPUTE], 1100 * 1000);
    ck_assert_uint_eq(other[RANK_TERM_LATENCY], 100 * 1000);
    ck_assert_uint_eq(other[RANK_TERM_BANDWIDTH], 1000 * 1000);
    ck_assert_uint_eq(other[RANK_TERM_IDLE], 800 * 1000);
    release(&ran);
}
END_TEST

/* -- random jobs ------------------------------------------------------------------------------- */

/* Every kind of node, on two to six ranks; collectives in one order, messages round the ring. */
static struct mini *random_job(uint64_t *state)
{
    uint32_t ranks = 2 + random_below(state, 5);
    struct mini *mini = new_job(0.1 + random_below(state, 90) / 7.0, ranks);
    struct system_config *system = &mini->config.system;
    system->launch_overhead_ns = random_below(state, 3) * 300.0;
    system->collective_launch_ns = random_below(state, 2) * 700.0;
    system->step_overhead_ns = random_below(state, 2) * 1500.0;
    system->overlap_slowdown = random_below(state, 2) * 0.3;
    system->rendezvous = random_below(state, 2);
    system->comm_slots = 64; /* no rank waits for a slot that another one needs */
    system->compute_slots = 1 + random_below(state, 3);
    system->host_slots = 1 + random_below(state, 2);
    system->dataset_splits = 1 + random_below(state, 4);
    system->late_zero_cost = random_below(state, 2);
    mini->config.network.whole_ns = random_below(state, 2);
    mini->config.own_form = random_below(state, 2);
    mini->config.network.backend =
        random_below(state, 2) ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
    uint32_t steps = 2 + random_below(state, 6);
    int last[8];
    for (uint32_t r = 0; r < ranks; r++)
        last[r] = -1;
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t kind = random_below(state, 3);
        uint64_t bytes = 1 + random_below(state, 9000);
        for (uint32_t r = 0; r < ranks; r++) {
            int before = last[r];
            if (random_below(state, 3) == 0)
                mini_host(mini, r, before, random_below(state, 500));
            if (random_below(state, 2))
                last[r] = (int)mini_compute(mini, r, before, random_below(state, 4000));
            else
                mini_compute(mini, r, before, random_below(state, 9000));
            if (kind == 0)
                last[r] = (int)mini_collective(mini, r, last[r], COLL_ALL_REDUCE, bytes);
            else if (kind == 1)
                last[r] = (int)mini_collective(mini, r, last[r], COLL_ALL_TO_ALL, bytes);
            else {
                mini_message(mini, r, last[r], OP_SEND, (r + 1) % ranks, step, bytes);
                last[r] = (int)mini_message(mini, r, before, OP_RECV, (r + ranks - 1) % ranks, step,
                                            bytes);
            }
        }
    }
    return mini;
}

/* simulate_also() proves the sums of each run, difference_make() those of the two. */
START_TEST(sums_are_exact_on_random_jobs)
{
    uint64_t state = 11;
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        struct ran a, b;
        struct difference difference, same;
        struct diag diag = DIAG_NONE;
        run(&a, random_job(&state));
        run(&b, random_job(&state));
        compare(&difference, &a, &b);
        compare(&same, &a, &a);
        for (int by = 0; by < DIFFERENCE_COUNT; by++) {
            ck_assert(all_changes(&difference, by) ==
                      difference_of(a.mini->result.end_ps, b.mini->result.end_ps));
            for (uint32_t k = 0; k < same.by[by].count; k++)
                ck_assert_uint_eq(same.by[by].row[k].a_ps, same.by[by].row[k].b_ps);
        }
        difference.by[i % DIFFERENCE_COUNT].row[0].b_ps++; /* a law that is broken is seen */
        ck_assert_int_eq(difference_check(&difference, &diag), STATUS_LAW);
        difference_release(&difference);
        difference_release(&same);
        release(&a);
        release(&b);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("difference");
    TCase *tests = tcase_create("difference");
    tcase_add_test(tests, half_the_bandwidth);
    tcase_add_test(tests, a_bubble);
    tcase_add_test(tests, a_bubble_of_a_send);
    tcase_add_test(tests, waiting_for_a_member);
    tcase_add_test(tests, half_hidden);
    tcase_add_test(tests, sums_are_exact_on_random_jobs);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
