/*
 * timeline_native, timeline_draw, timeline_view: both formats keep their rules (timeline_rules.h)
 * and say the same of random jobs, whatever is asked for; one file by hand; what is left out.
 */
#include <string.h>

#include "base/mix.h"
#include "report/timeline_json.h"
#include "report/timeline_native.h"
#include "src/report/timeline_native.pb-c.h"
#include "tests/tools/timeline_rules.h"
#include "tests/unit/mini.h"

static struct workload workload; /* the timeline borrows it */
static struct timeline timeline;
static struct timeline_want wanted;
static struct critical_path path;

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

static struct timeline_view run(struct mini *mini)
{
    workload = (struct workload){mini->config.network.npu_count, mini->of_rank, mini->traces,
                                 mini->trace_count};
    struct group_file groups = {.path = "mini"};
    const struct simulate_also also = {.timeline = &timeline};
    timeline_init(&timeline);
    timeline.want = wanted;
    enum status status =
        simulate_also(&mini->config, &workload, &groups, &also, &mini->result, &mini->diag);
    ck_assert_msg(status == STATUS_OK || status == STATUS_STUCK, "%s", mini->diag.message);
    critical_path_init(&path);
    if (status == STATUS_OK && !timeline.followed)
        critical_path_find(&path, &timeline, false, mini->result.end_ps);
    return (struct timeline_view){.timeline = &timeline,
                                  .result = &mini->result,
                                  .version = "test",
                                  .job = "mini",
                                  .path = status == STATUS_OK ? &path : NULL};
}

static void end(struct mini *mini)
{
    critical_path_release(&path);
    timeline_release(&timeline);
    mini_free(mini);
}

static char *
write_with(void (*write)(const struct timeline_view *, const struct timeline_pick *, FILE *),
           const struct timeline_view *view, const struct timeline_pick *pick, size_t *length)
{
    char *bytes;
    FILE *out = open_memstream(&bytes, length);
    write(view, pick, out);
    fclose(out);
    return bytes;
}

/* Both formats keep their rules and have the same in them. */
static struct timeline_counts check_both(const struct timeline_view *view)
{
    struct timeline_pick pick;
    struct timeline_counts json, native;
    size_t length;
    char why[256];
    timeline_pick_init(&pick, view);
    char *bytes = write_with(timeline_json, view, &pick, &length);
    ck_assert_msg(timeline_json_rules(bytes, length, &json, why), "JSON, %s", why);
    free(bytes);
    bytes = write_with(timeline_native, view, &pick, &length);
    ck_assert_msg(timeline_native_rules((unsigned char *)bytes, length, &native, why), "%s", why);
    free(bytes);
    timeline_pick_release(&pick);
    ck_assert_mem_eq(&json, &native, sizeof json);
    return native;
}

/* -- random jobs ------------------------------------------------------------------------------- */

/* Each rank computes, and passes messages round a ring; now and then all reduce. */
static void fill_rank(struct mini *mini, uint32_t rank, uint64_t seed)
{
    uint32_t npus = mini->config.network.npu_count;
    uint64_t state = seed, own = seed ^ (rank + 1);
    int last = -1;
    mini_trace_new(mini);
    for (uint32_t i = 0; i < 8; i++) {
        last = (int)mini_compute(mini, rank, last, random_below(&own, 3) * 37);
        if (random_below(&state, 3) == 0)
            last = (int)mini_collective(mini, rank, last, COLL_ALL_REDUCE, 64);
        if (random_below(&state, 2)) {
            mini_message(mini, rank, last, OP_SEND, (rank + 1) % npus, i, 1 + (i % 3) * 100);
            last = (int)mini_message(mini, rank, random_below(&own, 2) ? last : -1, OP_RECV,
                                     (rank + npus - 1) % npus, i, 1 + (i % 3) * 100);
        }
    }
}

START_TEST(random_jobs_keep_the_rules_in_both_formats)
{
    uint64_t state = 5, arrows = 0;
    for (uint64_t i = 0; i < 120; i++) {
        static const uint32_t some[] = {1, 2};
        struct mini *mini = job(3 + (uint32_t)random_below(&state, 3));
        mini->config.system.compute_slots = 1 + random_below(&state, 3);
        mini->config.system.launch_overhead_ns = random_below(&state, 2) * 7.3;
        for (uint32_t r = 0; r < mini->config.network.npu_count; r++)
            fill_rank(mini, r, i);
        struct timeline_view view = run(mini);
        struct timeline_counts all = check_both(&view);
        arrows += all.arrows;
        view.rank = some;
        view.rank_count = 2;
        ck_assert_uint_le(check_both(&view).slices, all.slices);
        view.from = mini->result.end_ps / 3;
        view.to = mini->result.end_ps / 2 + 1;
        ck_assert_uint_le(check_both(&view).slices, all.slices);
        view.most_slices = 5;
        check_both(&view);
        end(mini);
    }
    ck_assert_uint_gt(arrows, 500);
}
END_TEST

