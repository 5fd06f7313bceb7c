#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/fabric.h"
#include "tests/agree/messages/goal.h"
#include "tests/agree/messages/messages.h"

enum { PATTERNS_MOST = 16 };

struct loggp {
    double L, o, g, G, O;
};

/* One row: what it is, and how we compare. */
struct row {
    const struct doc_node *map;
    const char *pattern, *variant;
    uint32_t ranks;
    struct loggp cost;
    bool is_upstream;
};

/* Rows of one pattern and variant. */
struct group {
    const char *pattern, *variant;
    uint32_t rows, exact, required, required_exact, closed, closed_exact, programs_absent;
    double least_ratio, most_ratio; /* of makespans, ours over theirs */
};

static struct row row_of(const struct doc_node *map)
{
    const struct doc_node *params = doc_find(map, "params");
    struct row row = {.map = map,
                      .pattern = peers_text(map, "pattern"),
                      .variant = peers_text(map, "variant"),
                      .ranks = (uint32_t)peers_number(map, "ranks")};
    row.cost = (struct loggp){peers_number(params, "L"), peers_number(params, "o"),
                              peers_number(params, "g"), peers_number(params, "G"),
                              peers_number(params, "O")};
    row.is_upstream = strncmp(row.variant, "upstream", 8) == 0;
    return row;
}

/* Every rank has one message out and one in at a time: what overlaps does not matter. */
static bool is_exchange(const struct row *row)
{
    static const char *const names[] = {"single",       "shift",        "ring_allreduce",
                                        "rd_allreduce", "hd_allreduce", NULL};
    return doc_is_one_of(row->pattern, names);
}

/*
 * Where LogGOPSim's model and ours are the same. Not with a cost of the processor per byte (O), not
 * with G that makes fractions of a ns (it rounds down to whole ns). With o or g the newer variant
 * adds g to a reception. Without them, the older variant keeps the processor busy while it receives
 * (so sends wait: all-to-all), the newer does not serialise what is received (incast).
 */
static bool is_required(const struct row *row)
{
    bool is_free = !(row->cost.o > 0) && !(row->cost.g > 0);
    if (row->cost.O > 0 || row->cost.G != floor(row->cost.G))
        return false;
    if (is_exchange(row))
        return row->is_upstream || is_free;
    if (strcmp(row->pattern, "incast") == 0)
        return row->is_upstream && is_free;
    return strcmp(row->pattern, "alltoall_shift") == 0 && !row->is_upstream && is_free;
}

/* The sum over steps of 2 o + L + (s - 1) G, and calcs between them; 0 if there is none. */
static double closed_form_ns(const struct row *row)
{
    const struct doc_node *args = doc_find(row->map, "args");
    double total = peers_number(args, "total"), bytes = peers_number(args, "bytes");
    double n = row->ranks, steps = 1, wire_bytes = bytes, log_n = floor(log2(n) + 0.5);
    if (!is_exchange(row))
        return 0;
    if (strcmp(row->pattern, "ring_allreduce") == 0)
        steps = 2 * (n - 1), wire_bytes = steps * total / n;
    else if (strcmp(row->pattern, "rd_allreduce") == 0)
        steps = log_n, wire_bytes = steps * total;
    else if (strcmp(row->pattern, "hd_allreduce") == 0)
        steps = 2 * log_n, wire_bytes = 2 * total * (1 - 1 / n);
    return steps * (2 * row->cost.o + row->cost.L) + (wire_bytes - steps) * row->cost.G +
           (steps - 1) * peers_number(row->map, "calc_ns");
}

static enum status run_row(const struct row *row, struct goal *goal, time_ps *end_ps,
                           struct diag *diag)
{
    char topology[128];
    struct network_config config = {.backend = NET_LINK,
                                    .send_overhead_ns = row->cost.o,
                                    .receive_overhead_ns = row->cost.o,
                                    .message_gap_ns = row->cost.g,
                                    .byte_gap_ns = row->cost.G,
                                    .npu_count = row->ranks};
    /* A crossbar whose wires take the latency only. */
    snprintf(topology, sizeof topology, "full:%u,bw=1000000TB/s,lat=%gns", row->ranks, row->cost.L);
    enum status status = fabric_parse(topology, &config.fabric, diag);
    if (status != STATUS_OK)
        return status;
    status = goal_run(goal, &config, end_ps, diag);
    fabric_destroy(config.fabric);
    return status;
}

/* Is every rank that receives or computes done when LogGOPSim says? */
static bool is_same(const struct row *row, const time_ps *end_ps, double *makespan_ns)
{
    const struct doc_node *times = doc_find(row->map, "host_times_ns");
    bool same = true;
    *makespan_ns = 0;
    for (uint32_t r = 0; r < row->ranks; r++) {
        if (end_ps[r] == TIME_NEVER)
            continue;
        same = same && end_ps[r] == times->child[r].magnitude * PS_PER_NS;
        *makespan_ns = fmax(*makespan_ns, (double)end_ps[r] / (double)PS_PER_NS);
    }
    return same;
}

