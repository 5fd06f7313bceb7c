#include "cli/compare_sides.h"

#include <string.h>
#include <sys/stat.h>

#define astra_files "takes ASTRA-sim's files: --workload, --network and --system"

/* CONFIG.yaml, STUDY.db:POINT; with --rerun a report too. */
static bool is_to_run(const struct compare_asked *given, const char *word)
{
    const char *dot = strrchr(word, '.');
    return (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)) ||
           strstr(word, ".db:") || (given->is_rerun && side_kind(word) == &reader_run_json);
}

static void set_run(struct compare_side *side, const struct compare_asked *given,
                    const struct inputs *inputs)
{
    side->is_run = true;
    side->run.options = (struct run_options){.inputs = *inputs,
                                             .output = given->run.output, /* no input of it */
                                             .wall_limit = given->run.wall_limit,
                                             .quiet = given->run.quiet,
                                             .progress = given->run.progress};
    compare_run_begin(&side->run);
}

static void set_word(struct compare_side *side, const struct compare_asked *given, const char *word)
{
    side->path = word;
    if (is_to_run(given, word))
        set_run(side, given, &(struct inputs){.word = word});
}

/* Our run is A, what is left is B. Of two words the first is its job or configuration. */
static enum status set_own(const struct compare_asked *given, struct compare_sides *all,
                           struct diag *diag)
{
    struct inputs inputs = given->run.inputs;
    const char *const *word = given->word;
    if (word[1] || (inputs.cluster && !inputs.workload))
        inputs.word = *word ? *word++ : NULL;
    if (given->astra.program) {
        bool is_astra = inputs.workload && inputs.network && inputs.system && !inputs.cluster;
        if (!is_astra || *word)
            return usage_error(diag, "--run-astra", astra_files);
        compare_astra_guess(&given->astra, &inputs, &all->a.outcome.notices, diag);
    } else if (word == given->word + 2 || !*word) {
        usage_error(diag, NULL, "one result is needed, beside what these options run");
        diag_hint(diag, "orrery compare job.yaml --cluster cluster.yaml traces");
        return STATUS_USAGE;
    } else {
        set_word(&all->b, given, *word);
    }
    set_run(&all->a, given, &inputs);
    return STATUS_OK;
}

static enum status set_sides(const struct compare_asked *given, struct compare_sides *all,
                             struct diag *diag)
{
    if (compare_run_is_asked(&given->run.inputs))
        return set_own(given, all, diag);
    if (given->astra.program)
        return usage_error(diag, "--run-astra", astra_files);
    if (!given->word[1]) {
        usage_error(diag, NULL, "two results are needed");
        diag_hint(diag, "orrery compare report.json astra.log");
        return STATUS_USAGE;
    }
    set_word(&all->a, given, given->word[0]);
    set_word(&all->b, given, given->word[1]);
    return STATUS_OK;
}

/* A report must not take the place of what it reports on. */
static enum status refuse_side(const struct compare_side *side, const char *output,
                               struct diag *diag)
{
    struct stat to, from;
    if (!side->path || !output || stat(output, &to) != 0 || !S_ISREG(to.st_mode) ||
        stat(side->path, &from) != 0 || to.st_dev != from.st_dev || to.st_ino != from.st_ino)
        return STATUS_OK;
    usage_error(diag, "--output", "%.200s is one of the two sides, which the report would replace",
                output);
    diag_hint(diag, "give the report a name of its own");
    return STATUS_USAGE;
}

/* Sides that are read come first: a run then knows of which ranks it has ops to show, if any. */
static enum status fill_side(struct compare_side *side, const struct compare_side *other,
                             const struct side_options *options, struct diag *diag)
{
    if (!side->is_run)
        return side_read(&side->outcome, side->path, options, diag);
    bool is_free = other->is_run && !other->outcome.kind[0]; /* nobody has said anything yet */
    bool with_ops = is_free || other->outcome.op_count;
    if (!other->is_run && !other->path) /* an ASTRA-sim, whose log is not there yet */
        is_free = with_ops = compare_astra_has_ops(&side->run.options.inputs);
    enum status status =
        compare_run_make(&side->run, &side->outcome, with_ops, is_free ? NULL : &other->outcome);
    if (status != STATUS_OK)
        *diag = side->run.job.diag;
    return status;
}

static enum status fill_sides(const struct compare_asked *given, struct compare_sides *all,
                              const struct side_options *options, struct diag *diag)
{
    bool a_first = !all->a.is_run || all->b.is_run || given->astra.program;
    struct compare_side *first = a_first ? &all->a : &all->b, *second = a_first ? &all->b : &all->a;
    if (given->astra.program) {
        enum status made = fill_side(&all->a, &all->b, options, diag);
        if (made == STATUS_OK)
            made = compare_astra_make(&given->astra, &all->a.run, &all->b.outcome, all->host,
                                      sizeof all->host);
        if (made != STATUS_OK)
            *diag = all->a.run.job.diag;
        return made;
    }
    enum status status = fill_side(first, second, options, diag);
    return status == STATUS_OK ? fill_side(second, first, options, diag) : status;
}

enum status compare_sides_fill(struct compare_sides *all, const struct compare_asked *given,
                               const struct side_options *options, struct diag *diag)
{
    names_init(&all->words);
    outcome_init(&all->a.outcome, &all->words);
    outcome_init(&all->b.outcome, &all->words);
    enum status status = set_sides(given, all, diag);
    if (status == STATUS_OK)
        status = refuse_side(&all->a, given->run.output, diag);
    if (status == STATUS_OK)
        status = refuse_side(&all->b, given->run.output, diag);
    return status == STATUS_OK ? fill_sides(given, all, options, diag) : status;
}

static void release_side(struct compare_side *side)
{
    if (side->is_run)
        compare_run_end(&side->run);
    outcome_release(&side->outcome);
}

void compare_sides_release(struct compare_sides *all)
{
    release_side(&all->b);
    release_side(&all->a);
    names_release(&all->words);
}
