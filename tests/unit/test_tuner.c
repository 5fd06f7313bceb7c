/* tuner: closed rows by hand on toy constants, changes of choice, installed presets, bad files. */
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "net/collective/tuner_parts.h"

/* -- toy constants ---------------------------------------------------------------------------- */

static const char toy_library[] = "library: toy\n"
                                  "source: none\n"
                                  "base-ring: [10us, 20us, 30us]\n"
                                  "base-tree: [5us, 20us, 30us]\n"
                                  "nvlink-ring: [1us, 2us, 3us]\n"
                                  "nvlink-tree: [1.5us, 2us, 3us]\n"
                                  "pcie-ring: [2us, 4us, 6us]\n"
                                  "pcie-tree: [2us, 4us, 6us]\n"
                                  "net-ring: [4us, 5us, 6us]\n"
                                  "net-tree: [7us, 8us, 9us]\n"
                                  "nvls-hop: 25us\n"
                                  "nvls-tree-net: 20us\n"
                                  "net-post-intel: 1us\n"
                                  "net-post-amd: 2us\n"
                                  "ring-plateau: 1.5\n"
                                  "ring-factor: [0.5, 0.9, 1]\n"
                                  "tree-factor: 0.92\n"
                                  "tree-part: [0.25, 0.5, 0.5]\n"
                                  "tree-part-net: [0.25, 0.5, 0.5]\n"
                                  "ll-net-intel: [20GB/s, 20GB/s]\n"
                                  "ll-net-amd: [10GB/s, 10GB/s]\n"
                                  "tree-correction-ll: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                                  "1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
                                  "tree-correction-ll128: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                                  "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
                                  "tree-correction-simple: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                                  "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
                                  "channel-bytes: [4096, 5120, 32768]\n"
                                  "nic-share: 0.96\n"
                                  "nvls-listed-heads: 16\n"
                                  "nvls-tree-heads: 8\n"
                                  "p2p-channels: 32\n"
                                  "p2p-links: 0.94\n"
                                  "ll-channel-bytes: 4096\n"
                                  "nvls-chunk: 131072\n"
                                  "p2p-ll-bytes: 16384\n"
                                  "local-step: 0.5\n"
                                  "simple-start: 5us\n"
                                  "ll-channel-rate: 4.096GB/s\n"
                                  "p2p-simple: 7us\n"
                                  "p2p-peers: 6\n"
                                  "p2p-peer: 2us\n"
                                  "p2p-fill: 0.25\n"
                                  "p2p-fill-bytes: 20000000\n"
                                  "p2p-copy: 680GB/s\n"
                                  "generations:\n"
                                  "  toy:\n"
                                  "    ll-rate: 40GB/s\n"
                                  "    ring-ll128-rate: 5GB/s\n"
                                  "    tree-ll128-rate: [5GB/s, 5GB/s, 5GB/s]\n"
                                  "    tree-rate: [20GB/s, 20GB/s, 20GB/s]\n"
                                  "    nvls-tree-rate: [20GB/s, 20GB/s]\n"
                                  "    nvls-efficiency: 1\n"
                                  "    nvls-channels: 4\n"
                                  "    nvls-heads: [30GB/s, 20GB/s, 10GB/s]\n";

static const char toy_systems[] = "systems:\n"
                                  "  plain:\n"
                                  "    summary: none\n"
                                  "    source: none\n"
                                  "    library: toy\n"
                                  "    generation: toy\n"
                                  "    gpus-per-node: 4\n"
                                  "    domain: 4\n"
                                  "    scale-up: switch\n"
                                  "    links: 4\n"
                                  "    link-rate: 25GB/s\n"
                                  "    ring-rate: 100GB/s\n"
                                  "    channels: 8\n"
                                  "    nics-per-node: 4\n"
                                  "    nic-rate: 100Gbps\n"
                                  "    net-latency: 2us\n"
                                  "    cpu: intel\n"
                                  "  nvls:\n"
                                  "    like: plain\n"
                                  "    nvls: true\n"
                                  "  mesh:\n"
                                  "    like: plain\n"
                                  "    scale-up: mesh\n"
                                  "  rack:\n"
                                  "    like: plain\n"
                                  "    domain: 16\n"
                                  "  pairs:\n"
                                  "    like: plain\n"
                                  "    scale-up: pairs\n"
                                  "    pcie-rate: 20GB/s\n"
                                  "    pcie-channels: 2\n";

