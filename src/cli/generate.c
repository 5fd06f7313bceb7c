/* orrery generate: a training job as Chakra files. */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "config/config.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"
#include "workloads/generate/job_write.h"

struct generate_options {
    const char *word; /* first: take_word() */
    const char *devices, *plan, *form, *output, *framework, *domain;
};

static const char *const form_names[] = {"ranks", "shared", NULL}; /* enum job_form */

static const struct option options[] = {
    {.name = "--output",
     .alias = "-o",
     .argument = "PREFIX",
     .help = "write PREFIX.<rank>.et and PREFIX.groups.json (required)",
     .take = take_text,
     .offset = offsetof(struct generate_options, output)},
    {.name = "--devices",
     .argument = "N",
     .help = "ranks of the job; default: the product of the plan's degrees",
     .take = take_text,
     .offset = offsetof(struct generate_options, devices)},
    {.name = "--plan",
     .argument = "LIST",
     .help = "tp=8,pp=4,micro-batch=1,.. over the job's plan",
     .take = take_text,
     .offset = offsetof(struct generate_options, plan)},
    {.name = "--framework",
     .argument = "NAME|FILE",
     .help = "that trains it: nemo-25, torchtitan, .. (configs/frameworks)",
     .take = take_text,
     .offset = offsetof(struct generate_options, framework)},
    {.name = "--domain",
     .argument = "N",
     .help = "ranks of a server or scale-up domain, to which tokens cross once (expert-once)",
     .take = take_text,
     .offset = offsetof(struct generate_options, domain)},
    {.name = "--form",
     .argument = "NAME",
     .help = "ranks (default; ASTRA-sim reads it) or shared (one file a stage)",
     .take = take_text,
     .offset = offsetof(struct generate_options, form)},
    {0},
};

static enum status read_form(const char *name, enum job_form *form, struct diag *diag)
{
    *form = JOB_FORM_RANKS;
    if (!name)
        return STATUS_OK;
    for (int f = 0; form_names[f]; f++) {
        *form = (enum job_form)f;
        if (strcmp(name, form_names[f]) == 0)
            return STATUS_OK;
    }
    const char *nearest = suggest_nearest(name, form_names);
    usage_error(diag, "--form", "expected ranks or shared, found \"%.60s\"", name);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_USAGE;
}

static enum status read_domain(const char *text, uint32_t *domain, struct diag *diag)
{
    uint64_t value = 0;
    if (text && (!decimal_u64(text, strlen(text), &value) || !value || value > CONFIG_MAX_NPUS))
        return usage_error(diag, "--domain", "expected a number from 1 to %u, found \"%.40s\"",
                           (unsigned)CONFIG_MAX_NPUS, text);
    *domain = (uint32_t)value;
    return STATUS_OK;
}

/* A job that is run on a cluster knows its domains. */
static void say_domain(const struct job_spec *spec, struct notices *notices)
{
    if (spec->framework.expert_once && spec->plan.ep > 1 && !spec->plan.domain)
        notices_add(notices, NOTICE_GUESSED, "a token is sent once for each expert", 1,
                    "%s sends it once to each server, and --domain does not say how large one is",
                    spec->framework.name);
}

/* What was asked for, or what the degrees of the plan come to. */
static enum status read_devices(const char *text, const struct train_plan *plan, uint32_t *devices,
                                struct diag *diag)
{
    uint64_t value;
    if (text && (!decimal_u64(text, strlen(text), &value) || !value || value > CONFIG_MAX_NPUS))
        return usage_error(diag, "--devices", "expected a number from 1 to %u, found \"%.40s\"",
                           (unsigned)CONFIG_MAX_NPUS, text);
    if (!text) {
        value = 1;
        const uint32_t degrees[] = {plan->tp, plan->pp, plan->cp, plan->dp};
        for (int d = 0; d < 4; d++)
            value *= degrees[d] ? degrees[d] : 1;
        value = plan->ranks ? plan->ranks : value;
    }
    if (value > CONFIG_MAX_NPUS) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%" PRIu64 " ranks are more than the %u that can be",
                  value, (unsigned)CONFIG_MAX_NPUS);
        return STATUS_BAD_CONFIG;
    }
    *devices = (uint32_t)value;
    return STATUS_OK;
}