/* -- what is left out -------------------------------------------------------------------------- */

static struct mini *computes(uint32_t npus, uint32_t ops)
{
    struct mini *mini = job(npus);
    for (uint32_t r = 0; r < npus; r++) {
        int last = -1;
        mini_trace_new(mini);
        for (uint32_t i = 0; i < ops; i++)
            last = (int)mini_compute(mini, r, last, 10 * (i % 5 + 1));
    }
    return mini;
}

/* 10 ranks of 5 ops; 22 ops are 4 ranks: 0, 2, 5 and 7, at i x 10 / 4. */
START_TEST(ranks_are_evenly_spaced)
{
    static const uint32_t shown[] = {0, 2, 5, 7};
    struct mini *mini = computes(10, 5);
    struct timeline_view view = run(mini);
    struct timeline_pick pick;
    view.most_slices = 22;
    timeline_pick_init(&pick, &view);
    ck_assert_uint_eq(pick.count, 4);
    ck_assert_uint_eq(pick.asked, 10);
    ck_assert_uint_eq(pick.slices, 20);
    ck_assert_mem_eq(pick.rank, shown, sizeof shown);
    timeline_pick_release(&pick);
    end(mini);
}
END_TEST

/* One rank of 10, 20, .. 50, 10, .. 50 ns, and room for 5: those of 50 and 40, for of 30 only one
 * would fit. */
START_TEST(the_shortest_ops_go_first)
{
    static const uint32_t first[] = {0};
    struct mini *mini = computes(2, 10);
    struct timeline_view view = run(mini);
    struct timeline_pick pick;
    view.most_slices = 5;
    view.rank = first;
    view.rank_count = 1;
    timeline_pick_init(&pick, &view);
    ck_assert_uint_eq(pick.count, 1);
    ck_assert_uint_eq(pick.slices, 4);
    ck_assert_uint_eq(pick.too_short, 6);
    ck_assert_uint_eq(pick.longest_short, 30000);
    timeline_pick_release(&pick);
    view.path = NULL;
    ck_assert_uint_eq(check_both(&view).slices, 4);
    end(mini);
}
END_TEST

/* Ops end at 10, 30, 60, 100 and 150 ns. Those that touch 30 to 60: the second to the fourth. */
START_TEST(a_window_has_what_touches_it)
{
    static const uint32_t first[] = {0};
    struct mini *mini = computes(2, 5);
    struct timeline_view view = run(mini);
    view.rank = first;
    view.rank_count = 1;
    view.path = NULL;
    view.from = 30000;
    view.to = 60000;
    ck_assert_uint_eq(check_both(&view).slices, 3);
    end(mini);
}
END_TEST

/* Of 6 ranks of 8 ops and more than 30 ops in all, with room for 20, ranks 0 and 3 are followed: at
 * the same times as if all were. Messages from ranks that are not have no arrow. */
START_TEST(a_job_too_large_follows_some_ranks)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mini *all = job(6), *some = job(6);
        for (uint32_t r = 0; r < 6; r++) {
            fill_rank(all, r, seed);
            fill_rank(some, r, seed);
        }
        struct timeline_view view = run(all);
        const struct timeline_op *op = timeline.op;
        const uint32_t *first = timeline.first;
        timeline.op = NULL, timeline.first = NULL;
        critical_path_release(&path);
        timeline_release(&timeline);
        wanted = (struct timeline_want){.most_ops = 30, .most_shown = 2 * first[1] + 4};
        view = run(some);
        wanted.most_ops = 0;
        ck_assert_uint_eq(all->result.end_ps, some->result.end_ps);
        ck_assert_uint_ge(timeline.followed_count, 1);
        ck_assert_uint_lt(timeline.followed_count, 6);
        ck_assert_uint_eq(timeline.followed[0], 0);
        for (uint32_t i = 0; i < timeline.followed_count; i++) {
            uint32_t rank = timeline.followed[i];
            const struct timeline_op *of_all = &op[first[rank]];
            const struct timeline_op *of_some = &timeline.op[timeline.first[rank]];
            for (uint32_t n = 0; n < first[rank + 1] - first[rank]; n++)
                ck_assert(of_all[n].begin == of_some[n].begin && of_all[n].end == of_some[n].end);
        }
        view.path = NULL;
        view.rank = timeline.followed;
        view.rank_count = timeline.followed_count;
        check_both(&view);
        free((void *)op);
        free((void *)first);
        mini_free(all);
        end(some);
    }
}
END_TEST

/* -- names ------------------------------------------------------------------------------------- */

