/* A census as text: one table a subject, numbers right-aligned, units shown. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/units.h"
#include "base/visible.h"
#include "workloads/census.h"

enum { SHOWN_ROWS = 40, SHOWN = 24 };

/* Column headings: 28 + 10 + 2 * 12 + 14 columns and blanks stay below 100. */
static void print_heading(FILE *out, const char *subject)
{
    fprintf(out, "\n%-28s %12s %12s %12s %14s\n", subject, "count", "bytes", "recorded", "flop");
}

static void print_sum(FILE *out, const char *name, const struct census_sum *sum)
{
    char bytes[SHOWN], time[SHOWN], flops[SHOWN];
    if (!sum->count)
        return;
    bool fits = sum->duration_ns <= UINT64_MAX / 1000;
    if (fits)
        units_show_time(time, sizeof time, sum->duration_ns * 1000);
    else
        snprintf(time, sizeof time, "%.4g s", (double)sum->duration_ns / 1e9);
    snprintf(flops, sizeof flops, "%.4g", (double)sum->flop_count);
    visible_put(out, name, 28, 28);
    fprintf(out, " %12" PRIu64 " %12s %12s %14s\n", sum->count,
            sum->size_bytes ? units_show_bytes(bytes, sizeof bytes, (double)sum->size_bytes) : "-",
            sum->duration_ns ? time : "-", sum->flop_count ? flops : "-");
}

static void print_count(FILE *out, const char *name, uint64_t count)
{
    if (count)
        fprintf(out, "%-44s %12" PRIu64 "\n", name, count);
}

static void print_files(const struct census *census, FILE *out)
{
    char bytes[SHOWN], resident[SHOWN];
    fprintf(
        out,
        "%" PRIu64 " rank%s, %" PRIu64 " distinct trace file%s (%s, %s held), %" PRIu64 " node%s",
        census->ranks, census->ranks == 1 ? "" : "s", census->files, census->files == 1 ? "" : "s",
        units_show_bytes(bytes, sizeof bytes, (double)census->file_bytes),
        units_show_bytes(resident, sizeof resident, (double)census->resident_bytes), census->nodes,
        census->nodes == 1 ? "" : "s");
    if (census->ranks > 1 && census->fewest_nodes != census->most_nodes)
        fprintf(out, " (%" PRIu64 " to %" PRIu64 " a rank)", census->fewest_nodes,
                census->most_nodes);
    fputc('\n', out);
    if (census->nodes)
        fprintf(out, "node ids %" PRIu64 " to %" PRIu64 "\n", census->first_id, census->last_id);
    for (uint32_t i = 0; i < census->layout_count; i++) {
        fprintf(out, "%" PRIu64 " x ", census->layout[i].files);
        visible_put(out, census->layout[i].text, 0, INT_MAX);
        fputc('\n', out);
    }
}

static void print_ops(const struct census *census, FILE *out)
{
    print_heading(out, "node type");
    for (uint32_t type = 0; type < OP_TYPE_COUNT; type++) {
        for (int host = 0; host < 2; host++) {
            char name[40];
            snprintf(name, sizeof name, "%s%s", op_name(type), host ? ", host" : "");
            print_sum(out, name, &census->op[type][host]);
        }
    }
}

static const char *kind_name(uint32_t kind)
{
    return kind == CENSUS_NO_KIND ? "(kind not given)" : collective_name(kind);
}

static void print_kinds(const struct census *census, FILE *out)
{
    uint64_t count = 0;
    for (uint32_t kind = 0; kind < CENSUS_KINDS; kind++)
        count += census->kind[kind].count;
    if (!count)
        return;
    print_heading(out, "collective");
    for (uint32_t kind = 0; kind < CENSUS_KINDS; kind++)
        print_sum(out, kind_name(kind), &census->kind[kind]);
}

static void print_group(const struct census_group *group, FILE *out)
{
    char name[64];
    for (uint32_t kind = 0; kind < CENSUS_KINDS; kind++) {
        snprintf(name, sizeof name, "%.10s %s", group->name, kind_name(kind));
        print_sum(out, name, &group->kind[kind]);
    }
    snprintf(name, sizeof name, "%.10s send", group->name);
    print_sum(out, name, &group->send);
    snprintf(name, sizeof name, "%.10s receive", group->name);
    print_sum(out, name, &group->receive);
}

static void print_groups(const struct census *census, FILE *out)
{
    if (!census->group_count)
        return;
    print_heading(out, "communicator group");
    for (uint32_t i = 0; i < census->group_count && i < SHOWN_ROWS; i++)
        print_group(&census->group[i], out);
    if (census->group_count > SHOWN_ROWS)
        fprintf(out, "(%u more groups)\n", census->group_count - SHOWN_ROWS);
}

static void print_streams(const struct census *census, FILE *out)
{
    if (!census->stream_count)
        return;
    print_heading(out, "stream");
    for (uint32_t i = 0; i < census->stream_count && i < SHOWN_ROWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%" PRId32, census->stream[i].stream);
        print_sum(out, name, &census->stream[i].sum);
    }
    if (census->stream_count > SHOWN_ROWS)
        fprintf(out, "(%u more streams)\n", census->stream_count - SHOWN_ROWS);
}

static void print_edges(const struct census *census, FILE *out)
{
    fprintf(out, "\n%-44s %12s\n", "dependencies and oddities", "count");
    print_count(out, "data dependencies", census->data_edges);
    print_count(out, "control dependencies", census->control_edges);
    print_count(out, "nodes without any parent", census->root_nodes);
    print_count(out, "data parents that no node has", census->missing_data);
    print_count(out, "control parents that no node has", census->missing_control);
    print_count(out, "parents named twice in one list", census->repeated_edges);
    print_count(out, "parents named as data and as control", census->shared_edges);
    print_count(out, "nodes that wait for themselves", census->self_edges);
    print_count(out, "data parents stored after their child", census->forward_data);
    print_count(out, "control parents stored after their child", census->forward_control);
    print_count(out, "files not in ascending id", census->unsorted_files);
    print_count(out, "gzip files", census->gzip_files);
    print_count(out, "files held in a temporary file", census->paged_files);
    print_count(out, "files of the PyTorch converter", census->pytorch_files);
    print_count(out, "process groups declared", census->declared_groups);
    print_count(out, "compute nodes of duration 0", census->zero_duration_compute);
    print_count(out, "communication sizes derived from shapes", census->size_derived);
    print_count(out, "communication nodes without a size", census->size_absent);
    print_count(out, "collectives without a kind", census->kind_absent);
    print_count(out, "sends and receives without a peer", census->peer_absent);
}

void census_print_text(const struct census *census, FILE *out)
{
    print_files(census, out);
    print_ops(census, out);
    print_kinds(census, out);
    print_groups(census, out);
    print_streams(census, out);
    print_edges(census, out);
}
