/* orrery op: how long one op takes on a device, by each model, and why. */
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "compute/profile.h"
#include "report/columns.h"
#include "report/json_writer.h"

enum { SHAPE_WORDS = 400 };

struct op_options {
    char shape[SHAPE_WORDS]; /* the words of the shape, joined */
    const char *type, *device, *model, *profile, *attention, *format;
    bool is_sustained, is_scalar, quiet;
};

static const struct option options[] = {
    {.name = "--device",
     .argument = "NAME",
     .help = "a device of `orrery list devices`, or a file; default h100-sxm",
     .take = take_text,
     .offset = offsetof(struct op_options, device)},
    {.name = "--type",
     .argument = "TYPE",
     .help = "number type of the inputs: bf16 (default), fp16, fp8, fp4, int8, tf32, fp32, ..",
     .take = take_text,
     .offset = offsetof(struct op_options, type)},
    {.name = "--model",
     .argument = "NAME",
     .help = "auto (default: the first of the chain that answers), all, or one model",
     .take = take_text,
     .offset = offsetof(struct op_options, model)},
    {.name = "--profile",
     .argument = "FILE",
     .help = "measured times: CSV with op (or m, n, k, type) and time_us",
     .take = take_text,
     .offset = offsetof(struct op_options, profile)},
    {.name = "--attention",
     .argument = "KERNEL",
     .help = "fused (default: the best there is), flash2 or serving",
     .take = take_text,
     .offset = offsetof(struct op_options, attention)},
    {.name = "--sustained",
     .help = "rates of long steps under the power limit, not those of bursts",
     .take = take_flag,
     .offset = offsetof(struct op_options, is_sustained)},
    {.name = "--scalar",
     .help = "element-wise kernels that load one number at a time",
     .take = take_flag,
     .offset = offsetof(struct op_options, is_scalar)},
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default) or json",
     .take = take_text,
     .offset = offsetof(struct op_options, format)},
    {.name = "--quiet",
     .help = "no notices",
     .take = take_flag,
     .offset = offsetof(struct op_options, quiet)},
    {0},
};

static enum status take_shape_word(void *to, const char *text, struct diag *diag)
{
    struct op_options *given = to;
    size_t used = strlen(given->shape);
    if (used + strlen(text) + 2 > sizeof given->shape)
        return usage_error(diag, NULL, "the shape is too long: \"%.60s\"", text);
    snprintf(given->shape + used, sizeof given->shape - used, "%s%s", used ? " " : "", text);
    return STATUS_OK;
}

/* -- what was asked ------------------------------------------------------------------------- */

struct answer {
    enum op_model model;
    bool is_answered, is_chosen;
    struct op_time time;
    const char *why; /* it declined; NULL: the class is none of its own */
};

struct op_query {
    struct arena arena;
    struct notices notices;
    struct device device;
    struct op_shape shape;
    const struct profile *profile;
    struct op_time_options options;
    bool is_json;
    struct answer answer[OP_MODEL_COUNT];
    uint32_t answers;
    const char *note; /* of the chain */
};

static enum status read_shape(struct op_query *query, const struct op_options *given,
                              struct diag *diag)
{
    char text[SHAPE_WORDS + 40];
    if (given->type && data_type_find(given->type) == DATA_TYPE_COUNT) {
        const char *nearest = suggest_nearest(given->type, data_type_names);
        usage_error(diag, "--type", "there is no number type \"%.40s\"", given->type);
        diag_hint(diag,
                  nearest ? "did you mean \"%s\"?"
                          : "types: fp64 fp32 tf32 bf16 fp16 fp8 int8 fp6 fp4%s",
                  nearest ? nearest : "");
        return STATUS_USAGE;
    }
    if (!given->shape[0]) {
        usage_error(diag, NULL, "no op was given");
        diag_hint(diag, "write orrery op gemm 4096x8192x1024 --type bf16");
        return STATUS_USAGE;
    }
    snprintf(text, sizeof text, "%s%s%.30s", given->shape, given->type ? " " : "",
             given->type ? given->type : "");
    enum status status = op_shape_parse(&query->shape, text, diag);
    return status == STATUS_OK ? status : (diag->status = STATUS_USAGE);
}

