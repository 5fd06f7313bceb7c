/*
 * Logs of ASTRA-sim, standard output or its log file. A line counts from its "sys[" on, whatever
 * the logger wrote before it:
 *
 *   [2026-03-26 10:00:00.000] [workload] [info] sys[3] finished, 22240 cycles, exposed
 *       communication 22240 cycles.
 *   sys[3], GPU time: 11000          (union of device compute; "Comm time" of communication)
 *
 *   sys[3] finished, 22240 cycles    (of versions before there was exposed communication)
 *
 * and ops, from its debug lines (astra_ops.h). A cycle is 1 ns. Exposed communication is finish
 * less the sum of compute in uint64, so that what is below zero is wrapped (reference:
 * astra-sim/workload/Workload.cc). Other statistics are counted and not compared. "sys[3]
 * iteration 2 finished": the last iteration counts.
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "compare/astra_ops.h"
#include "compare/reader.h"

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *cursor, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, text, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

static bool take_number(struct cursor *cursor, uint64_t *value)
{
    const char *begin = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
        cursor->at++;
    return decimal_u64(begin, (size_t)(cursor->at - begin), value);
}

/* Cycles, which may be a wrapped number below zero, as picoseconds. */
static bool ps_of_cycles(uint64_t cycles, int64_t *ps)
{
    return !__builtin_mul_overflow((int64_t)cycles, (int64_t)1000, ps);
}

static struct outcome_rank *rank_of(const struct reading *reading, uint32_t rank)
{
    struct outcome_rank *known = outcome_find_rank(reading->outcome, rank);
    return known ? known : outcome_add_rank(reading->outcome, rank);
}

struct finish {
    uint64_t cycles, exposed;
    bool has_exposed;
};

/* " finished, C cycles, exposed communication E cycles."; of older versions " finished, C cycles".
 * */
static bool take_cycles(struct cursor *cursor, struct finish *finish)
{
    if (!take(cursor, " finished, ") || !take_number(cursor, &finish->cycles) ||
        !take(cursor, " cycles"))
        return false;
    finish->has_exposed = take(cursor, ", exposed communication ");
    if (finish->has_exposed)
        return take_number(cursor, &finish->exposed) && take(cursor, " cycles");
    return cursor->at == cursor->end || *cursor->at == '.';
}

static enum status take_finish(const struct reading *reading, struct cursor *cursor, uint32_t rank,
                               bool is_iteration, uint64_t line)
{
    struct finish finish = {0};
    int64_t finish_ps, exposed_ps = 0;
    if (!take_cycles(cursor, &finish))
        return reading_fail_line(reading, line,
                                 "expected \"finished, C cycles, exposed communication E cycles\": "
                                 "the line is cut or damaged");
    bool is_late = finish.cycles > INT64_MAX || !ps_of_cycles(finish.cycles, &finish_ps);
    if (is_late || !ps_of_cycles(finish.exposed, &exposed_ps))
        return reading_fail_line(reading, line, "%" PRIu64 " cycles are beyond 106 days",
                                 is_late ? finish.cycles : finish.exposed);
    if (!finish.has_exposed)
        exposed_ps = OUTCOME_UNSAID;
    struct outcome_rank *known = rank_of(reading, rank);
    int64_t *figure = known->figure_ps;
    bool is_same = figure[RANK_FINISH] == finish_ps && figure[RANK_EXPOSED] == exposed_ps;
    if (figure[RANK_FINISH] != OUTCOME_UNSAID && !is_iteration && !is_same)
        return reading_fail_line(reading, line,
                                 "rank %" PRIu32 " finishes a second time, at %" PRIu64
                                 " cycles: this is the log of several runs",
                                 rank, finish.cycles);
    if (figure[RANK_FINISH] != OUTCOME_UNSAID)
        notices_add(&reading->outcome->notices, NOTICE_IGNORED,
                    is_iteration ? "finish of an earlier iteration" : "result said twice", 1,
                    "rank %" PRIu32, rank);
    figure[RANK_FINISH] = finish_ps;
    figure[RANK_EXPOSED] = exposed_ps;
    return STATUS_OK;
}

