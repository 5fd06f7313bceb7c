/* links: which are the hottest, and what is said of them in text, JSON and CSV. */
#define _POSIX_C_SOURCE 200809L
#include "report/links.h"

#include <string.h>

#include "tests/unit/fabric_util.h"

/* Equal ones by number; what carried nothing is not there, however busy. */
START_TEST(hottest_are_in_order)
{
    static const double busy_ns[] = {0, 5, 9, 5, 8, 1e-12, 10, 1, 2, 3, 4, 5};
    static const uint32_t want[] = {6, 2, 1, 3, 11, 10, 9, 8};
    enum { COUNT = sizeof busy_ns / sizeof *busy_ns };
    struct link_figures figures[COUNT];
    for (int l = 0; l < COUNT; l++)
        figures[l] = (struct link_figures){.bytes = l == 4 ? 0 : 1, .busy_ns = busy_ns[l]};
    uint32_t link[LINKS_HOTTEST];
    ck_assert_uint_eq(links_hottest(figures, COUNT, LINKS_HOTTEST, link), LINKS_HOTTEST);
    ck_assert_mem_eq(link, want, sizeof want);
    ck_assert_uint_eq(links_hottest(figures, 1, LINKS_HOTTEST, link), 1);
    ck_assert_uint_eq(links_hottest(figures, 0, LINKS_HOTTEST, link), 0);
}
END_TEST

/* Sums in another order may differ in the last bits: below a ps they are one time. */
START_TEST(last_bits_do_not_count)
{
    const struct link_figures figures[] = {{.bytes = 1, .busy_ns = 0.3},
                                           {.bytes = 1, .busy_ns = 0.1 + 0.2}};
    uint32_t link[2];
    ck_assert(figures[1].busy_ns > figures[0].busy_ns);
    links_hottest(figures, 2, 2, link);
    ck_assert_uint_eq(link[0], 0);
}
END_TEST

/* A line of 3 with 1 GB/s: npu0 to npu2 sends 1000 B, which take each link 1 us of 4 us. */
struct case_of_links {
    struct fabric *fabric;
    struct config config;
    struct link_figures figures[4];
    struct run_result result;
};

static void set_up(struct case_of_links *at)
{
    *at = (struct case_of_links){.fabric = fabric_from("line:3,bw=1GB/s,lat=10ns")};
    at->config.network.fabric = at->fabric;
    uint32_t first = fabric_find_link(at->fabric, 0, 1),
             second = fabric_find_link(at->fabric, 1, 2);
    at->figures[first] = (struct link_figures){.bytes = 1000, .busy_ns = 1000, .messages = 1};
    at->figures[second] =
        (struct link_figures){.bytes = 1000, .busy_ns = 1000, .queued_ns = 2.5, .messages = 1};
    at->result = (struct run_result){.end_ps = 4000000, .link = at->figures, .link_count = 4};
}

static char *printed(const struct case_of_links *at,
                     void (*print)(const struct run_result *, const struct config *, FILE *))
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    print(&at->result, &at->config, out);
    fclose(out);
    return text;
}

START_TEST(text_has_the_hottest)
{
    struct case_of_links at;
    set_up(&at);
    char *text = printed(&at, links_text);
    ck_assert_str_eq(text, "links: 2 of 4 carried something, 25.00 % busy on average; the hottest\n"
                           "  link        dim   bandwidth     bytes     busy    queued\n"
                           "  npu0->npu1    0  1.000 GB/s  1.000 kB  25.00 %         0\n"
                           "  npu1->npu2    0  1.000 GB/s  1.000 kB  25.00 %  2.500 ns\n\n");
    free(text);
    at.result.link_count = 0; /* the model saw no links */
    text = printed(&at, links_text);
    ck_assert_str_eq(text, "");
    free(text);
    fabric_destroy(at.fabric);
}
END_TEST

START_TEST(csv_has_every_link)
{
    struct case_of_links at;
    set_up(&at);
    char *text = printed(&at, links_csv);
    ck_assert_str_eq(text, "# orrery.links/1\n"
                           "link,from,to,dim,bandwidth_Bps,latency_ns,bytes,busy_ps,queued_ps\n"
                           "0,npu0,npu1,0,1000000000,10,1000,1000000,0\n"
                           "1,npu1,npu0,0,1000000000,10,0,0,0\n"
                           "2,npu1,npu2,0,1000000000,10,1000,1000000,2500\n"
                           "3,npu2,npu1,0,1000000000,10,0,0,0\n");
    free(text);
    fabric_destroy(at.fabric);
}
END_TEST

static void print_json(const struct run_result *result, const struct config *config, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    links_json(result, config, &json);
    json_map_end(&json);
}

START_TEST(json_has_the_hottest)
{
    struct case_of_links at;
    set_up(&at);
    char *text = printed(&at, print_json);
    ck_assert_ptr_nonnull(strstr(text, "\"from\": \"npu1\", \"to\": \"npu2\", \"dim\": 0, "
                                       "\"bandwidth_Bps\": 1000000000, \"bytes\": 1000, "
                                       "\"busy_ps\": 1000000, \"queued_ps\": 2500}"));
    ck_assert_ptr_null(strstr(text, "\"from\": \"npu2\""));
    free(text);
    fabric_destroy(at.fabric);
}
END_TEST

static Suite *links_suite(void)
{
    Suite *suite = suite_create("links");
    TCase *rows = tcase_create("links");
    tcase_add_test(rows, hottest_are_in_order);
    tcase_add_test(rows, last_bits_do_not_count);
    tcase_add_test(rows, text_has_the_hottest);
    tcase_add_test(rows, csv_has_every_link);
    tcase_add_test(rows, json_has_the_hottest);
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(links_suite())
