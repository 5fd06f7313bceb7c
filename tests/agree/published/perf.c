/* The table the corrections were calibrated on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree/published/csv.h"
#include "tests/agree/published/published.h"

enum { DEVICE, OPCODE, RESULT_BYTES, GROUPS, PER_GROUP, PAIRS, THROUGHPUT, PERF_COLUMNS };

static const char *const names[PERF_COLUMNS] = {
    "device", "opcode", "result_bytes", "groups", "devices_per_group", "pairs", "throughput_Bps"};

static const struct {
    const char *device, *system;
} devices[] = {{"sm_90", "h100-dgx"},
               {"sm_100_B200", "b200-dgx"},
               {"sm_100_GB200", "gb200-nvl72"},
               {"sm_103", "gb300-nvl72"},
               {"gfx950", "mi355x"}};

static const struct {
    const char *opcode;
    int kind;
} opcodes[] = {{"all-reduce", COLL_ALL_REDUCE},
               {"all-gather", COLL_ALL_GATHER},
               {"reduce-scatter", COLL_REDUCE_SCATTER},
               {"all-to-all", COLL_ALL_TO_ALL}};

struct tally {
    uint32_t count;
    double sum, bias;
};

/* Rows of one device, opcode and group size. */
struct group {
    size_t device, opcode; /* in the tables above */
    uint32_t ranks;
    const struct tuner_system *system;
};

static bool is_of(const char *const *row, const struct group *group)
{
    return strcmp(row[DEVICE], devices[group->device].device) == 0 &&
           strcmp(row[OPCODE], opcodes[group->opcode].opcode) == 0 &&
           strtoul(row[PER_GROUP], NULL, 10) == group->ranks;
}

/* A row's error in percent, and its size; false if it has no figures. */
static bool error_of(const char *const *row, const struct group *group, double *bytes,
                     double *error)
{
    const struct tuner_system *system = group->system;
    int kind = opcodes[group->opcode].kind;
    uint32_t ranks = group->ranks;
    double result = strtod(row[RESULT_BYTES], NULL), rate = strtod(row[THROUGHPUT], NULL);
    if (row[PAIRS][0] != '\0' || !(result > 0) || !(rate > 0))
        return false;
    *bytes = kind == COLL_REDUCE_SCATTER ? result * ranks : result;
    uint32_t in_node = ranks < system->gpus_per_node ? ranks : system->gpus_per_node;
    struct tuner_request request = {.kind = kind,
                                    .ranks = ranks,
                                    .nodes = ranks / in_node,
                                    .bytes = (uint64_t)*bytes,
                                    .system = system};
    struct diag diag = DIAG_NONE;
    struct tuner_choice choice;
    if (tuner_choose(&request, &choice, &diag) != STATUS_OK)
        return false;
    *error = (choice.time_us / (*bytes / rate * 1e6) - 1) * 100;
    return true;
}

static void print_tally(const struct tally *tally, FILE *out)
{
    if (tally->count == 0)
        fprintf(out, " | %5s %7s %7s", "-", "-", "-");
    else
        fprintf(out, " | %5u %7.1f %+7.1f", tally->count, tally->sum / tally->count,
                tally->bias / tally->count);
}

static void print_group(const struct csv *table, const struct group *group, FILE *out)
{
    struct tally tally[2] = {{0}};
    for (uint32_t i = 0; i < table->rows; i++) {
        const char *const *row = table->cell + (size_t)i * PERF_COLUMNS;
        double bytes, error;
        if (!is_of(row, group) || !error_of(row, group, &bytes, &error))
            continue;
        struct tally *one = &tally[bytes >= 1e6];
        one->count++;
        one->sum += fabs(error);
        one->bias += error;
    }
    if (tally[0].count + tally[1].count == 0)
        return;
    fprintf(out, "%-14s %-15s %3u", devices[group->device].device, opcodes[group->opcode].opcode,
            group->ranks);
    print_tally(&tally[0], out);
    print_tally(&tally[1], out);
    fprintf(out, "\n");
}

enum status published_run_perf(const char *csv, FILE *out, struct diag *diag)
{
    static const uint32_t sizes[] = {2, 4, 8, 16, 18, 32, 36, 64, 72};
    struct arena arena;
    arena_init(&arena);
    struct csv table = {.names = names, .columns = PERF_COLUMNS};
    struct tuner *tuner = NULL;
    enum status status = csv_load(&table, csv, &arena, diag);
    if (status == STATUS_OK)
        status = tuner_create(&tuner, NULL, diag);
    if (status == STATUS_OK)
        fprintf(out, "\n%-34s | %5s %7s %7s | %5s %7s %7s\n", "XLA's table (calibration)", "< 1MB",
                "MAPE %", "bias", ">=1MB", "MAPE %", "bias");
    for (size_t d = 0; status == STATUS_OK && d < sizeof devices / sizeof devices[0]; d++) {
        const struct tuner_system *system;
        status = tuner_find_system(tuner, devices[d].system, &system, diag);
        for (size_t o = 0; status == STATUS_OK && o < sizeof opcodes / sizeof opcodes[0]; o++) {
            for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
                print_group(&table, &(struct group){d, o, sizes[n], system}, out);
        }
    }
    tuner_destroy(tuner);
    arena_release(&arena);
    return status;
}
