/* rerun: the words of a command say all of its inputs, and parse to the same inputs again. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/mix.h"
#include "cli/rerun.h"
#include "tests/unit/temp_file.h"

static const struct option options[] = {INPUT_OPTIONS, {0}};
static const struct command command = {.name = "run", .options = options};

static uint32_t count_words(const char *const *word)
{
    uint32_t count = 0;
    while (word[count])
        count++;
    return count;
}

/* Parses words, which it needs as options_parse() takes them. */
static void parse(struct inputs *inputs, const char *const *word)
{
    char *argv[100];
    enum asked asked;
    struct diag diag = DIAG_NONE;
    uint32_t count = count_words(word);
    ck_assert_uint_lt(count, 100);
    memcpy(argv, word, count * sizeof *word);
    *inputs = (struct inputs){.word = NULL};
    ck_assert_int_eq(
        options_parse(&command, (int)count, argv, inputs, take_input_word, &asked, &diag),
        STATUS_OK);
}

START_TEST(words_by_hand)
{
    static const char *const given[] = {"job.yaml",
                                        "--no-fold",
                                        "--cluster",
                                        "preset:dgx-h100",
                                        "--plan=tp=8,pp=2",
                                        "--max-time",
                                        "3ms",
                                        "--replicate",
                                        "--set",
                                        "network.dims[0].bandwidth=50GB/s",
                                        "--set",
                                        "system.launch-overhead=2us",
                                        NULL};
    static const char *const wanted[] = {"--cluster=preset:dgx-h100",
                                         "--plan=tp=8,pp=2",
                                         "--replicate=true",
                                         "--max-time=3ms",
                                         "--set=system.launch-overhead=2us",
                                         "--set=network.dims[0].bandwidth=50GB/s",
                                         "job.yaml",
                                         NULL};
    struct arena arena;
    struct inputs inputs;
    arena_init(&arena);
    parse(&inputs, given);
    const char *const *word = rerun_words(&inputs, &arena);
    ck_assert_uint_eq(count_words(word), count_words(wanted));
    for (uint32_t i = 0; word[i]; i++)
        ck_assert_str_eq(word[i], wanted[i]);
    arena_release(&arena);
}
END_TEST

/* Any inputs: their words, parsed, have the same words. */
START_TEST(words_make_a_round)
{
    static const char *const some[] = {"--cluster=a:b=c",
                                       "--plan=tp=2",
                                       "--framework=f.yaml",
                                       "--workload=w",
                                       "--system=s.json",
                                       "--network=n.yml",
                                       "--remote-memory=m",
                                       "--comm-group=g",
                                       "--injection-scale=2",
                                       "--replicate",
                                       "--replicate=false",
                                       "--passes=3",
                                       "--deps=both",
                                       "--no-fold",
                                       "--rendezvous-protocol",
                                       "--network-backend=flow",
                                       "--set=network.injection=1GB/s",
                                       "--set=run.fold=false",
                                       "--set=system.rendezvous=true",
                                       "--set=system.collectives.all-reduce=[ring, direct]",
                                       "--set=network.dims[1].latency=1ns",
                                       "--set=network.dims[1].latency=2ns",
                                       "--max-time=1s"};
    enum { COUNT = sizeof some / sizeof *some };
    uint64_t state = 7;
    for (int trial = 0; trial < 500; trial++) {
        const char *given[COUNT + 3];
        uint32_t n = 0;
        for (int i = 0; i < COUNT; i++) {
            if (random_below(&state, 3) == 0)
                given[n++] = some[i];
        }
        if (random_below(&state, 2)) {
            given[n++] = "--";
            given[n++] = random_below(&state, 2) ? "word" : "-word";
        }
        given[n] = NULL;
        struct arena arena;
        struct inputs first, second;
        arena_init(&arena);
        parse(&first, given);
        const char *const *word = rerun_words(&first, &arena);
        parse(&second, word);
        const char *const *again = rerun_words(&second, &arena);
        ck_assert_uint_eq(count_words(word), count_words(again));
        for (uint32_t i = 0; word[i]; i++)
            ck_assert_str_eq(word[i], again[i]);
        arena_release(&arena);
    }
}
END_TEST

/* A configuration file, and a file that is not there, are left as they are. */
START_TEST(not_a_result)
{
    static const char *const words[] = {"configs/examples/all_reduce.yaml", "nowhere.json", "."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct inputs inputs = {.word = words[i]};
        struct rerun rerun;
        struct diag diag = DIAG_NONE;
        rerun_init(&rerun);
        ck_assert_int_eq(rerun_open(&rerun, &inputs, &diag), STATUS_OK);
        ck_assert_str_eq(inputs.word, words[i]);
        ck_assert(!rerun.is_report && !rerun.is_point);
        rerun_release(&rerun);
    }
}
END_TEST

/* What ends in .db can be nothing but a store. */
START_TEST(a_store_that_is_not_there)
{
    struct inputs inputs = {.word = "nowhere.db:3"};
    struct rerun rerun;
    struct diag diag = DIAG_NONE;
    rerun_init(&rerun);
    ck_assert_int_eq(rerun_open(&rerun, &inputs, &diag), STATUS_IO);
    ck_assert_msg(strstr(diag.message, "store"), "%s", diag.message);
    rerun_release(&rerun);
}
END_TEST

/* A report with any bytes changed is a result, or refused with words; nothing worse. */
START_TEST(damaged_reports)
{
    static const char report[] =
        "{\"schema_version\": \"orrery.run/2\", \"command\": [\"--cluster=preset:dgx-h100\","
        " \"--set=system.rendezvous=true\", \"--no-fold\", \"llama3-8b\"], \"status\": \"ok\","
        " \"end_ps\": 12345, \"provenance\": {\"orrery_version\": \"0.1.0\", \"inputs\":"
        " [{\"role\": \"trace\", \"path\": \"a\", \"content_hash\": \"00ff\"}]}}";
    static const char marks[] = "\"{}[],:-= 0\\\n";
    uint64_t state = 23;
    int good = 0;
    char folder[TEMP_PATH], path[TEMP_PATH + 16];
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/r.json", folder);
    for (int trial = 0; trial < 300; trial++) {
        char text[sizeof report];
        memcpy(text, report, sizeof report);
        for (uint32_t n = random_below(&state, 4); n > 0; n--)
            text[1 + random_below(&state, sizeof report - 2)] =
                random_below(&state, 2) ? marks[random_below(&state, sizeof marks - 1)]
                                        : (char)(32 + random_below(&state, 95));
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fputs(text, file);
        fclose(file);
        struct inputs inputs = {.word = path};
        struct rerun rerun;
        struct diag diag = DIAG_NONE;
        struct config config;
        struct notices notices;
        config_init(&config);
        notices_init(&notices);
        rerun_init(&rerun);
        if (rerun_open(&rerun, &inputs, &diag) == STATUS_OK) {
            good += rerun.is_report;
            rerun_check_inputs(&rerun, &config, NULL, &notices);
        } else {
            ck_assert(diag.status != STATUS_OK && *diag.message);
        }
        rerun_release(&rerun);
        notices_release(&notices);
        config_release(&config);
    }
    temp_folder_remove(folder);
    ck_assert_int_gt(good, 60);
}
END_TEST

static Suite *rerun_suite(void)
{
    Suite *suite = suite_create("rerun");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, words_by_hand);
    tcase_add_test(tcase, words_make_a_round);
    tcase_add_test(tcase, not_a_result);
    tcase_add_test(tcase, a_store_that_is_not_there);
    tcase_add_test(tcase, damaged_reports);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(rerun_suite())
