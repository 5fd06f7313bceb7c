#include "report/against.h"

#include <inttypes.h>

#include "report/columns.h"

enum { SHOWN = 32 };

/* One line of the comparison. */
struct pair {
    const char *what;
    uint32_t ranks;
    const char *algorithm;
    uint64_t count;
    time_ps first_ps, second_ps; /* mean */
};

static time_ps mean_ps(const struct collective_row *row)
{
    return row->count ? row->time_ps / row->count : 0;
}

/* The i-th pair, 0 being the makespans; false past the last. A collective that the other run has
 * not is left out. */
static bool pair_at(const struct run_result *result, const struct run_result *other, uint32_t i,
                    struct pair *pair)
{
    if (i == 0) {
        *pair = (struct pair){.what = "makespan",
                              .ranks = result->rank_count,
                              .algorithm = "",
                              .count = 1,
                              .first_ps = result->end_ps,
                              .second_ps = other->end_ps};
        return true;
    }
    if (i > result->collective_count || i > other->collective_count)
        return false;
    const struct collective_row *a = &result->collective[i - 1], *b = &other->collective[i - 1];
    *pair = (struct pair){.what = collective_name(a->kind),
                          .ranks = a->group_size,
                          .algorithm = a->algorithm,
                          .count = a->count,
                          .first_ps = mean_ps(a),
                          .second_ps = mean_ps(b)};
    return a->kind == b->kind && a->group_size == b->group_size;
}

static double percent_more(const struct pair *pair)
{
    return pair->first_ps
               ? 100.0 * ((double)pair->second_ps - (double)pair->first_ps) / (double)pair->first_ps
               : 0;
}

static void add_time(struct columns *table, time_ps time)
{
    char text[SHOWN];
    columns_add(table, "%s", time ? units_show_time(text, sizeof text, time) : "0");
}

void against_text(const struct run_result *result, const struct against *against, FILE *out)
{
    struct columns table;
    columns_init(&table, "lrlrrrr");
    columns_add(&table, "%s", "");
    columns_add(&table, "ranks");
    columns_add(&table, "algorithm");
    columns_add(&table, "count");
    columns_add(&table, "%s", against->name);
    columns_add(&table, "%s", against->other_name);
    columns_add(&table, "difference");
    struct pair pair;
    for (uint32_t i = 0; pair_at(result, against->result, i, &pair); i++) {
        columns_add(&table, "%s", pair.what);
        columns_add(&table, "%" PRIu32, pair.ranks);
        columns_add(&table, "%s", pair.algorithm);
        columns_add(&table, "%" PRIu64, pair.count);
        add_time(&table, pair.first_ps);
        add_time(&table, pair.second_ps);
        columns_add(&table, "%+.2f %%", percent_more(&pair));
    }
    fprintf(out, "%s against %s: makespan, and mean time of each kind of collective\n",
            against->name, against->other_name);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

void against_json(const struct run_result *result, const struct against *against,
                  struct json_writer *json)
{
    json_map_begin(json, "against", JSON_LINES);
    json_text(json, "network_model", against->name);
    json_text(json, "other_network_model", against->other_name);
    json_list_begin(json, "rows", JSON_LINES);
    struct pair pair;
    for (uint32_t i = 0; pair_at(result, against->result, i, &pair); i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "what", pair.what);
        json_u64(json, "ranks", pair.ranks);
        json_text(json, "algorithm", pair.algorithm);
        json_u64(json, "count", pair.count);
        json_u64(json, "mean_ps", pair.first_ps);
        json_u64(json, "other_mean_ps", pair.second_ps);
        json_map_end(json);
    }
    json_list_end(json);
    json_map_end(json);
}
