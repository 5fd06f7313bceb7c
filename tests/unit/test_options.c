/* options: what a command line means, and every mistake in one. */
#include "tests/unit/unit.h"

#include <string.h>

#include "cli/options.h"

struct wanted {
    const char *words[4];
    int word_count;
    const char *text, *choice;
    bool flag;
};

static enum status take_choice(void *to, const struct option *option, const char *value,
                               struct diag *diag)
{
    (void)option;
    (void)diag;
    ((struct wanted *)to)->choice = value ? value : "none given";
    return STATUS_OK;
}

static enum status take_any_word(void *to, const char *text, struct diag *diag)
{
    struct wanted *wanted = to;
    if (wanted->word_count == 4)
        return usage_error(diag, NULL, "too many words");
    wanted->words[wanted->word_count++] = text;
    return STATUS_OK;
}

static const struct option options[] = {
    {.name = "--text",
     .alias = "--their-text",
     .argument = "FILE",
     .help = "a text",
     .take = take_text,
     .offset = offsetof(struct wanted, text)},
    {.name = "--flag",
     .help = "a flag",
     .take = take_flag,
     .offset = offsetof(struct wanted, flag)},
    {.name = "--choice-with-a-long-name", .argument = "[a|b]", .help = "one", .take = take_choice},
    {0},
};

static const struct command command = {
    .name = "do",
    .usage = "[WORD..]",
    .about = "Does it.\n",
    .examples = "  orrery do x\n",
    .options = options,
};

static enum status parse(const char *line, struct wanted *wanted, enum asked *asked,
                         struct diag *diag)
{
    static char copy[200];
    char *argv[16];
    int argc = 0;
    *wanted = (struct wanted){0};
    *diag = DIAG_NONE;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
    return options_parse(&command, argc, argv, wanted, take_any_word, asked, diag);
}

/* What a line gives: text|choice|flag|words, '-' for nothing. */
static const struct {
    const char *line, *found;
} lines[] = {
    {"", "-|-|0|"},
    {"--text a", "a|-|0|"},
    {"--text=a", "a|-|0|"},
    {"--text=a=b", "a=b|-|0|"},
    {"--their-text a", "a|-|0|"},
    {"--their-text=a", "a|-|0|"},
    {"--text a --text=b", "b|-|0|"}, /* the later one wins */
    {"--text -x", "-x|-|0|"},
    {"--flag w --flag", "-|-|1|w "},
    {"--choice-with-a-long-name w", "-|none given|0|w "}, /* only '=' gives it a value */
    {"--choice-with-a-long-name=b", "-|b|0|"},
    {"x - y", "-|-|0|x - y "}, /* "-" is a word */
    {"x -- --flag -h", "-|-|0|x --flag -h "},
};

START_TEST(lines_mean)
{
    struct wanted wanted;
    enum asked asked;
    struct diag diag;
    char found[200], words[100] = "";
    ck_assert_int_eq(parse(lines[_i].line, &wanted, &asked, &diag), STATUS_OK);
    ck_assert_int_eq(asked, ASKED_NOTHING);
    for (int i = 0; i < wanted.word_count; i++) {
        strcat(words, wanted.words[i]);
        strcat(words, " ");
    }
    snprintf(found, sizeof found, "%s|%s|%d|%s", wanted.text ? wanted.text : "-",
             wanted.choice ? wanted.choice : "-", wanted.flag, words);
    ck_assert_str_eq(found, lines[_i].found);
}
END_TEST

static const struct {
    const char *line, *field, *message, *hint;
} mistakes[] = {
    {"--text", "--text", "expected FILE after it", "write --text=FILE"},
    {"--text --flag", "--text", "expected FILE after it", "write --text=FILE"},
    {"--text ''", "--text", "expected FILE, found nothing", "see orrery do --help"},
    {"--text=", "--text", "expected FILE, found nothing", "see orrery do --help"},
    {"--flag=yes", "--flag", "takes no value, found \"yes\"", "see orrery do --help"},
    {"--flga", "", "unknown option --flga", "did you mean --flag?"},
    {"--their-txt=a", "", "unknown option --their-txt", "did you mean --their-text?"},
    {"--hlep", "", "unknown option --hlep", "did you mean --help?"},
    {"--something-else", "", "unknown option --something-else", "see orrery do --help"},
    {"-x", "", "unknown option -x", "see orrery do --help"},
    {"--textual a", "", "unknown option --textual", "did you mean --text?"},
    {"a b c d e", "", "too many words", "see orrery do --help"},
};

START_TEST(mistakes_are_named)
{
    struct wanted wanted;
    enum asked asked;
    struct diag diag;
    ck_assert_int_eq(parse(mistakes[_i].line, &wanted, &asked, &diag), STATUS_USAGE);
    ck_assert_int_eq(diag.status, STATUS_USAGE);
    ck_assert_str_eq(diag.field, mistakes[_i].field);
    ck_assert_str_eq(diag.message, mistakes[_i].message);
    ck_assert_str_eq(diag.hint, mistakes[_i].hint);
}
END_TEST

static const struct {
    const char *line;
    enum asked asked;
} helps[] = {
    {"--help", ASKED_HELP},
    {"x -h", ASKED_HELP},
    {"--unknown --help", ASKED_HELP}, /* nothing else is checked */
    {"-- --help", ASKED_NOTHING},
};

START_TEST(help_wins)
{
    struct wanted wanted;
    enum asked asked;
    struct diag diag;
    ck_assert_int_eq(parse(helps[_i].line, &wanted, &asked, &diag), STATUS_OK);
    ck_assert_int_eq(asked, helps[_i].asked);
}
END_TEST

START_TEST(help_text)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    options_help(&command, out);
    fclose(out);
    ck_assert_str_eq(text, "orrery do [WORD..]\n\nDoes it.\n\nOptions:\n"
                           "  --text FILE                     a text\n"
                           "  --flag                          a flag\n"
                           "  --choice-with-a-long-name[=a|b]\n"
                           "                                  one\n"
                           "\nAs ASTRA-sim spells them:\n"
                           "  --their-text                      --text\n"
                           "\nExamples:\n  orrery do x\n");
    free(text);
}
END_TEST

START_TEST(one_word)
{
    const char *word = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(take_word(&word, "models", &diag), STATUS_OK);
    ck_assert_str_eq(word, "models");
    ck_assert_int_eq(take_word(&word, "formats", &diag), STATUS_USAGE);
    ck_assert_str_eq(diag.message, "one word is accepted, found \"models\" and \"formats\"");
    ck_assert_str_eq(word, "models");
    ck_assert_ptr_null(no_options[0].name);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tcase = tcase_create("options");
    tcase_add_loop_test(tcase, lines_mean, 0, ROWS(lines));
    tcase_add_loop_test(tcase, mistakes_are_named, 0, ROWS(mistakes));
    tcase_add_loop_test(tcase, help_wins, 0, ROWS(helps));
    tcase_add_test(tcase, help_text);
    tcase_add_test(tcase, one_word);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(options_suite())