static const struct {
    const char *text;
    enum rank_figure figure;
} statistics[] = {
    {", GPU time: ", RANK_COMPUTE},
    {", Comm time: ", RANK_COMMUNICATION},
};

/* ", GPU time: 11000". Other statistics are counted. */
static enum status take_statistic(const struct reading *reading, struct cursor *cursor,
                                  uint32_t rank, uint64_t line)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        uint64_t cycles;
        int64_t ps;
        if (!take(cursor, statistics[i].text))
            continue;
        if (!take_number(cursor, &cycles) || !outcome_ps_of_ns(cycles, &ps))
            return reading_fail_line(reading, line, "expected a number of cycles after \"%s\"",
                                     statistics[i].text + 2);
        rank_of(reading, rank)->figure_ps[statistics[i].figure] = ps;
        return STATUS_OK;
    }
    if (cursor->at < cursor->end && *cursor->at == ',')
        notices_add(&reading->outcome->notices, NOTICE_IGNORED, "statistics of the log", 1, "%.*s",
                    (int)(cursor->end - cursor->at - 2 < 60 ? cursor->end - cursor->at - 2 : 60),
                    cursor->at + 2);
    return STATUS_OK;
}

static enum status take_line(const struct reading *reading, struct cursor *cursor, uint64_t line)
{
    uint64_t rank, iteration;
    if (!take_number(cursor, &rank) || rank >= UINT32_MAX || !take(cursor, "]"))
        return reading_fail_line(reading, line, "expected a rank's number after \"sys[\"");
    bool is_iteration = take(cursor, " iteration ");
    if (is_iteration && !take_number(cursor, &iteration))
        return reading_fail_line(reading, line, "expected a number after \"iteration\"");
    if (is_iteration || (cursor->at < cursor->end && *cursor->at == ' '))
        return take_finish(reading, cursor, (uint32_t)rank, is_iteration, line);
    return take_statistic(reading, cursor, (uint32_t)rank, line);
}

/* Statistics of a rank that did not finish say nothing that could be compared. */
static void drop_unfinished(struct outcome *outcome)
{
    uint32_t dropped = outcome_drop_unfinished(outcome);
    if (dropped)
        notices_add(&outcome->notices, NOTICE_IGNORED, "statistics of ranks that did not finish",
                    dropped, "%s", outcome->path);
}

static enum status read_log(const struct reading *reading)
{
    const char *text;
    size_t length, at = 0;
    uint64_t line = 0;
    enum status status = STATUS_OK;
    struct astra_ops ops;
    astra_ops_begin(&ops, reading);
    reading->outcome->grain_ps = 1000;
    while (status == STATUS_OK && reading_line(reading, &at, &text, &length)) {
        struct cursor cursor = {text, text + length};
        line++;
        if (astra_ops_take(&ops, text, length, line, &status))
            continue;
        while (cursor.at < cursor.end && !take(&cursor, "sys["))
            cursor.at++;
        if (cursor.at > text && cursor.at[-1] == '[')
            status = take_line(reading, &cursor, line);
    }
    if (status == STATUS_OK) {
        drop_unfinished(reading->outcome);
        astra_ops_end(&ops);
    }
    astra_ops_release(&ops);
    if (status == STATUS_OK && !reading->outcome->rank_count) {
        status = reading_fail_line(reading, 0, "no rank finished in this log of ASTRA-sim");
        diag_hint(reading->diag, "expected lines \"sys[0] finished, C cycles, exposed "
                                 "communication E cycles.\"");
    }
    return status;
}

static bool is_log(const char *head, size_t length)
{
    return reader_has(head, length, "sys[") || reader_has(head, length, "ring of node ") ||
           reader_has(head, length, ",sys->id=");
}

const struct reader reader_astra_log = {
    .name = "ASTRA-sim log",
    .from = "ASTRA-sim's output, or orrery run --format astra",
    .is_mine = is_log,
    .read = read_log,
};
