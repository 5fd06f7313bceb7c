/* traffic_report: figures of a run of known times, in every format. */
#define _POSIX_C_SOURCE 200809L
#include "report/traffic_report.h"

#include <string.h>

#include "tests/unit/unit.h"

enum { FLOWS = 4 };

/* Four flows of 1000 B; they take 1, 2, 3 and 6 ns; all is there at 8 ns. */
struct case_of_flows {
    struct config config;
    struct traffic traffic;
    struct notices notices;
    time_ps sent_ps[FLOWS], arrived_ps[FLOWS];
    struct traffic_result result;
    struct traffic_report report;
};

static void set_up(struct case_of_flows *at)
{
    static const time_ps sent_ps[] = {0, 1000, 1000, 2000}, took_ps[] = {1000, 2000, 3000, 6000};
    memset(at, 0, sizeof *at);
    config_init(&at->config);
    traffic_init(&at->traffic);
    notices_init(&at->notices);
    at->config.network.npu_count = 5;
    at->config.network.backend = NET_FLOW;
    for (uint32_t i = 0; i < FLOWS; i++) {
        traffic_add(&at->traffic, i, i + 1, 1000);
        at->sent_ps[i] = sent_ps[i];
        at->arrived_ps[i] = sent_ps[i] + took_ps[i];
    }
    at->result = (struct traffic_result){
        .sent_ps = at->sent_ps, .arrived_ps = at->arrived_ps, .makespan_ps = 8000, .bytes = 4000};
    at->report =
        (struct traffic_report){"test", &at->config, &at->traffic, &at->result, &at->notices};
}

static void tear_down(struct case_of_flows *at)
{
    notices_release(&at->notices);
    traffic_release(&at->traffic);
    config_release(&at->config);
}

static char *report_as(const struct case_of_flows *at, const char *name)
{
    const struct traffic_format *format = traffic_formats;
    while (strcmp(format->name, name) != 0)
        format++;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    format->write(&at->report, out);
    fclose(out);
    return text;
}

/* 4000 B in 8 ns are 500 GB/s; mean 12 / 4 = 3 ns; of four the second is the median, the
 * fourth (ceil(3.96)) the 99th of a hundred; the slowest comes first. */
START_TEST(figures_in_text)
{
    struct case_of_flows at;
    set_up(&at);
    char *text = report_as(&at, "text");
    ck_assert_ptr_nonnull(strstr(text, "test: 4 flows, 4.000 kB, on the configured network\n"));
    ck_assert_ptr_nonnull(strstr(text, "makespan       8.000 ns\n"));
    ck_assert_ptr_nonnull(strstr(text, "throughput     500.0 GB/s, bytes / makespan\n"));
    ck_assert_ptr_nonnull(strstr(text, "  least          1.000 ns\n"
                                       "  mean           3.000 ns\n"
                                       "  median         2.000 ns\n"
                                       "  99 %           6.000 ns\n"
                                       "  most           6.000 ns\n"));
    const char *first = strstr(text, "slowest flows\n");
    ck_assert_ptr_nonnull(first);
    const char *fourth = strstr(first, "   4 "), *third = strstr(first, "   3 ");
    ck_assert(fourth && third && fourth < third);
    free(text);
    tear_down(&at);
}
END_TEST

START_TEST(figures_in_json)
{
    struct case_of_flows at;
    set_up(&at);
    char *text = report_as(&at, "json");
    ck_assert_ptr_nonnull(strstr(text, "\"makespan_ps\": 8000"));
    ck_assert_ptr_nonnull(strstr(text, "\"throughput_Bps\": 500000000000"));
    ck_assert_ptr_nonnull(strstr(text, "{\"least\": 1000, \"mean\": 3000, \"median\": 2000, "
                                       "\"p99\": 6000, \"most\": 6000}"));
    ck_assert_ptr_nonnull(strstr(text, "{\"id\": 4, \"src\": 3, \"dst\": 4, \"bytes\": 1000, "
                                       "\"sent_ps\": 2000, \"arrived_ps\": 8000}"));
    free(text);
    tear_down(&at);
}
END_TEST

START_TEST(every_flow_in_csv)
{
    struct case_of_flows at;
    set_up(&at);
    char *text = report_as(&at, "csv");
    ck_assert_str_eq(text, "# orrery.traffic/1\nid,src,dst,bytes,sent_ps,arrived_ps\n"
                           "1,0,1,1000,0,1000\n2,1,2,1000,1000,3000\n"
                           "3,2,3,1000,1000,4000\n4,3,4,1000,2000,8000\n");
    free(text);
    tear_down(&at);
}
END_TEST

static Suite *traffic_report_suite(void)
{
    Suite *suite = suite_create("traffic_report");
    TCase *tcase = tcase_create("traffic_report");
    tcase_add_test(tcase, figures_in_text);
    tcase_add_test(tcase, figures_in_json);
    tcase_add_test(tcase, every_flow_in_csv);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(traffic_report_suite())
