/* study, axis_values, points, identity, quantity: from a file's text to points and what they
 * are. */
#include "sweep/study.h"

#include <math.h>
#include <string.h>

#include "sweep/identity.h"
#include "sweep/points.h"
#include "sweep/quantity.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static enum status any_key(const void *context, const char *key, struct diag *diag)
{
    (void)context;
    return strcmp(key, "wrong") == 0 ? diag_fail(diag, STATUS_BAD_CONFIG, "no such key")
                                     : STATUS_OK;
}

static const struct study_keys keys = {any_key, NULL};
static char path[TEMP_PATH]; /* of the last study */

static enum status load(struct study *study, const char *text, struct diag *diag)
{
    snprintf(path, sizeof path, "%s", temp_file(text));
    *diag = DIAG_NONE;
    enum status status = study_load(study, path, &keys, diag);
    unlink(path);
    return status;
}

/* The values of the first axis with commas between, as the file says it. */
static const struct {
    const char *axis, *values; /* NULL: refused */
} axes[] = {
    {"[1, 2, 4]", "1,2,4"},
    {"[a, true, 50GB/s]", "a,true,50GB/s"},
    {"{from: 1, to: 8, factor: 2}", "1,2,4,8"},
    {"{from: 1, to: 7, factor: 2}", "1,2,4"},
    {"{from: 0, to: 1, step: 0.1}", "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"},
    {"{from: 100GB/s, to: 400GB/s, step: 100GB/s}", "100GB/s,200GB/s,300GB/s,400GB/s"},
    {"{from: 1us, to: 2us, count: 3}", "1us,1.5us,2us"},
    {"{from: 4, to: 1, count: 4}", "4,3,2,1"},
    {"{from: 1, to: 1000, count: 4, scale: log}", "1,10,100,1000"},
    {"{from: 3, to: 9, count: 1}", "3"},
    {"{from: 5, to: 5, step: 1}", "5"},
    {"[]", NULL},
    {"[[1]]", NULL},
    {"7", NULL},
    {"{from: 1, to: 8}", NULL},
    {"{from: 1, to: 8, step: 1, count: 2}", NULL},
    {"{from: 1, to: 8, step: 0}", NULL},
    {"{from: 8, to: 1, step: 1}", NULL},
    {"{from: 0, to: 8, factor: 2}", NULL},
    {"{from: 1, to: 8, factor: 1}", NULL},
    {"{from: 0, to: 8, count: 3, scale: log}", NULL},
    {"{from: 1us, to: 8ns, count: 3}", NULL},
    {"{from: 1, to: 1e12, step: 1}", NULL},
    {"{from: x, to: 8, step: 1}", NULL},
    {"{from: 1, to: 8, stp: 1}", NULL},
    {"{from: 1, to: 8, count: 0}", NULL},
};

START_TEST(reads_axes)
{
    struct study study;
    struct diag diag;
    char text[200], joined[200] = "";
    snprintf(text, sizeof text, "base: {}\naxes:\n  x: %s\n", axes[_i].axis);
    enum status status = load(&study, text, &diag);
    ck_assert_msg((status == STATUS_OK) == (axes[_i].values != NULL), "%s: %s", text, diag.message);
    for (uint32_t i = 0; status == STATUS_OK && i < study.axis[0].count; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? "," : "",
                 study.axis[0].text[i]);
    if (status == STATUS_OK)
        ck_assert_str_eq(joined, axes[_i].values);
    else
        ck_assert_str_eq(diag.file, path);
    study_release(&study);
}
END_TEST