static struct tuner *toy(void)
{
    struct tuner *tuner = tuner_create_empty();
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(tuner_read_library(tuner, "toy.yaml", toy_library, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_read_systems(tuner, "toys.yaml", toy_systems, &diag), STATUS_OK);
    return tuner;
}

static struct tuner_choice chosen(const struct tuner *tuner, const char *system, int kind,
                                  uint32_t ranks, uint32_t nodes, uint64_t bytes)
{
    struct tuner_request request = {.kind = kind, .ranks = ranks, .nodes = nodes, .bytes = bytes};
    struct diag diag = DIAG_NONE;
    struct tuner_choice choice;
    ck_assert_int_eq(tuner_find_system(tuner, system, &request.system, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_OK);
    return choice;
}

/* -- closed rows ------------------------------------------------------------------------------ */

static const struct {
    const char *system;
    int kind;
    uint32_t ranks, nodes;
    uint64_t bytes;
    enum tuner_algorithm algorithm;
    enum tuner_protocol protocol;
    double time_us;
} rows[] = {
    /* tree: 5 + 2 x 3 x 1.5; half of a quarter of 92 GB/s (ring LL would be planned at 16 us) */
    {"plain", COLL_ALL_REDUCE, 4, 1, 64, TUNER_TREE, TUNER_LL, 14 + 64 / 11500.0},
    /* base 10 + 3 steps + 3 x 16 B at 4.096 GB/s */
    {"plain", COLL_ALL_GATHER, 4, 1, 64, TUNER_RING, TUNER_LL, 13 + 3 * 16 / 4096.0},
    /* channels are open one by one: 3 x 4096 B take 3 us, at 16 KiB as at 640 KiB */
    {"plain", COLL_ALL_GATHER, 4, 1, 16384, TUNER_RING, TUNER_LL, 16},
    {"plain", COLL_ALL_GATHER, 4, 1, 655360, TUNER_RING, TUNER_LL, 13 + 3 * 4.096},
    /* base 30 + start 5 + 6 x 3 us + 6.5 x 100 MB at 100 GB/s */
    {"plain", COLL_ALL_REDUCE, 4, 1, 400000000, TUNER_RING, TUNER_SIMPLE, 6553},
    /* 3 steps: 30 + 5 + 9 + 3.5 x 100 MB at 100 GB/s */
    {"plain", COLL_REDUCE_SCATTER, 4, 1, 400000000, TUNER_RING, TUNER_SIMPLE, 3544},
    /* a chain: all bytes once */
    {"plain", COLL_BROADCAST, 4, 1, 400000000, TUNER_RING, TUNER_SIMPLE, 4044},
    /* 7 steps, 1 between nodes: 35 + 6 x max(3, 3 x 1) + 6 + 2 x 2, then 7.5 x 48 MB at 48 GB/s:
     * four NICs of 12.5 GB/s count as 12 */
    {"plain", COLL_ALL_GATHER, 8, 2, 384000000, TUNER_RING, TUNER_SIMPLE, 7563},
    /* tree: 5 + 2 x (3 x 1.5 + 7 + 2); 1000 B at half of LL's 20 GB/s over 2 nodes */
    {"plain", COLL_ALL_REDUCE, 8, 2, 1000, TUNER_TREE, TUNER_LL, 32.1},
    /* four heads of 20 GB/s (30 is over 100/4): 25 + 40 MB at 80 GB/s + half a loop of 4 channels
     * x 128 KiB x 4 heads */
    {"nvls", COLL_ALL_REDUCE, 4, 1, 40000000, TUNER_NVLS, TUNER_SIMPLE, 538.1072},
    /* heads 4 x 20 x 2 x 3/4 = 120 GB/s, NICs 48 x 2, heads' cap 80 GB/s: 80 x 8/14; 25 + 2 x (20
     * + 4) + 400 MB + 3 stages of the fill, 1 MiB each */
    {"nvls", COLL_ALL_REDUCE, 8, 2, 400000000, TUNER_NVLS_TREE, TUNER_SIMPLE,
     73 + (400000 + 3 * 1048.576) * 14 / 640},
    /* ranks 0 and 1 of a mesh have one of four links: 100 / 4; 35 + 3 + 1.5 x 50 MB at 25 GB/s */
    {"mesh", COLL_ALL_GATHER, 2, 1, 100000000, TUNER_RING, TUNER_SIMPLE, 3038},
    /* two trays of a rack are one domain: 35 + 7 x 3 + 7.5 x 50 MB at 100 GB/s */
    {"rack", COLL_ALL_GATHER, 8, 2, 400000000, TUNER_RING, TUNER_SIMPLE, 3806},
    /* four ranks of pairs go over PCIe: 35 + 3 x 6 + 3.5 x 10 MB at 20 GB/s; two do not */
    {"pairs", COLL_ALL_GATHER, 4, 1, 40000000, TUNER_RING, TUNER_SIMPLE, 1803},
    {"pairs", COLL_ALL_GATHER, 2, 1, 40000000, TUNER_RING, TUNER_SIMPLE, 338},
    /* 10 + 1 + a peer's 16384 B at 4.096 GB/s; above: 10 + 7 + 1 + 30 MB at 94 GB/s + a quarter of
     * the first 15 MB */
    {"plain", COLL_ALL_TO_ALL, 4, 1, 65536, TUNER_POINT_TO_POINT, TUNER_LL, 15},
    {"plain", COLL_ALL_TO_ALL, 4, 1, 40000000, TUNER_POINT_TO_POINT, TUNER_SIMPLE,
     18 + 30000 / 94.0 + 15000 / 94.0 / 4},
    /* over the NIC: 10 + 7 + 1 + 4 + 2 x 2 + half of 96 MB at 12 GB/s, and 2 us for each rank
     * above 6 */
    {"plain", COLL_ALL_TO_ALL, 8, 2, 96000000, TUNER_POINT_TO_POINT, TUNER_SIMPLE, 4030},
};

START_TEST(closed_rows)
{
    struct tuner *tuner = toy();
    struct tuner_choice choice = chosen(tuner, rows[_i].system, rows[_i].kind, rows[_i].ranks,
                                        rows[_i].nodes, rows[_i].bytes);
    ck_assert_str_eq(tuner_algorithm_name(choice.algorithm),
                     tuner_algorithm_name(rows[_i].algorithm));
    ck_assert_str_eq(tuner_protocol_name(choice.protocol), tuner_protocol_name(rows[_i].protocol));
    ck_assert_double_eq_tol(choice.time_us, rows[_i].time_us, 1e-9 * rows[_i].time_us);
    tuner_destroy(tuner);
}
END_TEST

/* Plans meet where 10 + 3 + 0.75 b / 40 = 30 + 9 + 0.75 b / 100 (ns per byte): b = 2,311,111.1. */
START_TEST(ll_gives_way_to_simple)
{
    struct tuner *tuner = toy();
    struct tuner_choice below = chosen(tuner, "plain", COLL_ALL_GATHER, 4, 1, 2311111);
    struct tuner_choice above = chosen(tuner, "plain", COLL_ALL_GATHER, 4, 1, 2311112);
    ck_assert_int_eq(below.protocol, TUNER_LL);
    ck_assert_int_eq(above.protocol, TUNER_SIMPLE);
    tuner_destroy(tuner);
}
END_TEST

/* Without NVLS: the ring. A launch counts if it is more than the base of 35 us. */
START_TEST(options)
{
    struct tuner *tuner = toy();
    struct tuner_request request = {.kind = COLL_ALL_REDUCE,
                                    .ranks = 4,
                                    .nodes = 1,
                                    .bytes = 40000000,
                                    .algorithms = TUNER_WITHOUT_NVLS};
    struct diag diag = DIAG_NONE;
    struct tuner_choice choice;
    ck_assert_int_eq(tuner_find_system(tuner, "nvls", &request.system, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_OK);
    ck_assert_int_eq(choice.algorithm, TUNER_RING);
    ck_assert_double_eq_tol(choice.time_us, 35 + 18 + 650, 1e-9);
    request.launch_us = 34;
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_OK);
    ck_assert_double_eq_tol(choice.time_us, 35 + 18 + 650, 1e-9);
    request.launch_us = 50;
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_OK);
    ck_assert_double_eq_tol(choice.time_us, 50 + 18 + 650, 1e-9);
    tuner_destroy(tuner);
}
END_TEST

/* A channel is worth 512 threads x 8 B x ranks to LL, 512 x 64 B to Simple; one is always open. */
START_TEST(channels)
{
    struct tuner *tuner = toy();
    ck_assert_uint_eq(chosen(tuner, "plain", COLL_ALL_GATHER, 4, 1, 8).channels, 1);
    ck_assert_uint_eq(chosen(tuner, "plain", COLL_ALL_GATHER, 4, 1, 3 * 16384).channels, 3);
    ck_assert_uint_eq(chosen(tuner, "plain", COLL_ALL_GATHER, 4, 1, 4000000).channels, 8);
    tuner_destroy(tuner);
}
END_TEST

/* -- installed presets ------------------------------------------------------------------------ */

static struct tuner *installed(void)
{
    struct tuner *tuner;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(tuner_create(&tuner, NULL, &diag), STATUS_OK);
    return tuner;
}

/* Within one choice time does not fall with bytes, and rule 3 of tuner.h holds. */
static void check_curve(const struct tuner *tuner, const char *system, int kind, uint32_t ranks,
                        uint32_t nodes)
{
    struct tuner_choice last = {.time_us = -1};
    for (uint64_t bytes = 1; bytes < (uint64_t)1 << 36; bytes += bytes / 3 + 1) {
        struct tuner_choice choice = chosen(tuner, system, kind, ranks, nodes, bytes);
        double sum = choice.base_us + choice.steps * choice.alpha_us +
                     choice.wire_bytes / choice.rate_Bps * 1e6;
        ck_assert_double_eq_tol(sum, choice.time_us, 1e-9 * choice.time_us);
        ck_assert(choice.rate_Bps > 0 && choice.rate_share > 0 && choice.rate_share <= 1 + 1e-9 &&
                  choice.channels >= 1);
        if (choice.algorithm == last.algorithm && choice.protocol == last.protocol)
            ck_assert_msg(choice.time_us >= last.time_us, "%s kind %d ranks %u: %g us at %g B",
                          system, kind, ranks, choice.time_us, (double)bytes);
        last = choice;
    }
}

START_TEST(curves_of_all_presets)
{
    static const struct {
        uint32_t ranks, nodes;
    } shapes[] = {{2, 1},    {3, 1},      {4, 1}, {8, 2},  {24, 6},
                  {128, 32}, {1000, 250}, {2, 2}, {64, 64}};
    struct tuner *tuner = installed();
    ck_assert_uint_ge(tuner_system_count(tuner), 25);
    for (uint32_t i = 0; i < tuner_system_count(tuner); i++) {
        const char *summary, *name = tuner_system_name(tuner, i, &summary);
        ck_assert_int_gt(strlen(summary), 5);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            for (int kind = 0; kind <= TUNER_DISPATCH; kind++)
                check_curve(tuner, name, kind, shapes[s].ranks, shapes[s].nodes);
        }
    }
    tuner_destroy(tuner);
}
END_TEST

