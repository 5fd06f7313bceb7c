#include <string.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/network_options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/schedule_out.h"
#include "base/watch.h"
#include "config/names.h"
#include "report/lab_report.h"

enum { MOST_SETTINGS = 24, MOST_ALGORITHMS = 32, NAMES_TEXT = 1024 };

struct collective_options {
    const char *kind, *bytes; /* the two words */
    const char *algorithm, *fidelity, *format, *output;
    bool quiet;
    struct schedule_out schedule;
    struct lab_setting setting[MOST_SETTINGS];
    uint32_t setting_count;
};

static enum status take_lab_setting(void *to, const struct option *option, const char *value,
                                    struct diag *diag)
{
    (void)diag;
    struct collective_options *options = to;
    const char *text = option->fixed ? option->fixed : value;
    uint32_t i = 0;
    while (i < options->setting_count && strcmp(options->setting[i].key, option->setting) != 0)
        i++;
    promise(i < MOST_SETTINGS);
    options->setting[i] = (struct lab_setting){option->setting, text};
    if (i == options->setting_count)
        options->setting_count++;
    return STATUS_OK;
}

#define LAB_SETTING(option, value, key, what)                                                      \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_lab_setting, .setting = key  \
    }

static const struct option options[] = {
    LAB_SETTING("--topo", "SPEC", "network.topology",
                "one-line form or file of the network (see orrery topo --help)"),
    {.name = "--algorithm",
     .argument = "NAMES",
     .help = "all (default), or one; per dimension with commas (ring,direct); "
             "FILE.xml (MSCCL) or custom:PREFIX (Chakra files)",
     .take = take_text,
     .offset = offsetof(struct collective_options, algorithm)},
    {.name = "--fidelity",
     .argument = "NAMES",
     .help = "all (default), or some of ideal,analytical,flow,link",
     .take = take_text,
     .offset = offsetof(struct collective_options, fidelity)},
    LAB_SETTING("--chunks", "N", "system.dataset-splits",
                "pieces that the data is cut into; they overlap (default 1)"),
    LAB_SETTING("--active-chunks", "N", "system.active-chunks-per-dim",
                "pieces in flight per dimension (default 1)"),
    LAB_SETTING("--num-queues-per-dim", "N", "system.queues-per-dim",
                "queues that pieces of a dimension wait in (default 1)"),
    LAB_SETTING("--dim-order", "NAME", "system.dim-order",
                "ascending (default), round-robin or greedy, per piece"),
    LAB_SETTING("--sizes", "TEXT", "system.all-to-all-sizes",
                "uneven all-to-all: zipf:S[,seed=N] or a matrix in a file"),
    LAB_SETTING("--library", "NAME", "system.library",
                "what the algorithm auto chooses as: h100-dgx .. (orrery list systems)"),
    NETWORK_OPTIONS(LAB_SETTING),
    LAB_SETTING("--endpoint-delay", "TIME", "system.endpoint-delay",
                "between an arrival and the next send (default 0)"),
    LAB_SETTING("--memory-bandwidth", "RATE", "system.local-memory-bandwidth",
                "reductions take 3 passes over the bytes at this rate (default: free)"),
    {.name = "--no-fold",
     .help = "simulate every rank, also where ranks are alike",
     .take = take_lab_setting,
     .setting = "run.fold",
     .fixed = "false"},
    {.name = "--verify",
     .help = "no table: prove that each schedule gives the right result",
     .take = take_flag,
     .offset = offsetof(struct collective_options, schedule.verify)},
    {.name = "--export-msccl",
     .argument = "FILE",
     .help = "no table: write the schedule of --algorithm as MSCCL XML",
     .take = take_text,
     .offset = offsetof(struct collective_options, schedule.msccl)},
    {.name = "--export-chakra",
     .argument = "PREFIX",
     .help = "no table: write it as Chakra files PREFIX.<rank>.et (a custom collective)",
     .take = take_text,
     .offset = offsetof(struct collective_options, schedule.chakra)},
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default), json or csv",
     .take = take_text,
     .offset = offsetof(struct collective_options, format)},
    {.name = "--output",
     .argument = "FILE",
     .help = "write the table there (complete, or not at all)",
     .take = take_text,
     .offset = offsetof(struct collective_options, output)},
    {.name = "--quiet",
     .help = "no progress line, no notices",
     .take = take_flag,
     .offset = offsetof(struct collective_options, quiet)},
    {0},
};

