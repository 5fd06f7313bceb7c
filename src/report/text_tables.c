#include "report/text_tables.h"

#include <inttypes.h>

#include "report/columns.h"
#include "report/spread.h"

enum { SHOWN = 32 };

static void add_time(struct columns *table, time_ps time)
{
    char text[SHOWN];
    columns_add(table, "%s", time == 0 ? "0" : units_show_time(text, sizeof text, time));
}

static void add_bytes(struct columns *table, double bytes)
{
    char text[SHOWN];
    columns_add(table, "%s", units_show_bytes(text, sizeof text, bytes));
}

/* Figures of a table whose caption says "GB/s". */
static void add_rate(struct columns *table, double Bps)
{
    if (Bps > 0)
        columns_add(table, "%.2f", Bps / 1e9);
    else /* no size to divide: a barrier, a custom schedule */
        columns_add(table, "-");
}

static void add_heading(struct columns *table, const char *const *heading)
{
    for (uint32_t c = 0; c < table->width; c++)
        columns_add(table, "%s", heading[c]);
}

static void add_share(struct columns *table, time_ps part, time_ps whole)
{
    columns_add(table, "%.2f %%", whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole);
}

static void add_spread(struct columns *table, const struct run_result *result,
                       const struct time_category *category, const struct spread *spread)
{
    columns_add(table, "%s", category->text);
    add_time(table, spread->least);
    add_time(table, spread->mean);
    add_time(table, spread->most);
    columns_add(table, "%" PRIu32, spread->most_rank);
    add_share(table, spread->mean, result->end_ps);
}

/* Rows for all categories of `group` that some rank spent time in; returns how many. */
static uint32_t spread_rows(struct columns *table, const struct run_result *result,
                            enum time_group group)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < time_category_count; i++) {
        const struct time_category *category = &time_categories[i];
        if (category->group != group)
            continue;
        struct spread spread = spread_of(result, category);
        if (spread.most == 0)
            continue;
        add_spread(table, result, category, &spread);
        rows++;
    }
    return rows;
}

static const char *const spread_heading[] = {"",     "least",        "mean",
                                             "most", "most on rank", "mean/makespan"};

void text_breakdown(const struct run_result *result, FILE *out)
{
    struct columns table;
    columns_init(&table, "lrrrrr");
    add_heading(&table, spread_heading);
    if (spread_rows(&table, result, TIME_EXCLUSIVE) > 0) {
        static const struct time_category finish = {TIME_EXCLUSIVE, "sum = finish", "finish",
                                                    offsetof(struct rank_result, finish_ps)};
        struct spread spread = spread_of(result, &finish);
        add_spread(&table, result, &finish, &spread);
        fputs("breakdown: time of each rank by what it did, each moment counted once\n", out);
        columns_print(&table, out);
        fputc('\n', out);
    }
    columns_release(&table);
}

void text_overlapped(const struct run_result *result, FILE *out)
{
    struct columns table;
    columns_init(&table, "lrrrrr");
    add_heading(&table, spread_heading);
    if (spread_rows(&table, result, TIME_OVERLAPPED) > 0) {
        fputs("overlapped: communication hidden under compute, not part of the sum above\n", out);
        columns_print(&table, out);
        fputc('\n', out);
    }
    columns_release(&table);
}