/* What NCCL is known to do: the choices, and header's worked number. */
static const struct {
    const char *system;
    int kind;
    uint32_t ranks, nodes;
    uint64_t bytes;
    enum tuner_algorithm algorithm;
    enum tuner_protocol protocol;
} known[] = {
    {"a100-dgx", COLL_ALL_REDUCE, 8, 1, 1024, TUNER_RING, TUNER_LL},
    {"a100-dgx", COLL_ALL_REDUCE, 8, 1, 8u << 20, TUNER_RING, TUNER_LL128},
    {"a100-dgx", COLL_ALL_REDUCE, 8, 1, 1u << 30, TUNER_RING, TUNER_SIMPLE},
    {"h100-dgx", COLL_ALL_REDUCE, 8, 1, 1u << 30, TUNER_NVLS, TUNER_SIMPLE},
    {"h100-dgx", COLL_ALL_REDUCE, 4, 1, 1u << 30, TUNER_RING, TUNER_SIMPLE}, /* 4 heads are slow */
    {"h100-dgx", COLL_ALL_REDUCE, 5, 1, 1u << 30, TUNER_NVLS, TUNER_SIMPLE},
    {"b200-dgx", COLL_ALL_REDUCE, 5, 1, 1u << 30, TUNER_RING, TUNER_SIMPLE},
    {"h100-dgx", COLL_ALL_REDUCE, 16, 2, 1024, TUNER_TREE, TUNER_LL},
    {"h100-dgx", COLL_ALL_REDUCE, 16, 2, 1u << 30, TUNER_NVLS_TREE, TUNER_SIMPLE},
    {"a100-pcie-pairs", COLL_ALL_REDUCE, 4, 1, 1u << 20, TUNER_RING, TUNER_SIMPLE},
    {"tpu-v5p", COLL_ALL_REDUCE, 16, 4, 1024, TUNER_RING, TUNER_SIMPLE},
};

