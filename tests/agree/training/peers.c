/*
 * Calculon's reference rows (data/peers/calculon_reference.jsonl) beside orrery's estimate of the
 * same plan.
 *
 * What the two count differently, on purpose:
 *   Calculon leaves out the vocabulary (embedding, output matrix, loss), the host's launches and a
 *   step's host time; it takes matrix efficiency from a table over flops (0.95 above 128 GFLOP, 0.1
 *   below 1), orrery from tiles, waves and the sustained clock; its NVLink carries 65 % and its
 *   InfiniBand 90 % of the sheet's rate at any size; it exposes all of a data-parallel all-reduce
 *   that is not overlapped at the end of the step, as orrery does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/file.h"
#include "tests/agree/training/training.h"

static const struct {
    const char *name;
    uint32_t layers, heads;
    uint64_t hidden;
} peer_models[] = {{"gpt3-13B", 40, 40, 5120},
                   {"gpt3-175B", 96, 96, 12288},
                   {"megatron-22B", 48, 64, 6144},
                   {"turing-530B", 105, 128, 20480},
                   {"megatron-1T", 128, 160, 25600}};

struct peer {
    const char *kind, *model, *system;
    double theirs_s, ours_s, published_s;
};

static double number_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_NUMBER ? node->number : 0;
}

static const char *text_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_TEXT ? node->text : "";
}

static bool flag_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_BOOL && node->boolean;
}

static bool peer_model(struct model_spec *model, const char *name)
{
    for (size_t i = 0; i < sizeof peer_models / sizeof *peer_models; i++) {
        if (strcmp(peer_models[i].name, name) != 0)
            continue;
        *model = (struct model_spec){.name = name,
                                     .family = MODEL_TRANSFORMER,
                                     .layers = peer_models[i].layers,
                                     .heads = peer_models[i].heads,
                                     .kv_heads = peer_models[i].heads,
                                     .hidden = peer_models[i].hidden,
                                     .ffn = 4 * peer_models[i].hidden,
                                     .vocab = 51200,
                                     .max_seq = 2048,
                                     .bias = BIAS_ALL,
                                     .norm = NORM_LAYER,
                                     .norm_bias = true,
                                     .norms_per_layer = 2,
                                     .position = POSITION_LEARNED,
                                     .tied_embeddings = true};
        model->head_dim = (uint32_t)(model->hidden / model->heads);
        return true;
    }
    return false;
}

static void peer_plan(struct train_plan *plan, const struct doc_node *exe,
                      const struct framework *framework)
{
    train_plan_defaults(plan);
    framework_plan(framework, plan);
    plan->ranks = (uint32_t)number_of(exe, "num_procs");
    plan->tp = (uint32_t)number_of(exe, "tensor_par");
    plan->pp = (uint32_t)number_of(exe, "pipeline_par");
    plan->dp = (uint32_t)number_of(exe, "data_par");
    plan->interleave = (uint32_t)number_of(exe, "pipeline_interleaving");
    plan->schedule = plan->interleave > 1 ? PIPE_INTERLEAVED : PIPE_1F1B;
    plan->micro_batch = (uint64_t)number_of(exe, "microbatch_size");
    plan->global_batch = (uint64_t)number_of(exe, "batch_size");
    plan->seq = 2048;
    plan->uneven = true;
    plan->sequence_parallel =
        plan->tp > 1 && strcmp(text_of(exe, "tensor_par_comm_type"), "rs_ag") == 0;
    const char *recompute = text_of(exe, "activation_recompute");
    plan->recompute = strcmp(recompute, "full") == 0   ? RECOMPUTE_FULL
                      : strcmp(recompute, "none") == 0 ? RECOMPUTE_NONE
                                                       : RECOMPUTE_SELECTIVE;
    plan->zero = flag_of(exe, "optimizer_sharding");
    plan->compute_type = plan->activation_type = plan->weight_type = TYPE_FP16;
    plan->overlap_gradients = plan->overlap_weights = flag_of(exe, "data_par_overlap");
    plan->overlap_tp = strcmp(text_of(exe, "tensor_par_overlap"), "none") != 0;
    plan->overlap_pp = false;
}

struct peer_bench {
    struct device a100, h100;
    struct framework framework;
    struct tuner *tuner;
    const struct tuner_system *a100_system, *h100_system;
    struct notices notices;
    struct arena arena;
};

static enum status open_bench(struct peer_bench *bench, struct diag *diag)
{
    enum status status =
        device_load(&bench->a100, "a100-sxm-80gb", &bench->arena, &bench->notices, diag);
    if (status == STATUS_OK)
        status = device_load(&bench->h100, "h100-sxm", &bench->arena, &bench->notices, diag);
    if (status == STATUS_OK)
        status = framework_load(&bench->framework, "megatron-2021", &bench->arena, &bench->notices,
                                diag);
    if (status == STATUS_OK)
        status = tuner_create(&bench->tuner, NULL, diag);
    if (status == STATUS_OK)
        status = tuner_find_system(bench->tuner, "a100-dgx", &bench->a100_system, diag);
    if (status == STATUS_OK)
        status = tuner_find_system(bench->tuner, "h100-dgx", &bench->h100_system, diag);
    return status;
}

/* False if the line is no run, or one that orrery refuses. */
static bool run_peer(struct peer_bench *bench, const struct doc_node *root, struct peer *peer)
{
    const struct doc_node *exe = doc_find(root, "exe");
    struct model_spec model;
    if (!exe || !peer_model(&model, text_of(root, "model")))
        return false;
    bool is_h100 = strncmp(text_of(root, "system"), "h100", 4) == 0;
    *peer = (struct peer){
        .kind = arena_text(&bench->arena, text_of(root, "kind"), strlen(text_of(root, "kind"))),
        .model = model.name,
        .system = is_h100 ? "h100" : "a100",
        .theirs_s = number_of(root, "calculon_s"),
        .published_s = number_of(root, "published_measured_s")};
    struct train_plan plan;
    struct diag diag = DIAG_NONE;
    peer_plan(&plan, exe, &bench->framework);
    if (train_plan_check(&plan, &model, &bench->notices, &diag) != STATUS_OK)
        return false;
    struct estimate_setting setting = {.model = &model,
                                       .device = is_h100 ? &bench->h100 : &bench->a100,
                                       .framework = &bench->framework,
                                       .system = is_h100 ? bench->h100_system : bench->a100_system};
    struct estimator *estimator = estimator_create(&setting);
    struct estimate estimate;
    estimate_plan(estimator, &plan, &estimate);
    estimator_destroy(estimator);
    peer->ours_s = estimate.step_ns * 1e-9;
    peer->model = arena_text(&bench->arena, peer->model, strlen(peer->model));
    return true;
}

