#include "cli/scale_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "cli/planning.h"
#include "net/topology/presets.h"
#include "report/plan_report.h"
#include "run/simulate.h"
#include "run/step_summary.h"

/* -- the network of a row ---------------------------------------------------------------------- */

static const char HOLE[] = "{devices";

static bool can_grow(const char *topology)
{
    struct preset_words preset;
    return strstr(topology, HOLE) ||
           (preset_find(topology, &preset) && preset.npus_each && !strchr(topology, ','));
}

static enum status no_machines(uint32_t devices, uint64_t each, struct diag *diag)
{
    return diag_fail(diag, STATUS_BAD_CONFIG,
                     "%" PRIu32 " devices are no whole machines of %" PRIu64, devices, each);
}

/* "rail:8x{devices/8}": the number takes the place of the hole, divided if it says so. */
static enum status fill_hole(const char *topology, uint32_t devices, char *to, size_t size,
                             struct diag *diag)
{
    const char *hole = strstr(topology, HOLE), *after = hole + strlen(HOLE);
    size_t length = strcspn(after, "}");
    uint64_t each = 1;
    bool is_plain = length == 0;
    if (after[length] != '}' ||
        (!is_plain && (*after != '/' || !decimal_u64(after + 1, length - 1, &each))) || each == 0) {
        usage_error(diag, NULL,
                    "expected {devices} or {devices/8} in the topology, found \"%.40s\"", hole);
        return STATUS_USAGE;
    }
    if (devices % each)
        return no_machines(devices, each, diag);
    snprintf(to, size, "%.*s%" PRIu64 "%s", (int)(hole - topology), topology, devices / each,
             after + length + 1);
    return STATUS_OK;
}

/* "preset:dgx-h100" of so many devices, or a topology with a hole. */
static enum status topology_of(const char *topology, uint32_t devices, char *to, size_t size,
                               struct diag *diag)
{
    struct preset_words preset;
    if (strstr(topology, HOLE))
        return fill_hole(topology, devices, to, size, diag);
    promise(preset_find(topology, &preset) && preset.npus_each);
    if (devices % preset.npus_each)
        return no_machines(devices, preset.npus_each, diag);
    snprintf(to, size, "%s,%s=%" PRIu32, topology, preset.parameter, devices / preset.npus_each);
    return STATUS_OK;
}

/* -- the study --------------------------------------------------------------------------------- */

static enum status check_cluster(const struct scale_options *given, struct diag *diag)
{
    const char *cluster = given->inputs.cluster;
    const char *grows = given->topology ? given->topology : cluster;
    if (can_grow(grows))
        return STATUS_OK;
    usage_error(diag, given->topology ? "--topology" : "--cluster",
                "a cluster that can grow is needed, found \"%.80s\"", grows);
    if (embedded_is_path(grows))
        diag_hint(diag, "add the network of each row: --topology 'rail:8x{devices/8},..', or a "
                        "preset");
    else
        diag_hint(diag, "a preset that counts machines (preset:dgx-h100), or a topology with "
                        "{devices} in it (switch:{devices}, rail:8x{devices/8})");
    return STATUS_USAGE;
}

/* What the search chooses cannot be asked for beside. */
static enum status check_auto(const char *plan, struct diag *diag)
{
    static const char *const chosen[] = {"ranks",
                                         "tp",
                                         "pp",
                                         "cp",
                                         "dp",
                                         "ep",
                                         "expert-tp",
                                         "interleave",
                                         "uneven",
                                         "micro-batch",
                                         "sequence-parallel",
                                         "schedule",
                                         "recompute",
                                         "recompute-layers",
                                         "zero"};
    for (const char *at = plan; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, "=,");
        for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
            if (strlen(chosen[i]) != length || memcmp(at, chosen[i], length) != 0)
                continue;
            usage_error(diag, "--plan", "auto chooses %s itself", chosen[i]);
            diag_hint(diag, "what stays: seq, global-batch, number types, overlap");
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

enum status scale_study_init(struct scale_study *study, const struct scale_options *given,
                             struct diag *diag)
{
    *study = (struct scale_study){.given = given, .inputs = given->inputs};
    if (!given->inputs.word || !given->inputs.cluster) {
        usage_error(diag, NULL, "a job and --cluster are needed");
        diag_hint(diag, "orrery scale llama3-8b --cluster preset:dgx-h100 --plan zero=3");
        return STATUS_USAGE;
    }
    const char *plan = given->inputs.plan;
    if (plan && strncmp(plan, "auto", 4) == 0 && (!plan[4] || plan[4] == ',')) {
        study->is_auto = true;
        study->inputs.plan = plan[4] ? plan + 5 : NULL;
    }
    enum status status = study->is_auto ? check_auto(study->inputs.plan, diag) : STATUS_OK;
    return status == STATUS_OK ? check_cluster(given, diag) : status;
}

/* -- the plan of a row ------------------------------------------------------------------------- */

static enum status scale_batch(struct train_plan *plan, const struct scale_study *study,
                               double batch_ratio, struct diag *diag)
{
    if (study->given->is_strong && plan->global_batch == 0) {
        usage_error(diag, "--strong", "needs the batch that stays");
        diag_hint(diag, "--plan global-batch=1024, or plan.global-batch in the job's file");
        return STATUS_USAGE;
    }
    plan->global_batch = (uint64_t)((double)plan->global_batch * batch_ratio + 0.5);
    plan->dp = plan->ranks = 0;
    return STATUS_OK;
}

static enum status none_fits(const struct search_result *found, const struct planning *planning,
                             struct diag *diag)
{
    if (found->valid == 0)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "no plan divides %" PRIu32 " devices and %" PRIu64 " sequences",
                         planning->request.ranks, planning->request.base.global_batch);
    char needs[32], has[32];
    return diag_fail(diag, STATUS_DOES_NOT_FIT,
                     "none of %" PRIu64 " plans fits: the least needs %s, %s has %s", found->valid,
                     units_show_bytes(needs, sizeof needs, (double)found->least.memory.total_bytes),
                     planning->setting.device->name,
                     units_show_bytes(has, sizeof has, planning->setting.device->memory_bytes));
}