START_TEST(known_choices)
{
    struct tuner *tuner = installed();
    struct tuner_choice choice = chosen(tuner, known[_i].system, known[_i].kind, known[_i].ranks,
                                        known[_i].nodes, known[_i].bytes);
    ck_assert_str_eq(tuner_algorithm_name(choice.algorithm),
                     tuner_algorithm_name(known[_i].algorithm));
    ck_assert_str_eq(tuner_protocol_name(choice.protocol), tuner_protocol_name(known[_i].protocol));
    tuner_destroy(tuner);
}
END_TEST

/* 272 GB/s: 25 us + 2^34 B + half a loop of 16 channels x 128 KiB x 8 heads. */
START_TEST(worked_number)
{
    struct tuner *tuner = installed();
    struct tuner_choice choice =
        chosen(tuner, "h100-dgx", COLL_ALL_REDUCE, 8, 1, (uint64_t)1 << 34);
    ck_assert_double_eq_tol(choice.time_us, 25 + (17179869184.0 + 8388608) / 272000, 0.001);
    tuner_destroy(tuner);
}
END_TEST

/* -- what is refused -------------------------------------------------------------------------- */

static const struct {
    const char *find, *replace; /* in the toy library, or in the toy systems */
    bool in_systems;
    const char *field, *message;
} bad_files[] = {
    {"nvls-hop: 25us\n", "", false, "nvls-hop", "missing"},
    {"nvls-hop: 25us", "nvls-hop: 25", false, "nvls-hop", "unit"},
    {"nvls-hop: 25us", "nvls-hop: soon", false, "nvls-hop", "duration"},
    {"nvls-hop: 25us", "nvls-hop: [1us, 2us]", false, "nvls-hop", "expected a duration"},
    {"base-ring: [10us, 20us, 30us]", "base-ring: [10us, 20us]", false, "base-ring",
     "a list of 3 values"},
    {"tree-factor: 0.92", "tree-factor: 0", false, "tree-factor", "a number above 0"},
    {"tree-factor: 0.92", "tree-factor: 1e13", false, "tree-factor", "at most 10^12"},
    {"nvls-hop: 25us", "nvls-hop: 2s", false, "nvls-hop", "at most 1s"},
    {"p2p-copy: 680GB/s", "p2p-copy: 0.5B/s", false, "p2p-copy", "from 1B/s"},
    {"local-step: 0.5", "local-step: -1", false, "local-step", "from 0 to 1000"},
    {"p2p-copy: 680GB/s", "p2p-copy: 680us", false, "p2p-copy", "bandwidth"},
    {"p2p-copy:", "p2p-cop:", false, "p2p-cop", "unknown key"},
    {"    ll-rate: 40GB/s\n", "", false, "generations.toy.ll-rate", "missing"},
    {"    ll-rate:", "    ll-rote:", false, "generations.toy.ll-rote", "unknown key"},
    {"library: toy", "library: 7", false, "library", "expected text"},
    {"generations:\n  toy:\n", "generations:\n  - toy\n  - toy:\n", false, "generations", "a map"},
    {"library: toy", "library: unheard", true, "systems.plain.library", "the name of a library"},
    {"generation: toy", "generation: old", true, "systems.plain.generation", "a generation"},
    {"scale-up: switch", "scale-up: string", true, "systems.plain.scale-up",
     "one of switch mesh pairs torus"},
    {"cpu: intel", "cpu: z80", true, "systems.plain.cpu", "one of intel amd arm"},
    {"domain: 4", "domain: 0", true, "systems.plain.domain", "expected"},
    {"nvls: true", "nvls: perhaps", true, "systems.nvls.nvls", "true or false"},
    {"like: plain", "like: [plain]", true, "systems.nvls.like", "an earlier system"},
    {"    pcie-channels: 2\n", "", true, "systems.pairs.pcie-channels", "above 0"},
    {"like: plain", "like: pain", true, "systems.nvls.like", "an earlier system"},
    {"  mesh:", "  plain:", true, NULL, NULL}, /* twice the same key: refused by the YAML reader */
    {"    pcie-rate: 20GB/s\n", "", true, "systems.pairs.pcie-rate", "between the pairs"},
    {"    nic-rate: 100Gbps", "    nic-rate: 100", true, "systems.plain.nic-rate", "unit"},
    {"systems:", "system:", true, "system", "unknown key"},
};

