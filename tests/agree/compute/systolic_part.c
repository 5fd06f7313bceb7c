/*
 * SCALE-Sim's reference runs (data/peers/scalesim_reference.csv) beside compute/model/scalesim:
 * every number of a row must be ours exactly, percentages and bandwidths to the four digits
 * printed. SCALESIM_ROWS=1 prints each row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "compute/model/scalesim.h"
#include "tests/agree/compute/compute_parts.h"
#include "tests/agree/published/csv.h"

enum column {
    LAYER,
    TYPE,
    IFMAP_H,
    IFMAP_W,
    FILT_H,
    FILT_W,
    CHANNELS,
    FILTERS,
    STRIDE,
    M,
    N,
    K,
    ROWS,
    COLS,
    DATAFLOW,
    MODE,
    WORDS_PER_CYCLE,
    SRAM,
    FIRST_RESULT,
    COLUMNS = FIRST_RESULT + 14
};

static const char *const column_names[COLUMNS] = {
    "layer",
    "type",
    "ifmap_h",
    "ifmap_w",
    "filt_h",
    "filt_w",
    "channels",
    "num_filters",
    "stride",
    "M",
    "N",
    "K",
    "rows",
    "cols",
    "dataflow",
    "bw_mode",
    "bw_words_per_cycle",
    "sram_kb_if_filt_of",
    "total_cycles",
    "stall_cycles",
    "overall_util_pct",
    "mapping_eff_pct",
    "compute_util_pct",
    "sram_ifmap_reads",
    "sram_filter_reads",
    "sram_ofmap_writes",
    "dram_ifmap_reads",
    "dram_filter_reads",
    "dram_ofmap_writes",
    "avg_ifmap_dram_bw",
    "avg_filter_dram_bw",
    "avg_ofmap_dram_bw",
};

enum { RESULTS = COLUMNS - FIRST_RESULT };

static uint64_t number(const char *const *row, enum column column)
{
    return strtoull(row[column], NULL, 10);
}

static struct convolution layer_of(const char *const *row)
{
    if (strcmp(row[TYPE], "gemm") == 0)
        return scalesim_gemm(number(row, M), number(row, N), number(row, K));
    return (struct convolution){
        .input_height = number(row, IFMAP_H),
        .input_width = number(row, IFMAP_W),
        .filter_height = number(row, FILT_H),
        .filter_width = number(row, FILT_W),
        .channels = number(row, CHANNELS),
        .filters = number(row, FILTERS),
        .stride_height = number(row, STRIDE),
        .stride_width = number(row, STRIDE),
    };
}

static struct scalesim_config config_of(const char *const *row)
{
    unsigned input = 0, filter = 0, output = 0;
    sscanf(row[SRAM], "%u/%u/%u", &input, &filter, &output);
    return (struct scalesim_config){
        .rows = number(row, ROWS),
        .columns = number(row, COLS),
        .dataflow = systolic_dataflow_find(row[DATAFLOW]),
        .input_words = 1024 * (uint64_t)input,
        .filter_words = 1024 * (uint64_t)filter,
        .output_words = 1024 * (uint64_t)output,
        .words_per_cycle = strcmp(row[MODE], "USER") == 0 ? number(row, WORDS_PER_CYCLE) : 0,
    };
}

static void results_of(const struct scalesim_report *report, double results[RESULTS])
{
    const double all[RESULTS] = {
        (double)report->cycles,      (double)report->stall_cycles, report->use_percent,
        report->mapped_percent,      report->busy_percent,         (double)report->sram.input,
        (double)report->sram.filter, (double)report->sram.output,  (double)report->dram.input,
        (double)report->dram.filter, (double)report->dram.output,  report->input_bandwidth,
        report->filter_bandwidth,    report->output_bandwidth,
    };
    memcpy(results, all, sizeof all);
}

/* Printed with four digits, by rounding that may go either way at a tie. */
static bool agrees(const char *expected, double found)
{
    return fabs(strtod(expected, NULL) - found) < 5.05e-5;
}

struct tally {
    uint32_t rows, limited, agreed[RESULTS];
};

static enum status compare_row(const char *const *row, struct tally *tally, FILE *out,
                               struct diag *diag)
{
    struct scalesim_report report;
    struct scalesim_config config = config_of(row);
    struct convolution layer = layer_of(row);
    enum status status = scalesim_run(&report, &config, &layer, diag);
    if (status != STATUS_OK)
        return status;
    double results[RESULTS];
    results_of(&report, results);
    tally->rows++;
    tally->limited += config.words_per_cycle > 0;
    bool all = getenv("SCALESIM_ROWS") != NULL;
    for (int r = 0; r < RESULTS; r++) {
        const char *expected = row[FIRST_RESULT + r];
        bool same = agrees(expected, results[r]);
        tally->agreed[r] += same;
        if (!same || all)
            fprintf(out, "  %-22s %s %sx%s %s %s%s: %s: theirs %s, ours %.4f%s\n", row[LAYER],
                    row[TYPE], row[ROWS], row[COLS], row[DATAFLOW], row[MODE], row[WORDS_PER_CYCLE],
                    column_names[FIRST_RESULT + r], expected, results[r], same ? "" : "  differs");
    }
    return STATUS_OK;
}

enum status agree_systolic(const char *shared, bool brief, FILE *out, struct part_count *count,
                           struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/data/peers/scalesim_reference.csv", shared);
    if (!file_exists(path)) {
        count->skipped++;
        fprintf(out, "skipped: no %s\n", path);
        return STATUS_OK;
    }
    struct arena arena;
    arena_init(&arena);
    struct csv csv = {.names = column_names, .columns = COLUMNS};
    struct tally tally = {0};
    enum status status = csv_load(&csv, path, &arena, diag);
    clock_t start = clock();
    for (uint32_t r = 0; status == STATUS_OK && r < csv.rows; r++)
        status = compare_row(csv.cell + (size_t)r * COLUMNS, &tally, out, diag);
    double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    arena_release(&arena);
    if (status != STATUS_OK)
        return status;
    fprintf(out, "SCALE-Sim: %u rows, %u of them with limited bandwidth; all in %.1f ms\n",
            tally.rows, tally.limited, ms);
    for (int r = 0; r < RESULTS; r++) {
        bool same = tally.agreed[r] == tally.rows;
        *(same ? &count->passed : &count->failed) += 1;
        if (!brief || !same)
            fprintf(out, "  %-20s %4u of %u exact\n", column_names[FIRST_RESULT + r],
                    tally.agreed[r], tally.rows);
    }
    return STATUS_OK;
}
