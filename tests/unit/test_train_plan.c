/* train_plan: what is derived, and every refusal with its nearest valid choice. */
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "workloads/generate/framework.h"
#include "workloads/generate/preset_files.h"

static struct arena arena;
static struct notices notices;

static struct model_spec load(const char *name)
{
    struct model_spec spec;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(model_spec_load(&spec, name, &arena, &notices, &diag), STATUS_OK);
    return spec;
}

/* Reads `text` over the defaults and checks it for `model`. */
static enum status check(const char *model, const char *text, struct train_plan *plan,
                         struct diag *diag)
{
    struct doc doc;
    train_plan_defaults(plan);
    ck_assert_int_eq(doc_parse(&doc, "plan.yaml", text, strlen(text), DOC_YAML, diag), STATUS_OK);
    struct field_reader reader = {.doc = &doc, .arena = &arena, .diag = diag, .path = "plan"};
    enum status status = train_plan_read(plan, &reader, doc.root);
    doc_release(&doc);
    struct model_spec spec = load(model);
    if (strcmp(model, "llama3-8b-experts") == 0)
        spec.moe = (struct moe_spec){.experts = 8, .top_k = 2, .ffn = 14336, .every = 1};
    return status == STATUS_OK ? train_plan_check(plan, &spec, &notices, diag) : status;
}

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

START_TEST(derives)
{
    open_all();
    struct train_plan plan;
    struct diag diag = DIAG_NONE;
    const char *text = "{ranks: 1024, tp: 8, pp: 4, seq: 8192, global-batch: 512, interleave: 5}";
    ck_assert_int_eq(check("llama3-70b", text, &plan, &diag), STATUS_OK);
    ck_assert_uint_eq(plan.dp, 32);
    ck_assert_uint_eq(plan.micro_batches, 16);
    ck_assert_int_eq(plan.schedule, PIPE_INTERLEAVED);
    text = "{tp: 2, cp: 2, dp: 3, pp: 5, global-batch: 30}";
    ck_assert_int_eq(check("llama3-70b", text, &plan, &diag), STATUS_OK);
    ck_assert_uint_eq(plan.ranks, 60);
    ck_assert_uint_eq(plan.seq, 8192); /* the model's */
    close_all();
}
END_TEST

