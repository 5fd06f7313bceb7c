#include "cli/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "config/names.h"

enum { MOST_OPTIONS = 64, HELP_COLUMN = 34 };

enum status usage_error(struct diag *diag, const char *option, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_fail(diag, STATUS_USAGE, "%s", message);
    if (option)
        diag_field(diag, "%s", option);
    return STATUS_USAGE;
}

int command_failed(const struct diag *diag)
{
    diag_print(diag, stderr);
    return status_exit_code(diag->status);
}

enum status take_text(void *to, const struct option *option, const char *value, struct diag *diag)
{
    if (*value == '\0')
        return usage_error(diag, option->name, "expected %s, found nothing", option->argument);
    *(const char **)((char *)to + option->offset) = value;
    return STATUS_OK;
}

enum status take_count(const struct option *option, const char *value, uint32_t most,
                       const char *what, uint32_t *to, struct diag *diag)
{
    uint64_t number;
    if (!decimal_u64(value, strlen(value), &number) || number < 1 || number > most)
        return usage_error(diag, option->name, "expected 1 to %" PRIu32 " %s, found \"%.60s\"",
                           most, what, value);
    *to = (uint32_t)number;
    return STATUS_OK;
}

enum status take_word(void *to, const char *text, struct diag *diag)
{
    const char **word = to;
    if (*word)
        return usage_error(diag, NULL, "one word is accepted, found \"%.60s\" and \"%.60s\"", *word,
                           text);
    *word = text;
    return STATUS_OK;
}

const struct option no_options[] = {{0}};

enum status take_flag(void *to, const struct option *option, const char *value, struct diag *diag)
{
    (void)value;
    (void)diag;
    *(bool *)((char *)to + option->offset) = true;
    return STATUS_OK;
}

/* True if `word` is `name`, or `name` followed by '=' and a value. */
static bool matches(const char *word, const char *name, const char **value)
{
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || strncmp(word, name, length) != 0)
        return false;
    if (word[length] != '\0' && word[length] != '=')
        return false;
    *value = word[length] == '=' ? word + length + 1 : NULL;
    return true;
}

static const struct option *find(const struct option *options, const char *word, const char **value)
{
    for (; options->name; options++) {
        if (matches(word, options->name, value) || matches(word, options->alias, value))
            return options;
    }
    return NULL;
}

static enum status unknown_option(const struct command *command, const char *word,
                                  struct diag *diag)
{
    const char *known[2 * MOST_OPTIONS + 2];
    size_t count = 0;
    for (const struct option *option = command->options; option->name; option++) {
        promise(count + 3 < sizeof known / sizeof *known);
        known[count++] = option->name;
        if (option->alias)
            known[count++] = option->alias;
    }
    known[count++] = "--help";
    known[count] = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    usage_error(diag, NULL, "unknown option %s", name);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(diag, "did you mean %s?", nearest);
    else
        diag_hint(diag, "see orrery %s --help", command->name);
    return STATUS_USAGE;
}

/* One option at argv[*i]; moves *i past its value if that is the next word. */
static enum status take_option(const struct command *command, int argc, char **argv, int *i,
                               void *to, struct diag *diag)
{
    const char *value = NULL;
    const struct option *option = find(command->options, argv[*i], &value);
    if (!option)
        return unknown_option(command, argv[*i], diag);
    bool takes = option->argument != NULL;
    if (!takes && value)
        return usage_error(diag, option->name, "takes no value, found \"%.60s\"", value);
    if (takes && option->argument[0] != '[' && !value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
            usage_error(diag, option->name, "expected %s after it", option->argument);
            diag_hint(diag, "write %s=%s", option->name, option->argument);
            return STATUS_USAGE;
        }
        value = argv[++*i];
    }
    return option->take(to, option, value, diag);
}

/* "-5" is a word: who expects one has more to say about it than that there is no such option. */
static bool is_number(const char *word)
{
    return isdigit((unsigned char)word[1]) || word[1] == '.';
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

enum status options_parse(const struct command *command, int argc, char **argv, void *to,
                          enum status (*word)(void *to, const char *text, struct diag *diag),
                          enum asked *asked, struct diag *diag)
{
    *asked = ASKED_NOTHING;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i])) {
            *asked = ASKED_HELP;
            return STATUS_OK;
        }
    }
    bool only_words = false;
    enum status status = STATUS_OK;
    for (int i = 0; i < argc && status == STATUS_OK; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0' && !is_number(argv[i]))
            status = take_option(command, argc, argv, &i, to, diag);
        else
            status = word(to, argv[i], diag);
    }
    if (status != STATUS_OK)
        diag_hint(diag, "see orrery %s --help", command->name);
    return status;
}

static void print_option(const struct option *option, FILE *out)
{
    char left[64];
    const char *argument = option->argument ? option->argument : "";
    const char *between = !option->argument ? "" : *argument == '[' ? "" : " ";
    if (*argument == '[')
        snprintf(left, sizeof left, "%s[=%s", option->name, argument + 1);
    else
        snprintf(left, sizeof left, "%s%s%s", option->name, between, argument);
    if (strlen(left) + 4 > HELP_COLUMN)
        fprintf(out, "  %s\n  %*s%s\n", left, HELP_COLUMN - 2, "", option->help);
    else
        fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, left, option->help);
}

static void print_aliases(const struct option *options, FILE *out)
{
    bool any = false;
    for (; options->name; options++) {
        if (!options->alias)
            continue;
        if (!any)
            fputs("\nAs ASTRA-sim spells them:\n", out);
        any = true;
        fprintf(out, "  %-*s%s\n", HELP_COLUMN, options->alias, options->name);
    }
}

void options_help(const struct command *command, FILE *out)
{
    fprintf(out, "orrery %s %s\n\n%s", command->name, command->usage, command->about);
    if (command->more)
        command->more(out);
    if (command->options->name)
        fputs("\nOptions:\n", out);
    for (const struct option *option = command->options; option->name; option++)
        print_option(option, out);
    print_aliases(command->options, out);
    fprintf(out, "\nExamples:\n%s", command->examples);
}

const void *options_format(const void *table, size_t row_bytes, const char *name, struct diag *diag)
{
    enum { MOST_FORMATS = 15 };
    const char *names[MOST_FORMATS + 1] = {0};
    const char *row = table;
    for (size_t i = 0; i < MOST_FORMATS; i++, row += row_bytes) {
        memcpy(&names[i], row, sizeof names[i]);
        if (!names[i])
            break;
        if (!name || strcmp(names[i], name) == 0)
            return row;
    }
    char known[128];
    usage_error(diag, "--format", "expected %s, found \"%.60s\"",
                names_text(known, sizeof known, names), name);
    const char *nearest = suggest_nearest(name, names);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return NULL;
}

bool options_begin(const struct command *command, int argc, char **argv, void *to,
                   enum status (*word)(void *to, const char *text, struct diag *diag), int *code)
{
    enum asked asked;
    struct diag diag = DIAG_NONE;
    if (options_parse(command, argc, argv, to, word, &asked, &diag) != STATUS_OK) {
        *code = command_failed(&diag);
        return false;
    }
    *code = 0;
    if (asked == ASKED_HELP)
        options_help(command, stdout);
    return asked != ASKED_HELP;
}
