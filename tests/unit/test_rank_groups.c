/* rank_groups: ranks with equal figures are one row, however the run was folded. */
#include "report/rank_groups.h"

#include <string.h>

#include "base/mix.h"
#include "tests/unit/unit.h"

enum { RANKS = 12 };

static struct rank_result figures[RANKS];
static uint32_t class_of_rank[RANKS];
static struct run_result result;
static struct rank_groups groups;

/* A run of RANKS ranks, each a class of its own; rank r's finish time is kind[r]. */
static void make(const char *kind)
{
    memset(figures, 0, sizeof figures);
    result_init(&result);
    for (uint32_t r = 0; r < RANKS; r++) {
        figures[r].finish_ps = (time_ps)kind[r];
        class_of_rank[r] = r;
    }
    result.rank_count = result.class_count = RANKS;
    result.class_of_rank = class_of_rank;
    result.class_result = figures;
    rank_groups_init(&groups, &result);
}

static void release(void)
{
    rank_groups_release(&groups);
    result.class_result = NULL;
    result_release(&result);
}

static const struct {
    const char *kind;
    uint32_t count;
    const char *text[4]; /* of the first groups */
} rows[] = {
    {"aaaaaaaaaaaa", 1, {"0-11"}},
    {"aaaabbbbaaaa", 2, {"0-3, 8-11", "4-7"}},
    {"babababababa", 2, {"0, 2, 4, 6, 8, 10", "1, 3, 5, 7, 9, 11"}},
    {"zaaaaaaaaaay", 3, {"0", "1-10", "11"}},
};

START_TEST(equal_ranks_are_one_group)
{
    char text[RANK_GROUP_TEXT];
    make(rows[_i].kind);
    ck_assert_uint_eq(groups.count, rows[_i].count);
    uint32_t ranks = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        ck_assert_str_eq(rank_groups_text(text, &groups, g), rows[_i].text[g]);
        ranks += groups.group[g].count;
    }
    ck_assert_uint_eq(ranks, RANKS);
    release();
}
END_TEST

/* Folded to two classes or not: the same groups. */
START_TEST(folding_does_not_matter)
{
    char unfolded[2][RANK_GROUP_TEXT], folded[RANK_GROUP_TEXT];
    make("abababababab");
    for (uint32_t g = 0; g < 2; g++)
        rank_groups_text(unfolded[g], &groups, g);
    rank_groups_release(&groups);
    for (uint32_t r = 0; r < RANKS; r++)
        class_of_rank[r] = 1 - r % 2; /* class 0 is that of rank 1 */
    struct rank_result other = figures[0];
    figures[0] = figures[1];
    figures[1] = other;
    result.class_count = 2;
    rank_groups_init(&groups, &result);
    ck_assert_uint_eq(groups.count, 2);
    for (uint32_t g = 0; g < 2; g++)
        ck_assert_str_eq(rank_groups_text(folded, &groups, g), unfolded[g]);
    release();
}
END_TEST

/* At most so many, ascending, with the first and last, and those that finish first and last. */
START_TEST(a_choice_holds_the_ends)
{
    uint32_t pick[RANKS + 4];
    make("mnopazqrstuv"); /* rank 4 finishes first, rank 5 last */
    for (uint32_t most = 4; most <= RANKS; most++) {
        bool has_first = false, has_last = false;
        uint32_t count = rank_groups_pick(&groups, most, pick);
        ck_assert_uint_le(count, most);
        ck_assert_uint_eq(pick[0], 0);
        ck_assert_uint_eq(pick[count - 1], RANKS - 1);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert(i == 0 || pick[i] > pick[i - 1]);
            has_first |= pick[i] == 4;
            has_last |= pick[i] == 5;
        }
        ck_assert(has_first && has_last);
    }
    ck_assert_uint_eq(rank_groups_pick(&groups, RANKS, pick), RANKS);
    release();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("rank_groups");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, equal_ranks_are_one_group, 0, sizeof rows / sizeof *rows);
    tcase_add_test(all, folding_does_not_matter);
    tcase_add_test(all, a_choice_holds_the_ends);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
