/* scale_trace: a job of few ranks, scaled, is the job that the generator makes for many; what
 * cannot be is refused. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/mini.h"
#include "tests/unit/plain_run.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"
#include "workloads/scale_trace.h"

struct made {
    struct job_spec spec;
    struct layer_book book;
    struct job_graph job;
};

static struct notices notices;
static struct diag diag;

static void make(struct made *made, uint32_t devices, const char *plan)
{
    job_spec_init(&made->spec);
    enum status status = job_spec_load(&made->spec, "llama3-8b", &notices, &diag);
    if (!status)
        status = job_spec_override(&made->spec, plan, &diag);
    if (!status)
        status = job_spec_finish(&made->spec, devices, &notices, &diag);
    ck_assert_msg(!status, "%s: %s", plan, diag.message);
    layer_book_make(&made->book, &made->spec.model, &made->spec.plan, &made->spec.framework,
                    &made->spec.arena);
    const struct job_input input = {&made->spec.model, &made->spec.plan, &made->spec.framework,
                                    &made->book};
    ck_assert_msg(!job_graph_make(&made->job, &input, &diag), "%s", diag.message);
}

static void release(struct made *made)
{
    job_graph_release(&made->job);
    job_spec_release(&made->spec);
}

static const struct {
    uint32_t few, many;
    const char *plan, *batch_few, *batch_many;
} jobs[] = {
    {2, 16, "seq=1024", ",global-batch=2", ",global-batch=16"},
    {4, 16, "tp=2,seq=1024", ",global-batch=4", ",global-batch=16"},
    {8, 16, "tp=2,pp=2,seq=1024", ",global-batch=8", ",global-batch=16"},
    {8, 32, "tp=2,cp=2,seq=1024,sequence-parallel=true", ",global-batch=4", ",global-batch=16"},
};

START_TEST(a_scaled_job_is_the_larger_job)
{
    struct made few, many;
    char plan[128];
    notices_init(&notices);
    diag = DIAG_NONE;
    snprintf(plan, sizeof plan, "%s%s", jobs[_i].plan, jobs[_i].batch_few);
    make(&few, jobs[_i].few, plan);
    snprintf(plan, sizeof plan, "%s%s", jobs[_i].plan, jobs[_i].batch_many);
    make(&many, jobs[_i].many, plan);
    struct workload scaled;
    struct group_file groups;
    ck_assert_msg(!scale_workload(&scaled, &groups, &few.job.workload, &few.job.groups,
                                  jobs[_i].many, NULL, &notices, &diag),
                  "%s", diag.message);
    ck_assert_uint_eq(scaled.rank_count, jobs[_i].many);
    ck_assert_uint_eq(plain_run_ps(&scaled, &groups),
                      plain_run_ps(&many.job.workload, &many.job.groups));
    scale_release(&scaled);
    group_file_release(&groups);
    release(&few);
    release(&many);
    notices_release(&notices);
}
END_TEST

/* With weights sharded, gradients are summed in groups of their own, which grow as dp-cp does,
 * named or not. */
START_TEST(groups_of_gradients_grow)
{
    static const char *const grow[] = {NULL, "dp-cp"};
    struct made few;
    notices_init(&notices);
    diag = DIAG_NONE;
    make(&few, 4, "tp=2,zero=3,seq=1024");
    struct workload scaled;
    struct group_file groups;
    ck_assert_msg(!scale_workload(&scaled, &groups, &few.job.workload, &few.job.groups, 16,
                                  grow[_i], &notices, &diag),
                  "%s", diag.message);
    uint32_t found = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        if (strcmp(groups.entry[g].name, "dp-cp-gradients") != 0)
            continue;
        ck_assert_uint_eq(groups.entry[g].count, 8);
        found++;
    }
    ck_assert_uint_eq(found, 2);
    scale_release(&scaled);
    group_file_release(&groups);
    release(&few);
    notices_release(&notices);
}
END_TEST

/* -- traces with names of their own ---------------------------------------------------------- */

