/* chakra_text: bytes of tensors from shapes and types, and process groups, directly. */
#include "tests/unit/unit.h"

#include <string.h>

#include "workloads/chakra/chakra_text.h"

static struct chakra_text as_text(const char *text)
{
    return (struct chakra_text){text, strlen(text)};
}

/* The bytes of one element of each type; 0: not understood. */
static const struct {
    const char *type;
    uint64_t bytes;
} types[] = {
    {"float", 4},
    {"double", 8},
    {"half", 2},
    {"c10::Half", 2},
    {"bfloat16", 2},
    {"c10::BFloat16", 2},
    {"int", 4},
    {"long", 8},
    {"long int", 8},
    {"short int", 2},
    {"signed char", 1},
    {"unsigned char", 1},
    {"bool", 1},
    {"float64", 8},
    {"int16", 2},
    {"uint8", 1},
    {"c10::Float8_e4m3fn", 1},
    {"c10::complex<double>", 16},
    {"unsigned long", 8},
    {"Float", 0},
    {"floats", 0},
    {"floa", 0},
    {"", 0},
    {"c10::quint4x2", 0},
};

START_TEST(element_types)
{
    char text[64];
    uint64_t bytes = 0;
    snprintf(text, sizeof text, "['Tensor(%s)']", types[_i].type);
    bool known = chakra_text_bytes(as_text("[[3]]"), as_text(text), &bytes);
    ck_assert_int_eq(known, types[_i].bytes != 0);
    if (known)
        ck_assert_uint_eq(bytes, 3 * types[_i].bytes);
}
END_TEST

static const struct {
    const char *shapes, *types;
    uint64_t bytes; /* UINT64_MAX: not understood */
} tensors[] = {
    {"[[4096, 2], []]", "['Tensor(float)', 'Int']", 32768},
    {"[[]]", "['Tensor(float)']", 4}, /* no extents: one element */
    {"[[0, 7]]", "['Tensor(float)']", 0},
    {"[(2, 3)]", "[\"Tensor(half)\"]", 12},
    {"[[2], [3]]", "['Tensor(float)', 'Tensor(double)']", 32},
    {"[[[2], [3]]]", "['GenericList[Tensor(float),Tensor(double)]']", 32},
    {"[[2]]", "['Int']", UINT64_MAX},                            /* no tensor at all */
    {"[[2]]", "['Tensor(float)', 'Tensor(float)']", UINT64_MAX}, /* a shape is missing */
    {"[[-2]]", "['Tensor(float)']", UINT64_MAX},
    {"[[2.0]]", "['Tensor(float)']", UINT64_MAX},
    {"[[2", "['Tensor(float)']", UINT64_MAX},
    {"[[4294967296, 536870911]]", "['Tensor(float)']", 4 * UINT64_C(4294967296) * 536870911},
    {"[[4294967296, 536870912]]", "['Tensor(float)']", UINT64_MAX}, /* 2^63 */
    {"[[18446744073709551615]]", "['Tensor(bool)']", UINT64_MAX},
    {"[[18446744073709551616]]", "['Tensor(bool)']", UINT64_MAX},
};

START_TEST(bytes_of_tensors)
{
    uint64_t bytes = 77;
    bool known = chakra_text_bytes(as_text(tensors[_i].shapes), as_text(tensors[_i].types), &bytes);
    ck_assert_int_eq(known, tensors[_i].bytes != UINT64_MAX);
    if (known)
        ck_assert_uint_eq(bytes, tensors[_i].bytes);
}
END_TEST

/* Text ends at its first NUL, and absent text is no tensor. */
START_TEST(ends_of_text)
{
    static const char shapes[] = "[[2]]\0[[9]]", kinds[] = "['Tensor(int)']\0x";
    uint64_t bytes;
    ck_assert(chakra_text_bytes((struct chakra_text){shapes, sizeof shapes - 1},
                                (struct chakra_text){kinds, sizeof kinds - 1}, &bytes));
    ck_assert_uint_eq(bytes, 8);
    ck_assert(!chakra_text_bytes((struct chakra_text){0}, as_text("['Tensor(int)']"), &bytes));
    ck_assert(!chakra_text_bytes(as_text("[[2]]"), (struct chakra_text){0}, &bytes));
}
END_TEST

