#include "workloads/generate/job_spec.h"

#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static struct job_spec spec;
static struct notices notices;
static struct diag diag;

static void set_up(void)
{
    diag = DIAG_NONE;
    notices_init(&notices);
    job_spec_init(&spec);
}

static void tear_down(void)
{
    job_spec_release(&spec);
    notices_release(&notices);
}

static enum status load(const char *text)
{
    char folder[TEMP_PATH], path[TEMP_PATH + 16];
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/job.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    enum status status = job_spec_load(&spec, path, &notices, &diag);
    temp_folder_remove(folder);
    return status;
}

START_TEST(a_preset_alone)
{
    ck_assert_msg(job_spec_load(&spec, "llama3-8b", &notices, &diag) == STATUS_OK, "%s",
                  diag.message);
    ck_assert_uint_eq(spec.model.layers, 32);
    ck_assert_str_eq(spec.framework.name, "megatron");
    ck_assert_uint_eq(spec.plan.tp, 1);
    ck_assert_uint_eq(spec.hash, 0);
}
END_TEST

START_TEST(another_framework)
{
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_framework(&spec, "composer", &notices, &diag), STATUS_OK);
    ck_assert_str_eq(spec.framework.name, "composer");
    ck_assert_int_eq(spec.plan.gradient_type, TYPE_BF16); /* what composer decides */
    ck_assert_int_ne(job_spec_framework(&spec, "composr", &notices, &diag), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(diag.hint, "composer"));
}
END_TEST

START_TEST(a_file_and_what_is_said_later)
{
    ck_assert_msg(load("model: llama3-8b\nframework: megatron\n"
                       "plan: {tp: 2, seq: 4096, global-batch: 64, gradient-type: bf16}\n") ==
                      STATUS_OK,
                  "%s", diag.message);
    ck_assert_uint_eq(spec.plan.tp, 2);
    ck_assert_int_eq(spec.plan.gradient_type, TYPE_BF16); /* megatron's own is fp32 */
    ck_assert_uint_ne(spec.hash, 0);
    ck_assert_int_eq(job_spec_override(&spec, "tp=4,pp=2", &diag), STATUS_OK);
    ck_assert_uint_eq(spec.plan.tp, 4);
    ck_assert_uint_eq(spec.plan.seq, 4096);
    ck_assert_msg(job_spec_finish(&spec, 64, &notices, &diag) == STATUS_OK, "%s", diag.message);
    ck_assert_uint_eq(spec.plan.dp, 8);
    ck_assert_uint_eq(spec.plan.micro_batches, 8);
}
END_TEST

static const struct {
    const char *text, *field, *says;
} bad[] = {
    {"model: llama3-9b\n", "", "llama3-9b"},
    {"model: llama3-8b\nframework: megatrom\n", "", "megatrom"},
    {"model: llama3-8b\nnetworks: 1\n", "networks", "keys model, framework and plan"},
    {"modle: llama3-8b\nplan: {tp: 8}\n", "modle", "keys model, framework and plan"},
    {"model: llama3-8b\nplan: {tq: 2}\n", "plan.tq", ""},
    {"model: llama3-8b\nplan: {tp: two}\n", "plan.tp", ""},
    {"model: [llama3-8b]\n", "model", ""},
};

START_TEST(bad_files_are_refused)
{
    ck_assert_int_eq(load(bad[_i].text), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, bad[_i].says));
    ck_assert_ptr_nonnull(strstr(diag.field, bad[_i].field));
}
END_TEST

START_TEST(bad_words_on_the_command_line)
{
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_override(&spec, "tp=", &diag), STATUS_USAGE);
    diag = DIAG_NONE;
    ck_assert_int_eq(job_spec_override(&spec, "tp=2,,", &diag), STATUS_USAGE);
    diag = DIAG_NONE;
    ck_assert_int_eq(job_spec_override(&spec, "width=2", &diag), STATUS_USAGE);
    ck_assert_ptr_nonnull(strstr(diag.field, "width"));
}
END_TEST

START_TEST(what_does_not_fit_is_refused_with_the_nearest)
{
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_override(&spec, "tp=3,seq=8192,global-batch=8", &diag), STATUS_OK);
    ck_assert_int_ne(job_spec_finish(&spec, 8, &notices, &diag), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(diag.hint, "nearest"));
}
END_TEST

START_TEST(devices_of_the_plan_are_those_there_are)
{
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_override(&spec, "ranks=32,tp=8", &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_finish(&spec, 16, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "plan.ranks");
    ck_assert_ptr_nonnull(strstr(diag.message, "32, but there are 16 devices"));
    ck_assert_ptr_nonnull(strstr(diag.hint, "nearest: ranks 16"));
    ck_assert_int_eq(job_spec_finish(&spec, 32, &notices, &diag), STATUS_OK);
}
END_TEST

START_TEST(a_long_plan_is_read_to_its_end)
{
    char text[4096];
    snprintf(text, sizeof text, "tp=8,%3000s seq=4096", "");
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_override(&spec, text, &diag), STATUS_OK);
    ck_assert_uint_eq(spec.plan.seq, 4096);
}
END_TEST

/* The example is the manual of a job's file: all keys of a plan, and a plan that is one. */
START_TEST(the_full_example_has_every_key)
{
    const char *path = "configs/examples/jobs/full.yaml";
    struct doc doc;
    ck_assert_int_eq(doc_load(&doc, path, DOC_YAML, &diag), STATUS_OK);
    const struct doc_node *plan = doc_find(doc.root, "plan");
    for (const struct field *field = train_plan_fields; field->key; field++)
        ck_assert_msg(doc_find(plan, field->key) != NULL, "%s: no plan.%s", path, field->key);
    doc_release(&doc);
    ck_assert_int_eq(job_spec_load(&spec, path, &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_finish(&spec, 64, &notices, &diag), STATUS_OK);
}
END_TEST

static Suite *job_spec_suite(void)
{
    Suite *suite = suite_create("job_spec");
    TCase *tcase = tcase_create("job_spec");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_preset_alone);
    tcase_add_test(tcase, another_framework);
    tcase_add_test(tcase, a_file_and_what_is_said_later);
    tcase_add_loop_test(tcase, bad_files_are_refused, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(tcase, bad_words_on_the_command_line);
    tcase_add_test(tcase, what_does_not_fit_is_refused_with_the_nearest);
    tcase_add_test(tcase, devices_of_the_plan_are_those_there_are);
    tcase_add_test(tcase, a_long_plan_is_read_to_its_end);
    tcase_add_test(tcase, the_full_example_has_every_key);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(job_spec_suite())
