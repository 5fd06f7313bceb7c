/* From the words of a row to a request: by its own columns, never by what it measured. */
#include <stdlib.h>
#include <string.h>

#include "tests/agree/published/published.h"

/* Large messages of rows that print an asymptotic bandwidth. */
static const double large_bytes = 16.0 * 1024 * 1024 * 1024;
/* Ranks and nodes of rows that say "multi". */
enum { MULTI_RANKS = 64, MULTI_NODES = 8 };

/*
 * Where one process drives 8 GPUs (nccl-tests -g 8), the last GPU's kernel is launched 8 launches
 * after the first's. 4.2 us each: the 0-byte rows of SuperBench's log (33.6 us; not in the table).
 */
static const double launch_of_eight_us = 8 * 4.2;

static bool has(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* -- hardware --------------------------------------------------------------------------------- */

static const struct {
    const char *word, *also; /* both in the hardware column */
    const char *system;
} presets[] = {
    {"GB300", "", "gb300-nvl72"},
    {"GB200", "", "gb200-nvl72"},
    {"GH200", "", "gh200-alps"},
    {"B300", "", "b300-dgx"},
    {"B200", "p6", "b200-p6"},
    {"B200", "", "b200-dgx"},
    {"H200", "p5e", "h200-p5en"},
    {"H200", "", "h200-dgx"},
    {"H20", "", "h20"},
    {"H100 PCIe", "", "h100-pcie-pairs"},
    {"H100", "p5", "h100-p5"},
    {"H100", "A3 Mega", "h100-a3mega"},
    {"H100", "", "h100-dgx"},
    {"H800", "", "h800"},
    {"A800", "", "a800"},
    {"A40", "", "a40-pcie-pairs"},
    {"A100 PCIe", "", "a100-pcie-pairs"},
    {"A100", "p4d", "a100-p4de"},
    {"A100", "", "a100-dgx"},
    {"V100", "", "v100-dgx1"},
    {"MI300X", "", "mi300x"},
    {"MI325X", "", "mi325x"},
    {"MI355X", "", "mi355x"},
    {"MI350X", "", "mi355x"},
    {"gfx950", "", "mi355x"},
    {"gfx942", "", "mi300x"},
    {"TPU7x", "", "tpu7x"},
    {"v6e", "", "tpu-v6e"},
    {"v5p", "", "tpu-v5p"},
    {"v5e", "", "tpu-v5e"},
    {"TPU v4", "", "tpu-v4"},
};

static const struct tuner_system *find_preset(const struct tuner *tuner, const char *hardware)
{
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        if (!has(hardware, presets[i].word) || !has(hardware, presets[i].also))
            continue;
        const struct tuner_system *system;
        struct diag diag = DIAG_NONE;
        return tuner_find_system(tuner, presets[i].system, &system, &diag) == STATUS_OK ? system
                                                                                        : NULL;
    }
    return NULL;
}

/* "8x400 Gb/s", "8x200Gb": count and Gb/s of a node's NICs; false if `text` names none. */
static bool find_nics(const char *text, double *count, double *gbps)
{
    for (const char *x = strchr(text, 'x'); x; x = strchr(x + 1, 'x')) {
        const char *start = x;
        while (start > text && start[-1] >= '0' && start[-1] <= '9')
            start--;
        char *unit;
        double rate = strtod(x + 1, &unit);
        while (*unit == ' ')
            unit++;
        if (start < x && strncmp(unit, "Gb", 2) == 0) {
            *count = strtod(start, NULL);
            *gbps = rate;
            return true;
        }
    }
    return false;
}

/* The row's own NICs, else the preset's; says whether the preset's are only assumed. */
static void set_network(const struct published_row *row, struct published_case *one)
{
    struct tuner_system *system = &one->system;
    double count, gbps;
    bool is_named = find_nics(row->text[COLUMN_INTER], &count, &gbps) ||
                    find_nics(row->text[COLUMN_HARDWARE], &count, &gbps);
    if (is_named) {
        if (has(row->text[COLUMN_INTER], "per GPU"))
            count *= system->gpus_per_node;
        system->nics_per_node = count;
        system->nic_rate_Bps = gbps * 1e9 / 8;
        return;
    }
    bool uses_none = one->request.nodes == 1 || system->scale_up == SCALE_UP_TORUS ||
                     system->domain > system->gpus_per_node;
    bool is_told = row->text[COLUMN_INTER][0] != '\0' || system->scale_up == SCALE_UP_PAIRS ||
                   has(row->text[COLUMN_HARDWARE], "CX7") || has(row->text[COLUMN_HARDWARE], "IB");
    one->is_assumed = !uses_none && !is_told;
}

/* -- how many ranks --------------------------------------------------------------------------- */

static bool set_ranks(const struct published_row *row, struct tuner_request *request)
{
    const struct tuner_system *system = request->system;
    bool is_multi = strcmp(row->text[COLUMN_GPUS], "multi") == 0;
    request->ranks = is_multi ? MULTI_RANKS : (uint32_t)strtoul(row->text[COLUMN_GPUS], NULL, 10);
    request->nodes = is_multi ? MULTI_NODES : (uint32_t)strtoul(row->text[COLUMN_NODES], NULL, 10);
    if (request->nodes == 0) {
        uint32_t in_node = (uint32_t)strtoul(row->text[COLUMN_GPUS_PER_NODE], NULL, 10);
        in_node = in_node ? in_node : system->gpus_per_node;
        request->nodes = (request->ranks + in_node - 1) / in_node;
    }
    struct tuner_choice choice;
    struct diag diag = DIAG_NONE;
    return tuner_choose(request, &choice, &diag) == STATUS_OK;
}