static enum status take_kind_or_size(void *to, const char *text, struct diag *diag)
{
    struct collective_options *given = to;
    if (!given->kind)
        given->kind = text;
    else if (!given->bytes)
        given->bytes = text;
    else
        return usage_error(diag, NULL, "expected a collective and a size, found \"%.60s\" besides",
                           text);
    return STATUS_OK;
}

/* -- what was asked --------------------------------------------------------------------------- */

static enum status read_kind(const char *text, enum collective_kind *kind, struct diag *diag)
{
    const char *names[COLL_KIND_COUNT + 1] = {0};
    for (int k = 0; k < COLL_KIND_COUNT; k++) {
        names[k] = collective_name((enum collective_kind)k);
        if (text && strcmp(text, names[k]) == 0) {
            *kind = (enum collective_kind)k;
            return STATUS_OK;
        }
    }
    if (!text)
        return usage_error(diag, NULL, "no collective was given");
    char known[256];
    usage_error(diag, "COLLECTIVE", "expected %s, found \"%.60s\"",
                names_text(known, sizeof known, names), text);
    const char *nearest = suggest_nearest(text, names);
    static const char *const pairs[] = {
        "permute", "permutation", "collective-permute", "send",         "recv",
        "receive", "sendrecv",    "send-recv",          "send-receive", NULL};
    if (doc_is_one_of(text, pairs))
        diag_hint(diag, "messages between pairs: orrery traffic permutation, shift, or a file");
    else if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_USAGE;
}

static enum status read_size(const struct collective_options *given, enum collective_kind kind,
                             uint64_t *bytes, struct diag *diag)
{
    *bytes = 0;
    if (kind == COLL_BARRIER && !given->bytes)
        return STATUS_OK;
    if (!given->bytes)
        return usage_error(diag, NULL, "no size was given (64MB)");
    if (units_parse_bytes(given->bytes, "B", bytes, NULL, diag) == STATUS_OK)
        return STATUS_OK;
    diag->status = STATUS_USAGE;
    diag_field(diag, "SIZE");
    return STATUS_USAGE;
}

static enum status unknown_fidelity(const char *word, struct diag *diag)
{
    char known[256];
    usage_error(diag, "--fidelity", "expected all, %s, or some with commas; found \"%.60s\"",
                names_text(known, sizeof known, net_backend_names + NET_IDEAL), word);
    return STATUS_USAGE;
}

/* Fidelities from the bound to the contended; the last asked for gives the bus bandwidth. */
static enum status read_fidelities(const char *text, enum net_backend *fidelity, uint32_t *count,
                                   struct diag *diag)
{
    *count = 0;
    for (unsigned b = NET_IDEAL; (!text || strcmp(text, "all") == 0) && b < NET_BACKEND_COUNT; b++)
        fidelity[(*count)++] = (enum net_backend)b;
    if (*count)
        return STATUS_OK;
    char names[256]; /* more than all of them */
    if (strlen(text) >= sizeof names)
        return unknown_fidelity(text, diag);
    strcpy(names, text);
    char *rest = names;
    for (char *word = names_next(&rest); word; word = names_next(&rest)) {
        unsigned value;
        if (!names_value(net_backend_names, word, &value) || value < NET_IDEAL)
            return unknown_fidelity(word, diag);
        for (uint32_t i = 0; i < *count; i++) {
            if (fidelity[i] == value)
                return usage_error(diag, "--fidelity", "\"%s\" is named twice", word);
        }
        fidelity[(*count)++] = (enum net_backend)value;
    }
    return STATUS_OK;
}

static bool is_set(const struct collective_options *given, const char *key)
{
    for (uint32_t i = 0; i < given->setting_count; i++) {
        if (strcmp(given->setting[i].key, key) == 0)
            return true;
    }
    return false;
}