static const struct {
    const char *model, *text, *field, *message, *hint;
} bad[] = {
    {"llama3-70b", "{ranks: 1000, tp: 8, pp: 3}", "plan.dp",
     "tp 8 x cp 1 x pp 3 = 24 does not divide 1000 devices", "nearest: pp 5, or 1008 devices"},
    {"llama3-70b", "{ranks: 12, tp: 8}", "plan.dp", "does not divide 12",
     "nearest: tp 4, or 16 devices"}, /* 6 would divide devices, not heads */
    {"llama3-70b", "{ranks: 16, cp: 3, tp: 2}", "plan.dp", "= 6 does not divide 16 devices",
     "nearest: cp 4, or 18 devices"},
    {"llama3-70b", "{ranks: 16, tp: 3, pp: 5}", "plan.dp", "= 15 does not divide 16 devices",
     "nearest: tp 4, pp 4, or 15 devices"},
    {"llama3-70b", "{ranks: 16, tp: 8, pp: 4, dp: 4}", "plan.dp", "= 128, but there are 16 devices",
     "nearest: tp 4 and no dp, or 128 devices"},
    {"llama3-70b", "{ranks: 1024, tp: 7, pp: 4, dp: 32}", "plan.dp", "but there are 1024 devices",
     "nearest: tp 8 and no dp, or 896 devices"},
    {"llama3-70b", "{ranks: 64, tp: 8, dp: 4}", "plan.dp", "= 32, but there are 64 devices",
     "nearest: dp 8"},
    {"llama3-70b", "{tp: 128}", "plan.tp", "64 heads are fewer than tp 128", "nearest: tp 64"},
    {"llama3-70b", "{tp: 7}", "plan.tp", "64 heads do not divide by tp 7", "nearest: tp 8"},
    {"gpt3-175b", "{tp: 5}", "plan.tp", "96 heads do not divide by tp 5", "nearest: tp 4"},
    {"llama3-70b", "{ranks: 56, pp: 7}", "plan.pp",
     "80 layers do not divide by pp 7 x interleave 1 = 7", "nearest: pp 8, or uneven: true"},
    {"llama3-70b", "{pp: 16, interleave: 8, global-batch: 16}", "plan.pp",
     "80 layers are fewer than pp 16 x interleave 8 = 128", "nearest: interleave 5"},
    {"llama3-70b", "{dp: 8, micro-batch: 3, global-batch: 64}", "plan.global-batch",
     "64 sequences do not divide by dp 8 x micro-batch 3",
     "nearest: micro-batch 2, or global-batch 72"},
    {"llama3-70b", "{dp: 8, global-batch: 63}", "plan.global-batch", "63 sequences",
     "nearest: global-batch 64"},
    {"llama3-70b", "{pp: 4, interleave: 5, global-batch: 6}", "plan.interleave",
     "rounds of pp 4, but there are 6", "global-batch 8 (8 micro-batches)"},
    {"llama3-70b", "{interleave: 2}", "plan.interleave", "need a pipeline", "interleave 1"},
    {"llama3-70b", "{pp: 4, interleave: 2, schedule: gpipe, global-batch: 8}", "plan.interleave",
     "gpipe has no virtual stages", "interleave 1"},
    {"llama3-70b", "{dp: 2, ep: 2}", "plan.ep", "no experts", "ep 1"},
    {"llama3-70b", "{cp: 2, seq: 1022}", "plan.seq", "4 pieces", "nearest: seq 1024"},
    {"llama3-70b", "{tp: 64, cp: 2, context: all-to-all}", "plan.cp", "fewer than cp 2",
     "nearest: cp 1"},
    {"gpt3-175b", "{seq: 4096}", "plan.seq", "learned positions for 2048", "seq 2048"},
    {"llama3-70b", "{dp: 8, zero: 3, shard-group: 3}", "plan.shard-group", "do not divide",
     "nearest: shard-group 2"},
    {"llama3-70b", "{pp: 4, recompute: full, recompute-layers: 21}", "plan.recompute-layers",
     "a stage has 20", "recompute-layers 20"},
    {"llama3-70b", "{activation-type: fp8}", "plan.activation-type", "found fp8",
     "compute-type fp8"},
    {"llama3-70b", "{order: tp-dp}", "plan.order", "expected tp, cp, dp and pp", "tp-cp-ep-dp-pp"},
    {"llama3-70b", "{order: tp-cp-dp-pp-tp}", "plan.order", "expected tp", "tp-cp-ep-dp-pp"},
    {"llama3-70b", "{micro-batch: 1000000, seq: 1048576, dp: 1, global-batch: 1000000}",
     "plan.micro-batch", "more than 10^17 numbers", "fewer"},
    {"llama3-70b", "{zero: 4}", "plan.zero", "3", ""},
    {"llama3-70b", "{microbatch: 4}", "plan.microbatch", "unknown key", "micro-batch"},
};