static const char *const refused[] = {
    "axes: {x: [1]}",
    "base: {}\naxes: {wrong: [1]}",
    "base: {wrong: 1}",
    "base: [1]",
    "base: {x: [1]}",
    "base: {}\naxes: {x: [1]}\nzip: [{x: [1]}]",
    "base: {}\nzip: [{x: [1, 2], y: [1]}]",
    "base: {}\nzip: {x: [1, 2]}",
    "base: {}\naxes: {x: [1, 2, 1]}",
    "base: {}\nfiltr: x",
    "base: {}\nsample: {count: 0, seed: 1}",
    "base: {}\nsample: {count: 3}",
    "base: {}\nlimits: {time: 0s}",
    "base: {}\nlimits: {time: 5}",
    "base: {}\nlimits: {memory: 5m}",
    "base: {}\nlimits: {mem: 5GB}",
    "",
    "[1]",
};

START_TEST(refuses)
{
    struct study study;
    struct diag diag;
    ck_assert_int_ne(load(&study, refused[_i], &diag), STATUS_OK);
    ck_assert_int_ne(diag.status, STATUS_OK);
    ck_assert_str_ne(diag.message, "");
    study_release(&study);
}
END_TEST

static const char grid[] = "base: {model: m}\n"
                           "axes: {a: [1, 2, 3], b: [x, y]}\n"
                           "zip: [{c: [10, 20], d: [u, v]}]\n";

START_TEST(grid_has_its_order)
{
    struct study study;
    struct diag diag;
    struct points points;
    uint32_t value[STUDY_AXES];
    ck_assert_int_eq(load(&study, grid, &diag), STATUS_OK);
    ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_OK);
    ck_assert_uint_eq(points.count, 12);
    points_values(&study, 0, value);
    ck_assert_uint_eq(value[0] + value[1] + value[2] + value[3], 0);
    points_values(&study, 1, value); /* the last group varies fastest, and its axes together */
    ck_assert(value[0] == 0 && value[1] == 0 && value[2] == 1 && value[3] == 1);
    points_values(&study, 11, value);
    ck_assert(value[0] == 2 && value[1] == 1 && value[2] == 1 && value[3] == 1);
    study_release(&study);
}
END_TEST

START_TEST(filter_and_sample)
{
    struct study study;
    struct diag diag;
    struct points points, again;
    char text[400];
    snprintf(text, sizeof text, "%sfilter: a >= 2 and b == 'x'\n", grid);
    ck_assert_int_eq(load(&study, text, &diag), STATUS_OK);
    ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_OK);
    ck_assert_uint_eq(points.count, 4);
    study.filter = "a > 3";
    ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_BAD_CONFIG);
    diag = DIAG_NONE;
    study.filter = "b + 1 > 0";
    ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_BAD_CONFIG);
    study.filter = NULL;
    for (uint32_t count = 1; count <= 13; count++) {
        diag = DIAG_NONE;
        study.sample_count = count;
        study.seed = count;
        ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_OK);
        ck_assert_int_eq(points_find(&again, &study, &study.arena, &diag), STATUS_OK);
        ck_assert_uint_eq(points.count, count < 12 ? count : 12);
        ck_assert_mem_eq(points.place, again.place, points.count * sizeof *points.place);
        for (uint32_t i = 1; i < points.count; i++)
            ck_assert_uint_lt(points.place[i - 1], points.place[i]);
    }
    study_release(&study);
}
END_TEST

/* Each of 12 places in half of 2,000 samples of 6: 1000 +- 5 sigma (112). */
START_TEST(sample_is_even)
{
    struct study study;
    struct diag diag;
    struct points points;
    uint32_t seen[12] = {0};
    ck_assert_int_eq(load(&study, grid, &diag), STATUS_OK);
    study.sample_count = 6;
    for (study.seed = 0; study.seed < 2000; study.seed++) {
        ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_OK);
        for (uint32_t i = 0; i < points.count; i++)
            seen[points.place[i]]++;
    }
    for (int i = 0; i < 12; i++)
        ck_assert(seen[i] > 888 && seen[i] < 1112);
    study_release(&study);
}
END_TEST

