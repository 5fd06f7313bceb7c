#include "tests/agree/tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const mode_name[FOLD_MODES] = {"folded", "unfolded"};

/* "a1_ar1m.." -> length of "a1" */
static size_t series_length(const char *name)
{
    return strcspn(name, "_");
}

static bool same_series(const char *a, const char *b)
{
    size_t length = series_length(a);
    return length == series_length(b) && memcmp(a, b, length) == 0;
}

struct series_sum {
    uint32_t cases;
    uint64_t ranks, exact[FOLD_MODES], differing[FOLD_MODES];
};

static void add_case(struct series_sum *sum, const struct agreement *one)
{
    sum->cases++;
    sum->ranks += one->row->npus;
    for (int mode = 0; mode < FOLD_MODES; mode++) {
        sum->exact[mode] += one->verdict[mode].exact;
        sum->differing[mode] += one->verdict[mode].differing;
    }
}

static void print_sum(FILE *out, const char *name, int length, const struct series_sum *sum)
{
    fprintf(out,
            "%-8.*s %6" PRIu32 " %8" PRIu64 "  %8" PRIu64 " %9" PRIu64 "  %8" PRIu64 " %9" PRIu64
            "\n",
            length, name, sum->cases, sum->ranks, sum->exact[FOLDED], sum->differing[FOLDED],
            sum->exact[UNFOLDED], sum->differing[UNFOLDED]);
}

void tables_series(const struct agreement *list, uint32_t count, FILE *out)
{
    struct series_sum total = {0};
    fprintf(out, "%-8s %6s %8s  %18s  %18s\n", "", "", "ranks", "folded", "unfolded");
    fprintf(out, "%-8s %6s %8s  %8s %9s  %8s %9s\n", "series", "cases", "compared", "exact",
            "differing", "exact", "differing");
    for (uint32_t i = 0; i < count; i++) {
        const char *name = list[i].row->name;
        struct series_sum sum = {0};
        bool is_first = true;
        for (uint32_t k = 0; k < count; k++) {
            if (!row_is_reference(list[k].row) || !same_series(name, list[k].row->name))
                continue;
            is_first = is_first && k >= i;
            add_case(&sum, &list[k]);
        }
        if (!is_first || !row_is_reference(list[i].row))
            continue;
        print_sum(out, name, (int)series_length(name), &sum);
        total.cases += sum.cases;
        total.ranks += sum.ranks;
        for (int mode = 0; mode < FOLD_MODES; mode++) {
            total.exact[mode] += sum.exact[mode];
            total.differing[mode] += sum.differing[mode];
        }
    }
    print_sum(out, "all", 3, &total);
}

void tables_differences(const struct agreement *list, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct agreement *one = &list[i];
        for (int mode = 0; mode < FOLD_MODES && row_is_reference(one->row); mode++) {
            const struct verdict *verdict = &one->verdict[mode];
            if (verdict->differing > 0)
                fprintf(out, "differs: %s, %s, %" PRIu32 " of %" PRIu32 " ranks: %s\n",
                        one->row->name, mode_name[mode], verdict->differing, verdict->ranks,
                        verdict->first);
        }
        if (one->ran[FOLDED] && one->ran[UNFOLDED] &&
            one->outcome[FOLDED].stdout_hash != one->outcome[UNFOLDED].stdout_hash)
            fprintf(out, "differs: %s: folded and unfolded print different results\n",
                    one->row->name);
    }
}

/* "finished at 43000", "exit 10: orrery: stuck: ..", "ended by signal 11". */
static void print_outcome(FILE *out, const struct agreement *one, enum fold_mode mode)
{
    const struct outcome *outcome = &one->outcome[mode];
    if (!ended_well(outcome))
        fputs("BAD END: ", out);
    if (outcome->timed_out)
        fputs("time limit", out);
    else if (outcome->exit_code < 0)
        fprintf(out, "ended by signal %d", outcome->signal_number);
    else if (outcome->exit_code > 0)
        fprintf(out, "exit %d: %s", outcome->exit_code, outcome->first_error);
    else if (!one->verdict[mode].has_reference)
        fprintf(out, "finished, %" PRIu32 " ranks, at %" PRIu64 " to %" PRIu64 " ns",
                outcome->finished, one->verdict[mode].least_cycles, one->verdict[mode].most_cycles);
    else if (one->verdict[mode].differing == 0)
        fprintf(out, "finished, %" PRIu32 " ranks, the same figures", outcome->finished);
    else
        fprintf(out, "finished, %" PRIu32 " ranks; %s", outcome->finished,
                one->verdict[mode].first);
}

