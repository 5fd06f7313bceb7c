/* suggest: the nearest known word, and no word where none is near. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/suggest.h"

static const char *const known[] = {"bandwidth", "latency", "npus-count", "topology",
                                    "run",       "ring",    "rings",      NULL};

static const struct {
    const char *word, *nearest;
} words[] = {
    {"latency", "latency"},      /* itself */
    {"bandwith", "bandwidth"},   /* one left out */
    {"bandwwidth", "bandwidth"}, /* one too many */
    {"bandwidht", "bandwidth"},  /* neighbours swapped: one edit */
    {"Bandwidth", "bandwidth"},  /* letter case does not count */
    {"LATENCY", "latency"},
    {"latecny", "latency"},
    {"npus_count", "npus-count"},
    {"rnu", "run"},
    {"rin", "run"},     /* one edit from run and from ring: the first of them */
    {"ringz", "ring"},  /* one from ring and from rings: the first of them */
    {"rigns", "rings"}, /* a swap here, two edits from ring */
    {"tplgy", NULL},    /* 3 edits of 5 letters are too many */
    {"banana", NULL},
    {"x", NULL},
    {"", NULL},
    {"ab", NULL},
};

START_TEST(nearest_of_the_known)
{
    const char *nearest = suggest_nearest(words[_i].word, known);
    if (words[_i].nearest)
        ck_assert_pstr_eq(nearest, words[_i].nearest);
    else
        ck_assert_ptr_null(nearest);
}
END_TEST

START_TEST(no_words_are_known)
{
    static const char *const none[] = {NULL};
    ck_assert_ptr_null(suggest_nearest("run", none));
}
END_TEST

/* Words of up to 63 letters are compared, at most 4 edits apart; longer ones are passed over. */
START_TEST(long_words)
{
    char word[65], other[65];
    const char *const one[] = {other, NULL};
    memset(word, 'a', 64);
    memset(other, 'a', 64);
    word[63] = other[63] = '\0';
    other[5] = other[15] = other[25] = other[35] = 'b';
    ck_assert_ptr_eq(suggest_nearest(word, one), other);
    other[45] = 'b';
    ck_assert_ptr_null(suggest_nearest(word, one));
    memset(other, 'a', 64);
    other[64] = '\0';
    ck_assert_ptr_null(suggest_nearest(word, one));
    word[63] = 'a';
    word[64] = '\0';
    ck_assert_ptr_null(suggest_nearest(word, one));
}
END_TEST

static Suite *suggest_suite(void)
{
    Suite *suite = suite_create("suggest");
    TCase *tcase = tcase_create("suggest");
    tcase_add_loop_test(tcase, nearest_of_the_known, 0, (int)(sizeof words / sizeof *words));
    tcase_add_test(tcase, no_words_are_known);
    tcase_add_test(tcase, long_words);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suggest_suite())
