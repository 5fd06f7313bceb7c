#include <string.h>

#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/host.h"
#include "config/algorithm_name.h"
#include "config/names.h"
#include "config/settings.h"
#include "base/units.h"
#include "compute/op_time.h"
#include "model/collective.h"
#include "model/compute.h"
#include "model/network.h"
#include "net/collective/tuner.h"
#include "net/topology/presets.h"
#include "net/topology/spec.h"
#include "report/report.h"
#include "workloads/generate/framework.h"
#include "workloads/generate/preset_files.h"

static void row(const char *name, const char *summary)
{
    printf("  %-22s %s\n", name, summary);
}

static enum status list_models(struct diag *diag)
{
    (void)diag;
    puts("network models (--network-backend, network.backend)");
    for (const struct network_ops *const *ops = network_models; *ops; ops++)
        row((*ops)->name, (*ops)->summary);
    puts("compute models (roofline-enabled, system.compute-model)");
    for (const struct compute_ops *const *ops = compute_models; *ops; ops++)
        row((*ops)->name, (*ops)->summary);
    puts("models of one op on a device, in the order in which they are asked (orrery op --model)");
    for (uint32_t i = 0; i < op_chain_count; i++) {
        if (op_models[op_chain[i]])
            row(op_models[op_chain[i]]->name, op_models[op_chain[i]]->summary);
    }
    return STATUS_OK;
}

/* What each collective is run by, unless a custom one is configured. */
static const char *how_it_runs(enum collective_kind kind)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_ALL_TO_ALL:
        return "one configured algorithm per network dimension";
    case COLL_BROADCAST:
        return "simulated; with ASTRA-sim's files its recorded duration is replayed";
    default:
        return "simulated with a fixed algorithm over the group";
    }
}

static enum status list_collectives(struct diag *diag)
{
    (void)diag;
    puts("collectives");
    for (int kind = 0; kind < COLL_KIND_COUNT; kind++)
        row(collective_name((enum collective_kind)kind), how_it_runs((enum collective_kind)kind));
    return STATUS_OK;
}

/* Name and summary, then what it can run, its steps and its time. */
static void print_algorithm(const struct collective_ops *ops)
{
    row(ops->name, ops->summary);
    if (ops->kinds) {
        const char *before = "";
        printf("  %-22s ", "");
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            if (!(ops->kinds & KIND_BIT(kind)))
                continue;
            printf("%s%s", before, collective_name((enum collective_kind)kind));
            before = ", ";
        }
        struct algorithm_choice choice;
        bool is_flat = algorithm_parse(ops->name, &choice) && choice.flat;
        puts(ops->needs_shape ? "; over all dimensions at once"
             : is_flat        ? "; over all ranks"
                              : "");
    }
    if (ops->steps)
        printf("  %-22s steps: %s\n", "", ops->steps);
    if (ops->formula)
        printf("  %-22s time: %s\n", "", ops->formula);
}

static enum status list_algorithms(struct diag *diag)
{
    (void)diag;
    puts("collective algorithms");
    for (const struct collective_ops *const *ops = collective_algorithms; *ops; ops++)
        print_algorithm(*ops);
    printf("  letters: %s\n", collective_formula_words);
    puts("names in configurations: those above, in one network dimension unless said, and");
    for (const char *const *name = algorithm_names; *name; name++) {
        if (strncmp(*name, "one", 3) == 0 && (*name)[3] != '-')
            row(*name, "one dimension over all ranks");
    }
    row("direct<W>, oneDirect<W>", "at most W messages in flight per rank");
    row("NAME:OPTION:..", "chunks=K, channels=K, radix=K where it takes it; flat; dim");
    return STATUS_OK;
}

static enum status list_topologies(struct diag *diag)
{
    (void)diag;
    puts("topologies in one line (--topo, network.topology; kinds joined by * multiply)");
    for (const struct spec_kind *const *kind = spec_kinds; *kind; kind++) {
        row((*kind)->name, (*kind)->summary);
        printf("    %s:%s\n", (*kind)->name, (*kind)->sizes);
    }
    puts("blocks of a dimension in ASTRA-sim's network file (dimensions multiply)");
    static const char *const summaries[] = {[NET_RING] = "links to both neighbours",
                                            [NET_FULLY_CONNECTED] = "a link between every two",
                                            [NET_SWITCH] =
                                                "a link to a switch: two hops between any two"};
    for (int block = 0; net_block_names[block]; block++)
        row(net_block_names[block], summaries[block]);
    return STATUS_OK;
}

static enum status list_presets(struct diag *diag)
{
    (void)diag;
    puts("presets of clusters (preset:NAME,parameter=value; default value in brackets)");
    struct preset_words words;
    for (uint32_t i = 0; preset_describe(i, &words); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s,%s=", words.name, words.parameter);
        printf("  %-26s [%s] %s\n", name, words.fallback, words.about);
    }
    return STATUS_OK;
}

static void print_device(const struct device *device)
{
    char memory[32], rate[32];
    double half = device->peak_flops[TYPE_BF16] > 0 ? device->peak_flops[TYPE_BF16]
                                                    : device->peak_flops[TYPE_FP16];
    printf("  %-18s %6.0f TFLOP/s of 16 bits, %s, %s: %s\n", device->name, half / 1e12,
           units_show_bytes(memory, sizeof memory, device->memory_bytes),
           units_show_rate(rate, sizeof rate, device->memory_Bps), device->about);
}

static enum status list_devices(struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    puts("devices (system.device, --device; dense rates; also found by published names)");
    enum status status = STATUS_OK;
    for (const char *const *name = device_names(&arena); *name && status == STATUS_OK; name++) {
        struct device device;
        status = device_load(&device, *name, &arena, NULL, diag);
        if (status == STATUS_OK)
            print_device(&device);
    }
    arena_release(&arena);
    return status;
}