void tables_others(const struct agreement *list, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct agreement *one = &list[i];
        const struct row *row = one->row;
        if (row_is_reference(row) || !one->ran[FOLDED])
            continue;
        fprintf(out, "%s\n    ASTRA-sim: %s%s%s\n    orrery:    ", row->name, row->status,
                row->note[0] == '\0' ? "" : ", ", row->note);
        print_outcome(out, one, FOLDED);
        fputc('\n', out);
        if (one->ran[UNFOLDED] &&
            (one->outcome[FOLDED].exit_code != one->outcome[UNFOLDED].exit_code ||
             ended_well(&one->outcome[FOLDED]) != ended_well(&one->outcome[UNFOLDED]))) {
            fputs("    --no-fold: ", out);
            print_outcome(out, one, UNFOLDED);
            fputc('\n', out);
        }
    }
}

/* A ratio that is not known well: below a millisecond the clock of the system is too coarse. */
static void print_ratio(FILE *out, double theirs, double ours)
{
    if (theirs < 0.05)
        fprintf(out, " %7s", "-");
    else
        fprintf(out, " %6.0fx", theirs / (ours > 0.001 ? ours : 0.001));
}

/* Messages per second, if the time is long enough to be measured. */
static void print_rate(FILE *out, const struct agreement *one)
{
    double user_s = one->outcome[UNFOLDED].user_s;
    if (user_s < 0.02)
        fprintf(out, " %7s", "-");
    else
        fprintf(out, " %7.2f", (double)one->row->messages / user_s / 1e6);
}

/* The least advantage over the rows that the targets are about. */
static void print_targets(const struct agreement *list, uint32_t count, FILE *out)
{
    double time_ratio = HUGE_VAL, memory_ratio = HUGE_VAL;
    const char *time_case = "-", *memory_case = "-";
    unsigned slow = 0, large = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = list[i].row;
        const struct outcome *whole = &list[i].outcome[UNFOLDED];
        double faster = row->user_s / (whole->user_s > 0.001 ? whole->user_s : 0.001);
        double smaller =
            whole->peak_rss_kb > 0 ? (double)row->peak_rss_kb / (double)whole->peak_rss_kb : 0;
        slow += row->user_s > 5;
        large += row->peak_rss_kb > 100 * 1024;
        if (row->user_s > 5 && faster < time_ratio) {
            time_ratio = faster;
            time_case = row->name;
        }
        if (row->peak_rss_kb > 100 * 1024 && smaller < memory_ratio) {
            memory_ratio = smaller;
            memory_case = row->name;
        }
    }
    fprintf(out, "%u rows above 5 s there: at least %.0f times faster, unfolded (%s)\n", slow,
            time_ratio, time_case);
    fprintf(out, "%u rows above 100 MiB there: at least %.1f times less memory, unfolded (%s)\n",
            large, memory_ratio, memory_case);
}

void tables_scaling(const struct agreement *list, uint32_t count, FILE *out)
{
    fprintf(out, "%-22s %9s  %8s %7s  %8s %7s  %8s %7s %7s %7s  %s\n", "", "", "ASTRA-sim", "",
            "folded", "", "unfolded", "", "", "", "");
    fprintf(out, "%-22s %9s  %8s %7s  %8s %7s  %8s %7s %7s %7s  %s\n", "case", "messages", "user s",
            "RSS MB", "user s", "faster", "user s", "faster", "RSS MB", "Mmsg/s", "exact");
    for (uint32_t i = 0; i < count; i++) {
        const struct agreement *one = &list[i];
        const struct row *row = one->row;
        const struct outcome *folded = &one->outcome[FOLDED], *whole = &one->outcome[UNFOLDED];
        fprintf(out, "%-22s %9" PRIu64 "  %8.2f %7.1f  %8.3f", row->name, row->messages,
                row->user_s, (double)row->peak_rss_kb / 1024, folded->user_s);
        print_ratio(out, row->user_s, folded->user_s);
        fprintf(out, "  %8.3f", whole->user_s);
        print_ratio(out, row->user_s, whole->user_s);
        bool exact = one->verdict[FOLDED].differing == 0 && one->verdict[UNFOLDED].differing == 0;
        fprintf(out, " %7.1f", (double)whole->peak_rss_kb / 1024);
        print_rate(out, one);
        fprintf(out, "  %s\n", exact ? "yes" : "NO");
    }
    print_targets(list, count, out);
}

void tables_count(const struct agreement *list, uint32_t count, uint32_t *passed, uint32_t *failed)
{
    *passed = *failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct agreement *one = &list[i];
        bool same = !one->ran[FOLDED] || !one->ran[UNFOLDED] ||
                    one->outcome[FOLDED].stdout_hash == one->outcome[UNFOLDED].stdout_hash;
        for (int mode = 0; mode < FOLD_MODES; mode++) {
            if (!one->ran[mode])
                continue;
            bool good = row_is_reference(one->row) ? one->verdict[mode].differing == 0
                                                   : ended_well(&one->outcome[mode]);
            *passed += good && same;
            *failed += !(good && same);
        }
    }
}