static enum status check_settings(const struct collective_options *given, enum collective_kind kind,
                                  struct diag *diag)
{
    if (!is_set(given, "network.topology")) {
        usage_error(diag, "--topo", "no network was given");
        diag_hint(diag, "for example --topo torus:8x8x4; see orrery topo --help");
        return STATUS_USAGE;
    }
    if (is_set(given, "system.all-to-all-sizes") && kind != COLL_ALL_TO_ALL)
        return usage_error(diag, "--sizes", "uneven sizes are for all-to-all, not for %s",
                           collective_name(kind));
    return STATUS_OK;
}

/* -- the command ------------------------------------------------------------------------------ */

static enum status write_table(const struct lab *lab, const struct lab_format *format,
                               const char *path, struct diag *diag)
{
    struct out_file out;
    enum status status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    format->write(lab, out.stream);
    return output_commit(&out, diag);
}

static enum status run_lab(const struct collective_options *given,
                           const struct lab_request *request, const struct lab_format *format,
                           struct diag *diag)
{
    struct lab lab;
    lab_init(&lab);
    struct watch *watch = watch_start(!given->quiet && isatty(STDERR_FILENO), 0);
    const struct simulate_watch hook = {watch_poll, watch};
    enum status status = lab_run(&lab, request, watch ? &hook : NULL, diag);
    watch_stop(watch);
    if (status == STATUS_INTERRUPTED)
        diag_fail(diag, status, "stopped by a signal");
    if (status == STATUS_OK)
        status = write_table(&lab, format, given->output, diag);
    if (status == STATUS_OK && !given->quiet && strcmp(format->name, "json") != 0)
        say_notices(&lab.notices, stderr);
    lab_release(&lab);
    return status;
}

static enum status run_given(const struct collective_options *given, struct diag *diag)
{
    enum net_backend fidelity[NET_BACKEND_COUNT];
    const char *one[] = {given->algorithm, NULL};
    struct lab_request request = {
        .fidelity = fidelity, .setting = given->setting, .setting_count = given->setting_count};
    const struct lab_format *format = NULL;
    enum status status = read_kind(given->kind, &request.kind, diag);
    if (status == STATUS_OK)
        status = read_size(given, request.kind, &request.bytes, diag);
    if (status == STATUS_OK)
        status = read_fidelities(given->fidelity, fidelity, &request.fidelity_count, diag);
    if (status == STATUS_OK)
        format = options_format(lab_formats, sizeof *format, given->format, diag);
    if (format)
        check_settings(given, request.kind, diag);
    if (diag->status != STATUS_OK)
        return diag->status;
    if (given->algorithm && strcmp(given->algorithm, "all") != 0)
        request.algorithm = one;
    if (schedule_out_is_asked(&given->schedule))
        return schedule_out(&request, &given->schedule, diag);
    return run_lab(given, &request, format, diag);
}

static int run_collective(int argc, char **argv)
{
    struct collective_options given = {0};
    int code;
    if (!options_begin(&command_collective, argc, argv, &given, take_kind_or_size, &code))
        return code;
    struct diag diag = DIAG_NONE;
    enum status status = run_given(&given, &diag);
    return status == STATUS_OK ? 0 : command_failed(&diag);
}

const struct command command_collective = {
    .name = "collective",
    .summary = "one collective alone on a network: algorithms and fidelities in a table",
    .usage = "COLLECTIVE SIZE --topo SPEC [OPTIONS]",
    .about =
        "Simulates one collective of SIZE bytes (as nccl-tests counts them: the whole buffer)\n"
        "over all ranks of a network, for each algorithm at each fidelity.\n",
    .examples = "  orrery collective all-reduce 64MB --topo torus:8x8x4 --algorithm all\n"
                "  orrery collective all-to-all 1GB --topo fat-tree:8 --routing ecmp --fidelity "
                "flow\n"
                "  orrery collective all-reduce 1GB --topo ring:8 --algorithm ring --format json\n"
                "  orrery collective all-gather 1MB --topo full:8 --algorithm bruck --verify "
                "--export-msccl bruck.xml\n",
    .options = options,
    .run = run_collective,
};
