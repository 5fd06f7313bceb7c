/*
 * inputs - the options that `run` and `check` share, and the configuration they give.
 */
#ifndef ORRERY_CLI_INPUTS_H
#define ORRERY_CLI_INPUTS_H

#include "cli/options.h"
#include "config/config.h"
#include "config/group_file.h"
#include "config/own_config.h"
#include "config/settings.h"

enum { MOST_OVERRIDES = 32, MOST_IGNORED = 8, MOST_EDITS = 16, EDIT_PATH = 96 };

/* A setting given on the command line. */
struct override {
    const struct setting *setting;
    const char *option; /* as in the table; of --set the key */
    const char *text;
};

/* First member of every structure that the rows of INPUT_OPTIONS fill. */
struct inputs {
    const char *word;      /* the one-file form, or with `cluster` a job; NULL: none */
    const char *cluster;   /* --cluster: what a generated job runs on, or NULL */
    const char *plan;      /* --plan */
    const char *framework; /* --framework */
    const char *workload, *system, *network, *memory;
    const char *comm_group;       /* --comm-group */
    const char *astra_comm_group; /* --comm-group-configuration */
    const char *injection_scale;
    struct override override[MOST_OVERRIDES];
    uint32_t override_count;
    struct own_edit edit[MOST_EDITS];      /* of the one-file form: what no setting is */
    char edit_path[MOST_EDITS][EDIT_PATH]; /* of those that --set gave */
    uint32_t edit_count;
    const char *ignored[MOST_IGNORED]; /* names of options that have no effect */
    uint32_t ignored_count;
};

/* Adds to inputs->override. */
enum status take_setting(void *to, const struct option *option, const char *value,
                         struct diag *diag);

/* Sets it; a value that cannot be is a mistake of its option. */
enum status inputs_override(struct config *config, const struct override *override,
                            struct notices *notices, struct diag *diag);

/* Adds to inputs->ignored. */
enum status take_ignored(void *to, const struct option *option, const char *value,
                         struct diag *diag);

/* --set KEY=VALUE: a setting, or a place of the one-file form. */
enum status take_set(void *to, const struct option *option, const char *value, struct diag *diag);

/* Is `key` a place of the one-file form that is no single setting: network.dims[0].bandwidth,
 * system.collectives.all-reduce? */
bool inputs_is_edit(const char *key);

/* A word that is no option: the one-file form, or a job. */
enum status take_input_word(void *to, const char *text, struct diag *diag);

/*
 * Lists the files of custom collectives (PREFIX.<position>.et) among the inputs of a configuration
 * that inputs_load() filled, hashed as the run will read them.
 */
enum status inputs_list_custom(struct config *config, struct diag *diag);

/* What a generated job adds to a configuration after files and options, before the fabric is
 * built. */
struct inputs_job {
    enum status (*configure)(void *context, struct config *config, struct notices *notices,
                             struct diag *diag);
    void *context;
};

/*
 * Loads the files, applies the overrides and checks the whole. `job` (or NULL): the workload is
 * generated, and the configuration inputs->cluster's. `config` and `groups` must be initialised;
 * the caller releases them in every case.
 */
enum status inputs_load(const struct inputs *inputs, const struct inputs_job *job,
                        struct config *config, struct group_file *groups, struct notices *notices,
                        struct diag *diag);

#define INPUT_FILE(option, other, member, what)                                                    \
    {                                                                                              \
        .name = option, .alias = other, .argument = "FILE", .help = what, .take = take_text,       \
        .offset = offsetof(struct inputs, member)                                                  \
    }
#define INPUT_SETTING(option, value, key, what)                                                    \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_setting, .setting = key      \
    }
#define INPUT_IGNORED(option, value)                                                               \
    {                                                                                              \
        .name = option, .argument = value, .help = "accepted and ignored, as in ASTRA-sim",        \
        .take = take_ignored                                                                       \
    }

/* What differs from run to run: the section `variation` (model/jitter.h, model/slow_list.h). */
/* clang-format off */
#define VARIATION_OPTIONS                                                                          \
    INPUT_SETTING("--op-jitter", "RATIO", "variation.op-jitter",                                   \
                  "each compute op varies: standard deviation / mean (0.05)"),                     \
    INPUT_SETTING("--rank-jitter", "RATIO", "variation.rank-jitter",                               \
                  "each rank's compute is slower or faster for the whole run (0.03)"),             \
    INPUT_SETTING("--link-jitter", "RATIO", "variation.link-jitter",                               \
                  "each link is slower or faster for the whole run (0.05)"),                       \
    INPUT_SETTING("--latency-jitter", "RATIO", "variation.latency-jitter",                         \
                  "likewise its latency"),                                                         \
    INPUT_SETTING("--start-delay", "TIME", "variation.start-delay",                                \
                  "each rank starts communication late, by so much in the mean (2us)"),            \
    INPUT_SETTING("--jitter", "NAME", "variation.distribution",                                    \
                  "lognormal (default), normal, gamma, exponential or none"),                      \
    INPUT_SETTING("--slow-ranks", "TEXT", "variation.slow-ranks",                                  \
                  "\"rank 17: 1.3x from 10ms to 30ms; ranks 0-7: 1.1x\""),                         \
    INPUT_SETTING("--slow-links", "TEXT", "variation.slow-links",                                  \
                  "\"leaf0--spine1: bw*0.5 from 10ms to 30ms\"; flow and analytical"),             \
    INPUT_SETTING("--seed", "N", "variation.seed", "of all that is random"),                       \
    INPUT_SETTING("--sample", "N", "variation.sample", "which of the runs of that seed")
