/* orrery compare: two results side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/compare_sides.h"
#include "cli/output.h"
#include "compare/compare_report.h"
#include "compare/sides.h"
#include "config/names.h"

struct compare_command {
    struct compare_asked asked; /* first: it begins with `struct run_options` */
    const char *unit, *align, *by, *time_unit, *step;
    struct tolerance tolerance;
};

#define TEXT(option, word, member, what)                                                           \
    {                                                                                              \
        .name = option, .argument = word, .help = what, .take = take_text,                         \
        .offset = offsetof(struct compare_command, member)                                         \
    }

static enum status take_tolerance(void *to, const struct option *option, const char *value,
                                  struct diag *diag)
{
    struct compare_command *given = to;
    enum status status = tolerance_parse(&given->tolerance, value, diag);
    if (status != STATUS_OK)
        diag_field(diag, "%s", option->name);
    return status;
}

static enum status take_astra_option(void *to, const struct option *option, const char *value,
                                     struct diag *diag)
{
    struct compare_astra *astra = &((struct compare_command *)to)->asked.astra;
    if (astra->option_count == COMPARE_ASTRA_OPTIONS)
        return usage_error(diag, option->name, "at most %d are passed on", COMPARE_ASTRA_OPTIONS);
    astra->option[astra->option_count++] = value;
    return STATUS_OK;
}

static enum status take_side(void *to, const char *text, struct diag *diag)
{
    struct compare_command *given = to;
    if (given->asked.word[1])
        return usage_error(diag, NULL, "two sides are compared; \"%.100s\" is a third", text);
    given->asked.word[given->asked.word[0] != NULL] = text;
    return STATUS_OK;
}

static const struct option options[] = {
    {.name = "--tolerance",
     .argument = "LIMIT",
     .help = "exit code 16 if A is further from B: 5%, or ranks=0%,ops=10% (see above)",
     .take = take_tolerance},
    TEXT("--run-astra", "BINARY", asked.astra.program,
         "B is what this ASTRA-sim makes of the same files; A is our run"),
    TEXT("--astra-limit", "TIME", asked.astra.limit, "end it after so long (default 600s)"),
    {.name = "--astra-option",
     .argument = "WORD",
     .help = "pass it on: --astra-option=--logging-configuration=/path/log.toml",
     .take = take_astra_option},
    TEXT("--astra-log", "FILE", asked.astra.log, "keep what it prints"),
    {.name = "--rerun",
     .help = "run a report's job again, so that it has ops to compare",
     .take = take_flag,
     .offset = offsetof(struct compare_command, asked.is_rerun)},
    TEXT("--align", "auto|name|class", align, "which ops stand side by side (default auto)"),
    TEXT("--by", "class|name", by, "rows of ops: one for each class (default), or for each name"),
    TEXT("--step", "N|all", step, "of a measured trace: that step; default: of median length"),
    TEXT("--time-unit", "UNIT", time_unit, "of times in a CSV that does not say: ms"),
    TEXT("--unit", "UNIT", unit, "text: times in ps, ns, cycles (of ASTRA-sim: 1 ns), us, ms or s"),
    TEXT("--format", "NAME", asked.run.format, "text (default), json or csv"),
    TEXT("--output", "FILE", asked.run.output, "write it there (complete, or not at all)"),
    WATCH_OPTIONS,
    INPUT_OPTIONS,
    {0},
};

/* -- options that need a look ---------------------------------------------------------------- */

struct compare_choice {
    const struct compare_format *format;
    enum compare_unit unit;
    struct compare_how how;
    struct side_options side;
};

static enum status find_word(const char *option, const char *const *words, const char *word,
                             int *number, struct diag *diag)
{
    *number = 0;
    if (!word)
        return STATUS_OK;
    for (; words[*number]; ++*number)
        if (strcmp(words[*number], word) == 0)
            return STATUS_OK;
    char known[128];
    return usage_error(diag, option, "expected %s, found \"%.40s\"",
                       names_text(known, sizeof known, words), word);
}

static enum status read_side_options(const struct compare_command *given, struct side_options *side,
                                     struct diag *diag)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};
    int unit = 0;
    side->time_unit = given->time_unit;
    if (find_word("--time-unit", units, given->time_unit, &unit, diag) != STATUS_OK)
        return diag->status;
    if (!given->step)
        return STATUS_OK;
    side->step_choice = strcmp(given->step, "all") == 0 ? STEP_ALL : STEP_NUMBER;
    if (side->step_choice == STEP_NUMBER &&
        !decimal_u64(given->step, strlen(given->step), &side->step))
        return usage_error(diag, "--step", "expected a step's number or all, found \"%.40s\"",
                           given->step);
    return STATUS_OK;
}