void text_collectives(const struct run_result *result, FILE *out)
{
    static const char *const heading[] = {"",     "ranks", "algorithm", "count", "size",
                                          "mean", "most",  "skew",      "algbw", "busbw"};
    if (result->collective_count == 0)
        return;
    struct columns table;
    columns_init(&table, "lrlrrrrrrr");
    add_heading(&table, heading);
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        uint64_t count = row->count == 0 ? 1 : row->count;
        columns_add(&table, "%s", collective_name(row->kind));
        columns_add(&table, "%" PRIu32, row->group_size);
        columns_add(&table, "%s", row->algorithm);
        columns_add(&table, "%" PRIu64, row->count);
        add_bytes(&table, row->bytes / (double)count);
        add_time(&table, row->time_ps / count);
        add_time(&table, row->most_ps);
        add_time(&table, row->skew_ps / count);
        add_rate(&table, row->algorithm_Bps);
        add_rate(&table, row->bus_Bps);
    }
    fputs(
        "collectives: mean size, last arrival to last end, skew of arrivals; bandwidths in GB/s\n",
        out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

void text_compute(const struct run_result *result, FILE *out)
{
    static const char *const heading[] = {"",     "model", "ops",    "extrapolated",
                                          "time", "share", "Tflop/s"};
    if (result->compute_count == 0)
        return;
    double all_ns = 0;
    for (uint32_t i = 0; i < result->compute_count; i++)
        all_ns += result->compute[i].time_ns;
    struct columns table;
    columns_init(&table, "llrrrrr");
    add_heading(&table, heading);
    for (uint32_t i = 0; i < result->compute_count; i++) {
        const struct compute_row *row = &result->compute[i];
        columns_add(&table, "%s", op_class_name(row->class));
        columns_add(&table, "%s", row->model);
        columns_add(&table, "%" PRIu64, row->nodes);
        columns_add(&table, "%" PRIu64, row->extrapolated);
        add_time(&table, time_rounded(row->time_ns / result->rank_count, false));
        columns_add(&table, "%.1f %%", all_ns > 0 ? 100 * row->time_ns / all_ns : 0);
        columns_add(&table, "%.1f", row->time_ns > 0 ? row->flops / row->time_ns / 1e3 : 0);
    }
    fputs("compute by class of op and the model that timed it: ops of all ranks, mean time of a "
          "rank\n",
          out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

void text_groups(const struct run_result *result, FILE *out)
{
    static const char *const heading[] = {"",      "groups",      "ranks", "collectives",
                                          "bytes", "time in them"};
    if (result->group_count == 0)
        return;
    struct columns table;
    columns_init(&table, "lrrrrr");
    add_heading(&table, heading);
    for (uint32_t i = 0; i < result->group_count; i++) {
        const struct group_row *row = &result->group[i];
        columns_add(&table, "%s", row->name);
        columns_add(&table, "%" PRIu32, row->groups);
        columns_add(&table, "%" PRIu32, row->size);
        columns_add(&table, "%" PRIu64, row->collectives);
        add_bytes(&table, row->bytes);
        add_time(&table, row->time_ps / row->groups);
    }
    fputs("communicator groups: collectives and bytes of all, mean time of a group\n", out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

void text_dimensions(const struct run_result *result, FILE *out)
{
    static const char *const heading[] = {"dim",      "block", "NPUs",
                                          "messages", "bytes", "per rank at link rate"};
    if (result->messages == 0)
        return;
    struct columns table;
    columns_init(&table, "rlrrrr");
    add_heading(&table, heading);
    for (uint32_t i = 0; i < result->dimension_count; i++) {
        const struct dimension_row *row = &result->dimension[i];
        columns_add(&table, "%" PRIu32, row->dim);
        columns_add(&table, "%s", row->block);
        columns_add(&table, "%" PRIu32, row->npus);
        columns_add(&table, "%" PRIu64, row->messages);
        add_bytes(&table, row->bytes);
        time_ps share = share_at_link_rate(result, row);
        if (share == TIME_NEVER)
            columns_add(&table, "-"); /* no NPU has a link in it */
        else
            add_time(&table, share);
    }
    fputs(
        "network dimensions: bytes injected by all ranks; a rank's share at the rate of one link\n",
        out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}

static time_ps sum_kinds(const time_ps *of_kind)
{
    time_ps sum = 0;
    for (int kind = 0; kind < COMM_KIND_COUNT; kind++)
        sum += of_kind[kind];
    return sum;
}

void text_ranks(const struct run_result *result, FILE *out)
{
    static const char *const heading[] = {"rank",   "finish", "compute", "exposed",   "waiting",
                                          "memory", "host",   "idle",    "overlapped"};
    struct columns table;
    columns_init(&table, "rrrrrrrrr");
    add_heading(&table, heading);
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct rank_result *rank = result_rank(result, r);
        columns_add(&table, "%" PRIu32, r);
        if (rank->finished)
            add_time(&table, rank->finish_ps);
        else
            columns_add(&table, "unfinished");
        add_time(&table, rank->compute_ps);
        add_time(&table, sum_kinds(rank->exposed_ps));
        add_time(&table, rank->waiting_ps);
        add_time(&table, rank->memory_ps);
        add_time(&table, rank->host_ps);
        add_time(&table, rank->idle_ps);
        add_time(&table, sum_kinds(rank->overlapped_ps));
    }
    fputs("ranks\n", out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
}
