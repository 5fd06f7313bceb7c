#include "compute/model/scalesim.h"

#include <inttypes.h>

#include "base/arena.h"
#include "compute/model/scalesim_reads.h"
#include "compute/model/scalesim_windows.h"
#include "compute/model/scalesim_writes.h"

/* Folds x cycles and words stay below this: nothing overflows, and nothing runs for hours. */
#define COUNT_MOST (UINT64_C(1) << 60)

/* One read memory in the bandwidth-limited mode. */
struct reader {
    bool is_plain;
    struct scalesim_misses misses;
    struct scalesim_windows windows;
    uint64_t cycle, moves; /* next misses; UINT64_MAX: none */
    uint64_t first_lines, move_lines;
    uint64_t moved;
    int64_t fetched; /* time of the last prefetch's last word */
};

struct replay {
    const struct scalesim_config *config;
    const struct convolution *layer;
    struct systolic_array array;
    struct convolution_gemm shape;
    struct scalesim_order input, filter;
    struct reader readers[2];
    struct scalesim_writes writes;
    struct arena arena;
    uint64_t end; /* cycles without stalls */
};

struct convolution scalesim_gemm(uint64_t m, uint64_t n, uint64_t k)
{
    return (struct convolution){
        .input_height = m,
        .input_width = k,
        .channels = 1,
        .filter_height = 1,
        .filter_width = k,
        .filters = n,
    };
}

/* -- reading ----------------------------------------------------------------------------------- */

static void find_misses(struct reader *reader)
{
    bool found = reader->is_plain
                     ? scalesim_misses_next(&reader->misses, &reader->cycle, &reader->moves)
                     : scalesim_windows_next(&reader->windows, &reader->cycle, &reader->moves);
    if (!found)
        reader->cycle = UINT64_MAX;
}

static enum status reader_init(struct reader *reader, struct replay *replay,
                               const struct scalesim_order *order, uint64_t memory_words,
                               bool is_plain, struct diag *diag)
{
    uint64_t bandwidth = replay->config->words_per_cycle;
    reader->is_plain = is_plain;
    if (bandwidth == 0) {
        reader->cycle = UINT64_MAX;
        return STATUS_OK;
    }
    uint64_t active = systolic_ceil_div(memory_words, 2);
    uint64_t all_lines = systolic_ceil_div(scalesim_order_places(order), bandwidth);
    reader->first_lines = systolic_ceil_div(active, bandwidth);
    if (reader->first_lines > all_lines)
        reader->first_lines = all_lines;
    reader->move_lines = systolic_ceil_div(memory_words - active, bandwidth);
    reader->fetched = -1; /* just before the array starts */
    enum status status = STATUS_OK;
    if (is_plain) {
        scalesim_misses_init(&reader->misses, order, memory_words);
    } else {
        struct scalesim_words words;
        scalesim_words_init(&words, replay->layer, replay->shape.output_width,
                            replay->config->dataflow);
        status = scalesim_windows_init(&reader->windows, order, &words, memory_words,
                                       &replay->arena, diag);
    }
    if (status == STATUS_OK)
        find_misses(reader);
    return status;
}

/* How long the array waits for `reader` in `cycle`; negative if the words were there before. */
static int64_t reader_serve(struct reader *reader, uint64_t cycle, int64_t stall)
{
    if (reader->cycle != cycle)
        return 0;
    reader->moved += reader->moves;
    reader->fetched += (int64_t)(reader->moves * (reader->move_lines + 1));
    find_misses(reader);
    return reader->fetched - ((int64_t)cycle + stall) - 1;
}

/* -- the run ----------------------------------------------------------------------------------- */