static enum status search_plan(struct planning *planning, const struct scale_study *study,
                               double batch_ratio, char *text, size_t size, struct diag *diag)
{
    struct train_plan *base = &planning->request.base;
    enum status status = scale_batch(base, study, batch_ratio, diag);
    if (status != STATUS_OK)
        return status;
    if (base->seq == 0)
        base->seq = planning->work.spec.model.max_seq;
    if (base->global_batch == 0)
        base->global_batch = 2ull * planning->request.ranks;
    base->micro_batches = 0;
    planning->request.most = 1;
    struct search_result *found = arena_take(&planning->arena, sizeof *found);
    search_run(&planning->request, found, &planning->arena);
    if (found->count == 0)
        return none_fits(found, planning, diag);
    plan_text(&found->best[0].plan, text, size);
    return STATUS_OK;
}

/* The fastest plan as a text for --plan. */
static enum status find_plan(const struct inputs *inputs, const struct scale_study *study,
                             double batch_ratio, char *text, size_t size, struct diag *diag)
{
    struct planning *planning = malloc(sizeof *planning);
    need_memory(planning != NULL);
    planning_init(planning);
    enum status status = planning_open(planning, inputs, diag);
    if (status == STATUS_OK)
        status = search_plan(planning, study, batch_ratio, text, size, diag);
    planning_release(planning);
    free(planning);
    return status;
}

/* -- the run of a row -------------------------------------------------------------------------- */

struct row_run {
    struct config config;
    struct group_file groups;
    struct run_result result;
    struct work work;
    struct diag diag;
    char topology[512], plan[320];
};

static enum status configure(struct row_run *run, const struct scale_study *study, uint32_t devices,
                             double batch_ratio)
{
    const struct scale_options *given = study->given;
    struct inputs inputs = study->inputs;
    enum status status = topology_of(given->topology ? given->topology : inputs.cluster, devices,
                                     run->topology, sizeof run->topology, &run->diag);
    if (status == STATUS_OK && given->topology)
        status = take_setting(&inputs,
                              &(struct option){.name = "--topology", .setting = "network.topology"},
                              run->topology, &run->diag);
    else
        inputs.cluster = run->topology;
    if (status == STATUS_OK && study->is_auto) {
        status = find_plan(&inputs, study, batch_ratio, run->plan, sizeof run->plan, &run->diag);
        inputs.plan = run->plan;
    }
    if (status == STATUS_OK)
        status = work_configure(&run->work, &inputs, &run->config, &run->groups,
                                &run->result.notices, &run->diag);
    if (status == STATUS_OK && run->config.network.npu_count != devices)
        status = diag_fail(&run->diag, STATUS_BAD_CONFIG,
                           "the network of %" PRIu32 " devices has %" PRIu32 " NPUs", devices,
                           run->config.network.npu_count);
    if (status == STATUS_OK && !study->is_auto)
        status = scale_batch(&run->work.spec.plan, study, batch_ratio, &run->diag);
    return status;
}

static enum status run_row(struct row_run *run, const struct scale_study *study,
                           struct scale_row *row, double batch_ratio)
{
    enum status status = configure(run, study, row->devices, batch_ratio);
    if (status == STATUS_OK)
        status =
            work_open(&run->work, &run->config, &run->groups, &run->result.notices, &run->diag);
    if (status != STATUS_OK)
        return status;
    row->step = step_summary(&run->work.spec, &run->config);
    row->step.model = row->step.framework = row->step.device = NULL; /* go with the run */
    status = simulate(&run->config, work_load_of(&run->work), &run->groups, NULL, &run->result,
                      &run->diag);
    return status;
}

void scale_row_run(struct scale_row *row, const struct scale_study *study, double batch_ratio)
{
    struct row_run *run = calloc(1, sizeof *run);
    need_memory(run != NULL);
    run->diag = DIAG_NONE;
    config_init(&run->config);
    group_file_init(&run->groups);
    result_init(&run->result);
    work_init(&run->work);
    row->status = run_row(run, study, row, batch_ratio);
    if (row->status == STATUS_OK)
        scale_row_fill(row, &run->result);
    row->diag = run->diag;
    if (row->status != STATUS_OK && row->diag.status == STATUS_OK)
        diag_fail(&row->diag, row->status, "%s", status_help(row->status));
    work_release(&run->work);
    result_release(&run->result);
    group_file_release(&run->groups);
    config_release(&run->config);
    free(run);
}
