/* orrery compare: two results side by side. */
#include <string.h>

#include "base/decimal.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "compare/compare_report.h"
#include "compare/sides.h"

struct compare_command {
    const char *a, *b;
    const char *format, *output, *unit, *align, *time_unit, *step;
    struct tolerance tolerance;
    bool quiet;
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

static enum status take_side(void *to, const char *text, struct diag *diag)
{
    struct compare_command *given = to;
    if (given->b)
        return usage_error(diag, NULL, "two sides are compared; \"%.100s\" is a third", text);
    *(given->a ? &given->b : &given->a) = text;
    return STATUS_OK;
}

static const struct option options[] = {
    {.name = "--tolerance",
     .argument = "LIMIT",
     .help = "exit code 16 if A is further from B: 5%, or ranks=0%,ops=10% (see below)",
     .take = take_tolerance},
    TEXT("--align", "auto|name|class", align, "which ops stand side by side (default auto)"),
    TEXT("--step", "N|all", step, "of a measured trace: that step; default: of median length"),
    TEXT("--time-unit", "UNIT", time_unit, "of times in a CSV that does not say: ms"),
    TEXT("--unit", "UNIT", unit, "text: times in ps, ns, cycles (of ASTRA-sim: 1 ns), us, ms or s"),
    TEXT("--format", "NAME", format, "text (default), json or csv"),
    TEXT("--output", "FILE", output, "write it there (complete, or not at all)"),
    {.name = "--quiet",
     .help = "text: no notices",
     .take = take_flag,
     .offset = offsetof(struct compare_command, quiet)},
    {0},
};

/* -- options that need a look ---------------------------------------------------------------- */

struct compare_choice {
    const struct compare_format *format;
    enum compare_unit unit;
    enum align_by align;
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
    char known[128] = "";
    for (int i = 0; words[i]; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 words[i]);
    return usage_error(diag, option, "expected one of %s, found \"%.40s\"", known, word);
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
    int unit, align;
    *choice = (struct compare_choice){0};
    if (!given->b) {
        usage_error(diag, NULL, "two results are needed");
        diag_hint(diag, "orrery compare report.json astra.log");
        return STATUS_USAGE;
    }
    choice->format = options_format(compare_formats, sizeof *compare_formats, given->format, diag);
    if (!choice->format ||
        find_word("--unit", compare_unit_names, given->unit, &unit, diag) != STATUS_OK ||
        find_word("--align", align_by_names, given->align, &align, diag) != STATUS_OK)
        return STATUS_USAGE;
    choice->unit = (enum compare_unit)unit;
    choice->align = (enum align_by)align;
    return read_side_options(given, &choice->side, diag);
}

/* -- the comparison -------------------------------------------------------------------------- */

struct comparing {
    struct names words;
    struct outcome a, b;
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
        .quiet = given->quiet,
    };
    enum status status = output_open(&out, given->output, diag);
    if (status != STATUS_OK)
        return status;
    choice->format->write(&report, out.stream);
    return output_commit(&out, diag);
}

static enum status compare_sides(const struct compare_command *given,
                                 const struct compare_choice *choice, struct comparing *all,
                                 struct diag *diag)
{
    enum status status = comparison_make(&all->comparison, &all->a, &all->b, choice->align, diag);
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

static enum status compare(const struct compare_command *given, struct diag *diag)
{
    struct compare_choice choice;
    struct comparing all;
    enum status status = read_choice(given, &choice, diag);
    if (status != STATUS_OK)
        return status;
    names_init(&all.words);
    outcome_init(&all.a, &all.words);
    outcome_init(&all.b, &all.words);
    status = side_read(&all.a, given->a, &choice.side, diag);
    if (status == STATUS_OK)
        status = side_read(&all.b, given->b, &choice.side, diag);
    if (status == STATUS_OK)
        status = compare_sides(given, &choice, &all, diag);
    outcome_release(&all.b);
    outcome_release(&all.a);
    names_release(&all.words);
    return status;
}

static int run_compare(int argc, char **argv)
{
    struct compare_command given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    tolerance_init(&given.tolerance);
    if (!options_begin(&command_compare, argc, argv, &given, take_side, &code))
        return code;
    enum status status = compare(&given, &diag);
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
        "\n--tolerance 5% looks at the step and at when ranks finish; ranks=, ops=, collectives=\n"
        "and step= at every row of their table. Ranks that only one side has are beyond it.\n",
        out);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "two results side by side: ours, ASTRA-sim's, measured ones",
    .usage = "A B [OPTIONS]",
    .about =
        "Aligns ranks, ops and collectives of A and B and tells how far A is from B, the\n"
        "reference: errors are A / B - 1, by class. src/compare/README.md says how to compare\n"
        "with ASTRA-sim.\n",
    .more = print_kinds,
    .examples = "  orrery compare report.json astra.log --tolerance 0%\n"
                "  orrery compare timeline.json traces --step all --format json\n"
                "  orrery compare report.json steps.csv --time-unit ms --tolerance step=5%\n",
    .options = options,
    .run = run_compare,
};
