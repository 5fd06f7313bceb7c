#include "tests/unit/unit.h"

#include <string.h>

#include "report/columns.h"

/* What `print` wrote, as text the caller frees. */
static char *printed(const struct columns *columns)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    columns_print(columns, out);
    fclose(out);
    return text;
}

START_TEST(cells_line_up_without_trailing_blanks)
{
    struct columns table;
    columns_init(&table, "lrl");
    const char *const cells[] = {"", "n", "what", "ring", "7", "x", "a", "1234", ""};
    for (size_t i = 0; i < 9; i++)
        columns_add(&table, "%s", cells[i]);
    char *text = printed(&table);
    ck_assert_str_eq(text, "           n  what\n"
                           "  ring     7  x\n"
                           "  a     1234  \n");
    free(text);
    columns_release(&table);
}
END_TEST

START_TEST(wide_text_gives_way_figures_do_not)
{
    struct columns table;
    char name[201], figure[61];
    memset(name, 'n', 200);
    strcpy(name + 197, "END");
    memset(figure, '9', 60);
    figure[60] = '\0';
    columns_init(&table, "lr");
    columns_add(&table, "%s", name);
    columns_add(&table, "%s", figure);
    char *text = printed(&table);
    ck_assert_uint_eq(strlen(text), COLUMNS_PAGE + 1);
    ck_assert_ptr_nonnull(strstr(text, ".."));
    ck_assert_ptr_nonnull(strstr(text, "END"));
    ck_assert_ptr_nonnull(strstr(text, figure));
    free(text);
    columns_release(&table);
}
END_TEST

START_TEST(utf8_counts_as_shown_and_controls_are_masked)
{
    struct columns table;
    columns_init(&table, "lr");
    columns_add(&table, "\xc3\xa9t\xc3\xa9"); /* three letters, five bytes */
    columns_add(&table, "1");
    columns_add(&table, "a\x1b"
                        "b");
    columns_add(&table, "2");
    char *text = printed(&table);
    ck_assert_str_eq(text, "  \xc3\xa9t\xc3\xa9  1\n  a?b  2\n");
    free(text);
    columns_release(&table);
}
END_TEST

START_TEST(many_rows_keep_their_cells)
{
    struct columns table;
    columns_init(&table, "r");
    for (int i = 0; i < 1000; i++)
        columns_add(&table, "%d", i);
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "\n  999\n"));
    ck_assert_ptr_eq(strstr(text, "    0\n"), text);
    free(text);
    columns_release(&table);
}
END_TEST

START_TEST(wrap_breaks_at_blanks_only)
{
    char *text = NULL;
    size_t length = 0;
    char word[121];
    memset(word, 'w', 120);
    word[120] = '\0';
    char line[400];
    snprintf(line, sizeof line, "%.60s %.60s %s end", word, word, word);
    FILE *out = open_memstream(&text, &length);
    columns_wrap(out, 0, 4, line);
    fclose(out);
    char expected[500];
    snprintf(expected, sizeof expected, "%.60s\n    %.60s\n    %s\n    end\n", word, word, word);
    ck_assert_str_eq(text, expected);
    free(text);
}
END_TEST

static Suite *columns_suite(void)
{
    Suite *suite = suite_create("columns");
    TCase *table = tcase_create("table");
    tcase_add_test(table, cells_line_up_without_trailing_blanks);
    tcase_add_test(table, wide_text_gives_way_figures_do_not);
    tcase_add_test(table, utf8_counts_as_shown_and_controls_are_masked);
    tcase_add_test(table, many_rows_keep_their_cells);
    tcase_add_test(table, wrap_breaks_at_blanks_only);
    suite_add_tcase(suite, table);
    return suite;
}

RUN_SUITE(columns_suite())