/* -- what was asked --------------------------------------------------------------------------- */

static const struct {
    const char *op;
    int kind;
} kinds[] = {
    {"all_reduce", COLL_ALL_REDUCE},
    {"all_gather", COLL_ALL_GATHER},
    {"reduce_scatter", COLL_REDUCE_SCATTER},
    {"alltoall", COLL_ALL_TO_ALL},
    {"all_to_all", COLL_ALL_TO_ALL},
    {"broadcast", COLL_BROADCAST},
    {"reduce", COLL_REDUCE},
    {"sendrecv", TUNER_SEND_RECEIVE},
    {"send_recv", TUNER_SEND_RECEIVE},
    {"moe_dispatch", TUNER_DISPATCH},
    {"moe_combine", TUNER_DISPATCH},
    {"moe_dispatch_lowlat", TUNER_DISPATCH},
    {"moe_combine_lowlat", TUNER_DISPATCH},
};

static bool find_kind(const char *op, int *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(op, kinds[i].op) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* Bus bandwidth of nccl-tests is this times bytes / time. */
static double bus_factor(int kind, double n)
{
    if (kind == COLL_ALL_REDUCE)
        return 2 * (n - 1) / n;
    bool is_part =
        kind == COLL_ALL_GATHER || kind == COLL_REDUCE_SCATTER || kind == COLL_ALL_TO_ALL;
    return is_part ? (n - 1) / n : 1;
}

/* Low-latency dispatch and combine: 128 tokens to 8 experts each, 7168 values; FP8 with a 4-byte
 * scale for 128 values (DeepEP README). */
static double dispatch_bytes(const char *text)
{
    double values = 128.0 * 8 * 7168;
    return has(text, "FP8") ? values * (1 + 4.0 / 128) : values * 2;
}

static const char *set_size(const struct published_row *row, struct published_case *one)
{
    const char *text = row->text[COLUMN_BYTES];
    char *end;
    double bytes = strtod(text, &end);
    double n = one->request.ranks;
    bool is_number = end != text && *end == '\0';
    one->measured_us = strtod(row->text[COLUMN_TIME], NULL);
    if (!is_number && has(row->text[COLUMN_OP], "lowlat"))
        bytes = dispatch_bytes(text);
    else if (!is_number && (has(text, "asymptotic") || one->request.kind == TUNER_DISPATCH))
        bytes = large_bytes;
    else if (!is_number)
        return "the size is not a number";
    one->bytes = bytes;
    if (has(row->text[COLUMN_NOTE], "transferred data"))
        bytes *= n / (n - 1); /* of the output, all but the own part */
    if (!(one->measured_us > 0)) {
        double bus = strtod(row->text[COLUMN_BUSBW], NULL) * 1e9;
        if (!(bus > 0))
            return "neither time nor bus bandwidth (the tool's own definition of bandwidth)";
        one->measured_us = bytes * bus_factor(one->request.kind, n) / bus * 1e6;
    }
    one->request.bytes = (uint64_t)bytes;
    return NULL;
}

/*
 * Runs whose sources show how NCCL was started. SuperBench: "nThread 1 nGpus 8" in its logs;
 * Azure's guide: all_reduce_perf -g 8 with NCCL_ALGO=NVLS for the column that it prints
 * (Benchmarks/NCCLBandwidth.py, its results' text); OCI's GB200 run: NCCL_NVLS_ENABLE=0
 * (manifests/nccl-tests/kueue/BM.GPU.GB200-v3.4.yaml@03d3ec1, the image of the run).
 */
static void set_conditions(const struct published_row *row, struct tuner_request *request)
{
    const char *source = row->text[COLUMN_SOURCE], *hardware = row->text[COLUMN_HARDWARE];
    const char *lib = row->text[COLUMN_LIB];
    bool is_azure = has(source, "AI-benchmarking-guide");
    if (has(source, "superbenchmark") || is_azure)
        request->launch_us = launch_of_eight_us;
    if (is_azure)
        request->algorithms = 1u << TUNER_NVLS;
    bool is_plain_nvlink = has(source, "GTC") && !has(hardware, "SHARP");
    bool is_oci_gb200 = has(source, "oci-hpc-oke") && has(hardware, "GB200");
    if (has(lib, "NVLS off") || has(lib, "Ring") || is_plain_nvlink || is_oci_gb200)
        request->algorithms = TUNER_WITHOUT_NVLS;
}

static const char *map_row(const struct tuner *tuner, const struct published_row *row,
                           struct published_case *one)
{
    const char *hardware = row->text[COLUMN_HARDWARE];
    const struct tuner_system *preset = find_preset(tuner, hardware);
    if (!preset)
        return "no preset for this hardware";
    one->system = *preset;
    struct tuner_request *request = &one->request;
    request->system = &one->system;
    if (!find_kind(row->text[COLUMN_OP], &request->kind))
        return "no such collective in the tuner";
    if (!set_ranks(row, request))
        return "ranks and nodes are not told, or do not fit the system";
    if (has(hardware, "RDMA SHARP"))
        return "reduction in InfiniBand switches is not in the tuner";
    set_network(row, one);
    if (has(row->text[COLUMN_OP], "lowlat"))
        request->nodes = request->ranks; /* all traffic goes over RDMA (DeepEP README) */
    set_conditions(row, request);
    return set_size(row, one);
}

void published_map(const struct tuner *tuner, const struct published_row *row,
                   struct published_case *one)
{
    *one = (struct published_case){0};
    one->unmapped = map_row(tuner, row, one);
}
