#include "report/against.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
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

/* All collectives of a kind and group size, whatever their algorithms. */
static struct collective_row sum_of(const struct run_result *result,
                                    const struct collective_row *like)
{
    struct collective_row sum = {.algorithm = ""};
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        if (row->kind != like->kind || row->group_size != like->group_size)
            continue;
        sum.algorithm = sum.count ? "several" : row->algorithm;
        sum.count += row->count;
        sum.time_ps = time_after(sum.time_ps, row->time_ps);
    }
    return sum;
}

static time_ps mean_ps(const struct collective_row *row)
{
    return row->count ? row->time_ps / row->count : 0;
}

/* Rows are sorted by kind and group size (stats/breakdown.c): the first of each stands for all. */
static bool is_first_of_kind(const struct run_result *result, uint32_t i)
{
    const struct collective_row *row = &result->collective[i];
    return i == 0 || row[-1].kind != row->kind || row[-1].group_size != row->group_size;
}

/* The makespans, then the kinds that both runs have; returns how many. `pair` is the caller's to
 * free. */
static uint32_t find_pairs(const struct run_result *result, const struct run_result *other,
                           struct pair **pair)
{
    struct pair *found = calloc(result->collective_count + 1, sizeof *found);
    need_memory(found != NULL);
    *found = (struct pair){.what = "makespan",
                           .ranks = result->rank_count,
                           .algorithm = "",
                           .count = 1,
                           .first_ps = result->end_ps,
                           .second_ps = other->end_ps};
    uint32_t count = 1;
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        struct collective_row a = sum_of(result, row), b = sum_of(other, row);
        if (is_first_of_kind(result, i) && b.count)
            found[count++] = (struct pair){.what = collective_name(row->kind),
                                           .ranks = row->group_size,
                                           .algorithm = a.algorithm,
                                           .count = a.count,
                                           .first_ps = mean_ps(&a),
                                           .second_ps = mean_ps(&b)};
    }
    *pair = found;
    return count;
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
    struct pair *pair;
    uint32_t count = find_pairs(result, against->result, &pair);
    for (uint32_t i = 0; i < count; i++) {
        columns_add(&table, "%s", pair[i].what);
        columns_add(&table, "%" PRIu32, pair[i].ranks);
        columns_add(&table, "%s", pair[i].algorithm);
        columns_add(&table, "%" PRIu64, pair[i].count);
        add_time(&table, pair[i].first_ps);
        add_time(&table, pair[i].second_ps);
        columns_add(&table, "%+.2f %%", percent_more(&pair[i]));
    }
    free(pair);
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
    struct pair *pair;
    uint32_t count = find_pairs(result, against->result, &pair);
    for (uint32_t i = 0; i < count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "what", pair[i].what);
        json_u64(json, "ranks", pair[i].ranks);
        json_text(json, "algorithm", pair[i].algorithm);
        json_u64(json, "count", pair[i].count);
        json_u64(json, "mean_ps", pair[i].first_ps);
        json_u64(json, "other_mean_ps", pair[i].second_ps);
        json_map_end(json);
    }
    free(pair);
    json_list_end(json);
    json_map_end(json);
}