static void run_cycles(struct replay *replay, struct scalesim_report *report)
{
    int64_t stall = 0, time = (int64_t)replay->end - 1;
    for (;;) {
        uint64_t cycle = scalesim_writes_next(&replay->writes, stall);
        for (int r = 0; r < 2; r++) {
            if (replay->readers[r].cycle < cycle)
                cycle = replay->readers[r].cycle;
        }
        if (cycle >= replay->end)
            break;
        int64_t waits = reader_serve(&replay->readers[0], cycle, stall);
        int64_t filter = reader_serve(&replay->readers[1], cycle, stall);
        int64_t writing = scalesim_writes_serve(&replay->writes, cycle, stall);
        if (waits < filter)
            waits = filter;
        if (waits < writing)
            waits = writing;
        time = (int64_t)cycle + stall + writing; /* if this is the last */
        stall += waits;
        if (cycle + 1 < replay->end)
            time = (int64_t)replay->end - 1 + stall;
    }
    report->cycles = (uint64_t)time;
    report->stall_cycles = stall;
    scalesim_writes_flush(&replay->writes, time);
}

static enum status replay_init(struct replay *replay, const struct scalesim_config *config,
                               struct diag *diag)
{
    bool is_plain = scalesim_windows_are_plain(replay->layer);
    scalesim_order(&replay->input, &replay->array, &replay->shape.gemm, SCALESIM_INPUT);
    scalesim_order(&replay->filter, &replay->array, &replay->shape.gemm, SCALESIM_FILTER);
    enum status status = reader_init(&replay->readers[0], replay, &replay->input,
                                     config->input_words, is_plain, diag);
    if (status == STATUS_OK)
        status = reader_init(&replay->readers[1], replay, &replay->filter, config->filter_words,
                             true, diag);
    if (status != STATUS_OK)
        return status;
    uint64_t drained = config->words_per_cycle > 0 ? config->words_per_cycle : config->columns;
    if (!scalesim_writes_init(&replay->writes, &replay->array, &replay->shape.gemm,
                              config->output_words, drained))
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory to replay a layer");
    return STATUS_OK;
}

/* -- counts ------------------------------------------------------------------------------------ */

static void count_moved(const struct reader *reader, uint64_t bandwidth, uint64_t *words,
                        double *rate)
{
    *words = (reader->first_lines + reader->moved * reader->move_lines) * bandwidth;
    *rate = (double)*words / (double)(reader->fetched + (int64_t)reader->first_lines + 1);
}

static void count_estimated(const struct scalesim_order *order, uint64_t memory_words,
                            uint64_t *words, double *rate)
{
    struct scalesim_reads reads;
    scalesim_reads(&reads, order, memory_words);
    *words = reads.words;
    uint64_t cycle = reads.has_forgotten ? scalesim_reads_cycle(order, reads.last_ask) : 0;
    *rate = scalesim_reads_bandwidth(order, memory_words, reads.words, reads.has_forgotten, cycle);
}

/* Of an input with windows that overlap. */
static enum status count_windows(struct replay *replay, struct scalesim_report *report,
                                 struct diag *diag)
{
    uint64_t memory = replay->config->input_words;
    uint64_t capacity = scalesim_reads_capacity(memory), cycle = UINT64_MAX;
    uint64_t reads = scalesim_windows_distinct(replay->layer);
    if (reads >= capacity) {
        struct scalesim_words words;
        scalesim_words_init(&words, replay->layer, replay->shape.output_width,
                            replay->config->dataflow);
        enum status status = scalesim_windows_reads(&replay->input, &words, capacity,
                                                    &replay->arena, &reads, &cycle, diag);
        if (status != STATUS_OK)
            return status;
    }
    report->dram.input = reads;
    report->input_bandwidth =
        scalesim_reads_bandwidth(&replay->input, memory, reads, cycle != UINT64_MAX, cycle);
    return STATUS_OK;
}

static enum status count_reads(struct replay *replay, struct scalesim_report *report,
                               struct diag *diag)
{
    const struct scalesim_config *config = replay->config;
    if (config->words_per_cycle > 0) {
        count_moved(&replay->readers[0], config->words_per_cycle, &report->dram.input,
                    &report->input_bandwidth);
        count_moved(&replay->readers[1], config->words_per_cycle, &report->dram.filter,
                    &report->filter_bandwidth);
        return STATUS_OK;
    }
    count_estimated(&replay->filter, config->filter_words, &report->dram.filter,
                    &report->filter_bandwidth);
    if (!replay->readers[0].is_plain)
        return count_windows(replay, report, diag);
    count_estimated(&replay->input, config->input_words, &report->dram.input,
                    &report->input_bandwidth);
    return STATUS_OK;
}