/* Ranks 0 .. 3: "a" is {0, 1} and {2, 3}, "b" is {0, 2} and {1, 3}; one trace of its own for each
 * rank. */
static struct mini *mini_job(enum collective_kind in_b)
{
    static const uint32_t a[2][2] = {{0, 1}, {2, 3}}, b[2][2] = {{0, 2}, {1, 3}};
    struct mini *mini = mini_new();
    mini_dim(mini, NET_SWITCH, 4, 1, 0);
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t t = mini_trace_new(mini);
        mini->of_rank[r] = t;
        mini_collective(mini, t, -1, COLL_ALL_REDUCE, 64);
        mini_in_group(mini, t, "a");
        mini_collective(mini, t, 0, in_b, 64);
        mini_in_group(mini, t, "b");
        mini_message(mini, t, 1, r % 2 ? OP_RECV : OP_SEND, r ^ 1, 0, 8);
    }
    for (int g = 0; g < 2; g++)
        mini_group(mini, "a", a[g], 2);
    for (int g = 0; g < 2; g++)
        mini_group(mini, "b", b[g], 2);
    return mini;
}

static enum status scale_mini(struct mini *mini, uint32_t ranks, const char *grow,
                              struct workload *scaled, struct group_file *scaled_groups)
{
    static struct workload from;
    static struct group_file groups;
    from = (struct workload){4, mini->of_rank, mini->traces, mini->trace_count};
    groups = (struct group_file){.entry = mini->group, .count = mini->group_count, .path = "mini"};
    diag = DIAG_NONE;
    return scale_workload(scaled, scaled_groups, &from, &groups, ranks, grow, &notices, &diag);
}

static const char *show(const struct group_file *groups)
{
    static char text[1024];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t g = 0; g < groups->count; g++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", g ? " | " : "",
                               groups->entry[g].name);
        for (uint32_t i = 0; i < groups->entry[g].count; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", groups->entry[g].ranks[i]);
    }
    return text;
}

START_TEST(groups_grow_or_are_copied)
{
    struct mini *mini = mini_job(COLL_ALL_GATHER);
    struct workload scaled;
    struct group_file groups;
    notices_init(&notices);
    ck_assert_msg(!scale_mini(mini, 8, "b", &scaled, &groups), "%s", diag.message);
    ck_assert_str_eq(show(&groups), "a 0 1 | a 4 5 | a 2 3 | a 6 7 | b 0 2 4 6 | b 1 3 5 7 | "
                                    "(copy) 0 1 2 3 | (copy) 4 5 6 7");
    const struct trace *trace = scaled.traces[scaled.trace_of_rank[7]];
    ck_assert_uint_eq(trace->node[0].size_bytes, 64);
    ck_assert_uint_eq(trace->node[1].size_bytes, 32); /* own input of the all-gather */
    ck_assert_uint_eq(trace->node[2].peer, 3);        /* rank 7 hears from 6: 3 places on, of 4 */
    ck_assert(trace->node[2].flags & NODE_PEER_IN_GROUP);
    ck_assert_uint_eq(mini->traces[3]->node[1].size_bytes, 64); /* the original is untouched */
    ck_assert_uint_eq(notices.count, 1);
    mini->config.network.dim[0].npus = mini->config.network.npu_count = 8;
    mini_algorithm(mini, ALG_RING, 0);
    ck_assert_msg(simulate(&mini->config, &scaled, &groups, NULL, &mini->result, &diag) ==
                      STATUS_OK,
                  "%s", diag.message);
    scale_release(&scaled);
    group_file_release(&groups);
    notices_release(&notices);
    mini_free(mini);
}
END_TEST

static const struct {
    uint32_t ranks;
    const char *grow;
    enum collective_kind in_b;
    const char *message, *hint;
} refused[] = {
    {6, "b", COLL_ALL_REDUCE, "6 ranks are no multiple of the 4", "nearest: 4 or 8"},
    {2, "b", COLL_ALL_REDUCE, "2 ranks are no multiple of the 4", "nearest: 4 "},
    {8, NULL, COLL_ALL_REDUCE, "\"a\" could be anything", "--scale-groups"},
    {8, "c", COLL_ALL_REDUCE, "no trace uses a group \"c\"", ""},
    {8, "b", COLL_ALL_TO_ALL, "all-to-all in group \"b\"", "--scale-groups"},
};

