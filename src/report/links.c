#include "report/links.h"

#include <inttypes.h>
#include <math.h>

#include "net/topology/fabric.h"
#include "report/columns.h"
#include "report/top.h"

enum { SHOWN = 32 };

static uint64_t busy_ps(const struct link_figures *figures)
{
    return (uint64_t)llround(figures->busy_ns * 1e3);
}

static double percent_busy(const struct run_result *result, const struct link_figures *figures)
{
    return result->end_ps ? 100.0 * (double)busy_ps(figures) / (double)result->end_ps : 0;
}

static bool is_hotter(const void *context, uint32_t a, uint32_t b)
{
    const struct link_figures *figures = context;
    return busy_ps(&figures[a]) > busy_ps(&figures[b]);
}

uint32_t links_hottest(const struct link_figures *figures, uint32_t count, uint32_t most,
                       uint32_t *link)
{
    struct top top = {.row = link, .most = most, .is_before = is_hotter, .context = figures};
    for (uint32_t l = 0; l < count; l++) {
        if (figures[l].bytes > 0)
            top_add(&top, l);
    }
    return top.count;
}

static const char *source_name(const struct fabric *fabric, uint32_t l)
{
    return fabric->node[fabric->link[l].src].name;
}

static const char *target_name(const struct fabric *fabric, uint32_t l)
{
    return fabric->node[fabric->link[l].dst].name;
}

/* -- text ----------------------------------------------------------------------------------- */

static void text_row(struct columns *table, const struct run_result *result,
                     const struct fabric *fabric, uint32_t l)
{
    const struct link_figures *figures = &result->link[l];
    char text[SHOWN];
    columns_add(table, "%s->%s", source_name(fabric, l), target_name(fabric, l));
    columns_add(table, "%u", fabric->link[l].dim);
    columns_add(table, "%s", units_show_rate(text, sizeof text, fabric->link[l].bandwidth_Bps));
    columns_add(table, "%s", units_show_bytes(text, sizeof text, round(figures->bytes)));
    columns_add(table, "%.2f %%", percent_busy(result, figures));
    columns_add(table, "%s",
                figures->queued_ns > 0
                    ? units_show_time(text, sizeof text, (time_ps)llround(figures->queued_ns * 1e3))
                    : "0");
}

/* Links that carried something, and the mean over them. */
static void say_totals(const struct run_result *result, FILE *out)
{
    uint32_t used = 0;
    double busy = 0;
    for (uint32_t l = 0; l < result->link_count; l++) {
        used += result->link[l].bytes > 0;
        busy += (double)busy_ps(&result->link[l]);
    }
    double mean = used && result->end_ps ? 100.0 * busy / used / (double)result->end_ps : 0;
    fprintf(out,
            "links: %" PRIu32 " of %" PRIu32 " carried something, %.2f %% busy on average; the "
            "hottest\n",
            used, result->link_count, mean);
}

void links_text(const struct run_result *result, const struct config *config, FILE *out)
{
    static const char *const heading[] = {"link", "dim", "bandwidth", "bytes", "busy", "queued"};
    uint32_t link[LINKS_HOTTEST];
    uint32_t count = links_hottest(result->link, result->link_count, LINKS_HOTTEST, link);
    if (!count)
        return;
    struct columns table;
    columns_init(&table, "lrrrrr");
    for (size_t c = 0; c < sizeof heading / sizeof *heading; c++)
        columns_add(&table, "%s", heading[c]);
    for (uint32_t i = 0; i < count; i++)
        text_row(&table, result, config->network.fabric, link[i]);
    say_totals(result, out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

/* -- JSON and CSV ----------------------------------------------------------------------------- */

void links_json(const struct run_result *result, const struct config *config,
                struct json_writer *json)
{
    if (!result->link_count)
        return;
    const struct fabric *fabric = config->network.fabric;
    uint32_t link[LINKS_IN_JSON];
    uint32_t count = links_hottest(result->link, result->link_count, LINKS_IN_JSON, link);
    json_list_begin(json, "hottest_links", JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        const struct link_figures *figures = &result->link[link[i]];
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "link", link[i]);
        json_text(json, "from", source_name(fabric, link[i]));
        json_text(json, "to", target_name(fabric, link[i]));
        json_u64(json, "dim", fabric->link[link[i]].dim);
        json_double(json, "bandwidth_Bps", fabric->link[link[i]].bandwidth_Bps);
        json_whole(json, "bytes", figures->bytes);
        json_u64(json, "busy_ps", busy_ps(figures));
        json_u64(json, "queued_ps", (uint64_t)llround(figures->queued_ns * 1e3));
        json_map_end(json);
    }
    json_list_end(json);
}

void links_csv(const struct run_result *result, const struct config *config, FILE *out)
{
    const struct fabric *fabric = config->network.fabric;
    fputs("# orrery.links/1\nlink,from,to,dim,bandwidth_Bps,latency_ns,bytes,busy_ps,queued_ps\n",
          out);
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct link_figures *figures = &result->link[l];
        fprintf(out, "%" PRIu32 ",%s,%s,%u,%.17g,%.17g,%.0f,%" PRIu64 ",%" PRIu64 "\n", l,
                source_name(fabric, l), target_name(fabric, l), fabric->link[l].dim,
                fabric->link[l].bandwidth_Bps, fabric->link[l].latency_ns, figures->bytes,
                busy_ps(figures), (uint64_t)llround(figures->queued_ns * 1e3));
    }
}