static int by_ratio(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_group(const struct peer *peer, uint32_t count, const char *kind,
                        const char *system, FILE *out)
{
    double *ratio = malloc((count + 1) * sizeof *ratio);
    uint32_t found = 0;
    for (uint32_t i = 0; ratio && i < count; i++) {
        if (strcmp(peer[i].kind, kind) == 0 && strcmp(peer[i].system, system) == 0)
            ratio[found++] = peer[i].ours_s / peer[i].theirs_s;
    }
    if (found > 0) {
        qsort(ratio, found, sizeof *ratio, by_ratio);
        fprintf(out, "%-16s %-5s %4u rows, ours / Calculon: median %.2f, 10th %.2f, 90th %.2f\n",
                kind, system, found, ratio[found / 2], ratio[found / 10], ratio[found * 9 / 10]);
    }
    free(ratio);
}

static void print_peers(const struct peer *peer, uint32_t count, FILE *out)
{
    fprintf(out, "Calculon, published rows:    measured  Calculon      ours (s)\n");
    for (uint32_t i = 0; i < count; i++) {
        if (peer[i].published_s > 0)
            fprintf(out, "  %-24s %11.2f %9.2f %9.2f\n", peer[i].model, peer[i].published_s,
                    peer[i].theirs_s, peer[i].ours_s);
    }
    static const char *const kinds[] = {"validation_tab5", "validation_fig1", "validation_fig7",
                                        "grid"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        print_group(peer, count, kinds[k], "a100", out);
        print_group(peer, count, kinds[k], "h100", out);
    }
    fprintf(out,
            "  Calculon has no vocabulary, no launches and no power limit; its matrix efficiency "
            "falls from 0.95 to 0.1 below 1 GFLOP (see peers.c)\n");
}

static enum status read_lines(struct peer_bench *bench, const char *path, FILE *out,
                              struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    const char *at = (const char *)file.bytes, *end = at + file.length;
    uint32_t count = 0, room = 4096;
    struct peer *peer = arena_array(&bench->arena, room, sizeof *peer);
    while (at < end && count < room && status == STATUS_OK) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        struct doc doc;
        status = doc_parse(&doc, path, at, (size_t)(stop - at), DOC_JSON, diag);
        if (status == STATUS_OK) {
            count += run_peer(bench, doc.root, &peer[count]);
            doc_release(&doc);
        }
        at = stop + 1;
    }
    file_release(&file);
    if (status == STATUS_OK)
        print_peers(peer, count, out);
    return status;
}

enum status peers_print(const char *shared, FILE *out, struct diag *diag)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/data/peers/calculon_reference.jsonl", shared);
    if (!file_exists(path))
        return STATUS_OK;
    struct peer_bench bench = {0};
    arena_init(&bench.arena);
    notices_init(&bench.notices);
    enum status status = open_bench(&bench, diag);
    if (status == STATUS_OK)
        status = read_lines(&bench, path, out, diag);
    tuner_destroy(bench.tuner);
    notices_release(&bench.notices);
    arena_release(&bench.arena);
    return status;
}