static enum status read_attention(struct op_query *query, const char *name, struct diag *diag)
{
    static const char *const names[] = {
#define X(kernel, text, about) text,
        ATTENTION_KERNEL_LIST(X)
#undef X
            NULL};
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            query->options.attention = (enum attention_kernel)i;
            return STATUS_OK;
        }
    }
    return usage_error(diag, "--attention", "expected fused, flash2 or serving, found \"%.40s\"",
                       name);
}

static enum status unknown_model(const char *name, struct diag *diag)
{
    const char *known[OP_MODEL_COUNT + 2] = {"all"};
    char list[160] = "all";
    int count = 1;
    for (int model = OP_MODEL_AUTO; model < OP_MODEL_COUNT; model++) {
        if (model != OP_MODEL_AUTO && !op_models[model])
            continue;
        known[count++] = op_model_name((enum op_model)model);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", known[count - 1]);
    }
    usage_error(diag, "--model", "there is no model \"%.40s\"", name);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "known: %s", list);
    return STATUS_USAGE;
}

static enum status read_options(struct op_query *query, const struct op_options *given,
                                struct diag *diag)
{
    query->is_json = given->format && strcmp(given->format, "json") == 0;
    if (given->format && !query->is_json && strcmp(given->format, "text") != 0)
        return usage_error(diag, "--format", "expected text or json, found \"%.60s\"",
                           given->format);
    enum status status = read_shape(query, given, diag);
    if (status == STATUS_OK && given->attention)
        status = read_attention(query, given->attention, diag);
    if (status == STATUS_OK)
        status = device_load(&query->device, given->device ? given->device : "h100-sxm",
                             &query->arena, &query->notices, diag);
    if (status == STATUS_OK && given->profile)
        status =
            profile_load(&query->profile, given->profile, &query->arena, &query->notices, diag);
    query->options.is_sustained = given->is_sustained;
    query->options.is_scalar = given->is_scalar;
    query->options.profile = query->profile;
    return status;
}

/* -- answers ---------------------------------------------------------------------------------- */

static void ask(struct op_query *query, enum op_model model)
{
    struct answer *answer = &query->answer[query->answers++];
    answer->model = model;
    query->options.model = model;
    answer->is_answered =
        op_time(&query->device, &query->shape, &query->options, &answer->time, &answer->why);
}

/* All models, in the order of the chain; the first that answers is the chosen one. */
static void ask_all(struct op_query *query)
{
    bool is_chosen = false;
    for (uint32_t i = 0; i < op_chain_count; i++) {
        if (!op_models[op_chain[i]] || (op_chain[i] == OP_MODEL_PROFILE && !query->profile))
            continue;
        ask(query, op_chain[i]);
        struct answer *answer = &query->answer[query->answers - 1];
        answer->is_chosen = answer->is_answered && !is_chosen;
        is_chosen |= answer->is_answered;
    }
}

static enum status ask_one(struct op_query *query, enum op_model model, struct diag *diag)
{
    ask(query, model);
    struct answer *answer = &query->answer[0];
    if (!answer->is_answered) {
        diag_fail(diag, STATUS_BAD_CONFIG, "the model %s declines %s on %s: %s",
                  op_model_name(model), op_class_name(query->shape.class), query->device.name,
                  answer->why                 ? answer->why
                  : model == OP_MODEL_PROFILE ? "no --profile was given"
                                              : "it knows no such op");
        diag_field(diag, "--model");
        diag_hint(diag, "--model all shows which models answer");
        return STATUS_BAD_CONFIG;
    }
    answer->model = answer->time.model;
    answer->is_chosen = true;
    query->note = answer->time.note;
    return STATUS_OK;
}