static void count_row(const struct row *row, struct group *group, bool same, double makespan_ns)
{
    double ratio = makespan_ns / peers_number(row->map, "makespan_ns");
    bool required = is_required(row);
    group->exact += same;
    group->required += required;
    group->required_exact += required && same;
    group->least_ratio = fmin(group->least_ratio, ratio);
    group->most_ratio = fmax(group->most_ratio, ratio);
    double closed_ns = closed_form_ns(row);
    if (required && closed_ns > 0) {
        group->closed++;
        group->closed_exact += fabs(makespan_ns - closed_ns) < 5e-4;
    }
}

static enum status compare_row(const struct row *row, struct group *group, struct diag *diag)
{
    const char *text = peers_text(row->map, "goal");
    const struct doc_node *times = doc_find(row->map, "host_times_ns");
    group->rows++;
    if (!*text || !times || times->count != row->ranks) {
        group->programs_absent++;
        return STATUS_OK;
    }
    struct goal goal;
    enum status status = STATUS_OK;
    if (goal_parse(&goal, text)) {
        double makespan_ns = 0;
        time_ps *end_ps = arena_array(&goal.arena, row->ranks, sizeof *end_ps);
        status = run_row(row, &goal, end_ps, diag);
        bool same = status == STATUS_OK && is_same(row, end_ps, &makespan_ns);
        if (status == STATUS_OK)
            count_row(row, group, same, makespan_ns);
    } else {
        status = diag_fail(diag, STATUS_BAD_CONFIG, "a program of \"%s\" was not understood",
                           row->pattern);
    }
    goal_release(&goal);
    return status;
}

static struct group *group_of(struct group *groups, uint32_t *count, const struct row *row)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(groups[i].pattern, row->pattern) == 0 &&
            strcmp(groups[i].variant, row->variant) == 0)
            return &groups[i];
    promise(*count < PATTERNS_MOST * 2);
    groups[*count] =
        (struct group){.pattern = row->pattern, .variant = row->variant, .least_ratio = HUGE_VAL};
    return &groups[(*count)++];
}

static void print_groups(const struct group *groups, uint32_t count, FILE *out)
{
    fprintf(out, "\n%-16s %-13s %5s %5s | %9s %6s %6s | %14s\n", "pattern", "variant", "rows",
            "exact", "must agree", "agree", "closed", "makespan ratio");
    for (uint32_t i = 0; i < count; i++) {
        const struct group *g = &groups[i];
        fprintf(out, "%-16s %-13s %5u %5u | %9u %6u %6u | ", g->pattern, g->variant, g->rows,
                g->exact, g->required, g->required_exact, g->closed_exact);
        if (g->least_ratio <= g->most_ratio)
            fprintf(out, "%.3f .. %.3f\n", g->least_ratio, g->most_ratio);
        else
            fprintf(out, "-\n");
    }
    fprintf(out, "\n  exact: every rank that receives ends at LogGOPSim's time, to the ns\n"
                 "  closed: rows equal to sum of 2 o + L + (s - 1) G\n"
                 "  need not agree: O > 0 (a cost we do not have); G with fractions of a ns "
                 "(rounded there);\n"
                 "    with o or g, the newer variant (it adds g to a reception), and several "
                 "messages at a time\n"
                 "    (one processor there, an engine each way here); all-to-all of the older "
                 "one (sends wait\n"
                 "    while it receives) and incast of the newer (receptions overlap)\n");
}

static void count_groups(const struct group *groups, uint32_t count, bool brief, FILE *out,
                         struct part_count *total)
{
    uint32_t rows = 0, required = 0, agreed = 0, closed = 0, closed_exact = 0, absent = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += groups[i].rows;
        required += groups[i].required;
        agreed += groups[i].required_exact;
        closed += groups[i].closed;
        closed_exact += groups[i].closed_exact;
        absent += groups[i].programs_absent;
    }
    if (!brief)
        print_groups(groups, count, out);
    fprintf(
        out,
        "LogGOPSim: %u rows, %u without a program (below); %u of %u that must agree do, to the ns; "
        "closed form %u of %u\n",
        rows, absent, agreed, required, closed_exact, closed);
    total->passed += agreed + closed_exact;
    total->failed += required - agreed + (closed - closed_exact);
}

enum status agree_loggopsim(const char *shared, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag)
{
    struct doc *rows;
    uint32_t row_count, group_count = 0;
    struct group groups[2 * PATTERNS_MOST];
    enum status status = peers_load(shared, "loggopsim_reference.jsonl", &rows, &row_count, diag);
    if (status == STATUS_OK && peers_are_absent(row_count, out, count))
        return STATUS_OK;
    for (uint32_t i = 0; i < row_count && status == STATUS_OK; i++) {
        struct row row = row_of(rows[i].root);
        status = compare_row(&row, group_of(groups, &group_count, &row), diag);
    }
    if (status == STATUS_OK)
        count_groups(groups, group_count, brief, out, count);
    peers_release(rows, row_count);
    return status;
}