START_TEST(what_does_not_scale_is_refused)
{
    struct mini *mini = mini_job(refused[_i].in_b);
    struct workload scaled;
    struct group_file groups;
    notices_init(&notices);
    ck_assert_int_eq(scale_mini(mini, refused[_i].ranks, refused[_i].grow, &scaled, &groups),
                     STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, refused[_i].message) != NULL, "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint) != NULL, "%s", diag.hint);
    notices_release(&notices);
    mini_free(mini);
}
END_TEST

/* A group that each of its ranks declares in its own trace is one group. */
START_TEST(declared_groups_are_recognised)
{
    static uint32_t low[] = {0, 1}, high[] = {2, 3};
    static struct trace_group declared[] = {{.name = "dp", .ranks = low, .count = 2},
                                            {.name = "dp", .ranks = high, .count = 2}};
    struct mini *mini = mini_new();
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t t = mini_trace_new(mini);
        mini->of_rank[r] = t;
        mini_collective(mini, t, -1, COLL_ALL_REDUCE, 64);
        mini_in_group(mini, t, "dp");
        mini->trace[t].trace.groups = &declared[r / 2];
        mini->trace[t].trace.group_count = 1;
    }
    struct workload scaled;
    struct group_file groups;
    notices_init(&notices);
    ck_assert_msg(!scale_mini(mini, 8, NULL, &scaled, &groups), "%s", diag.message);
    ck_assert_str_eq(show(&groups), "dp 0 1 4 5 | dp~1 2 3 6 7");
    ck_assert_str_eq(scaled.traces[3]->group_names[0], "dp~1");
    scale_release(&scaled);
    group_file_release(&groups);
    notices_release(&notices);
    mini_free(mini);
}
END_TEST

/* A trace that serves all ranks declares its groups for all of them. */
START_TEST(declared_families_are_scaled)
{
    static uint32_t low[] = {0, 1}, high[] = {2, 3}, even[] = {0, 2}, odd[] = {1, 3};
    static struct trace_group declared[] = {
        {.name = "tp", .ranks = low, .count = 2, .is_family = true},
        {.name = "tp", .ranks = high, .count = 2, .is_family = true},
        {.name = "dp", .ranks = even, .count = 2, .is_family = true},
        {.name = "dp", .ranks = odd, .count = 2, .is_family = true}};
    struct mini *mini = mini_new();
    uint32_t t = mini_trace_new(mini);
    mini_collective(mini, t, -1, COLL_ALL_REDUCE, 64);
    mini_in_group(mini, t, "tp");
    mini_collective(mini, t, 0, COLL_ALL_REDUCE, 64);
    mini_in_group(mini, t, "dp");
    mini->trace[t].trace.groups = declared;
    mini->trace[t].trace.group_count = 4;
    struct workload scaled;
    struct group_file groups;
    notices_init(&notices);
    ck_assert_msg(!scale_mini(mini, 8, NULL, &scaled, &groups), "%s", diag.message);
    ck_assert_str_eq(show(&groups), "tp 0 1 | tp 4 5 | tp 2 3 | tp 6 7 | dp 0 2 4 6 | dp 1 3 5 7");
    scale_release(&scaled);
    group_file_release(&groups);
    notices_release(&notices);
    mini_free(mini);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("scale_trace");
    TCase *cases = tcase_create("scale_trace");
    tcase_add_loop_test(cases, groups_of_gradients_grow, 0, 2);
    tcase_add_loop_test(cases, a_scaled_job_is_the_larger_job, 0,
                        (int)(sizeof jobs / sizeof *jobs));
    tcase_add_test(cases, groups_grow_or_are_copied);
    tcase_add_loop_test(cases, what_does_not_scale_is_refused, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(cases, declared_groups_are_recognised);
    tcase_add_test(cases, declared_families_are_scaled);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
