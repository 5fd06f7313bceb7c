/* Items of one rank and time run together, at the place of the first. */
#include "base/mix.h"
#include "tests/unit/unit.h"

#include "sched/agenda.h"

enum { KIND = 1, RANKS = 3 };

struct log {
    struct agenda agenda;
    struct engine engine;
    uint64_t payload[64];
    uint32_t rank[64];
    int count;
    int add_now; /* items to add for the current time while running */
};

static void on_item(void *context, uint32_t rank, const struct agenda_item *item)
{
    struct log *log = context;
    log->payload[log->count] = item->payload;
    log->rank[log->count++] = rank;
    if (log->add_now > 0) {
        log->add_now--;
        agenda_add(&log->agenda, rank, log->engine.now, 900);
    }
}

static void setup(struct log *log)
{
    *log = (struct log){.count = 0};
    engine_init(&log->engine);
    ck_assert(agenda_init(&log->agenda, &log->engine, RANKS, KIND, true, on_item, log));
}

static void teardown(struct log *log)
{
    agenda_release(&log->agenda);
    engine_release(&log->engine);
}

START_TEST(groups_run_at_the_place_of_their_first_item)
{
    struct log log;
    setup(&log);
    agenda_add(&log.agenda, 0, 100, 1);
    agenda_add(&log.agenda, 1, 100, 2);
    agenda_add(&log.agenda, 0, 100, 3); /* joins 1: before 2 */
    agenda_add(&log.agenda, 0, 50, 4);
    agenda_add(&log.agenda, 0, 70, 5);
    log.add_now = 1; /* from the first item run, 4: at the end of its group */
    engine_run(&log.engine, 100, TIME_NEVER);
    const uint64_t expected[] = {4, 900, 5, 1, 3, 2};
    ck_assert_int_eq(log.count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(log.payload[i], expected[i]);
    ck_assert_uint_eq(log.engine.processed, 4); /* groups, not items */
    teardown(&log);
}
END_TEST

/* Random adds against a dumb twin: sort by (time, place of the group's first item, item). */
START_TEST(order_matches_the_dumb_twin)
{
    struct log log;
    setup(&log);
    struct {
        uint64_t time, group_place;
        uint32_t rank;
    } item[48];
    uint64_t state = 7 + (uint64_t)_i;
    for (uint64_t i = 0; i < 48; i++) {
        uint64_t random = random_next(&state);
        item[i].time = 10 + (random >> 60);
        item[i].rank = (uint32_t)(random >> 40) % RANKS;
        item[i].group_place = i;
        for (uint64_t j = 0; j < i; j++) {
            if (item[j].time == item[i].time && item[j].rank == item[i].rank) {
                item[i].group_place = item[j].group_place;
                break;
            }
        }
        agenda_add(&log.agenda, item[i].rank, item[i].time, i);
    }
    engine_run(&log.engine, 1000, TIME_NEVER);
    ck_assert_int_eq(log.count, 48);
    for (int k = 1; k < 48; k++) {
        uint64_t a = log.payload[k - 1], b = log.payload[k];
        ck_assert_uint_le(item[a].time, item[b].time);
        if (item[a].time == item[b].time)
            ck_assert_uint_le(item[a].group_place, item[b].group_place);
        if (item[a].group_place == item[b].group_place)
            ck_assert_uint_lt(a, b);
    }
    teardown(&log);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("agenda");
    TCase *cases = tcase_create("agenda");
    tcase_add_test(cases, groups_run_at_the_place_of_their_first_item);
    tcase_add_loop_test(cases, order_matches_the_dumb_twin, 0, 8);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
