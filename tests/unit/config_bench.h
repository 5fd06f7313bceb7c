/*
 * config_bench - a fresh configuration with its notices and diag for each test of src/config.
 *
 * Add set_up() and tear_down() as a checked fixture.
 */
#ifndef ORRERY_TESTS_UNIT_CONFIG_BENCH_H
#define ORRERY_TESTS_UNIT_CONFIG_BENCH_H

#include "config/config.h"
#include "tests/unit/unit.h"

static struct config config;
static struct notices notices;
static struct diag diag;

static inline void set_up(void)
{
    config_init(&config);
    notices_init(&notices);
    diag = DIAG_NONE;
}

static inline void tear_down(void)
{
    config_release(&config);
    notices_release(&notices);
}

#endif