static enum status ask_models(struct op_query *query, const char *name, struct diag *diag)
{
    if (name && strcmp(name, "all") == 0) {
        ask_all(query);
        return STATUS_OK;
    }
    enum op_model model = name ? op_model_find(name) : OP_MODEL_AUTO;
    if (model == OP_MODEL_COUNT || (model != OP_MODEL_AUTO && !op_models[model]))
        return unknown_model(name, diag);
    return ask_one(query, model, diag);
}

/* -- figures ----------------------------------------------------------------------------------- */

struct figures {
    double flop_per_s, Bps;
    double peak_ratio, bandwidth_ratio; /* 0: not known */
};

static struct figures figures_of(const struct op_query *query, double ns)
{
    const struct op_shape *shape = &query->shape;
    enum data_type type = device_multiplies_as(&query->device, shape->type);
    bool is_matrix = op_class_is_product(shape->class) || op_class_is_attention(shape->class);
    double peak = is_matrix && type < DATA_TYPE_COUNT ? query->device.peak_flops[type]
                                                      : query->device.vector_flops;
    struct figures figures = {.flop_per_s = (double)shape->flops / ns * 1e9,
                              .Bps = ((double)shape->read_bytes + (double)shape->write_bytes) / ns *
                                     1e9};
    figures.peak_ratio = peak > 0 ? figures.flop_per_s / peak : 0;
    figures.bandwidth_ratio = figures.Bps / query->device.memory_Bps;
    return figures;
}

static void add_answer(struct columns *columns, const struct op_query *query,
                       const struct answer *answer)
{
    if (!answer->is_answered) {
        columns_add(columns, "%s", op_model_name(answer->model));
        for (int i = 0; i < 5; i++)
            columns_add(columns, "-");
        return;
    }
    struct figures figures = figures_of(query, answer->time.ns);
    char time[32], rate[32];
    columns_add(columns, "%s%s", op_model_name(answer->model), answer->is_chosen ? " *" : "");
    columns_add(columns, "%s",
                units_show_time(time, sizeof time, time_rounded(answer->time.ns, false)));
    columns_add(columns, "%.4g", figures.flop_per_s / 1e12);
    columns_add(columns, "%.1f", 100 * figures.peak_ratio);
    columns_add(columns, "%s", units_show_rate(rate, sizeof rate, figures.Bps));
    columns_add(columns, "%.1f", 100 * figures.bandwidth_ratio);
}

static void print_text(const struct op_query *query, bool quiet)
{
    static const char *const heading[] = {"model",  "time",      "TFLOP/s",
                                          "% peak", "bandwidth", "% of it"};
    char text[OP_SHAPE_TEXT], flops[32], read[32], written[32];
    units_show_bytes(flops, sizeof flops, (double)query->shape.flops);
    flops[strlen(flops) - 1] = '\0'; /* without the B */
    printf("%s on %s (%s)\n", op_shape_print(&query->shape, text, sizeof text), query->device.name,
           query->device.about);
    printf("%sFLOP, %s read, %s written%s\n\n", flops,
           units_show_bytes(read, sizeof read, (double)query->shape.read_bytes),
           units_show_bytes(written, sizeof written, (double)query->shape.write_bytes),
           query->options.is_sustained ? "; sustained rates" : "");
    struct columns columns;
    columns_init(&columns, "Lrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&columns, "%s", heading[i]);
    for (uint32_t i = 0; i < query->answers; i++)
        add_answer(&columns, query, &query->answer[i]);
    columns_print(&columns, stdout);
    columns_release(&columns);
    putchar('\n');
    for (uint32_t i = 0; i < query->answers; i++) {
        const struct answer *answer = &query->answer[i];
        printf("%s: %s%s%s\n", op_model_name(answer->model),
               answer->is_answered ? answer->time.reason : "declines: ",
               answer->is_answered ? ""
               : answer->why       ? answer->why
                                   : "it knows no such op",
               answer->time.is_extrapolated ? " (extrapolated)" : "");
    }
    if (query->answers > 1)
        puts("* the first of the chain that answers");
    if (query->note)
        printf("before it in the chain: %s\n", query->note);
    if (!quiet && query->notices.count) {
        putchar('\n');
        say_notices(&query->notices, stdout);
    }
}

static void json_answer(struct json_writer *json, const struct op_query *query,
                        const struct answer *answer)
{
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "model", op_model_name(answer->model));
    if (!answer->is_answered) {
        json_text(json, "declines", answer->why ? answer->why : "it knows no such op");
        json_map_end(json);
        return;
    }
    struct figures figures = figures_of(query, answer->time.ns);
    json_bool(json, "chosen", answer->is_chosen);
    json_double(json, "time_ns", answer->time.ns);
    json_double(json, "flop_per_s", figures.flop_per_s);
    json_double(json, "peak_ratio", figures.peak_ratio);
    json_double(json, "bytes_per_s", figures.Bps);
    json_double(json, "bandwidth_ratio", figures.bandwidth_ratio);
    json_bool(json, "extrapolated", answer->time.is_extrapolated);
    json_text(json, "reason", answer->time.reason);
    json_map_end(json);
}