static enum status read_choice(const struct compare_command *given, struct compare_choice *choice,
                               struct diag *diag)
{
    static const char *const rows[] = {"class", "name", NULL};
    int unit, align, by;
    *choice = (struct compare_choice){0};
    choice->format =
        options_format(compare_formats, sizeof *compare_formats, given->asked.run.format, diag);
    if (!choice->format ||
        find_word("--unit", compare_unit_names, given->unit, &unit, diag) != STATUS_OK ||
        find_word("--align", align_by_names, given->align, &align, diag) != STATUS_OK ||
        find_word("--by", rows, given->by, &by, diag) != STATUS_OK)
        return STATUS_USAGE;
    choice->unit = (enum compare_unit)unit;
    choice->how = (struct compare_how){(enum align_by)align, by == 1};
    return read_side_options(given, &choice->side, diag);
}

/* -- the comparison ---------------------------------------------------------------------------- */

struct comparing {
    struct compare_sides sides;
    struct comparison comparison;
    struct tolerance_verdict verdict;
};

static enum status write_report(const struct compare_command *given,
                                const struct compare_choice *choice, struct comparing *all,
                                struct diag *diag)
{
    struct out_file out;
    const struct compare_report report = {
        .version = ORRERY_VERSION,
        .comparison = &all->comparison,
        .tolerance = &given->tolerance,
        .verdict = &all->verdict,
        .unit = choice->unit,
        .quiet = given->asked.run.quiet,
    };
    enum status status = output_open(&out, given->asked.run.output, diag);
    if (status != STATUS_OK)
        return status;
    choice->format->write(&report, out.stream);
    status = output_commit(&out, diag);
    if (status == STATUS_OK && all->sides.host[0] && !given->asked.run.quiet) {
        char headline[128];
        fprintf(stderr, "%s; %s\n", compare_headline(headline, sizeof headline, &all->comparison),
                all->sides.host);
    }
    return status;
}

static enum status compare_outcomes(const struct compare_command *given,
                                    const struct compare_choice *choice, struct comparing *all,
                                    struct diag *diag)
{
    enum status status = comparison_make(&all->comparison, &all->sides.a.outcome,
                                         &all->sides.b.outcome, &choice->how, diag);
    if (status != STATUS_OK)
        return status;
    tolerance_judge(&given->tolerance, &all->comparison, &all->verdict);
    status = write_report(given, choice, all, diag);
    if (status == STATUS_OK && all->verdict.beyond) {
        status = diag_fail(diag, STATUS_DIFFERS, "beyond the tolerance: %s", all->verdict.first);
        diag_hint(diag, "%u rows are in all", (unsigned)all->verdict.beyond);
    }
    comparison_release(&all->comparison);
    return status;
}

static enum status compare(const struct compare_command *given, struct comparing *all,
                           struct diag *diag)
{
    struct compare_choice choice;
    enum status status = read_choice(given, &choice, diag);
    if (status != STATUS_OK)
        return status;
    status = compare_sides_fill(&all->sides, &given->asked, &choice.side, diag);
    if (status == STATUS_OK)
        status = compare_outcomes(given, &choice, all, diag);
    compare_sides_release(&all->sides);
    return status;
}

static int run_compare(int argc, char **argv)
{
    struct compare_command given = {.asked.astra.limit = "600s"};
    struct diag diag = DIAG_NONE;
    int code;
    tolerance_init(&given.tolerance);
    if (!options_begin(&command_compare, argc, argv, &given, take_side, &code))
        return code;
    struct comparing *all = calloc(1, sizeof *all);
    need_memory(all != NULL);
    enum status status = compare(&given, all, &diag);
    free(all);
    if (status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

static void print_kinds(FILE *out)
{
    fputs("\nA and B, known by their content:\n", out);
    for (const struct reader *const *reader = readers; *reader; reader++)
        fprintf(out, "  %-17s %s\n", (*reader)->name, (*reader)->from);
    fputs(
        "One trace a rank: a folder, or PREFIX of PREFIX.<rank>.json.\n"
        "What is run for it: CONFIG.yaml, STUDY.db:POINT, with --rerun a report's job; and with "
        "the\n"
        "options of orrery run A is that run, and B the word that is left.\n"
        "\n--tolerance 5% looks at the step and at when ranks finish; ranks=, ops=, collectives=\n"
        "and step= at every row of their table. Ranks that only one side has are beyond it.\n",
        out);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "two results side by side: ours, ASTRA-sim's, measured ones",
    .usage = "A B | [CONFIG.yaml] B --workload PREFIX .. | --run-astra BINARY --workload PREFIX ..",
    .about =
        "Aligns ranks, ops and collectives of A and B and tells how far A is from B, the\n"
        "reference: errors are A / B - 1, by class. src/compare/README.md says how to compare\n"
        "with ASTRA-sim.\n",
    .more = print_kinds,
    .examples = "  orrery compare report.json astra.log --tolerance 0%\n"
                "  orrery compare timeline.json traces --step all --format json\n"
                "  orrery compare report.json steps.csv --time-unit ms --tolerance step=5%\n"
                "  orrery compare report.json traces --rerun\n"
                "  orrery compare llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
                "tp=8,global-batch=2,seq=2048 traces\n"
                "  orrery compare --run-astra ./AstraSim_Analytical_Congestion_Unaware "
                "--workload W/all_reduce --network net.yml --system sys.json\n",
    .options = options,
    .run = run_compare,
};