static void count_rest(struct replay *replay, struct scalesim_report *report)
{
    const struct systolic_array *array = &replay->array;
    const struct systolic_gemm *gemm = &replay->shape.gemm;
    const struct scalesim_writes *writes = &replay->writes;
    report->dram.output = writes->words;
    report->output_bandwidth = (double)writes->words / (double)(writes->last - writes->first + 1);
    systolic_reads(&report->sram, array, gemm);
    struct systolic_folds folds;
    struct systolic_time time;
    systolic_fold(&folds, array, gemm);
    systolic_time(&time, array, gemm);
    uint64_t fold_cycles = folds.fold_cycles;
    if (array->dataflow == SYSTOLIC_OUTPUT)
        report->sram.output += time.folds * (array->rows + array->columns);
    else
        fold_cycles += array->columns - 1;
    double cells = (double)array->rows * (double)array->columns;
    double products = (double)gemm->m * (double)gemm->n * (double)gemm->k;
    report->mapped_percent = 100 * time.mapped_ratio;
    report->busy_percent = 100 * products / (cells * (double)time.folds * (double)fold_cycles);
    report->use_percent =
        report->cycles > 0 ? 100 * products / (cells * (double)report->cycles) : 0;
}

static enum status check_config(const struct scalesim_config *config, struct diag *diag)
{
    const uint64_t sides[] = {config->rows, config->columns};
    const uint64_t memories[] = {config->input_words, config->filter_words, config->output_words};
    for (int i = 0; i < 2; i++) {
        if (sides[i] == 0 || sides[i] > UINT32_MAX)
            return diag_fail(diag, STATUS_BAD_CONFIG, "an array has at least one row and column");
    }
    for (int i = 0; i < 3; i++) {
        if (memories[i] < 2 || memories[i] > COUNT_MOST)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "expected memories of at least 2 words, found %" PRIu64, memories[i]);
    }
    return STATUS_OK;
}

static enum status check_size(const struct replay *replay, struct diag *diag)
{
    struct systolic_time time;
    struct systolic_reads reads;
    systolic_time(&time, &replay->array, &replay->shape.gemm);
    systolic_reads(&reads, &replay->array, &replay->shape.gemm);
    const uint64_t counts[] = {time.cycles, reads.input, reads.filter, reads.output};
    for (int i = 0; i < 4; i++) {
        if (counts[i] > COUNT_MOST)
            return diag_fail(diag, STATUS_NO_MEMORY, "the layer is too large to be replayed");
    }
    return STATUS_OK;
}

enum status scalesim_run(struct scalesim_report *report, const struct scalesim_config *config,
                         const struct convolution *layer, struct diag *diag)
{
    struct replay replay = {.config = config, .layer = layer};
    enum status status = check_config(config, diag);
    if (status == STATUS_OK)
        status = convolution_gemm(&replay.shape, layer, CONVOLUTION_SCALESIM, diag);
    if (status != STATUS_OK)
        return status;
    replay.array = (struct systolic_array){
        .rows = config->rows, .columns = config->columns, .dataflow = config->dataflow};
    status = check_size(&replay, diag);
    if (status != STATUS_OK)
        return status;
    struct systolic_time time;
    systolic_time(&time, &replay.array, &replay.shape.gemm);
    replay.end = time.cycles;
    arena_init(&replay.arena);
    status = replay_init(&replay, config, diag);
    if (status == STATUS_OK) {
        *report = (struct scalesim_report){.gemm = replay.shape.gemm};
        run_cycles(&replay, report);
        status = count_reads(&replay, report, diag);
    }
    if (status == STATUS_OK)
        count_rest(&replay, report);
    if (replay.writes.closed.base)
        scalesim_writes_release(&replay.writes);
    arena_release(&replay.arena);
    return status;
}