static void print_json(const struct op_query *query)
{
    struct json_writer json;
    char text[OP_SHAPE_TEXT];
    json_init(&json, stdout);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "op", op_shape_print(&query->shape, text, sizeof text));
    json_text(&json, "device", query->device.name);
    json_bool(&json, "sustained", query->options.is_sustained);
    json_u64(&json, "flops", query->shape.flops);
    json_u64(&json, "read_bytes", query->shape.read_bytes);
    json_u64(&json, "write_bytes", query->shape.write_bytes);
    json_list_begin(&json, "models", JSON_LINES);
    for (uint32_t i = 0; i < query->answers; i++)
        json_answer(&json, query, &query->answer[i]);
    json_list_end(&json);
    json_notices(&json, &query->notices);
    json_map_end(&json);
    putchar('\n');
}

static int run_op(int argc, char **argv)
{
    struct op_options given = {0};
    struct op_query query = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_op, argc, argv, &given, take_shape_word, &code))
        return code;
    arena_init(&query.arena);
    notices_init(&query.notices);
    enum status status = read_options(&query, &given, &diag);
    if (status == STATUS_OK)
        status = ask_models(&query, given.model, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    else if (query.is_json)
        print_json(&query);
    else
        print_text(&query, given.quiet);
    notices_release(&query.notices);
    arena_release(&query.arena);
    return status_exit_code(status);
}

static void print_classes(FILE *out)
{
    fputs("\nClasses\n", out);
    for (int class = OP_CLASS_NONE; class < OP_CLASS_COUNT; class ++)
        fprintf(out, "  %-20s %s\n", op_class_name((enum op_class) class),
                op_class_about((enum op_class) class));
}

const struct command command_op = {
    .name = "op",
    .summary = "one op on one device: time by each model, and why",
    .usage = "CLASS SIZES [WORDS] [OPTIONS]",
    .about = "Times one op: a class, its sizes, and words such as batch=8, heads=64/8, dim=128,\n"
             "causal, window=4096, groups=8, out=fp32, read=BYTES. % peak is of the dense rate of\n"
             "the type that the device multiplies; bytes are those of the operands once.\n",
    .more = print_classes,
    .examples = "  orrery op gemm 4096x8192x1024 --type bf16 --device h100-sxm --model all\n"
                "  orrery op attention 2x8192 heads=64/8 dim=128 causal --device b200\n"
                "  orrery op grouped-gemm 8192x4096x7168 groups=32 --type fp8 --device h200\n"
                "  orrery op norm 8192x8192 --device mydevice.yaml --format json\n"
                "  orrery op gemm 512x512x512 --profile measured.csv\n",
    .options = options,
    .run = run_op,
};
