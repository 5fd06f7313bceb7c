/* names: every enum value has its own word, which reads back as the value. */
#include "tests/unit/unit.h"

#include <string.h>

#include "config/names.h"

static const struct {
    const char *const *names;
    unsigned count;
    const char *last;
} tables[] = {
    {net_block_names, NET_SWITCH + 1, "Switch"},
    {net_backend_names, NET_BACKEND_COUNT, "link"},
    {net_routing_names, ROUTING_SIMGRID + 1, "simgrid"},
    {net_forwarding_names, FORWARD_STORE + 1, "store-and-forward"},
    {slot_names, SLOT_COUNT, "barrier"},
    {policy_names, POLICY_EXPLICIT + 1, "EXPLICIT"},
    {optimization_names, COLL_LOCAL_BW_AWARE + 1, "localBWAware"},
    {dim_order_names, DIMS_GREEDY + 1, "greedy"},
    {compute_model_names, COMPUTE_DEVICE + 1, "device"},
    {memory_type_names, MEMORY_POOL + 1, "pool"},
    {deps_mode_names, DEPS_BOTH + 1, "both"},
};

enum { TABLES = sizeof tables / sizeof *tables };

START_TEST(every_value_has_a_word)
{
    const char *const *names = tables[_i].names;
    for (unsigned v = 0; v < tables[_i].count; v++) {
        unsigned found = 99;
        ck_assert_ptr_nonnull(names[v]);
        ck_assert(names_value(names, names[v], &found));
        ck_assert_uint_eq(found, v);
    }
    ck_assert_ptr_null(names[tables[_i].count]);
    ck_assert_str_eq(names[tables[_i].count - 1], tables[_i].last);
}
END_TEST

static const char *const no_words[] = {"ring", "Ring ", "Rin", "", "Switch\n"};

START_TEST(words_are_taken_to_the_letter)
{
    unsigned value = 99;
    ck_assert(!names_value(net_block_names, no_words[_i], &value));
    ck_assert_uint_eq(value, 99);
}
END_TEST

START_TEST(lists_for_messages)
{
    static const char *const one[] = {"a", NULL};
    static const char *const none[] = {NULL};
    char text[64], tight[12];
    ck_assert_str_eq(names_text(text, sizeof text, net_block_names),
                     "Ring, FullyConnected or Switch");
    ck_assert_str_eq(names_text(text, sizeof text, compute_model_names),
                     "replay, roofline or device");
    ck_assert_str_eq(names_text(text, sizeof text, one), "a");
    ck_assert_str_eq(names_text(text, sizeof text, none), "");
    ck_assert_str_eq(names_text(tight, sizeof tight, net_block_names), "Ring, Fully"); /* cut */
}
END_TEST

START_TEST(lists_are_cut_at_every_comma)
{
    char list[] = "flow,,link,", *rest = list;
    ck_assert_str_eq(names_next(&rest), "flow");
    ck_assert_str_eq(names_next(&rest), "");
    ck_assert_str_eq(names_next(&rest), "link");
    ck_assert_str_eq(names_next(&rest), "");
    ck_assert_ptr_null(names_next(&rest));
}
END_TEST

static Suite *names_suite(void)
{
    Suite *suite = suite_create("names");
    TCase *tcase = tcase_create("names");
    tcase_add_loop_test(tcase, every_value_has_a_word, 0, TABLES);
    tcase_add_loop_test(tcase, words_are_taken_to_the_letter, 0,
                        (int)(sizeof no_words / sizeof *no_words));
    tcase_add_test(tcase, lists_for_messages);
    tcase_add_test(tcase, lists_are_cut_at_every_comma);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(names_suite())