static char *replaced(const char *text, const char *find, const char *replace)
{
    const char *at = strstr(text, find);
    ck_assert_ptr_nonnull(at);
    char *copy = calloc(1, strlen(text) + strlen(replace) + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, (size_t)(at - text));
    strcat(copy, replace);
    strcat(copy, at + strlen(find));
    return copy;
}

START_TEST(bad_file)
{
    struct tuner *tuner = tuner_create_empty();
    struct diag diag = DIAG_NONE;
    bool in_systems = bad_files[_i].in_systems;
    char *text =
        replaced(in_systems ? toy_systems : toy_library, bad_files[_i].find, bad_files[_i].replace);
    enum status status;
    if (in_systems) {
        ck_assert_int_eq(tuner_read_library(tuner, "toy.yaml", toy_library, &diag), STATUS_OK);
        status = tuner_read_systems(tuner, "bad.yaml", text, &diag);
    } else {
        status = tuner_read_library(tuner, "bad.yaml", text, &diag);
    }
    ck_assert_int_eq(status, STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.file, "bad.yaml");
    if (bad_files[_i].field) {
        ck_assert_str_eq(diag.field, bad_files[_i].field);
        ck_assert_msg(strstr(diag.message, bad_files[_i].message) != NULL, "%s", diag.message);
    }
    free(text);
    tuner_destroy(tuner);
}
END_TEST