/* Unbalanced brackets and quotes take time linear in their length, and never read past the end. */
START_TEST(hostile_text)
{
    enum { LENGTH = 1 << 20 };
    static const char fills[] = "[(\"',{\\ ";
    char *text = malloc(LENGTH);
    struct arena arena;
    struct group_list list = {0};
    uint64_t bytes;
    ck_assert_ptr_nonnull(text);
    memset(text, fills[_i], LENGTH);
    arena_init(&arena);
    ck_assert(!chakra_text_bytes((struct chakra_text){text, LENGTH},
                                 (struct chakra_text){text, LENGTH}, &bytes));
    chakra_text_groups((struct chakra_text){text, LENGTH}, &arena, &list);
    ck_assert_uint_eq(list.count, 0);
    group_list_release(&list);
    arena_release(&arena);
    free(text);
}
END_TEST

/* -- process groups ------------------------------------------------------------------------ */

START_TEST(groups_gather_over_nodes)
{
    struct arena arena;
    struct group_list list = {0};
    arena_init(&arena);
    ck_assert(chakra_text_groups(as_text("[{'pg_name': 'a', 'ranks': [2, 0]}]"), &arena, &list));
    ck_assert(chakra_text_groups(as_text("[{'pg_name': 'a', 'ranks': [2, 0]}]"), &arena, &list));
    ck_assert(chakra_text_groups(as_text("[{'pg_name': 'a', 'ranks': [0, 2]}]"), &arena, &list));
    ck_assert_uint_eq(list.count, 2); /* the same again is one; another order is another group */
    ck_assert_uint_eq(list.group[0].ranks[0], 2);
    ck_assert_uint_eq(list.group[1].ranks[0], 0);
    group_list_release(&list);
    ck_assert_uint_eq(list.count, 0);
    arena_release(&arena);
}
END_TEST

/* Python's quotes inside quotes; what is not JSON there is. */
static const struct {
    const char *text, *name; /* NULL: refused */
} quotes[] = {
    {"[{'pg_name': 'it\\'s', 'ranks': []}]", "it's"},
    {"[{'pg_name': 'a\"b', 'ranks': []}]", "a\"b"},
    {"[{\"pg_name\": \"it's\", \"ranks\": []}]", "it's"},
    {"[{'pg_name': 'a\\\\b', 'ranks': None}]", "a\\b"},
    {"[{'pg_name': 'None', 'ranks': ()}]", "None"},
    {"({'pg_name': 12345678901234567890123, 'ranks': ()},)", "12345678901234567890123"},
    {"[{'pg_name': 'a', 'ranks': [4294967294]}]", "a"},
    {"[{'pg_name': 'a', 'ranks': [4294967295]}]", NULL},
    {"[{'pg_name': 'a', 'ranks': [1.5]}]", NULL},
    {"[{'pg_name': None, 'ranks': []}]", NULL},
    {"[{'pg_name': 'a', 'pg_name': 'b'}]", NULL},
};

START_TEST(names_of_groups)
{
    struct arena arena;
    struct group_list list = {0};
    arena_init(&arena);
    bool read = chakra_text_groups(as_text(quotes[_i].text), &arena, &list);
    ck_assert_int_eq(read, quotes[_i].name != NULL);
    if (read)
        ck_assert_str_eq(list.group[0].name, quotes[_i].name);
    group_list_release(&list);
    arena_release(&arena);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *chakra_text_suite(void)
{
    Suite *suite = suite_create("chakra_text");
    TCase *tcase = tcase_create("chakra_text");
    tcase_add_loop_test(tcase, element_types, 0, ROWS(types));
    tcase_add_loop_test(tcase, bytes_of_tensors, 0, ROWS(tensors));
    tcase_add_test(tcase, ends_of_text);
    tcase_add_loop_test(tcase, hostile_text, 0, 8);
    tcase_add_test(tcase, groups_gather_over_nodes);
    tcase_add_loop_test(tcase, names_of_groups, 0, ROWS(quotes));
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(chakra_text_suite())
