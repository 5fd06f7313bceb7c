/* Factors of mean 1: moments of each distribution, and that a factor is a function of its place. */
#include <math.h>

#include "model/jitter.h"
#include "tests/unit/unit.h"

enum { DRAWS = 200000 };

static const double ratios[] = {0.02, 0.09, 0.3};

static struct variation_config config_of(enum jitter_form form)
{
    return (struct variation_config){.form = form, .seed = 7, .sample = 3};
}

/* The mean of n draws is within 5 standard errors (c / sqrt n) of 1; their deviation within 2 % of
 * c (its relative error is about 1 / sqrt(2 n) = 0.16 %, more where tails are long). */
START_TEST(each_distribution_has_mean_one_and_its_deviation)
{
    for (enum jitter_form form = JITTER_LOGNORMAL; form < JITTER_NONE; form++) {
        for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
            struct variation_config config = config_of(form);
            struct jitter jitter;
            double sum = 0, squares = 0;
            jitter_init(&jitter, &config, JITTER_OF_OP, ratios[r]);
            for (uint32_t i = 0; i < DRAWS; i++) {
                double factor = jitter_factor(&jitter, i % 64, i / 64);
                ck_assert_double_ge(factor, 0);
                sum += factor;
                squares += (factor - 1) * (factor - 1);
            }
            ck_assert_double_eq_tol(sum / DRAWS, 1, 5 * ratios[r] / sqrt(DRAWS));
            ck_assert_double_eq_tol(sqrt(squares / DRAWS) / ratios[r], 1, 0.02);
        }
    }
}
END_TEST

/* P(factor > 1 + 2 c): normal 2.28 %; exponential P(E > 3) = 4.98 %. */
START_TEST(tails_are_those_of_the_distribution)
{
    static const struct {
        enum jitter_form form;
        double share;
    } rows[] = {{JITTER_NORMAL, 0.02275}, {JITTER_EXPONENTIAL, 0.04979}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct variation_config config = config_of(rows[i].form);
        struct jitter jitter;
        uint32_t above = 0;
        jitter_init(&jitter, &config, JITTER_OF_OP, 0.1);
        for (uint32_t k = 0; k < DRAWS; k++)
            above += jitter_factor(&jitter, 1, k) > 1.2;
        ck_assert_double_eq_tol((double)above / DRAWS, rows[i].share, 0.002);
    }
}
END_TEST

START_TEST(a_factor_belongs_to_seed_sample_stream_and_place)
{
    struct variation_config config = config_of(JITTER_LOGNORMAL);
    struct jitter jitter, other;
    jitter_init(&jitter, &config, JITTER_OF_OP, 0.1);
    double factor = jitter_factor(&jitter, 5, 9);
    jitter_factor(&jitter, 1, 1); /* what is drawn between changes nothing */
    ck_assert(jitter_factor(&jitter, 5, 9) == factor);
    ck_assert(jitter_factor(&jitter, 9, 5) != factor);
    jitter_init(&other, &config, JITTER_OF_RANK, 0.1);
    ck_assert(jitter_factor(&other, 5, 9) != factor);
    config.sample++;
    jitter_init(&other, &config, JITTER_OF_OP, 0.1);
    ck_assert(jitter_factor(&other, 5, 9) != factor);
    config.sample--;
    config.seed++;
    jitter_init(&other, &config, JITTER_OF_OP, 0.1);
    ck_assert(jitter_factor(&other, 5, 9) != factor);
}
END_TEST

START_TEST(nothing_varies_at_ratio_zero_or_none)
{
    struct variation_config config = config_of(JITTER_NONE);
    struct jitter jitter;
    jitter_init(&jitter, &config, JITTER_OF_OP, 0.5);
    ck_assert(!jitter_is_on(&jitter) && jitter_factor(&jitter, 1, 2) == 1);
    config.form = JITTER_GAMMA;
    jitter_init(&jitter, &config, JITTER_OF_OP, 0);
    ck_assert(!jitter_is_on(&jitter) && jitter_factor(&jitter, 1, 2) == 1);
    config.op_ratio = 0.1;
    ck_assert(variation_is_random(&config));
    config.form = JITTER_NONE;
    ck_assert(!variation_is_random(&config) && !variation_is_on(&config));
    config.slow_ranks = "rank 1: 2x";
    ck_assert(!variation_is_random(&config) && variation_is_on(&config));
}
END_TEST

START_TEST(a_wide_normal_distribution_is_refused)
{
    struct config config = {.variation = config_of(JITTER_NORMAL)};
    struct diag diag = DIAG_NONE;
    config.variation.rank_ratio = 0.3;
    ck_assert_int_eq(variation_check(&config, &diag), STATUS_OK);
    config.variation.rank_ratio = 0.31;
    ck_assert_int_eq(variation_check(&config, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "variation.rank-jitter");
}
END_TEST

START_TEST(links_vary_where_the_model_sees_them)
{
    static const struct {
        enum net_backend backend;
        double link_ratio;
        const char *slow_links, *field;
    } rows[] = {
        {NET_FLOW, 0.1, "x", ""},
        {NET_ANALYTICAL, 0.1, "x", ""},
        {NET_LINK, 0.1, NULL, ""},
        {NET_LINK, 0.1, "x", "variation.slow-links"},
        {NET_IDEAL, 0.1, NULL, "variation.link-jitter"},
        {NET_CONGESTION_UNAWARE, 0, "x", "variation.slow-links"},
        {NET_CONGESTION_AWARE, 0, NULL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config = {.network.backend = rows[i].backend,
                                .variation = config_of(JITTER_LOGNORMAL)};
        struct diag diag = DIAG_NONE;
        config.variation.link_ratio = rows[i].link_ratio;
        config.variation.slow_links = rows[i].slow_links;
        ck_assert_int_eq(variation_check(&config, &diag) != STATUS_OK, *rows[i].field != '\0');
        ck_assert_str_eq(diag.field, rows[i].field);
    }
}
END_TEST

static Suite *jitter_suite(void)
{
    Suite *suite = suite_create("jitter");
    TCase *tcase = tcase_create("jitter");
    tcase_add_test(tcase, each_distribution_has_mean_one_and_its_deviation);
    tcase_add_test(tcase, tails_are_those_of_the_distribution);
    tcase_add_test(tcase, a_factor_belongs_to_seed_sample_stream_and_place);
    tcase_add_test(tcase, nothing_varies_at_ratio_zero_or_none);
    tcase_add_test(tcase, a_wide_normal_distribution_is_refused);
    tcase_add_test(tcase, links_vary_where_the_model_sees_them);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(jitter_suite())