START_TEST(refuses)
{
    open_all();
    struct train_plan plan;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(check(bad[_i].model, bad[_i].text, &plan, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad[_i].field);
    ck_assert_msg(strstr(diag.message, bad[_i].message), "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, bad[_i].hint), "%s", diag.hint);
    close_all();
}
END_TEST

/* What has no meaning beside the rest of the plan is said, and does nothing. */
START_TEST(ignores)
{
    static const struct {
        const char *text, *key;
    } rows[] = {{"{dp: 2, shard-group: 2, zero: 0}", "shard group without zero"},
                {"{recompute: selective, recompute-layers: 2}", "recompute-layers"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_all();
        struct train_plan plan;
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(check("llama3-70b", rows[i].text, &plan, &diag), STATUS_OK);
        ck_assert_uint_eq(plan.shard_group + plan.recompute_layers, 0);
        bool is_said = false;
        for (size_t n = 0; n < notices.count; n++)
            is_said |= notices.row[n].kind == NOTICE_IGNORED &&
                       strcmp(notices.row[n].key, rows[i].key) == 0;
        ck_assert_msg(is_said, "%s", rows[i].text);
        close_all();
    }
}
END_TEST

START_TEST(experts)
{
    open_all();
    struct model_spec spec = load("llama3-8b");
    spec.moe = (struct moe_spec){.experts = 8, .top_k = 2, .ffn = 14336, .every = 1};
    static const struct {
        uint32_t tp, dp, ep, expert_tp, want_tp;
        const char *hint; /* NULL: fine */
    } rows[] = {{2, 4, 4, 0, 2, NULL},
                {2, 4, 8, 0, 1, NULL},
                {1, 8, 8, 1, 1, NULL},
                {1, 8, 3, 0, 0, "ep 2"},
                {1, 2, 8, 0, 0, "nearest: ep 2"},
                {2, 4, 4, 4, 0, "expert-tp 2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct train_plan plan;
        struct diag diag = DIAG_NONE;
        train_plan_defaults(&plan);
        plan.tp = rows[i].tp;
        plan.dp = rows[i].dp;
        plan.ep = rows[i].ep;
        plan.expert_tp = rows[i].expert_tp;
        enum status status = train_plan_check(&plan, &spec, &notices, &diag);
        ck_assert_int_eq(status, rows[i].hint ? STATUS_BAD_CONFIG : STATUS_OK);
        if (rows[i].hint)
            ck_assert_msg(strstr(diag.hint, rows[i].hint), "row %zu: %s", i, diag.hint);
        else
            ck_assert_uint_eq(plan.expert_tp, rows[i].want_tp);
    }
    close_all();
}
END_TEST

/* Every layer is on one stage, in order; outer stages have no more than inner ones. */
START_TEST(stages_hold_all_layers)
{
    static const struct {
        uint32_t layers, pp, interleave, first, second, last;
    } rows[] = {{80, 4, 1, 20, 20, 20}, {126, 16, 8, 0, 1, 0}, {126, 16, 1, 7, 8, 7},
                {31, 4, 1, 8, 8, 7},    {61, 8, 1, 7, 8, 7},   {10, 4, 1, 2, 3, 2},
                {5, 1, 1, 5, 0, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_spec spec = {.layers = rows[i].layers};
        struct train_plan plan = {.pp = rows[i].pp, .interleave = rows[i].interleave};
        uint32_t stages = plan.pp * plan.interleave, next = 0, first;
        for (uint32_t s = 0; s < stages; s++) {
            uint32_t count = stage_layers(&spec, &plan, s, &first);
            ck_assert_uint_eq(first, next);
            next += count;
            if (s == 0)
                ck_assert_uint_eq(count, rows[i].first);
            else if (s == 1)
                ck_assert_uint_eq(count, rows[i].second);
            if (s == stages - 1)
                ck_assert_uint_eq(count, rows[i].last);
        }
        ck_assert_uint_eq(next, rows[i].layers);
    }
}
END_TEST

START_TEST(frameworks_load)
{
    open_all();
    for (const struct embedded_file *file = framework_files; file->name; file++) {
        struct framework framework;
        struct train_plan plan;
        struct diag diag = DIAG_NONE;
        enum status status = framework_load(&framework, file->name, &arena, &notices, &diag);
        ck_assert_msg(status == STATUS_OK, "%s: %s: %s", file->name, diag.field, diag.message);
        ck_assert_msg(framework.about && framework.source, "%s", file->name);
        train_plan_defaults(&plan);
        framework_plan(&framework, &plan);
        ck_assert_int_eq(plan.overlap_tp, framework.overlap_tp);
    }
    struct framework framework;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(framework_load(&framework, "megatro", &arena, &notices, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.hint, "did you mean \"megatron\"?");
    close_all();
}
END_TEST

static const struct {
    const char *text, *field, *says;
} bad_framework[] = {{"matrix-ratio: 1e-300\n", "matrix-ratio", "expected 0.01 to 100"},
                     {"network-ratio: 101\n", "network-ratio", "expected 0.01 to 100"},
                     {"hidden-pp: 1.5\n", "hidden-pp", "expected at most 1"},
                     {"launch: -1us\n", "launch", "0 or more"}};

START_TEST(frameworks_refuse)
{
    open_all();
    struct framework framework;
    struct diag diag = DIAG_NONE;
    const char *path = temp_file(bad_framework[_i].text);
    ck_assert_int_eq(framework_load(&framework, path, &arena, &notices, &diag), STATUS_BAD_CONFIG);
    unlink(path);
    ck_assert_str_eq(diag.field, bad_framework[_i].field);
    ck_assert_msg(strstr(diag.message, bad_framework[_i].says), "%s", diag.message);
    ck_assert_str_eq(diag.file, path);
    close_all();
}
END_TEST

START_TEST(a_framework_like_itself_ends)
{
    open_all();
    char path[TEMP_PATH];
    snprintf(path, sizeof path, "%s", temp_file(""));
    FILE *file = fopen(path, "w");
    fprintf(file, "like: %s\n", path);
    fclose(file);
    struct framework framework;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(framework_load(&framework, path, &arena, &notices, &diag), STATUS_BAD_CONFIG);
    unlink(path);
    ck_assert_str_eq(diag.field, "like");
    ck_assert_str_eq(diag.file, path);
    close_all();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("train_plan");
    TCase *tcase = tcase_create("train_plan");
    tcase_add_test(tcase, derives);
    tcase_add_loop_test(tcase, refuses, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, ignores);
    tcase_add_test(tcase, experts);
    tcase_add_test(tcase, stages_hold_all_layers);
    tcase_add_test(tcase, frameworks_load);
    tcase_add_loop_test(tcase, frameworks_refuse, 0, sizeof bad_framework / sizeof *bad_framework);
    tcase_add_test(tcase, a_framework_like_itself_ends);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
