/* Units of every size and transfers of several arrivals. */
#include "tests/unit/unit.h"

#include "net/model/link_parts.h"

static struct link_parts parts;

static void setup(void)
{
    link_parts_init(&parts);
}

static void teardown(void)
{
    link_parts_release(&parts);
}

/* 64 bytes hold 8 servers, 128 hold 24, ..; a released unit is the next of its size. */
START_TEST(units_by_size)
{
    ck_assert_uint_eq(unit_capacity(0), 8);
    ck_assert_uint_eq(unit_capacity(1), 24);
    uint64_t small = unit_take(&parts, 8), large = unit_take(&parts, 9);
    uint64_t other = unit_take(&parts, 1);
    ck_assert_uint_eq(small >> 32, 0);
    ck_assert_uint_eq(large >> 32, 1);
    ck_assert_uint_ne(small, other);
    ck_assert_uint_eq(unit_take(&parts, 70000) >> 32, 13);
    for (uint32_t i = 0; i < 24; i++)
        unit_at(&parts, large)->server[i] = i;
    unit_release(&parts, small);
    unit_release(&parts, other);
    ck_assert_uint_eq(unit_take(&parts, 3), other);
    ck_assert_uint_eq(unit_take(&parts, 3), small);
    ck_assert_uint_eq(unit_at(&parts, large)->server[23], 23);
}
END_TEST

/* The latest of three arrivals, two of them through a transfer of its own. */
START_TEST(transfers_nest)
{
    uint64_t caller = engine_payload(0, 0); /* any ticket, 0 too */
    uint32_t whole = transfer_take(&parts, caller, 2);
    uint32_t part = transfer_take(&parts, transfer_ticket(whole), 2);
    uint64_t ticket = transfer_ticket(part);
    time_ps when = 70;
    ck_assert(!transfer_arrive(&parts, &ticket, &when));
    when = 50;
    ticket = transfer_ticket(part);
    ck_assert(!transfer_arrive(&parts, &ticket, &when));
    when = 60;
    ticket = transfer_ticket(whole);
    ck_assert(transfer_arrive(&parts, &ticket, &when));
    ck_assert_uint_eq(ticket, caller);
    ck_assert_uint_eq(when, 70);
    uint32_t again = transfer_take(&parts, caller, 1); /* recycled, and reset */
    ck_assert_uint_eq(again, whole);
    ck_assert_uint_eq(transfer_at(&parts, again)->latest, 0);
}
END_TEST

START_TEST(other_tickets_arrive_at_once)
{
    uint64_t ticket = engine_payload(5, 77);
    time_ps when = 9;
    ck_assert(!is_transfer(ticket));
    ck_assert(transfer_arrive(&parts, &ticket, &when));
    ck_assert_uint_eq(ticket, engine_payload(5, 77));
    ck_assert_uint_eq(when, 9);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("link_parts");
    TCase *cases = tcase_create("link_parts");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, units_by_size);
    tcase_add_test(cases, transfers_nest);
    tcase_add_test(cases, other_tickets_arrive_at_once);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