static const struct {
    uint32_t ranks, nodes;
    const char *field;
} bad_requests[] = {
    {0, 1, "ranks"}, {1, 1, "ranks"}, {8, 0, "nodes"}, {8, 3, "nodes"}, {8, 1, "nodes"}};

START_TEST(bad_request)
{
    struct tuner *tuner = toy();
    struct diag diag = DIAG_NONE;
    struct tuner_request request = {
        .kind = COLL_ALL_REDUCE, .ranks = bad_requests[_i].ranks, .nodes = bad_requests[_i].nodes};
    struct tuner_choice choice;
    ck_assert_int_eq(tuner_find_system(tuner, "plain", &request.system, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad_requests[_i].field);
    tuner_destroy(tuner);
}
END_TEST

START_TEST(unknown_names)
{
    struct tuner *tuner = installed();
    const struct tuner_system *system;
    struct diag near = DIAG_NONE, far = DIAG_NONE, folder = DIAG_NONE;
    ck_assert_int_eq(tuner_find_system(tuner, "h100-dgz", &system, &near), STATUS_BAD_CONFIG);
    ck_assert_str_eq(near.hint, "did you mean \"h100-dgx\"?");
    ck_assert_int_eq(tuner_find_system(tuner, "abacus", &system, &far), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(far.hint, "known: "));
    tuner_destroy(tuner);
    ck_assert_int_eq(tuner_create(&tuner, "tests/unit", &folder), STATUS_IO);
    ck_assert_ptr_null(tuner);
    ck_assert_str_eq(folder.file, "tests/unit/libraries");
}
END_TEST

/* Sizes of a trace (trace.h rule 5): all-gather has a rank's own part. */
START_TEST(sizes_of_a_trace)
{
    ck_assert_uint_eq(tuner_bytes(COLL_ALL_GATHER, 100, 8), 800);
    ck_assert_uint_eq(tuner_bytes(COLL_SCATTER, 100, 8), 800);
    ck_assert_uint_eq(tuner_bytes(COLL_ALL_REDUCE, 100, 8), 100);
    ck_assert_uint_eq(tuner_bytes(COLL_BARRIER, 100, 8), 0);
    ck_assert_uint_eq(tuner_bytes(COLL_ALL_GATHER, UINT64_MAX / 2, 8), UINT64_MAX);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

static Suite *tuner_suite(void)
{
    Suite *suite = suite_create("tuner");
    TCase *tcase = tcase_create("tuner");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, closed_rows, 0, COUNT(rows));
    tcase_add_test(tcase, ll_gives_way_to_simple);
    tcase_add_test(tcase, options);
    tcase_add_test(tcase, channels);
    tcase_add_test(tcase, curves_of_all_presets);
    tcase_add_loop_test(tcase, known_choices, 0, COUNT(known));
    tcase_add_test(tcase, worked_number);
    tcase_add_loop_test(tcase, bad_file, 0, COUNT(bad_files));
    tcase_add_loop_test(tcase, bad_request, 0, COUNT(bad_requests));
    tcase_add_test(tcase, unknown_names);
    tcase_add_test(tcase, sizes_of_a_trace);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(tuner_suite())
