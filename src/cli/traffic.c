#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/link_out.h"
#include "cli/network_options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "base/watch.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "net/traffic/flow_file.h"
#include "net/traffic/pattern.h"
#include "report/traffic_report.h"

enum { MOST_NAMES = 16, NAMES_TEXT = 256 };

struct traffic_options {
    struct inputs inputs; /* the settings given; no files */
    const char *what;     /* pattern or file */
    const char *bytes, *count, *offset, *pattern_seed;
    const char *format, *output, *heat_map;
    bool quiet;
};

#define OWN_TEXT(option, value, member, what)                                                      \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_text,                        \
        .offset = offsetof(struct traffic_options, member)                                         \
    }

static const struct option options[] = {
    INPUT_SETTING("--topo", "SPEC", "network.topology",
                  "one-line form or file of the network (see orrery topo --help)"),
    OWN_TEXT("--bytes", "SIZE", bytes, "patterns: size of a flow (default 1MB)"),
    OWN_TEXT("--count", "N", count, "patterns: senders, flows or steps (see above)"),
    OWN_TEXT("--offset", "N", offset, "shift: NPU i sends to i + N (default: half way round)"),
    OWN_TEXT("--pattern-seed", "N", pattern_seed,
             "permutation, uniform: of the choice (default 1)"),
    INPUT_SETTING("--network-backend", "NAME", "network.backend",
                  "flow (default), link, analytical or ideal"),
    NETWORK_OPTIONS(INPUT_SETTING),
    OWN_TEXT("--format", "NAME", format, "text (default), json or csv"),
    OWN_TEXT("--output", "FILE", output, "write the report there (complete, or not at all)"),
    OWN_TEXT("--heat-map", "FILE", heat_map,
             "draw the network there as SVG, with the utilisation of its links"),
    {.name = "--quiet",
     .help = "no progress line, no notices",
     .take = take_flag,
     .offset = offsetof(struct traffic_options, quiet)},
    {0},
};

static enum status take_what(void *to, const char *text, struct diag *diag)
{
    struct traffic_options *given = to;
    if (given->what)
        return usage_error(diag, NULL, "expected one pattern or file, found \"%.60s\" besides",
                           text);
    given->what = text;
    return STATUS_OK;
}

/* -- what was asked ---------------------------------------------------------------------------- */

static enum status read_number(const char *option, const char *text, uint64_t most, uint64_t *value,
                               struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    if (decimal_u64(text, strlen(text), value) && *value <= most)
        return STATUS_OK;
    return usage_error(diag, option, "expected a whole number up to %" PRIu64 ", found \"%.60s\"",
                       most, text);
}

static enum status read_request(const struct traffic_options *given,
                                struct pattern_request *request, struct diag *diag)
{
    uint64_t count = 0, offset = 0;
    request->bytes = 1000000;
    request->seed = 1;
    if (read_number("--count", given->count, UINT32_MAX / 2, &count, diag) != STATUS_OK ||
        read_number("--offset", given->offset, CONFIG_MAX_NPUS, &offset, diag) != STATUS_OK ||
        read_number("--pattern-seed", given->pattern_seed, UINT64_MAX, &request->seed, diag) !=
            STATUS_OK)
        return diag->status;
    request->count = (uint32_t)count;
    request->offset = (uint32_t)offset;
    if (!given->bytes)
        return STATUS_OK;
    if (units_parse_bytes(given->bytes, "B", &request->bytes, NULL, diag) == STATUS_OK)
        return STATUS_OK;
    diag->status = STATUS_USAGE;
    diag_field(diag, "--bytes");
    return STATUS_USAGE;
}

/* Options without a use: all of them if the flows are of a file, `pattern` NULL. */
static enum status refuse_idle_options(const struct traffic_options *given,
                                       const struct traffic_pattern *pattern, struct diag *diag)
{
    const struct {
        const char *option, *value;
        bool has_use;
    } of_patterns[] = {{"--bytes", given->bytes, pattern},
                       {"--count", given->count, pattern && pattern->count},
                       {"--offset", given->offset, pattern && pattern->has_offset},
                       {"--pattern-seed", given->pattern_seed, pattern && pattern->is_random}};
    for (size_t i = 0; i < sizeof of_patterns / sizeof *of_patterns; i++) {
        if (!of_patterns[i].value || of_patterns[i].has_use)
            continue;
        if (pattern)
            return usage_error(diag, of_patterns[i].option, "has no use in the pattern %s",
                               pattern->name);
        return usage_error(diag, of_patterns[i].option,
                           "is for patterns; the flows of a file have their own");
    }
    return STATUS_OK;
}

/* A word that looks like a pattern but is none; anything with a '.' or '/' is a path. */
static enum status unknown_pattern(const char *word, struct diag *diag)
{
    const char *names[MOST_NAMES] = {0};
    for (size_t i = 0; traffic_patterns[i].name && i + 1 < MOST_NAMES; i++)
        names[i] = traffic_patterns[i].name;
    usage_error(diag, NULL, "\"%.60s\" is neither a pattern nor a file", word);
    const char *nearest = suggest_nearest(word, names);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "patterns and the form of a file: orrery traffic --help");
    return STATUS_USAGE;
}

