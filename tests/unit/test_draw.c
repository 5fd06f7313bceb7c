#define _POSIX_C_SOURCE 200809L
#include "report/draw.h"

#include <ctype.h>
#include <stdlib.h>

#include "report/draw_heat.h"
#include "tests/unit/fabric_util.h"
#include "tests/unit/unit.h"

static char *svg_of(const struct fabric *fabric, const struct link_figures *figures, double whole)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    draw_svg(fabric, figures, whole, out);
    fclose(out);
    return text;
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

/* Tags close in order, and no bare '<' or '&' stands in the text. */
static void check_xml(const char *text)
{
    enum { DEPTH = 16, NAME = 16 };
    char open[DEPTH][NAME];
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '&')
            ck_assert_msg(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                              strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&quot;", 6) == 0,
                          "%.20s", at);
        if (*at != '<')
            continue;
        const char *end = strchr(at, '>');
        ck_assert_ptr_nonnull(end);
        char name[NAME] = "";
        const char *from = at + 1 + (at[1] == '/');
        for (int i = 0; i < NAME - 1 && isalnum((unsigned char)from[i]); i++)
            name[i] = from[i];
        ck_assert_msg(name[0] != '\0', "%.20s", at);
        if (at[1] == '/') {
            ck_assert_int_gt(depth, 0);
            ck_assert_str_eq(open[--depth], name);
        } else if (end[-1] != '/') {
            ck_assert_int_lt(depth, DEPTH);
            strcpy(open[depth++], name);
        }
        at = end;
    }
    ck_assert_int_eq(depth, 0);
}

/* NPUs are circles, switches boxes, one more of each in the legend; a cable is one path (a stub
 * too). */
static const struct {
    const char *text;
    uint32_t circles, cables;
} rows[] = {
    {"ring:12", 13, 12},
    {"full:8", 9, 28},
    {"switch:16", 17, 16},
    {"line:6", 7, 5},
    {"torus:4x4x4", 65, 192},
    {"torus:2x2x2x2", 17, 32},
    {"leafspine:8x4", 33, 32 + 32},
    {"fattree:4", 17, 48},
    {"full:4*switch:4", 17, 24 + 16},
    {"rail:4x8", 33, 32 + 32 + 32},
};

START_TEST(every_node_and_cable_is_there)
{
    struct fabric *fabric = fabric_from(rows[_i].text);
    char *svg = svg_of(fabric, NULL, 0);
    check_xml(svg);
    ck_assert_uint_eq(count_of(svg, "<circle"), rows[_i].circles);
    ck_assert_uint_eq(count_of(svg, "<path"), rows[_i].cables);
    ck_assert_ptr_null(strstr(svg, "nan"));
    free(svg);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(large_ones_are_grouped_and_say_so)
{
    static const char *const text[] = {"torus:16x16x16",          "fattree:16",    "switch:1000",
                                       "leafspine:32x32",         "torus:8x8x8x8", "ring:5000",
                                       "rail:8x512,unit=32,pod=4"};
    struct fabric *fabric = fabric_from(text[_i]);
    char *svg = svg_of(fabric, NULL, 0);
    check_xml(svg);
    ck_assert_ptr_nonnull(strstr(svg, " nodes drawn as "));
    ck_assert_uint_le(count_of(svg, "<g><title>"), 4 * DRAW_MOST_NODES);
    free(svg);
    fabric_destroy(fabric);
}
END_TEST

/* Graphs: names that XML gives a meaning cannot come in by our files, but by others'. */
START_TEST(names_are_escaped)
{
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_node(builder, ROLE_NPU, "a<b>&\"c\"");
    fabric_add_node(builder, ROLE_NPU, "\x1b[1m");
    fabric_add_cable(builder, 0, 1, 1e9, 1, 0);
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_finish(builder, "x</title>", &fabric, &diag), STATUS_OK);
    char *svg = svg_of(fabric, NULL, 0);
    check_xml(svg);
    ck_assert_ptr_nonnull(strstr(svg, "a&lt;b&gt;&amp;&quot;c&quot;"));
    ck_assert_ptr_null(strchr(svg, '\x1b'));
    free(svg);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(the_same_fabric_is_the_same_picture)
{
    struct fabric *fabric = fabric_from("configs/examples/topologies/cluster.yaml");
    char *one = svg_of(fabric, NULL, 0), *two = svg_of(fabric, NULL, 0);
    ck_assert_str_eq(one, two);
    free(one);
    free(two);
    fabric_destroy(fabric);
}
END_TEST

/* Ring of 4, one link busy for all of the time and its neighbour for a quarter: each direction has
 * its line, idle ones are grey, and the list of the hottest has the two in order. */
START_TEST(heat_map)
{
    struct fabric *fabric = fabric_from("ring:4");
    struct link_figures figures[8] = {{0}};
    uint32_t hot = fabric_find_link(fabric, 1, 2), warm = fabric_find_link(fabric, 2, 3);
    figures[hot] = (struct link_figures){.bytes = 4e6, .busy_ns = 1000, .messages = 1};
    figures[warm] = (struct link_figures){.bytes = 1e6, .busy_ns = 250, .messages = 1};
    char *svg = svg_of(fabric, figures, 1000);
    check_xml(svg);
    char colour[8];
    ck_assert_ptr_nonnull(strstr(svg, draw_heat_colour(colour, 1)));
    ck_assert_ptr_nonnull(strstr(svg, draw_heat_colour(colour, 0.25)));
    ck_assert_uint_eq(count_of(svg, "class=\"idle\""), 6);
    const char *first = strstr(svg, "100.0 %  npu1 -&gt; npu2, 4.000 MB");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(strstr(first, " 25.0 %  npu2 -&gt; npu3, 1.000 MB"));
    free(svg);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(colours_are_colours)
{
    char colour[8];
    for (int i = -5; i <= 105; i++) {
        ck_assert_uint_eq(strlen(draw_heat_colour(colour, i / 100.0)), 7);
        ck_assert_uint_eq(strspn(colour + 1, "0123456789abcdef"), 6);
    }
}
END_TEST

static Suite *draw_suite(void)
{
    Suite *suite = suite_create("draw");
    TCase *tcase = tcase_create("svg");
    tcase_add_loop_test(tcase, every_node_and_cable_is_there, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tcase, large_ones_are_grouped_and_say_so, 0, 7);
    tcase_add_test(tcase, names_are_escaped);
    tcase_add_test(tcase, the_same_fabric_is_the_same_picture);
    tcase_add_test(tcase, heat_map);
    tcase_add_test(tcase, colours_are_colours);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(draw_suite())
