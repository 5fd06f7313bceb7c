#include "sweep/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/suggest.h"

enum status progress_init(struct progress *progress, enum progress_show show, uint32_t total,
                          const char *best, struct diag *diag)
{
    double now = clock_now_s();
    *progress = (struct progress){.show = show, .total = total, .start_s = now, .shown_s = now};
    if (!best)
        return STATUS_OK;
    const char *column = best;
    if (strncmp(best, "least ", 6) == 0 || strncmp(best, "most ", 5) == 0) {
        progress->best_is_most = best[0] == 'm';
        column = strchr(best, ' ') + 1;
    }
    for (int i = 0; i < MEASURE_COUNT; i++) {
        progress->best_column = (enum measure)i;
        if (strcmp(measure_columns[i], column) == 0)
            return STATUS_OK;
    }
    diag_fail(diag, STATUS_BAD_CONFIG, "expected `least COLUMN` or `most COLUMN`, found \"%.60s\"",
              best);
    diag_field(diag, "best");
    const char *nearest = suggest_nearest(column, measure_columns);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

/* Of equal ones the first point is the best, whatever ended first. */
static void take_best(struct progress *progress, uint32_t ordinal, double value)
{
    bool is_better = progress->best_is_most ? value > progress->best : value < progress->best;
    bool is_first = value == progress->best && ordinal < progress->best_ordinal;
    if (progress->has_best && !is_better && !is_first)
        return;
    progress->has_best = true;
    progress->best = value;
    progress->best_ordinal = ordinal;
}

void progress_add(struct progress *progress, uint32_t ordinal, const struct point_result *result,
                  bool is_stored)
{
    if (is_stored)
        progress->stored++;
    else
        progress->ran++;
    if (strcmp(result->state, "ok") != 0) {
        progress->failed++;
        return;
    }
    double value = result->value[progress->best_column];
    if (!isnan(value))
        take_best(progress, ordinal, value);
}

/* Ended, not ok, whether there is a best, its ordinal, its value (17 digits are exact). One line of
 * one length, written over the last, so that no reader finds an empty file. */
void progress_save(const struct progress *progress, const char *path)
{
    char text[96];
    snprintf(text, sizeof text, "%" PRIu32 " %" PRIu32 " %d %" PRIu32 " %.17g",
             progress->stored + progress->ran, progress->failed, progress->has_best,
             progress->best_ordinal, progress->best);
    FILE *file = fopen(path, "r+e");
    if (!file)
        file = fopen(path, "we");
    if (!file)
        return;
    fprintf(file, "%-95s\n", text);
    fclose(file);
}

bool progress_join(struct progress *progress, const char *path)
{
    uint32_t ended = 0, failed = 0, ordinal = 0;
    int has_best = 0;
    double best = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool is_read = fscanf(file, "%" SCNu32 " %" SCNu32 " %d %" SCNu32 " %lf", &ended, &failed,
                          &has_best, &ordinal, &best) == 5;
    fclose(file);
    if (!is_read)
        return false;
    progress->ran += ended;
    progress->failed += failed;
    if (has_best)
        take_best(progress, ordinal, best);
    return true;
}

const char *progress_span(char *to, size_t size, double seconds)
{
    if (seconds < 60)
        snprintf(to, size, "%.1f s", seconds);
    else if (seconds < 3600)
        snprintf(to, size, "%d min %d s", (int)(seconds / 60), (int)fmod(seconds, 60));
    else
        snprintf(to, size, "%.0f h %d min", floor(seconds / 3600), (int)(fmod(seconds, 3600) / 60));
    return to;
}

static void show_best(const struct progress *progress, FILE *out)
{
    if (progress->has_best)
        fprintf(out, ", %s %s %.6g%s%s (point %" PRIu32 ")",
                progress->best_is_most ? "most" : "least", measure_columns[progress->best_column],
                progress->best, *measure_units[progress->best_column] ? " " : "",
                measure_units[progress->best_column], progress->best_ordinal);
}

void progress_tick(struct progress *progress, bool at_once)
{
    double now = clock_now_s(), pause_s = progress->show == PROGRESS_LINES ? 10 : 0.4;
    if (progress->show == PROGRESS_SILENT || (!at_once && now - progress->shown_s < pause_s))
        return;
    uint32_t done = progress->stored + progress->ran;
    double elapsed_s = now - progress->start_s;
    double rate = elapsed_s > 0 ? progress->ran / elapsed_s : 0;
    bool is_terminal = progress->show == PROGRESS_TERMINAL;
    char left[48] = "unknown";
    if (rate > 0)
        progress_span(left, sizeof left,
                      (done < progress->total ? progress->total - done : 0) / rate);
    fprintf(stderr, "%s%" PRIu32 "/%" PRIu32 " points, %.1f points/s, left: %s",
            is_terminal ? "\r\x1b[K" : "orrery: ", done, progress->total, rate, left);
    show_best(progress, stderr);
    if (progress->failed)
        fprintf(stderr, ", %" PRIu32 " not ok", progress->failed);
    if (progress->more[0])
        fprintf(stderr, ", %s", progress->more);
    if (!is_terminal)
        fputc('\n', stderr);
    fflush(stderr);
    progress->line_is_shown = is_terminal;
    progress->shown_s = now;
}

void progress_clear(struct progress *progress)
{
    if (progress->line_is_shown)
        fputs("\r\x1b[K", stderr);
    progress->line_is_shown = false;
}

void progress_summary(const struct progress *progress, FILE *out)
{
    char span[48];
    fprintf(out, "%" PRIu32 " of %" PRIu32 " points", progress->stored + progress->ran,
            progress->total);
    fprintf(out, ": %" PRIu32 " from the store, %" PRIu32 " run in %s, %" PRIu32 " not ok",
            progress->stored, progress->ran,
            progress_span(span, sizeof span, clock_now_s() - progress->start_s), progress->failed);
    show_best(progress, out);
    fputc('\n', out);
}