static void print_summary(const struct generate_options *asked, const struct job_spec *spec,
                          const struct job_graph *job, const struct job_files *files)
{
    uint64_t nodes = 0;
    for (uint32_t t = 0; t < job->workload.trace_count; t++)
        nodes += job->workload.traces[t]->count;
    char size[32];
    printf("job      %s: %" PRIu32 " ranks, tp %" PRIu32 " x cp %" PRIu32 " x dp %" PRIu32
           " x pp %" PRIu32 ", %" PRIu64 " micro-batches\n",
           spec->model.name, job->workload.rank_count, spec->plan.tp, spec->plan.cp, spec->plan.dp,
           spec->plan.pp, spec->plan.micro_batches);
    printf("graphs   %" PRIu32 " distinct, %" PRIu64 " nodes\n", job->workload.trace_count, nodes);
    printf("files    %s.<rank>.et: %" PRIu32 " written (%s), %" PRIu32 " shared\n", asked->output,
           files->written, units_show_bytes(size, sizeof size, (double)files->bytes),
           files->shared);
    printf("groups   %s.groups.json: %" PRIu32 "\n", asked->output, job->groups.count);
}

static enum status write_job(const struct generate_options *asked, struct job_spec *spec,
                             struct notices *notices, struct diag *diag)
{
    uint32_t devices = 0;
    enum job_form form;
    enum status status = read_form(asked->form, &form, diag);
    if (!status)
        status = read_devices(asked->devices, &spec->plan, &devices, diag);
    if (!status)
        status = read_domain(asked->domain, &spec->plan.domain, diag);
    if (!status)
        status = job_spec_finish(spec, devices, notices, diag);
    if (status)
        return status;
    say_domain(spec, notices);
    struct layer_book book;
    struct job_graph job;
    struct job_files files;
    layer_book_make(&book, &spec->model, &spec->plan, &spec->framework, &spec->arena);
    const struct job_input input = {&spec->model, &spec->plan, &spec->framework, &book};
    status = job_graph_make(&job, &input, diag);
    if (status)
        return status;
    status = job_write(&job.workload, &job.groups, asked->output, form, &files, diag);
    if (!status) {
        print_summary(asked, spec, &job, &files);
        say_notices(notices, stdout);
    }
    job_graph_release(&job);
    return status;
}

static enum status generate(const struct generate_options *asked, struct diag *diag)
{
    if (!asked->word) {
        usage_error(diag, NULL, "which model or job?");
        diag_hint(diag, "orrery generate llama3-8b --plan tp=2 --devices 8 --output W/llama");
        return STATUS_USAGE;
    }
    if (!asked->output)
        return usage_error(diag, "--output", "expected a prefix for the files");
    struct job_spec spec;
    struct notices notices;
    job_spec_init(&spec);
    notices_init(&notices);
    enum status status = job_spec_load(&spec, asked->word, &notices, diag);
    if (!status && asked->framework)
        status = job_spec_framework(&spec, asked->framework, &notices, diag);
    if (!status && asked->plan)
        status = job_spec_override(&spec, asked->plan, diag);
    if (!status)
        status = write_job(asked, &spec, &notices, diag);
    notices_release(&notices);
    job_spec_release(&spec);
    return status;
}

static int run_generate(int argc, char **argv)
{
    struct generate_options asked = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_generate, argc, argv, &asked, take_word, &code))
        return code;
    return generate(&asked, &diag) ? command_failed(&diag) : status_exit_code(STATUS_OK);
}

const struct command command_generate = {
    .name = "generate",
    .summary = "write the traces of a training job",
    .usage = "MODEL|JOB.yaml --output PREFIX [OPTIONS]",
    .about = "Writes one step of training as Chakra traces, which orrery and ASTRA-sim read, and\n"
             "its communicator groups. `orrery run MODEL --cluster FILE` simulates a job without\n"
             "files.\n",
    .examples = "  orrery generate llama3-8b --devices 8 --plan tp=2,pp=2 --output W/llama\n"
                "  orrery run --workload W/llama --comm-group W/llama.groups.json --cluster "
                "preset:dgx-h100,nodes=1\n"
                "  orrery generate job.yaml --form shared -o W/job\n",
    .options = options,
    .run = run_generate,
};
