/*
 * agree_training [--brief] [--rows] [--incomplete] [--only TEXT] [--simulate CHIPS] [--configs
 * FOLDER] [--data FOLDER] - orrery's closed form beside published runs.
 *
 * Data: $ORRERY_SHARED (or ../shared)/data/validation; without it the program says "skipped".
 * --configs takes devices and frameworks from files of a folder in place of the built-in ones.
 * --rows prints a line for each row, --only runs those whose framework or device has the text;
 * --incomplete runs the rows that lack columns (micro-batch, precision, ..) with what is usual for
 * them: none of them was fitted to. --simulate CHIPS also simulates the rows of judge_core.csv of
 * at most so many. Exit code 1 if a line of the issue is missed: median 8 %, mean 12 %, 90th
 * percentile 25 %.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "tests/agree/training/training.h"

struct options {
    bool is_brief, rows, is_incomplete;
    uint64_t simulated_chips; /* rows of at most so many are simulated too */
    const char *configs, *data, *only;
};

struct bench {
    const struct options *options;
    struct arena arena;
    struct tuner *tuner;
    struct notices notices;
};

static const char *config_name(const struct options *options, const char *folder, const char *name,
                               char *text, size_t size)
{
    if (!options->configs)
        return name;
    snprintf(text, size, "%s/%s/%s.yaml", options->configs, folder, name);
    return text;
}

/* The memory model is an upper bound; published runs stay below so many times their device by
 * it. */
static const double SURELY_TOO_MUCH = 2;

/* Where the table says nothing of recompute and a run surely does not fit without: the fewest
 * layers that do. */
static void recompute_to_fit(struct estimator *estimator, struct train_row *row,
                             const struct device *device)
{
    struct train_plan *plan = &row->plan;
    uint32_t stages = plan->pp * plan->interleave;
    uint32_t most = (row->model.layers + stages - 1) / stages;
    struct stage_memory memory;
    estimate_memory(estimator, plan, &memory);
    row->memory_bytes = memory.total_bytes;
    bool says_so = row->cell.recompute[0] || row->is_tpu || row->is_frozen;
    if (says_so || (double)memory.total_bytes < SURELY_TOO_MUCH * device->memory_bytes)
        return;
    for (uint32_t layers = 1; layers <= most && (double)memory.total_bytes > device->memory_bytes;
         layers++) {
        plan->recompute = RECOMPUTE_FULL;
        plan->recompute_layers = layers < most ? layers : 0;
        estimate_memory(estimator, plan, &memory);
    }
}

static enum status run_row(struct bench *bench, struct train_row *row, struct diag *diag)
{
    char text[512];
    struct device *device = arena_take(&bench->arena, sizeof *device);
    struct framework *framework = arena_take(&bench->arena, sizeof *framework);
    const struct tuner_system *system = NULL;
    enum status status = device_load(
        device, config_name(bench->options, "devices", row->device_name, text, sizeof text),
        &bench->arena, &bench->notices, diag);
    if (status == STATUS_OK)
        status = framework_load(
            framework,
            config_name(bench->options, "frameworks", row->framework_name, text, sizeof text),
            &bench->arena, &bench->notices, diag);
    if (status == STATUS_OK)
        status = tuner_find_system(bench->tuner, row->system_name, &system, diag);
    if (status == STATUS_OK)
        status = row_model(row, &bench->arena, &bench->notices, diag);
    if (status == STATUS_OK)
        status = row_plan(row, framework, &bench->notices, diag);
    if (status != STATUS_OK)
        return status;
    struct estimate_setting setting = {.model = &row->model,
                                       .device = device,
                                       .framework = framework,
                                       .system = system,
                                       .domain = row->domain,
                                       .is_frozen = row->is_frozen};
    struct estimator *estimator = estimator_create(&setting);
    recompute_to_fit(estimator, row, device);
    estimate_plan(estimator, &row->plan, &row->estimate);
    estimator_destroy(estimator);
    row->estimated_s = row->estimate.step_ns * 1e-9;
    row->error_ratio = row->estimated_s / row->measured_s - 1;
    if (row->is_core && row->plan.ranks <= bench->options->simulated_chips && !row->is_frozen)
        status = row_simulate(row, framework, system, diag);
    return status;
}

