/* model_spec: every preset against its published size, counts and flops against closed forms, bad
 * files. */
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "tests/unit/temp_file.h"
#include "workloads/generate/model_count.h"
#include "workloads/generate/preset_files.h"

static struct arena arena;
static struct notices notices;

static void open_all(void)
{
    arena_init(&arena);
    notices_init(&notices);
}

static void close_all(void)
{
    arena_release(&arena);
    notices_release(&notices);
}

static struct model_spec load(const char *name)
{
    struct model_spec spec;
    struct diag diag = DIAG_NONE;
    enum status status = model_spec_load(&spec, name, &arena, &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s: %s", name, diag.field, diag.message);
    return spec;
}

/* -- presets ---------------------------------------------------------------------------------- */

START_TEST(presets_have_their_published_size)
{
    open_all();
    for (const struct embedded_file *file = model_files; file->name; file++) {
        if (strstr(file->text, "family:")) /* those of resnet and dlrm have tests of their own */
            continue;
        struct model_spec spec = load(file->name);
        ck_assert_msg(spec.about && spec.source && spec.checked, "%s: about, source, checked",
                      file->name);
        ck_assert_msg(strcmp(spec.checked, "seen") == 0 || strcmp(spec.checked, "memory") == 0,
                      "%s: checked", file->name);
        ck_assert_msg(spec.published_parameters > 0 || spec.published_note,
                      "%s: no published count, and no note that says why", file->name);
        double ours = (double)model_spec_parameters(&spec);
        double off = spec.published_parameters ? ours / (double)spec.published_parameters - 1 : 0;
        ck_assert_msg(fabs(off) <= 0.01 || spec.published_note, "%s: %.4g of %.4g, %+.2f %%",
                      file->name, ours, (double)spec.published_parameters, 100 * off);
        double active = (double)model_spec_active_parameters(&spec);
        off = spec.published_active ? active / (double)spec.published_active - 1 : 0;
        ck_assert_msg(fabs(off) <= 0.05 || spec.published_note, "%s: active %.4g, %+.2f %%",
                      file->name, active, 100 * off);
    }
    close_all();
}
END_TEST

START_TEST(names_are_found)
{
    ck_assert_str_eq(model_spec_find("llama3-8b"), "llama3-8b");
    ck_assert_str_eq(model_spec_find("Llama-3.1 405B"), "llama3-405b");
    ck_assert_str_eq(model_spec_find("gpt-3 175b"), "gpt3-175b");
    ck_assert_ptr_null(model_spec_find("llama9"));
    /* A name belongs to one preset. */
    open_all();
    for (const struct embedded_file *file = model_files; file->name; file++) {
        if (strstr(file->text, "family:"))
            continue;
        struct model_spec spec = load(file->name);
        for (const char *const *name = spec.also; name && *name; name++)
            ck_assert_msg(strcmp(model_spec_find(*name), file->name) == 0, "%s: %s", file->name,
                          *name);
    }
    close_all();
}
END_TEST

/* -- closed forms ----------------------------------------------------------------------------- */

/*
 * Narayanan 2021, equation 2, plus what it leaves out:
 *   P = 12 l h^2 (1 + 13 / (12 h) + (V + s) / (12 l h)) + 2 h (the final norm)
 */
START_TEST(gpt3_parameters)
{
    open_all();
    struct model_spec spec = load("gpt3-175b");
    uint64_t l = 96, h = 12288, v = 51200, s = 2048;
    ck_assert_uint_eq(model_spec_parameters(&spec),
                      12 * l * h * h + 13 * l * h + (v + s) * h + 2 * h);
    ck_assert_uint_eq(model_spec_active_parameters(&spec), model_spec_parameters(&spec));
    close_all();
}
END_TEST

/* 8,030,261,248: what the checkpoint on the hub has; 70,553,706,496 of the 70B. */
START_TEST(llama_parameters)
{
    open_all();
    struct model_spec small = load("llama3-8b"), large = load("llama3-70b");
    ck_assert_uint_eq(model_spec_parameters(&small), 8030261248);
    ck_assert_uint_eq(model_spec_parameters(&large), 70553706496);
    close_all();
}
END_TEST

/*
 * GPT: 6 s (12 l h^2 + V h) for the products, and causal attention 6 l h s (s + 1): scores and
 * values, 2 x 2 h flops of a pair, three passes, s (s + 1) / 2 pairs.
 */
START_TEST(gpt3_flops)
{
    open_all();
    struct model_spec spec = load("gpt3-175b");
    double l = 96, h = 12288, v = 51200, s = 2048;
    double want = 6 * s * (12 * l * h * h + v * h) + 6 * l * h * s * (s + 1);
    ck_assert_double_eq_tol(model_spec_train_flops(&spec, 2048) / want, 1, 1e-15);
    close_all();
}
END_TEST

START_TEST(pairs_of_positions)
{
    struct model_spec spec = {.window = 3, .global_every = 2};
    ck_assert_uint_eq(count_pairs(&spec, 5, false), 15);
    ck_assert_uint_eq(count_pairs(&spec, 5, true), 1 + 2 + 3 + 3 + 3);
    ck_assert_uint_eq(count_pairs(&spec, 3, true), 6);
    ck_assert(model_layer_is_local(&spec, 0) && !model_layer_is_local(&spec, 1));
    spec.masked_lm = true;
    ck_assert_uint_eq(count_pairs(&spec, 5, false), 25);
}
END_TEST

/* One rank of tp ranks: sharded parts a t-th, norms and row biases on each. */
START_TEST(tensor_parallel_counts)
{
    open_all();
    struct model_spec spec = load("gpt3-175b");
    uint64_t h = 12288, t = 8;
    uint64_t whole = count_layer(&spec, false, 1), part = count_layer(&spec, false, 8);
    ck_assert_uint_eq(whole, 12 * h * h + 13 * h);
    ck_assert_uint_eq(part, (12 * h * h + 3 * h + 4 * h) / t + 2 * h + 4 * h);
    struct model_spec llama = load("llama3-8b");
    ck_assert_uint_eq(count_kv_heads(&llama, 16), 1); /* 8 on 16 ranks: copied */
    close_all();
}
END_TEST

/* -- files of the user ------------------------------------------------------------------------ */

static const struct {
    const char *text, *field, *words;
} bad[] = {
    {"layers: 2\nhidden: 64\nheads: 4\nffn: 256\n", "vocab", "expected a value"},
    {"like: llama3-8\n", "", "llama3-8b"},
    {"like: llama3-8b\nchecked: yesterday\n", "checked", "seen or memory"},
    {"like: llama3-8b\nheads: 31\n", "kv-heads", "divisor"},
    {"like: llama3-8b\nhiden: 31\n", "hiden", "did you mean \"hidden\"?"},
    {"like: llama3-8b\nexperts: {count: 4, top-k: 8}\n", "experts.top-k", "more than"},
    {"like: llama3-8b\nexperts: {count: 4, topk: 8}\n", "experts.topk", "top-k"},
    {"like: llama3-8b\nexperts: {count: 4, imbalance: 0.5}\n", "experts.imbalance", "balanced"},
    {"like: llama3-8b\nexperts: {count: 4, capacity-factor: 2000}\n", "experts.capacity-factor",
     "1024"},
    {"like: llama3-8b\nlayers: 0\n", "layers", "0"},
    {"like: llama3-8b\nlayers: 4096\nhidden: 1048576\nffn: 16777216\nhead-dim: 1\n"
     "experts: {count: 65536}\n",
     "layers", "10^15"},
    {"like: llama3-8b\nposition: learned\nnorm: batch\n", "norm", "layer, rms"},
    {"like: llama3-8b\npublished-parameters: many\n", "published-parameters", "174.6B"},
    {"like: llama3-8b\ndropout: 1\n", "dropout", "less than 1"},
};

START_TEST(refuses)
{
    open_all();
    const char *path = temp_file(bad[_i].text);
    struct model_spec spec;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(model_spec_load(&spec, path, &arena, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad[_i].field);
    bool is_said = strstr(diag.message, bad[_i].words) || strstr(diag.hint, bad[_i].words);
    ck_assert_msg(is_said, "%s / %s", diag.message, diag.hint);
    unlink(path);
    close_all();
}
END_TEST

START_TEST(a_model_like_itself_ends)
{
    open_all();
    const char *path = temp_file("");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "like: %s\n", path);
    fclose(file);
    struct model_spec spec;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(model_spec_load(&spec, path, &arena, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "like");
    ck_assert_str_eq(diag.file, path);
    unlink(path);
    close_all();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("model_spec");
    TCase *tcase = tcase_create("model_spec");
    tcase_add_test(tcase, presets_have_their_published_size);
    tcase_add_test(tcase, names_are_found);
    tcase_add_test(tcase, gpt3_parameters);
    tcase_add_test(tcase, llama_parameters);
    tcase_add_test(tcase, gpt3_flops);
    tcase_add_test(tcase, pairs_of_positions);
    tcase_add_test(tcase, tensor_parallel_counts);
    tcase_add_loop_test(tcase, refuses, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, a_model_like_itself_ends);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