/* Parameters in billions, and of a mixture those of one token. */
static void print_architecture(const struct model_spec *model)
{
    double all = (double)model_spec_parameters(model) / 1e9;
    double active = (double)model_spec_active_parameters(model) / 1e9;
    char size[48];
    if (active < all)
        snprintf(size, sizeof size, "%.4g B, %.3g B active", all, active);
    else
        snprintf(size, sizeof size, "%.4g B", all);
    printf("  %-22s %-26s %s\n", model->name, size, model->about);
}

static enum status list_architectures(struct diag *diag)
{
    struct arena arena;
    struct notices notices;
    arena_init(&arena);
    notices_init(&notices);
    puts("models that jobs train (model of a job; also found by published names), parameters");
    enum status status = STATUS_OK;
    for (const struct embedded_file *file = model_files; file->name && status == STATUS_OK;
         file++) {
        struct model_spec model;
        status = model_spec_load(&model, file->name, &arena, &notices, diag);
        if (status == STATUS_OK)
            print_architecture(&model);
    }
    notices_release(&notices);
    arena_release(&arena);
    return status;
}

static enum status list_frameworks(struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    puts("frameworks that train them (framework of a job)");
    enum status status = STATUS_OK;
    for (const struct embedded_file *file = framework_files; file->name && status == STATUS_OK;
         file++) {
        struct framework framework;
        status = framework_load(&framework, file->name, &arena, NULL, diag);
        if (status == STATUS_OK)
            row(framework.name, framework.about);
    }
    arena_release(&arena);
    return status;
}

static enum status list_systems(struct diag *diag)
{
    struct tuner *tuner;
    enum status status = tuner_create(&tuner, NULL, diag);
    if (status != STATUS_OK)
        return status;
    puts("systems that the algorithm auto chooses as (system.library, --library)");
    for (uint32_t i = 0; i < tuner_system_count(tuner); i++) {
        const char *summary;
        const char *name = tuner_system_name(tuner, i, &summary);
        row(name, summary);
    }
    tuner_destroy(tuner);
    return STATUS_OK;
}

static enum status list_exit_codes(struct diag *diag)
{
    (void)diag;
    puts("exit codes");
    for (int i = 0; i < STATUS_COUNT; i++)
        printf("  %3d %-18s %s\n", status_exit_code((enum status)i), status_name((enum status)i),
               status_help((enum status)i));
    printf("  %3d %-18s %s\n", 70, "internal", "a defect of orrery: please report it");
    return STATUS_OK;
}

static enum status list_formats(struct diag *diag)
{
    (void)diag;
    puts("report formats (--format)");
    for (const struct report_ops *const *ops = report_formats; *ops; ops++)
        row((*ops)->name, (*ops)->summary);
    return STATUS_OK;
}

static enum status list_settings(struct diag *diag)
{
    (void)diag;
    puts("settings (keys of the one-file form and of --print-config)");
    for (const struct setting *setting = settings; setting->key; setting++) {
        char choices[160] = "";
        if (setting->choices)
            names_text(choices, sizeof choices, setting->choices);
        printf("  %-32s%s%s\n", setting->key, *choices ? " " : "", choices);
    }
    return STATUS_OK;
}

static enum status list_host(struct diag *diag)
{
    return host_print(stdout, diag);
}

static const struct {
    const char *name;
    enum status (*print)(struct diag *diag);
    bool in_all; /* depends on orrery only, not on the machine */
} topics[] = {
    {"models", list_models, true},
    {"collectives", list_collectives, true},
    {"algorithms", list_algorithms, true},
    {"topologies", list_topologies, true},
    {"devices", list_devices, true},
    {"architectures", list_architectures, false},
    {"frameworks", list_frameworks, false},
    {"presets", list_presets, true},
    {"systems", list_systems, true},
    {"formats", list_formats, true},
    {"exit-codes", list_exit_codes, true},
    {"settings", list_settings, false},
    {"host", list_host, false},
};

enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static enum status list_all(struct diag *diag)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < TOPIC_COUNT && status == STATUS_OK; i++) {
        if (!topics[i].in_all)
            continue;
        if (i > 0)
            putchar('\n');
        status = topics[i].print(diag);
    }
    return status;
}

static enum status list_topic(const char *topic, struct diag *diag)
{
    const char *names[TOPIC_COUNT + 1] = {0};
    for (int i = 0; i < TOPIC_COUNT; i++) {
        names[i] = topics[i].name;
        if (strcmp(topics[i].name, topic) == 0)
            return topics[i].print(diag);
    }
    usage_error(diag, NULL, "unknown topic \"%.60s\"", topic);
    const char *nearest = suggest_nearest(topic, names);
    char known[160];
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "known: %s", names_text(known, sizeof known, names));
    return STATUS_USAGE;
}

static int run_list(int argc, char **argv)
{
    const char *topic = NULL;
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_list, argc, argv, &topic, take_word, &code))
        return code;
    enum status status = topic ? list_topic(topic, &diag) : list_all(&diag);
    return status == STATUS_OK ? 0 : command_failed(&diag);
}

const struct command command_list = {
    .name = "list",
    .summary =
        "models, algorithms, topologies, presets, formats, exit codes; `list host`: this machine",
    .usage = "[models|collectives|algorithms|topologies|devices|architectures|frameworks|presets|"
             "systems|formats|exit-codes|settings|host]",
    .about = "Lists what there is; without a topic, all of it but `architectures` and\n"
             "`frameworks` of training jobs, `settings` and `host`.\n",
    .examples = "  orrery list\n  orrery list architectures\n  orrery list host\n",
    .options = no_options,
    .run = run_list,
};
