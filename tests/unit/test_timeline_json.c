/*
 * timeline_json: what is written is parsed back: valid JSON, every op once with its times, no
 * overlap on a thread, arrows from sends to receives, memory that goes back to where it began, and
 * what is left out said.
 *
 * Full mesh of 1 B/ns and 100 ns: a message of 500 B takes 600 ns.
 */
#include <math.h>
#include <string.h>

#include "base/doc.h"
#include "base/mix.h"
#include "report/timeline_json.h"
#include "tests/tools/timeline_rules.h"
#include "tests/unit/mini.h"

static struct timeline timeline;
static char *text;
static size_t length;
static struct doc doc;
static const struct doc_node *events;

static struct mini *job(uint32_t npus)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, npus, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.own_form = true;
    for (uint32_t r = 0; r < npus; r++)
        mini->of_rank[r] = r;
    return mini;
}

static void run_and_write(struct mini *mini, const uint32_t *rank, uint32_t count, uint64_t most)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.path = "mini"};
    const struct simulate_also also = {.timeline = &timeline};
    timeline_init(&timeline);
    ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    const struct timeline_view view = {.timeline = &timeline,
                                       .result = &mini->result,
                                       .version = "test",
                                       .job = "mini \"quoted\"",
                                       .rank = rank,
                                       .rank_count = count,
                                       .most_slices = most};
    struct timeline_pick pick;
    struct timeline_counts counts;
    char why[256];
    FILE *out = open_memstream(&text, &length);
    timeline_pick_init(&pick, &view);
    timeline_json(&view, &pick, out);
    timeline_pick_release(&pick);
    fclose(out);
    ck_assert_msg(timeline_json_rules(text, length, &counts, why), "%s", why);
    ck_assert_msg(doc_parse(&doc, "timeline", text, length, DOC_JSON, &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    events = doc_find(doc.root, "traceEvents");
    ck_assert(events && events->kind == DOC_LIST);
}

static void end(struct mini *mini)
{
    doc_release(&doc);
    free(text);
    timeline_release(&timeline);
    mini_free(mini);
}

static bool is_phase(const struct doc_node *event, const char *phase)
{
    return strcmp(doc_find(event, "ph")->text, phase) == 0;
}

static double number(const struct doc_node *event, const char *key)
{
    const struct doc_node *node = doc_find(event, key);
    ck_assert_msg(node && node->kind == DOC_NUMBER, "%s", key);
    return node->number;
}

static uint32_t count(const char *phase)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < events->count; i++)
        found += is_phase(&events->child[i], phase);
    return found;
}

/* The i-th event of that phase. */
static const struct doc_node *event_at(const char *phase, uint32_t i)
{
    for (uint32_t e = 0; e < events->count; e++)
        if (is_phase(&events->child[e], phase) && i-- == 0)
            return &events->child[e];
    ck_abort_msg("no such event");
    return NULL;
}

static void expect_slice(uint32_t i, uint32_t rank, double from_us, double length_us)
{
    const struct doc_node *event = event_at("X", i);
    ck_assert_double_eq(number(event, "pid"), rank);
    ck_assert_double_eq_tol(number(event, "ts"), from_us, 1e-9);
    ck_assert_double_eq_tol(number(event, "dur"), length_us, 1e-9);
}

/* Rank 1 waits from 200 to 1600 for the message that leaves at 1000: the arrow ends in what of the
 * receive is after that. */
START_TEST(slices_and_an_arrow)
{
    struct mini *mini = job(2);
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 0, -1, 1000);
    mini_message(mini, 0, work, OP_SEND, 1, 7, 500);
    mini_trace_new(mini);
    work = (int)mini_compute(mini, 1, -1, 200);
    int receive = (int)mini_message(mini, 1, work, OP_RECV, 0, 7, 500);
    mini_compute(mini, 1, receive, 300);
    run_and_write(mini, NULL, 0, 0);
    ck_assert_uint_eq(count("X"), 6);
    expect_slice(0, 0, 0, 1);
    expect_slice(1, 1, 0, 0.2);
    expect_slice(2, 1, 0.2, 1.4);
    expect_slice(3, 0, 1, 0.6);
    expect_slice(4, 1, 1.001, 0.599);
    expect_slice(5, 1, 1.6, 0.3);
    const struct doc_node *from = event_at("s", 0), *to = event_at("f", 0);
    ck_assert_uint_eq(count("s"), 1);
    ck_assert_double_eq(number(from, "id"), number(to, "id"));
    ck_assert_double_eq(number(from, "pid"), 0);
    ck_assert_double_eq(number(to, "pid"), 1);
    ck_assert_double_eq_tol(number(from, "ts"), 1.0, 1e-9);
    ck_assert_double_eq_tol(number(to, "ts"), 1.001, 1e-9);
    ck_assert_double_eq(number(to, "tid"), number(event_at("X", 2), "tid"));
    ck_assert_str_eq(doc_find(event_at("X", 4), "name")->text, "message");
    end(mini);
}
END_TEST

/* Rank 0 alone: an arrow needs both ends. */
START_TEST(ranks_are_chosen)
{
    static const uint32_t second[] = {1};
    struct mini *mini = job(2);
    mini_trace_new(mini);
    mini_message(mini, 0, -1, OP_SEND, 1, 7, 500);
    mini_trace_new(mini);
    mini_message(mini, 1, -1, OP_RECV, 0, 7, 500);
    run_and_write(mini, second, 1, 0);
    ck_assert_uint_eq(count("X"), 1);
    expect_slice(0, 1, 0, 0.6);
    ck_assert_uint_eq(count("s") + count("f"), 0);
    end(mini);
}
END_TEST

