/* memory_track: high-water marks by hand, and those of random lives against a sum over all of them.
 * */
#include "tests/unit/unit.h"

#include <string.h>

#include "stats/memory_track.h"

enum { NODES = 40, LIVES = 60 };

static struct trace trace;
static struct trace_life life[LIVES];
static struct memory_track track;
static struct run_result result;

static void begin(uint32_t nodes, uint32_t lives, uint64_t fixed_bytes)
{
    static const uint32_t classes[] = {0, 0, 1};
    trace = (struct trace){.count = nodes,
                           .life = life,
                           .life_count = lives,
                           .fixed_bytes = fixed_bytes,
                           .path = "toy"};
    memory_track_init(&track, 2);
    result_init(&result);
    result.rank_count = 3;
    result.class_of_rank = classes;
}

static void end(void)
{
    memory_track_release(&track);
    result_release(&result);
}

static void node(uint32_t rank, uint32_t index, bool has_ended, time_ps now)
{
    memory_track_node(&track, rank, &trace, index, has_ended, now);
}

/* Two activations of 10 and 20 overlap; on the second rank the first is gone before the other
 * comes. */
START_TEST(by_hand)
{
    life[0] = (struct trace_life){0, 2, 10, LIFE_ACTIVATION};
    life[1] = (struct trace_life){1, 3, 20, LIFE_WEIGHT};
    begin(4, 2, 100);
    node(0, 0, false, 5);
    node(0, 0, true, 6);
    node(0, 1, false, 7);
    node(0, 1, true, 8);
    node(0, 2, false, 9);
    node(0, 2, true, 10);
    node(0, 3, false, 11);
    node(0, 3, true, 12);
    node(1, 0, false, 5);
    node(1, 2, false, 6);
    node(1, 2, true, 7);
    node(1, 1, false, 7);
    memory_track_fill(&track, &result);
    ck_assert_uint_eq(result.memory_count, 1);
    const struct memory_row *row = &result.memory[0];
    ck_assert_str_eq(row->trace, "toy");
    ck_assert_uint_eq(row->ranks, 3);
    ck_assert_uint_eq(row->fixed_bytes, 100);
    ck_assert_uint_eq(row->most_bytes, 130);
    ck_assert_uint_eq(row->most_ps, 7);
    ck_assert_uint_eq(row->most_of[LIFE_ACTIVATION], 10);
    ck_assert_uint_eq(row->most_of[LIFE_WEIGHT], 20);
    end();
}
END_TEST

/* A trace that says only what is held throughout. */
START_TEST(fixed_only)
{
    begin(1, 0, 7);
    node(0, 0, false, 3);
    memory_track_fill(&track, &result);
    ck_assert_uint_eq(result.memory[0].most_bytes, 7);
    ck_assert_uint_eq(result.memory[0].ranks, 2); /* the other class has not begun */
    end();
}
END_TEST

static uint32_t drawn(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Nodes one after the other: node i holds what lives from before or at it to it or later. */
static uint64_t most_held(uint32_t lives)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        uint64_t held = 0;
        for (uint32_t l = 0; l < lives; l++)
            held += life[l].first <= i && life[l].last >= i ? life[l].bytes : 0;
        most = held > most ? held : most;
    }
    return most;
}

static int by_first(const void *a, const void *b)
{
    const struct trace_life *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

START_TEST(random_lives)
{
    uint32_t state = 1 + (uint32_t)_i;
    uint32_t lives = drawn(&state, LIVES + 1);
    for (uint32_t l = 0; l < lives; l++) {
        uint32_t first = drawn(&state, NODES);
        life[l] =
            (struct trace_life){first, first + drawn(&state, NODES - first),
                                1 + drawn(&state, 1000), (uint8_t)drawn(&state, LIFE_KIND_COUNT)};
    }
    qsort(life, lives, sizeof *life, by_first);
    begin(NODES, lives, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        node(0, i, false, i);
        node(0, i, true, i);
    }
    memory_track_fill(&track, &result);
    const struct memory_row *row = &result.memory[0];
    ck_assert_uint_eq(row->most_bytes, most_held(lives));
    uint64_t sum = 0;
    for (int kind = 0; kind < LIFE_KIND_COUNT; kind++)
        sum += row->most_of[kind];
    ck_assert_uint_eq(sum, row->most_bytes);
    end();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("memory_track");
    TCase *tcase = tcase_create("memory_track");
    tcase_add_test(tcase, by_hand);
    tcase_add_test(tcase, fixed_only);
    tcase_add_loop_test(tcase, random_lives, 0, 50);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