static const char *odd_name(struct trace *trace, uint32_t index)
{
    static const char *const names[] = {"\xff\xfe cut \xc3", "\"quoted\" \n \\",
                                        "gr\xc3\xbc\xc3\x9f", "", "\x01"};
    (void)trace;
    return names[index % 5];
}

START_TEST(names_are_made_text)
{
    struct mini *mini = computes(3, 10);
    for (uint32_t r = 0; r < 3; r++)
        mini->trace[r].trace.name_of = odd_name;
    struct timeline_view view = run(mini);
    view.job = "\xe2\x82 job";
    ck_assert_uint_eq(check_both(&view).slices, 40);
    end(mini);
}
END_TEST

START_TEST(nothing_to_show)
{
    struct mini *mini = computes(2, 1);
    struct timeline_view view = run(mini);
    view.path = NULL;
    view.from = 1000000;
    ck_assert_uint_eq(check_both(&view).slices, 0);
    end(mini);
}
END_TEST

/* -- one by hand ------------------------------------------------------------------------------- */

static TimelineNative__TracePacket *packet_at(TimelineNative__Trace *trace, uint32_t event)
{
    for (size_t i = 0; i < trace->n_packet; i++)
        if (trace->packet[i]->track_event && event-- == 0)
            return trace->packet[i];
    ck_abort_msg("no such event");
    return NULL;
}

/*
 * Rank 0 computes for 1000 ns and sends 500 B, which take 600 ns; rank 1 waits for them from 0.
 *   0     one compute is under way; rank 0: it; rank 1: the receive; job: the compute, on the path
 *   1000  the compute ends, none is under way, the send begins with flow 1; job: the message
 *   1001  rank 1: "message" within the receive, where flow 1 ends
 *   1600  all ends, what began last first
 */
START_TEST(one_message_by_hand)
{
    static const struct {
        uint64_t at_ns;
        int type;
        uint64_t track; /* process << 21 + thread */
    } rows[] = {
        {0, 4, (3 << 21) + (1 << 20)},
        {0, 1, (1 << 21) + 1},
        {0, 1, (2 << 21) + 1},
        {0, 1, (3 << 21) + 1},
        {1000, 2, (3 << 21) + 1},
        {1000, 2, (1 << 21) + 1},
        {1000, 4, (3 << 21) + (1 << 20)},
        {1000, 1, (1 << 21) + 2},
        {1000, 1, (3 << 21) + 1},
        {1001, 1, (2 << 21) + 1},
        {1600, 2, (2 << 21) + 1},
        {1600, 2, (3 << 21) + 1},
        {1600, 2, (1 << 21) + 2},
        {1600, 2, (2 << 21) + 1},
    };
    struct mini *mini = job(2);
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 0, -1, 1000);
    mini_message(mini, 0, work, OP_SEND, 1, 7, 500);
    mini_trace_new(mini);
    mini_message(mini, 1, -1, OP_RECV, 0, 7, 500);
    struct timeline_view view = run(mini);
    struct timeline_pick pick;
    size_t length;
    timeline_pick_init(&pick, &view);
    char *bytes = write_with(timeline_native, &view, &pick, &length);
    TimelineNative__Trace *trace =
        timeline_native__trace__unpack(NULL, length, (unsigned char *)bytes);
    ck_assert_ptr_nonnull(trace);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const TimelineNative__TrackEvent *event = packet_at(trace, i)->track_event;
        ck_assert_uint_eq(packet_at(trace, i)->timestamp, rows[i].at_ns);
        ck_assert_int_eq(event->type, rows[i].type);
        ck_assert_uint_eq(event->track_uuid, rows[i].track);
        ck_assert_uint_eq(event->n_flow_ids, i == 7);
        ck_assert_uint_eq(event->n_terminating_flow_ids, i == 9);
    }
    ck_assert_uint_eq(packet_at(trace, 7)->track_event->flow_ids[0], 1);
    ck_assert_uint_eq(packet_at(trace, 9)->track_event->terminating_flow_ids[0], 1);
    timeline_native__trace__free_unpacked(trace, NULL);
    free(bytes);
    timeline_pick_release(&pick);
    end(mini);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("timeline_native");
    TCase *tests = tcase_create("timeline_native");
    tcase_add_test(tests, random_jobs_keep_the_rules_in_both_formats);
    tcase_add_test(tests, ranks_are_evenly_spaced);
    tcase_add_test(tests, the_shortest_ops_go_first);
    tcase_add_test(tests, a_window_has_what_touches_it);
    tcase_add_test(tests, a_job_too_large_follows_some_ranks);
    tcase_add_test(tests, names_are_made_text);
    tcase_add_test(tests, nothing_to_show);
    tcase_add_test(tests, one_message_by_hand);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