/* Launches of 1000 each under computes of 10: the device waits from 0 and from 1010 on. */
START_TEST(waits_for_launches_are_slices_of_the_host)
{
    struct mini *mini = job(2);
    mini->config.system.launch_overhead_ns = 1000;
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 0, -1, 10);
    mini_compute(mini, 0, work, 10);
    mini->of_rank[1] = 0;
    static const uint32_t first[] = {0};
    run_and_write(mini, first, 1, 0);
    ck_assert_uint_eq(count("X"), 4);
    expect_slice(0, 0, 0, 1);
    expect_slice(1, 0, 1, 0.01);
    expect_slice(2, 0, 1.01, 0.99);
    expect_slice(3, 0, 2, 0.01);
    ck_assert_str_eq(doc_find(event_at("X", 2), "cat")->text, "launch");
    end(mini);
}
END_TEST

/* 100 B throughout, 20 B from the first op to the second, 7 B in the second: 120, 127, 100. */
START_TEST(memory_is_a_counter)
{
    static struct trace_life lives[] = {{0, 1, 20, LIFE_ACTIVATION}, {1, 1, 7, LIFE_TRANSIENT}};
    static const uint32_t first[] = {0};
    static const double at_us[] = {0, 1, 3}, bytes[] = {120, 127, 100};
    struct mini *mini = job(2);
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 0, -1, 1000);
    mini_compute(mini, 0, work, 2000);
    mini->of_rank[1] = 0;
    mini->trace[0].trace.life = lives;
    mini->trace[0].trace.life_count = 2;
    mini->trace[0].trace.fixed_bytes = 100;
    run_and_write(mini, first, 1, 0);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count("C"); i++) {
        const struct doc_node *event = event_at("C", i);
        if (strcmp(doc_find(event, "name")->text, "device memory") != 0)
            continue;
        ck_assert_uint_lt(found, 3);
        ck_assert_double_eq_tol(number(event, "ts"), at_us[found], 1e-9);
        ck_assert_double_eq(number(doc_find(event, "args"), "bytes"), bytes[found++]);
    }
    ck_assert_uint_eq(found, 3);
    end(mini);
}
END_TEST

START_TEST(what_is_too_much_is_left_out_and_said)
{
    struct mini *mini = job(4);
    for (uint32_t r = 0; r < 4; r++) {
        mini_trace_new(mini);
        int last = -1;
        for (int i = 0; i < 10; i++)
            last = (int)mini_compute(mini, r, last, 10);
    }
    run_and_write(mini, NULL, 0, 25);
    ck_assert_uint_eq(count("X"), 20);
    const struct doc_node *said = doc_find(doc.root, "otherData");
    ck_assert_double_eq(number(said, "ranks_asked"), 4);
    ck_assert_double_eq(number(said, "ranks_shown"), 2);
    ck_assert_str_eq(doc_find(said, "job")->text, "mini \"quoted\"");
    end(mini);
}
END_TEST

/* -- random jobs ------------------------------------------------------------------------------ */

static void expect_no_overlap(void)
{
    double busy_until[8][64] = {{0}};
    for (uint32_t e = 0; e < events->count; e++) {
        const struct doc_node *event = &events->child[e];
        if (!is_phase(event, "X") || strcmp(doc_find(event, "cat")->text, "launch") == 0)
            continue;
        double *until = &busy_until[(int)number(event, "pid")][(int)number(event, "tid")];
        ck_assert_double_ge(number(event, "ts"), *until - 1e-6);
        *until = number(event, "ts") + number(event, "dur");
    }
}

/* Several slots and collectives: slices of a thread follow each other, and all ops with a time are
 * there. */
START_TEST(slices_of_a_thread_do_not_overlap)
{
    uint64_t state = 77;
    for (int i = 0; i < 60; i++) {
        struct mini *mini = job(4);
        mini->config.system.compute_slots = 1 + random_below(&state, 4);
        mini->config.system.host_slots = 1 + random_below(&state, 3);
        mini->config.system.comm_slots = 2;
        uint32_t wanted = 0;
        for (uint32_t r = 0; r < 4; r++) {
            mini_trace_new(mini);
            mini_collective(mini, r, -1, COLL_ALL_REDUCE, 4096);
            wanted++;
            for (uint32_t n = random_below(&state, 20); n > 0; n--, wanted++) {
                int after = (int)random_below(&state, mini->trace[r].trace.count + 1) - 1;
                if (random_below(&state, 3))
                    mini_compute(mini, r, after, 1 + random_below(&state, 3000));
                else
                    mini_host(mini, r, after, 1 + random_below(&state, 3000));
            }
        }
        run_and_write(mini, NULL, 0, 0);
        ck_assert_uint_eq(count("X"), wanted);
        expect_no_overlap();
        end(mini);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("timeline_json");
    TCase *tests = tcase_create("timeline_json");
    tcase_add_test(tests, slices_and_an_arrow);
    tcase_add_test(tests, ranks_are_chosen);
    tcase_add_test(tests, waits_for_launches_are_slices_of_the_host);
    tcase_add_test(tests, memory_is_a_counter);
    tcase_add_test(tests, what_is_too_much_is_left_out_and_said);
    tcase_add_test(tests, slices_of_a_thread_do_not_overlap);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