/* clang-format on */

/* Rows for the option table of a command whose structure begins with `struct inputs`. */
/* clang-format off */
#define INPUT_OPTIONS                                                                              \
    {.name = "--cluster", .argument = "FILE|TOPOLOGY",                                             \
     .help = "generate the job (a file, or a model's name) for it: preset:dgx-h100,nodes=4",       \
     .take = take_text, .offset = offsetof(struct inputs, cluster)},                               \
    {.name = "--plan", .argument = "TEXT", .help = "of a generated job: tp=8,pp=4,seq=8192",       \
     .take = take_text, .offset = offsetof(struct inputs, plan)},                                  \
    {.name = "--framework", .argument = "NAME|FILE",                                               \
     .help = "of a generated job: nemo-25, torchtitan, .. (configs/frameworks)",                   \
     .take = take_text, .offset = offsetof(struct inputs, framework)},                             \
    {.name = "--workload", .alias = "--workload-configuration", .argument = "PREFIX",              \
     .help = "traces PREFIX.<rank>.et (.json, .et.gz, ..), or a text workload",                    \
     .take = take_text, .offset = offsetof(struct inputs, workload)},                              \
    INPUT_FILE("--system", "--system-configuration", system, "system JSON of ASTRA-sim"),          \
    INPUT_FILE("--network", "--network-configuration", network, "network YAML of ASTRA-sim"),      \
    INPUT_FILE("--remote-memory", "--remote-memory-configuration", memory,                         \
               "remote-memory JSON of ASTRA-sim"),                                                 \
    INPUT_FILE("--comm-group", NULL, comm_group, "communicator groups: JSON {NAME: [ranks]}"),     \
    INPUT_FILE("--comm-group-configuration", NULL, astra_comm_group,                               \
               "the same; a path with \"empty\" in it means none"),                                \
    INPUT_SETTING("--replicate", "[true|false]", "workload.replicate",                             \
                  "one trace for all ranks: PREFIX, PREFIX.all or PREFIX.0"),                      \
    INPUT_SETTING("--ignore-extra-traces", "[true|false]", "workload.ignore-extra-traces",         \
                  "more trace files than NPUs are no error"),                                      \
    INPUT_SETTING("--scale-ranks", "N", "workload.scale-ranks",                                    \
                  "run the traces on N ranks: more data-parallel replicas"),                       \
    INPUT_SETTING("--scale-groups", "NAMES", "workload.scale-groups",                              \
                  "the data-parallel groups, which grow: dp,dp-cp"),                               \
    INPUT_SETTING("--passes", "N", "workload.passes",                                              \
                  "passes over the layers of a text workload"),                                    \
    INPUT_SETTING("--deps", "auto|data|control|both", "workload.dependencies",                     \
                  "which dependencies of the traces count"),                                       \
    INPUT_SETTING("--drop-missing-parents", "[true|false]", "workload.drop-missing-parents",       \
                  "repair: drop edges to nodes that are not there"),                               \
    INPUT_SETTING("--break-cycles", "[true|false]", "workload.break-cycles",                       \
                  "repair: drop the edge that closes a cycle"),                                    \
    INPUT_SETTING("--allow-empty", "[true|false]", "workload.allow-empty",                         \
                  "a workload without nodes is no error"),                                         \
    {.name = "--no-fold", .help = "simulate every rank, also where ranks are alike",               \
     .take = take_setting, .setting = "run.fold", .fixed = "false"},                               \
    INPUT_SETTING("--max-time", "TIME", "run.max-time", "stop at this simulated time (10ms)"),     \
    INPUT_SETTING("--network-backend", "NAME", "network.backend",                                  \
                  "congestion-unaware (default) or -aware; ideal, analytical, flow or link"),      \
    INPUT_SETTING("--num-queues-per-dim", "N", "system.queues-per-dim",                            \
                  "chunk queues per dimension (default 1)"),                                       \
    INPUT_SETTING("--rendezvous-protocol", "[true|false]", "system.rendezvous",                    \
                  "senders wait for the receiver's message"),                                      \
    VARIATION_OPTIONS,                                                                             \
    {.name = "--injection-scale", .argument = "X", .help = "multiplies the file's endpoint-delay", \
     .take = take_text, .offset = offsetof(struct inputs, injection_scale)},                       \
    {.name = "--set", .argument = "KEY=VALUE",                                                     \
     .help = "any setting (orrery list settings); network.dims[0].bandwidth, .. of a file",        \
     .take = take_set},                                                                            \
    INPUT_IGNORED("--comm-scale", "X"),                                                            \
    INPUT_IGNORED("--compute-scale", "X"),                                                         \
    INPUT_IGNORED("--logging-configuration", "FILE"),                                              \
    INPUT_IGNORED("--logging-folder", "FOLDER")
/* clang-format on */

#endif