START_TEST(refuses_a_grid_too_large)
{
    struct study study;
    struct diag diag;
    struct points points;
    ck_assert_int_eq(load(&study,
                          "base: {}\naxes:\n  a: {from: 1, to: 10000, step: 1}\n"
                          "  b: {from: 1, to: 10000, step: 1}\n",
                          &diag),
                     STATUS_OK);
    ck_assert_int_eq(points_find(&points, &study, &study.arena, &diag), STATUS_BAD_CONFIG);
    study_release(&study);
}
END_TEST

static struct identity identity_of(const char *text, uint32_t place, const char *program)
{
    struct study study;
    struct diag diag;
    ck_assert_int_eq(load(&study, text, &diag), STATUS_OK);
    struct identity identity = identity_of_request(&study, place, program);
    study_release(&study);
    return identity;
}

START_TEST(identity_is_of_what_counts)
{
    struct identity one = identity_of("base: {p: 1, q: 2}\naxes: {a: [5, 6]}", 1, "v1");
    /* the order of keys, other values of the axis, limits and an overridden base do not count */
    ck_assert(identity_equal(one, identity_of("base: {q: 2, p: 1}\naxes: {a: [6]}", 0, "v1")));
    ck_assert(identity_equal(one, identity_of("base: {q: 2, a: 6}\naxes: {p: [1]}", 0, "v1")));
    ck_assert(identity_equal(
        one,
        identity_of("base: {q: 2, a: 9}\naxes: {p: [1], a: [6]}\nlimits: {time: 1s}", 0, "v1")));
    ck_assert(!identity_equal(one, identity_of("base: {p: 1, q: 2}\naxes: {a: [5, 6]}", 0, "v1")));
    ck_assert(!identity_equal(one, identity_of("base: {p: 1, q: 2}\naxes: {a: [5, 6]}", 1, "v2")));
    ck_assert(!identity_equal(one, identity_of("base: {p: 2, q: 1}\naxes: {a: [5, 6]}", 1, "v1")));
}
END_TEST

START_TEST(points_of_a_grid_differ)
{
    struct study study;
    struct diag diag;
    struct identity seen[12];
    ck_assert_int_eq(load(&study, grid, &diag), STATUS_OK);
    for (uint32_t i = 0; i < 12; i++) {
        seen[i] = identity_of_request(&study, i, "v");
        for (uint32_t k = 0; k < i; k++)
            ck_assert(!identity_equal(seen[i], seen[k]));
    }
    study_release(&study);
}
END_TEST

static const struct {
    const char *text;
    double number; /* NAN: a text */
} quantities[] = {
    {"8", 8},          {"-2.5", -2.5},      {"1e3", 1000},   {"50GB/s", 5e10},
    {"400Gbps", 5e10}, {"64MiB", 67108864}, {"1.5us", 1500}, {"1TFLOPS", 1e12},
    {"true", 1},       {"false", 0},        {"flow", NAN},   {"8x", NAN},
    {"0x10", NAN},     {"", NAN},           {"nan", NAN},    {"inf", NAN},
    {"preset:a", NAN}, {"1e999", NAN},
};

START_TEST(reads_quantities)
{
    double number;
    bool is_number = quantity_parse(quantities[_i].text, &number);
    ck_assert_msg(is_number == !isnan(quantities[_i].number), "%s", quantities[_i].text);
    if (is_number)
        ck_assert_double_eq(number, quantities[_i].number);
    else
        ck_assert(isnan(number));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("study");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, reads_axes, 0, sizeof axes / sizeof *axes);
    tcase_add_loop_test(all, refuses, 0, sizeof refused / sizeof *refused);
    tcase_add_test(all, grid_has_its_order);
    tcase_add_test(all, filter_and_sample);
    tcase_add_test(all, sample_is_even);
    tcase_add_test(all, refuses_a_grid_too_large);
    tcase_add_test(all, identity_is_of_what_counts);
    tcase_add_test(all, points_of_a_grid_differ);
    tcase_add_loop_test(all, reads_quantities, 0, sizeof quantities / sizeof *quantities);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
