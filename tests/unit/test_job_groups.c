/* job_groups: Megatron-LM's own example, every kind, orders, and every rank in one group of each
 * kind. */
#include <string.h>

#include "tests/unit/unit.h"
#include "workloads/generate/job_groups.h"

static struct job_layout layout;
static struct group_file groups;
static struct diag diag;

static enum status make(struct train_plan plan, uint32_t kinds)
{
    diag = DIAG_NONE;
    group_file_init(&groups);
    plan.ranks = plan.tp * plan.cp * plan.dp * plan.pp;
    enum status status = job_layout_init(&layout, &plan, &diag);
    if (!status)
        job_groups_make(&groups, &layout, kinds);
    return status;
}

/* "tp 0 1 | tp 2 3", as the entries stand. */
static const char *show(void)
{
    static char text[4096];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t g = 0; g < groups.count; g++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", g ? " | " : "",
                               groups.entry[g].name);
        for (uint32_t i = 0; i < groups.entry[g].count; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", groups.entry[g].ranks[i]);
    }
    return text;
}

static const struct {
    struct train_plan plan;
    enum group_kind kind;
    const char *expected;
} rows[] = {
    /* parallel_state.py's comment: 16 ranks, tp 2, pp 4: 8 tp groups, 8 dp groups, 4 pp groups */
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 4},
     GROUP_TP,
     "tp 0 1 | tp 2 3 | tp 4 5 | tp 6 7 | tp 8 9 | tp 10 11 | tp 12 13 | tp 14 15"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 4},
     GROUP_DP,
     "dp 0 2 | dp 1 3 | dp 4 6 | dp 5 7 | dp 8 10 | dp 9 11 | dp 12 14 | dp 13 15"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 4},
     GROUP_PP,
     "pp 0 4 8 12 | pp 1 5 9 13 | pp 2 6 10 14 | pp 3 7 11 15"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 4},
     GROUP_EMBEDDING,
     "embedding 0 12 | embedding 1 13 | embedding 2 14 | embedding 3 15"},
    {{.tp = 2, .cp = 2, .dp = 2, .pp = 1}, GROUP_DP_CP, "dp-cp 0 2 4 6 | dp-cp 1 3 5 7"},
    {{.tp = 2, .cp = 2, .dp = 2, .pp = 1}, GROUP_CP, "cp 0 2 | cp 1 3 | cp 4 6 | cp 5 7"},
    /* experts: tp 1 inside, ep 4 takes tp x dp */
    {{.tp = 2, .cp = 1, .dp = 4, .pp = 1, .ep = 4, .expert_tp = 1},
     GROUP_EP,
     "ep 0 1 2 3 | ep 4 5 6 7"},
    {{.tp = 2, .cp = 1, .dp = 4, .pp = 1, .ep = 4, .expert_tp = 1},
     GROUP_EXPERT_DP,
     "expert-dp 0 4 | expert-dp 1 5 | expert-dp 2 6 | expert-dp 3 7"},
    {{.tp = 2, .cp = 1, .dp = 4, .pp = 1, .ep = 2, .expert_tp = 2},
     GROUP_EXPERT_TP,
     "expert-tp 0 1 | expert-tp 2 3 | expert-tp 4 5 | expert-tp 6 7"},
    {{.tp = 1, .cp = 1, .dp = 8, .pp = 1, .shard_group = 4},
     GROUP_SHARD,
     "shard 0 1 2 3 | shard 4 5 6 7"},
    {{.tp = 1, .cp = 1, .dp = 8, .pp = 1, .shard_group = 4},
     GROUP_REPLICA,
     "replica 0 4 | replica 1 5 | replica 2 6 | replica 3 7"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 2, .order = "tp-pp-dp-cp"},
     GROUP_PP,
     "pp 0 2 | pp 1 3 | pp 4 6 | pp 5 7"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 1, .order = "dp-tp-cp-pp-ep"}, GROUP_TP, "tp 0 2 | tp 1 3"},
    {{.tp = 2, .cp = 1, .dp = 1, .pp = 1}, GROUP_DP, ""}, /* one member: no group */
};

START_TEST(groups_are_those_of_the_order)
{
    ck_assert_msg(make(rows[_i].plan, 1u << rows[_i].kind) == STATUS_OK, "%s", diag.message);
    ck_assert_str_eq(show(), rows[_i].expected);
    group_file_release(&groups);
}
END_TEST

/* Every rank stands once in each kind but embedding, in a group of the size that is promised. */
START_TEST(every_rank_is_in_one_group_of_each_kind)
{
    const struct train_plan plan = {
        .tp = 4, .cp = 2, .dp = 6, .pp = 3, .ep = 8, .expert_tp = 2, .shard_group = 3};
    ck_assert_int_eq(make(plan, ~0u), STATUS_OK);
    uint32_t seen[GROUP_KIND_COUNT][144] = {{0}};
    for (uint32_t g = 0; g < groups.count; g++) {
        enum group_kind kind = 0;
        while (strcmp(job_group_name(kind), groups.entry[g].name) != 0)
            kind++;
        ck_assert_uint_eq(groups.entry[g].count, job_group_size(&layout, kind));
        for (uint32_t i = 0; i < groups.entry[g].count; i++) {
            seen[kind][groups.entry[g].ranks[i]]++;
            ck_assert(i == 0 || groups.entry[g].ranks[i] > groups.entry[g].ranks[i - 1]);
        }
    }
    for (int kind = 0; kind < GROUP_KIND_COUNT; kind++) {
        for (uint32_t r = 0; r < 144; r++) {
            bool is_end = job_layout_stage(&layout, r) != 1;
            ck_assert_uint_eq(seen[kind][r], kind != GROUP_EMBEDDING || is_end);
        }
    }
    group_file_release(&groups);
}
END_TEST

static const struct {
    struct train_plan plan;
    const char *message;
} refused[] = {
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 2, .order = "tp-xp-dp-pp"}, "none of tp, cp, ep, dp, pp"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 2, .order = "tp-cp-tp-dp-pp"}, "twice"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 2, .order = "tp-dp-pp"}, "leaves a dimension out"},
    {{.tp = 2, .cp = 1, .dp = 2, .pp = 2, .ep = 4, .expert_tp = 1, .order = "tp-pp-cp-ep-dp"},
     "another pipeline stage"},
};

START_TEST(bad_orders_are_refused)
{
    ck_assert_int_eq(make(refused[_i].plan, ~0u), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, refused[_i].message) != NULL, "%s", diag.message);
    ck_assert_str_eq(diag.field, "order");
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("job_groups");
    TCase *cases = tcase_create("job_groups");
    tcase_add_loop_test(cases, groups_are_those_of_the_order, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(cases, every_rank_is_in_one_group_of_each_kind);
    tcase_add_loop_test(cases, bad_orders_are_refused, 0, (int)(sizeof refused / sizeof *refused));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