static void name_family(struct bench *bench, struct train_row *row)
{
    char text[128];
    int length = snprintf(text, sizeof text, "%s, %s", row->framework_name, row->device_name);
    row->family = arena_text(&bench->arena, text, (size_t)length);
}

static void run_all(struct bench *bench, struct train_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        struct train_row *row = &table->row[i];
        struct diag diag = DIAG_NONE;
        name_family(bench, row);
        if (bench->options->only && !strstr(row->family, bench->options->only))
            continue;
        if (run_row(bench, row, &diag) != STATUS_OK)
            snprintf(row->refused, sizeof row->refused, "%.150s", diag.message);
    }
}

static bool holds(const struct train_score *score)
{
    return score->refused == 0 && score->median_ratio <= 0.08 && score->mean_ratio <= 0.12 &&
           score->p90_ratio <= 0.25;
}

static int report(const struct options *options, const struct train_table *table)
{
    if (options->rows) {
        score_print_rows(table, stdout);
        return 0;
    }
    if (!options->is_brief) {
        score_print(table, stdout);
        score_print_memory(table, stdout);
        score_print_worst(table, 20, stdout);
    }
    if (options->simulated_chips)
        score_print_simulated(table, stdout);
    if (options->is_incomplete)
        return 0;
    struct train_score core, all;
    score_find(table, SET_CORE, NULL, &core);
    score_find(table, SET_ALL, NULL, &all);
    uint32_t passed = (uint32_t)holds(&core) + (uint32_t)holds(&all);
    printf("agree_training: %u passed, %u failed, 0 skipped\n", passed, 2 - passed);
    return passed < 2;
}

static void parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        options->is_brief = options->is_brief || strcmp(argv[i], "--brief") == 0;
        options->rows = options->rows || strcmp(argv[i], "--rows") == 0;
        options->is_incomplete = options->is_incomplete || strcmp(argv[i], "--incomplete") == 0;
        if (strcmp(argv[i], "--simulate") == 0 && i + 1 < argc)
            options->simulated_chips = strtoull(argv[++i], NULL, 10);
        if (strcmp(argv[i], "--configs") == 0 && i + 1 < argc)
            options->configs = argv[++i];
        else if (strcmp(argv[i], "--data") == 0 && i + 1 < argc)
            options->data = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            options->only = argv[++i];
    }
}

int main(int argc, char **argv)
{
    struct options options = {0};
    parse(argc, argv, &options);
    const char *shared = getenv("ORRERY_SHARED");
    char folder[4000], probe[4200];
    snprintf(folder, sizeof folder, "%.3900s/data/validation", shared ? shared : "../shared");
    if (options.data)
        snprintf(folder, sizeof folder, "%.3900s", options.data);
    snprintf(probe, sizeof probe, "%s/judge_core.csv", folder);
    if (!file_exists(probe)) {
        printf("agree_training: 0 passed, 0 failed, 1 skipped\nskipped: no %s\n", probe);
        return 0;
    }
    struct bench bench = {.options = &options};
    struct diag diag = DIAG_NONE;
    struct train_table table;
    arena_init(&bench.arena);
    notices_init(&bench.notices);
    enum status status = tuner_create(&bench.tuner, NULL, &diag);
    if (status == STATUS_OK)
        status = train_table_load(&table, folder, options.is_incomplete, &bench.arena, &diag);
    int code = 0;
    if (status == STATUS_OK) {
        run_all(&bench, &table);
        code = report(&options, &table);
        if (!options.is_brief && !options.rows)
            status = peers_print(shared ? shared : "../shared", stdout, &diag);
    }
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        code = status_exit_code(status);
    }
    tuner_destroy(bench.tuner);
    notices_release(&bench.notices);
    arena_release(&bench.arena);
    return code;
}