static enum status read_traffic(const struct traffic_options *given, const struct config *config,
                                struct traffic *traffic, struct diag *diag)
{
    const struct traffic_pattern *pattern = pattern_find(given->what);
    if (!pattern) {
        if (!file_exists(given->what) && !strpbrk(given->what, "./"))
            return unknown_pattern(given->what, diag);
        if (refuse_idle_options(given, NULL, diag) != STATUS_OK ||
            flow_file_load(traffic, given->what, diag) != STATUS_OK)
            return diag->status;
        enum status status = traffic_check(traffic, config->network.npu_count, diag);
        diag_in(diag, given->what);
        return status;
    }
    struct pattern_request request = {.npus = config->network.npu_count};
    if (refuse_idle_options(given, pattern, diag) != STATUS_OK ||
        read_request(given, &request, diag) != STATUS_OK)
        return diag->status;
    return pattern_add(pattern, &request, traffic, diag);
}

/* -- the command ------------------------------------------------------------------------------- */

static enum status read_network(const struct traffic_options *given, struct config *config,
                                struct notices *notices, struct diag *diag)
{
    config->network.whole_ns = false;
    for (uint32_t i = 0; i < given->inputs.override_count; i++) {
        const struct override *override = &given->inputs.override[i];
        if (setting_set_text(config, override->setting, override->text, "command line", notices,
                             diag) == STATUS_OK)
            continue;
        diag->status = STATUS_USAGE;
        diag_field(diag, "%s", override->option);
        return STATUS_USAGE;
    }
    if (!config->network.topology) {
        usage_error(diag, "--topo", "no network was given");
        diag_hint(diag, "for example --topo fattree:8; see orrery topo --help");
        return STATUS_USAGE;
    }
    return topology_resolve(config, notices, diag);
}

static enum status write_report(const struct traffic_report *report,
                                const struct traffic_format *format, const char *path,
                                struct diag *diag)
{
    struct out_file out;
    enum status status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    format->write(report, out.stream);
    return output_commit(&out, diag);
}

static enum status run_watched(const struct traffic_options *given, const struct config *config,
                               const struct traffic *traffic, struct traffic_result *result,
                               struct diag *diag)
{
    struct watch *watch = watch_start(!given->quiet && isatty(STDERR_FILENO), 0);
    const struct traffic_watch hook = {watch_poll, watch};
    const struct traffic_net net = {network_model_of(config->network.backend), &config->network};
    enum status status = traffic_run(traffic, &net, watch ? &hook : NULL, result, diag);
    watch_stop(watch);
    return status;
}

static enum status run_given(const struct traffic_options *given, struct config *config,
                             struct traffic *traffic, struct diag *diag)
{
    const struct traffic_format *format = NULL;
    struct notices notices;
    struct traffic_result result;
    notices_init(&notices);
    traffic_result_init(&result);
    if (!given->what)
        usage_error(diag, NULL, "no pattern or file was given");
    else
        format = options_format(traffic_formats, sizeof *format, given->format, diag);
    if (format && read_network(given, config, &notices, diag) == STATUS_OK &&
        read_traffic(given, config, traffic, diag) == STATUS_OK &&
        run_watched(given, config, traffic, &result, diag) == STATUS_OK) {
        struct traffic_report report = {given->what, config, traffic, &result, &notices};
        const struct run_result links = traffic_links(&result);
        if (!given->heat_map ||
            link_out_heat_map(given->heat_map, &links, config, diag) == STATUS_OK)
            write_report(&report, format, given->output, diag); /* last: then all is there */
        if (!given->quiet && strcmp(format->name, "json") != 0)
            say_notices(&notices, stderr);
    }
    traffic_result_release(&result);
    notices_release(&notices);
    return diag->status;
}

static int run_traffic(int argc, char **argv)
{
    struct traffic_options given = {0};
    int code;
    if (!options_begin(&command_traffic, argc, argv, &given, take_what, &code))
        return code;
    struct diag diag = DIAG_NONE;
    struct config config;
    struct traffic traffic;
    config_init(&config);
    traffic_init(&traffic);
    enum status status = run_given(&given, &config, &traffic, &diag);
    traffic_release(&traffic);
    config_release(&config);
    return status == STATUS_OK ? 0 : command_failed(&diag);
}

static void say_patterns(FILE *out)
{
    fputs("\nPatterns (--bytes is the size of each flow, if nothing else is said):\n", out);
    for (const struct traffic_pattern *pattern = traffic_patterns; pattern->name; pattern++) {
        fprintf(out, "  %-18s  %s\n", pattern->name, pattern->summary);
        if (pattern->bytes)
            fprintf(out, "%24s--bytes: %s\n", "", pattern->bytes);
        if (pattern->count)
            fprintf(out, "%24s--count: %s\n", "", pattern->count);
    }
}

const struct command command_traffic = {
    .name = "traffic",
    .summary = "point-to-point flows over a network: a file of them, or a pattern",
    .usage = "FILE|PATTERN --topo SPEC [OPTIONS]",
    .about =
        "Runs a list of flows over a network: completion time of each, the makespan, the hottest\n"
        "links.\n"
        "\n"
        "Files, told apart by content: CSV (first line: id,src,dst,bytes,start,deps; the first "
        "and\n"
        "the last two may be left out), JSON lines with the same keys, htsim's connection "
        "matrix.\n",
    .more = say_patterns,
    .examples =
        "  orrery traffic permutation --bytes 2MB --topo fattree:8 --routing ecmp --seed 3\n"
        "  orrery traffic incast --count 15 --bytes 1MB --topo fattree:4 --network-backend link\n"
        "  orrery traffic all-to-all --bytes 64kB --topo fattree:16 --routing spray --format json\n"
        "  orrery traffic flows.csv --topo torus:4x4x4 --format csv --output arrivals.csv\n",
    .options = options,
    .run = run_traffic,
};
