/* text workloads: the graph of each mode by hand, groups, SimAI's dialect, and damage. */
#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"
#include "workloads/text/text_file.h"
#include "workloads/text/text_workload.h"
#include "workloads/trace_check.h"
#include "workloads/workload_set.h"

/* -- helpers ----------------------------------------------------------------------------------- */

static struct trace *load(const char *text, uint32_t ranks)
{
    struct trace *trace = NULL;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    enum status status =
        text_workload_parse(&trace, "w.txt", text, strlen(text), ranks, 1, &notices, &diag);
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    ck_assert_int_eq(status, STATUS_OK);
    notices_release(&notices);
    const char *broken = trace_unsound(trace);
    ck_assert_msg(broken == NULL, "%s", broken);
    return trace;
}

static struct diag refuse(const char *text, uint32_t ranks)
{
    struct trace *trace;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    ck_assert_int_ne(
        text_workload_parse(&trace, "w.txt", text, strlen(text), ranks, 1, &notices, &diag),
        STATUS_OK);
    notices_release(&notices);
    return diag;
}

enum { SHOWN = 8192 };

/* "name number <parents;", number: ns of compute, bytes of collectives. */
static const char *show(const char *text, uint32_t ranks)
{
    static char shown[SHOWN];
    struct trace *trace = load(text, ranks);
    size_t at = 0;
    for (uint32_t n = 0; n < trace->count; n++) {
        const struct trace_node *node = &trace->node[n];
        uint64_t number = node->type == OP_COMPUTE ? node->duration_ns : node->size_bytes;
        at += (size_t)snprintf(shown + at, SHOWN - at, "%s %llu", trace_name(trace, n),
                               (unsigned long long)number);
        for (uint64_t p = trace->parent_begin[n]; p < trace->parent_begin[n + 1]; p++)
            at += (size_t)snprintf(shown + at, SHOWN - at, " <%u", trace->parent[p]);
        at += (size_t)snprintf(shown + at, SHOWN - at, ";\n");
        ck_assert_uint_lt(at, SHOWN);
    }
    trace->destroy(trace);
    return shown;
}

#define THREE                                                                                      \
    "3\n"                                                                                          \
    "a -1 1 ALLGATHER 10 2 ALLREDUCE 20 3 ALLREDUCE 30 9\n"                                        \
    "b\t-1\t4\tALLGATHER\t11\t5\tALLREDUCE\t21\t6\tALLREDUCE\t31\t9\t\r\n"                         \
    "c -1 7 ALLGATHER 12 8 ALLREDUCE 22 9 NONE 0 9\n"

/* -- modes ------------------------------------------------------------------------------------- */

START_TEST(micro)
{
    ck_assert_str_eq(show("MICRO\n" THREE, 4), "a.weight-gradient.all-reduce 30;\n"
                                               "b.weight-gradient.all-reduce 31;\n");
}
END_TEST

START_TEST(data_parallel)
{
    static const char graph[] = "a.forward 1;\n"
                                "b.forward 4 <0;\n"
                                "c.forward 7 <1;\n"
                                "c.weight-gradient 9 <2;\n"
                                "c.input-gradient 8 <3;\n"
                                "b.weight-gradient 6 <4;\n"
                                "b.weight-gradient.all-reduce 31 <5;\n"
                                "b.input-gradient 5 <5;\n"
                                "a.weight-gradient 3 <7;\n"
                                "a.weight-gradient.all-reduce 30 <8;\n";
    ck_assert_str_eq(show("DATA\n" THREE, 4), graph);
    ck_assert_str_eq(show("DATA_REORDER\n" THREE, 4), graph);
}
END_TEST

START_TEST(model_parallel)
{
    ck_assert_str_eq(show("MODEL\n" THREE, 4), "a.forward 1;\n"
                                               "a.forward.all-gather 10 <0;\n"
                                               "b.forward 4 <1;\n"
                                               "b.forward.all-gather 11 <2;\n"
                                               "c.forward 7 <3;\n"
                                               "c.forward.all-gather 12 <4;\n"
                                               "c.input-gradient 8 <5;\n"
                                               "c.input-gradient.all-reduce 22 <6;\n"
                                               "c.weight-gradient 9 <6;\n"
                                               "b.input-gradient 5 <8 <7;\n"
                                               "b.input-gradient.all-reduce 21 <9;\n"
                                               "b.weight-gradient 6 <9;\n"
                                               "a.input-gradient 2 <11 <10;\n"
                                               "a.weight-gradient 3 <12;\n");
}
END_TEST

START_TEST(hybrids)
{
    static const char graph[] = "a.forward 1;\n"
                                "a.forward.all-gather 10 <0;\n"
                                "b.forward 4 <1;\n"
                                "b.forward.all-gather 11 <2;\n"
                                "c.forward 7 <3;\n"
                                "c.forward.all-gather 12 <4;\n"
                                "c.input-gradient 8 <5;\n"
                                "c.input-gradient.all-reduce 22 <6;\n"
                                "c.weight-gradient 9 <6;\n"
                                "b.input-gradient 5 <8 <7;\n"
                                "b.input-gradient.all-reduce 21 <9;\n"
                                "b.weight-gradient 6 <9;\n"
                                "b.weight-gradient.all-reduce 31 <11;\n"
                                "a.input-gradient 2 <11 <10;\n";
    static const char end[] = "a.weight-gradient 3 <13;\n"
                              "a.weight-gradient.all-reduce 30 <14;\n";
    char whole[2048];
    snprintf(whole, sizeof whole, "%s%s", graph, end);
    ck_assert_str_eq(show("HYBRID_DATA_MODEL\n" THREE, 4), whole);
    ck_assert_str_eq(show("HYBRID_MODEL_DATA\n" THREE, 4), whole);
    /* a transformer's first layer has an input-gradient collective too */
    snprintf(whole, sizeof whole, "%s%s", graph,
             "a.input-gradient.all-reduce 20 <13;\n"
             "a.weight-gradient 3 <13;\n"
             "a.weight-gradient.all-reduce 30 <15;\n");
    ck_assert_str_eq(show("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n" THREE, 4), whole);
}
END_TEST

START_TEST(dimensions_of_hybrids)
{
    static const struct {
        const char *mode;
        uint8_t forward, weight;
    } rows[] = {{"HYBRID_DATA_MODEL\n" THREE, 0x01, 0xfe},
                {"HYBRID_MODEL_DATA\n" THREE, 0xfe, 0x01}};
    for (int i = 0; i < 2; i++) {
        struct trace *trace = load(rows[i].mode, 4);
        ck_assert_uint_eq(trace->node[1].dims, rows[i].forward); /* a.forward.all-gather */
        ck_assert_uint_eq(trace->node[12].dims, rows[i].weight);
        ck_assert(trace->node[1].flags & NODE_HAS_DIMS);
        ck_assert_uint_eq(trace->node[1].group, TRACE_NONE);
        trace->destroy(trace);
    }
}
END_TEST

START_TEST(customized_layers)
{
    struct trace *trace =
        load("HYBRID_CUSTOMIZED\n"
             "2\n"
             "a -1 1 ALLGATHER 10 2 ALLREDUCE 20 3 ALLREDUCE 30 9 DATA\n"
             "b -1 4 ALLGATHER 11 5 ALLREDUCE 21 6 ALLREDUCE 31 9 HYBRID_MODEL_DATA\n",
             4);
    /* a: only its weight gradient's collective, among all; b: all three */
    ck_assert_uint_eq(trace->count, 6 + 4);
    ck_assert_str_eq(trace_name(trace, 2), "b.forward.all-gather");
    ck_assert_uint_eq(trace->node[2].dims, 0xfe);
    ck_assert_str_eq(trace_name(trace, 9), "a.weight-gradient.all-reduce");
    ck_assert(!(trace->node[9].flags & NODE_HAS_DIMS));
    trace->destroy(trace);
}
END_TEST

START_TEST(dlrm)
{
    static const char layers[] = "4\n"
                                 "emb -1 1 ALLTOALL 10 2 ALLTOALL 20 3 NONE 0 9\n"
                                 "bot -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 30 9\n"
                                 "top -1 7 NONE 0 8 NONE 0 9 ALLREDUCE 31 9\n"
                                 "out -1 1 ALLGATHER 5 1 NONE 0 1 NONE 0 9\n";
    static const char graph[] = "emb.forward 1;\n"
                                "emb.forward.all-to-all 10 <0;\n"
                                "bot.forward 4 <1;\n" /* the last bottom layer waits */
                                "top.forward 7 <2;\n"
                                "out.forward 1 <3;\n" /* forward: all-to-alls only */
                                "out.weight-gradient 1 <4;\n"
                                "out.input-gradient 1 <5;\n"
                                "top.weight-gradient 9 <6;\n"
                                "top.weight-gradient.all-reduce 31 <7;\n"
                                "top.input-gradient 8 <7;\n"
                                "emb.input-gradient.all-to-all 20 <9;\n" /* after layer 2 = 1 + 1 */
                                "bot.weight-gradient 6 <9;\n"
                                "bot.weight-gradient.all-reduce 30 <11;\n"
                                "bot.input-gradient 5 <11;\n"
                                "emb.weight-gradient 3 <13 <10;\n";
    static const char *const headers[] = {"HYBRID_DLRM 1\n", "HYBRID_DLRM_ENHANCED\t1\t\t\r\n",
                                          "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n"};
    for (int h = 0; h < 3; h++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", headers[h], layers);
        ck_assert_str_eq(show(text, 8), graph);
    }
}
END_TEST

START_TEST(forward_again_before_backward)
{
    /* Layer 2 initiates: forward again from checkpoint 0, so layers 0 and 1. */
    ck_assert_str_eq(
        show("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
             "checkpoint_initiates: 1 2\n"
             "3\n"
             "a -1 1 ALLREDUCE 10 2 NONE 0 3 NONE 0 9\n"
             "b -1 4 NONE 0 5 NONE 0 6 NONE 0 9\n"
             "c -1 7 NONE 0 8 NONE 0 9 NONE 0 9\n",
             4),
        "a.forward 1;\n"
        "a.forward.all-reduce 10 <0;\n"
        "b.forward 4 <1;\n"
        "c.forward 7 <2;\n"
        "a.recompute 1 <3;\n"
        "a.recompute.all-reduce 10 <4;\n"
        "b.recompute 4 <5;\n"
        "c.input-gradient 8 <6;\n"
        "c.weight-gradient 9 <7;\n"
        "b.input-gradient 5 <8;\n"
        "b.weight-gradient 6 <9;\n"
        "a.input-gradient 2 <10;\n"
        "a.weight-gradient 3 <11;\n");
}
END_TEST

START_TEST(inference)
{
    ck_assert_str_eq(show("DISTRIBUTED_INFERENCE\n" THREE, 4), "a.forward 1;\n"
                                                               "a.forward.all-gather 10 <0;\n"
                                                               "b.forward 4 <1;\n"
                                                               "b.forward.all-gather 11 <2;\n"
                                                               "c.forward 7 <3;\n"
                                                               "c.forward.all-gather 12 <4;\n");
}
END_TEST

START_TEST(a_second_pass_waits_for_the_first)
{
    struct trace *trace = NULL;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    static const char text[] = "DATA\n2\n"
                               "a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 9\n"
                               "b -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 31 9\n";
    notices_init(&notices);
    ck_assert_int_eq(text_workload_parse(&trace, "w", text, sizeof text - 1, 2, 2, &notices, &diag),
                     STATUS_OK);
    /* 0 a.forward, 1 b.forward, 2 b.weight-gradient, 3 its all-reduce, 4 b.input-gradient, 5
     * a.weight-gradient, 6 its all-reduce; 7 forward of a waits for 6 (and so for 5), 8 of b for 7
     * and 3 */
    ck_assert_uint_eq(trace->count, 14);
    ck_assert_str_eq(trace_name(trace, 7), "1.a.forward");
    ck_assert_uint_eq(trace->parent_begin[8] - trace->parent_begin[7], 1);
    ck_assert_uint_eq(trace->parent[trace->parent_begin[7]], 6);
    ck_assert_uint_eq(trace->parent_begin[9] - trace->parent_begin[8], 2);
    ck_assert_uint_eq(trace->parent[trace->parent_begin[8]], 7);
    ck_assert_uint_eq(trace->parent[trace->parent_begin[8] + 1], 3);
    trace->destroy(trace);
    ck_assert_int_eq(
        text_workload_parse(&trace, "w", text, sizeof text - 1, 2, UINT32_MAX, &notices, &diag),
        STATUS_NO_MEMORY);
    notices_release(&notices);
}
END_TEST

/* -- groups ------------------------------------------------------------------------------------ */

static void check_group(const struct trace *trace, uint32_t node, const char *name, uint32_t nth,
                        uint32_t count, const uint32_t *ranks)
{
    ck_assert_str_eq(trace->group_names[trace->node[node].group], name);
    for (uint32_t g = 0; g < trace->group_count; g++) {
        if (strcmp(trace->groups[g].name, name) != 0 || nth-- > 0)
            continue;
        ck_assert_uint_eq(trace->groups[g].count, count);
        ck_assert_mem_eq(trace->groups[g].ranks, ranks, count * sizeof *ranks);
        return;
    }
    ck_abort_msg("no such group");
}

START_TEST(groups_of_simai)
{
    /* 16 ranks: tp 2, pp 2: stages of 8, dp 4, ep 2. Rank = stage * 8 + dp * 2 + tp. */
    struct trace *trace =
        load("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 "
             "ga: 4 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm 100\n"
             "1\n"
             "moe -1 1 ALLTOALL_EP 10 1 ALLREDUCE 20 1 REDUCESCATTER_DP_EP 30 9\n"
             "mlp -1 1 ALLGATHER 41 1 NONE 0 1 ALLREDUCE 50 9\n",
             16);
    /* 0 moe.fwd, 1 ep, 2 mlp.fwd, 3 tp gather, 4 mlp.ig, 5 mlp.wg, 6 dp, 7 moe.ig, 8 tp, 9 moe.wg,
       10 dp-ep */
    check_group(trace, 1, "ep", 0, 2, (const uint32_t[]){0, 2});
    check_group(trace, 1, "ep", 1, 2, (const uint32_t[]){1, 3});
    check_group(trace, 1, "ep", 2, 2, (const uint32_t[]){4, 6});
    check_group(trace, 1, "ep", 7, 2, (const uint32_t[]){13, 15});
    check_group(trace, 3, "tp", 1, 2, (const uint32_t[]){2, 3});
    check_group(trace, 6, "dp", 0, 4, (const uint32_t[]){0, 2, 4, 6});
    check_group(trace, 6, "dp", 3, 4, (const uint32_t[]){9, 11, 13, 15});
    check_group(trace, 10, "dp-ep", 0, 2, (const uint32_t[]){0, 4});
    check_group(trace, 10, "dp-ep", 7, 2, (const uint32_t[]){11, 15});
    ck_assert_uint_eq(trace->node[3].size_bytes, 21); /* 41 in all: 21 of each of 2 */
    trace->destroy(trace);
}
END_TEST

START_TEST(ranks_must_fit_the_groups)
{
    static const char text[] = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n" THREE;
    struct diag diag = refuse(text, 6);
    ck_assert_ptr_nonnull(strstr(diag.message, "do not divide 6 NPUs"));
    ck_assert_str_eq(diag.hint, "give a network of 4 NPUs");
    diag = refuse("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 8\n" THREE, 16);
    ck_assert_ptr_nonnull(strstr(diag.message, "8 ranks (all_gpus)"));
    /* groups of one rank have no work: tp 4 of 4 ranks leaves no dp */
    struct trace *trace = load(text, 4);
    for (uint32_t g = 0; g < trace->group_name_count; g++)
        ck_assert_str_eq(trace->group_names[g], "tp");
    trace->destroy(trace);
}
END_TEST

/* -- Chakra's converter ------------------------------------------------------------------------ */

/* The files of $ORRERY_SHARED/data/traces that the converter takes: the same graph but for names
   and unit of time. */
START_TEST(same_graph_as_the_converter)
{
    static const char *const names[] = {
        "AllGather_128KB",
        "AllReduce_1MB",
        "AllToAll_512KB",
        "ReduceScatter_64KB",
        "DLRM_HybridParallel",
        "MLP_HybridParallel_Data_Model",
        "MLP_HybridParallel_Model_Data",
        "MLP_ModelParallel",
        "Resnet50_DataParallel",
    };
    const char *shared = getenv("ORRERY_SHARED");
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%.900s/data/traces", shared ? shared : "../shared");
    if (access(folder, R_OK) != 0) {
        printf("skipped: no %s\n", folder);
        return;
    }
    snprintf(path, sizeof path, "%s/%s/%s", folder, "text_workloads/chakra_tutorial", names[_i]);
    strcat(path, ".txt");
    struct trace *ours = NULL, *theirs = NULL;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    ck_assert_int_eq(text_workload_load(&ours, path, 8, 1, &notices, &diag), STATUS_OK);
    snprintf(path, sizeof path, "%s/expected/text_converter/chakra_tutorial__%s.0.et", folder,
             names[_i]);
    ck_assert_int_eq(chakra_load(&theirs, path, &CHAKRA_OPTIONS_DEFAULT, &notices, &diag),
                     STATUS_OK);
    ck_assert_uint_eq(ours->count, theirs->count);
    for (uint32_t n = 0; n < ours->count; n++) {
        const struct trace_node *a = &ours->node[n], *b = &theirs->node[n];
        ck_assert_int_eq(a->type, b->type);
        ck_assert_uint_eq(1000 * a->duration_ns, b->duration_ns);
        ck_assert_uint_eq(a->size_bytes, b->size_bytes);
        ck_assert_uint_eq(a->collective, b->collective);
        uint64_t count = ours->parent_begin[n + 1] - ours->parent_begin[n];
        ck_assert_uint_eq(count, theirs->parent_begin[n + 1] - theirs->parent_begin[n]);
        uint64_t sums[2] = {0};
        for (uint64_t p = 0; p < count; p++) {
            sums[0] += UINT64_C(1) << ours->parent[ours->parent_begin[n] + p] % 60;
            sums[1] += UINT64_C(1) << theirs->parent[theirs->parent_begin[n] + p] % 60;
        }
        ck_assert_uint_eq(sums[0], sums[1]);
    }
    ours->destroy(ours);
    theirs->destroy(theirs);
    notices_release(&notices);
}
END_TEST

/* -- damage ------------------------------------------------------------------------------------ */

START_TEST(damage_names_line_and_column)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *message;
    } rows[] = {
        {"DATTA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 1, "column 1: expected a mode"},
        {"DATA 3\n1\n", 1, "column 6: expected the end of the line, found \"3\""},
        {"DATA\n", 1, "expected a line with the number of layers, found the end"},
        {"DATA\nx\n", 2, "column 1: expected the number of layers"},
        {"DATA\n1\n", 2, "expected lines of layers"},
        {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n", 3, "column 32: expected the update time"},
        {"DATA\n1\n\na -1 1 NONE 0 1 NON 0 1 NONE 0 1\n", 4, "column 17: expected ALLREDUCE"},
        {"DATA\n1\na -1 1 ALLREDUCEALLTOALL 1 1 NONE 0 1 NONE 0 1\n", 3, "column 8: expected"},
        {"DATA\n1\na -1 -5 NONE 0 1 NONE 0 1 NONE 0 1\n", 3,
         "column 6: expected the time of the forward pass"},
        {"DATA\n1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n", 3, "found \"1.5\""},
        {"DATA\n1\na -1 1 NONE 99999999999999999999 1 NONE 0 1 NONE 0 1\n", 3, "expected bytes"},
        {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 2\n", 3, "column 35: expected the end"},
        {"HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 3, "expected a mode"},
        {"HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MICRO\n", 3,
         "expected DATA, MODEL"},
        {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE_EP 1 1\n", 3, "no experts"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\na -1 1 ALLTOALL_EP 1 1 NONE 0 1 NONE "
         "0 1\n",
         3, "or ep: in line 1"},
        {"HYBRID_TRANSFORMER\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 1,
         "expected model_parallel_NPU_group:"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 0\n1\n", 1, "column 46: expected the size"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 zp: 3\n1\n", 1, "column 48"},
        {"HYBRID_DLRM\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 1, "the last bottom layer"},
        {"HYBRID_DLRM 1\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 1, "layers are 0 to 0"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 9 1\n1\n", 1,
         "column 77: expected a layer"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 1 0 "
         "checkpoint_initiates: 1 0\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
         1, "no layer before it is a checkpoint"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 1 4\n1\na -1 1 "
         "NONE 0 "
         "1 NONE 0 1 NONE 0 1\n",
         1, "layer 4 is named"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diag diag = refuse(rows[i].text, 1);
        ck_assert_msg(strstr(diag.message, rows[i].message) != NULL, "row %zu: %s", i,
                      diag.message);
        ck_assert_uint_eq(diag.at, rows[i].line);
        ck_assert_int_eq(diag.place, DIAG_LINE);
        ck_assert_str_eq(diag.file, "w.txt");
    }
    struct diag diag = refuse("DATTA\n1\n", 1);
    ck_assert_ptr_nonnull(strstr(diag.hint, "did you mean DATA?"));
}
END_TEST

START_TEST(cut_anywhere)
{
    static const char text[] =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
        "checkpoint_initiates: 1 1\n2\na -1 1 ALLREDUCE 10 2 NONE 0 3 NONE 0 9\nb -1 4 NONE 0 5 "
        "NONE 0 6 ALLREDUCE_EP 7 9\n";
    for (size_t length = 0; length < sizeof text - 1; length++) {
        struct trace *trace;
        struct notices notices;
        struct diag diag = DIAG_NONE;
        notices_init(&notices);
        if (text_workload_parse(&trace, "w", text, length, 2, 1, &notices, &diag) == STATUS_OK)
            trace->destroy(trace);
        else
            ck_assert_str_ne(diag.message, "");
        notices_release(&notices);
    }
}
END_TEST

START_TEST(what_differs_is_said)
{
    struct trace *trace;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    static const char text[] = "MODEL\n5\na -1 1 BROADCAST 8 1 NONE 0 1 NONE 0 1\n";
    notices_init(&notices);
    ck_assert_int_eq(text_workload_parse(&trace, "w", text, sizeof text - 1, 2, 1, &notices, &diag),
                     STATUS_OK);
    ck_assert_uint_eq(trace->count, 3); /* the broadcast is none */
    ck_assert_uint_eq(notices.count, 3);
    ck_assert_ptr_nonnull(strstr(notices.row[0].key, "broadcast"));
    ck_assert_ptr_nonnull(strstr(notices.row[1].example, "says 5, and has 1"));
    ck_assert_ptr_nonnull(strstr(notices.row[2].key, "time unit"));
    trace->destroy(trace);
    notices_release(&notices);
}
END_TEST

/* -- as the workload of a run ------------------------------------------------------------------ */

START_TEST(one_file_serves_all_ranks)
{
    const char *path = temp_file("DATA\n" THREE);
    struct workload workload;
    struct workload_config config = {.prefix = path};
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    ck_assert(text_file_is(path));
    ck_assert_int_eq(workload_open(&workload, &config, 8, NULL, &notices, &diag), STATUS_OK);
    ck_assert_uint_eq(workload.trace_count, 1);
    ck_assert_uint_eq(workload.trace_of_rank[7], 0);
    ck_assert(workload_reads(&config, 8, path));
    ck_assert_uint_eq(workload_file_ranks(path), 1);
    workload_release(&workload);
    notices_release(&notices);
    unlink(path);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("text_workload");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, micro);
    tcase_add_test(cases, data_parallel);
    tcase_add_test(cases, model_parallel);
    tcase_add_test(cases, hybrids);
    tcase_add_test(cases, dimensions_of_hybrids);
    tcase_add_test(cases, customized_layers);
    tcase_add_test(cases, dlrm);
    tcase_add_test(cases, forward_again_before_backward);
    tcase_add_test(cases, inference);
    tcase_add_test(cases, a_second_pass_waits_for_the_first);
    tcase_add_test(cases, groups_of_simai);
    tcase_add_test(cases, ranks_must_fit_the_groups);
    tcase_add_loop_test(cases, same_graph_as_the_converter, 0, 9);
    tcase_add_test(cases, damage_names_line_and_column);
    tcase_add_test(cases, cut_anywhere);
    tcase_add_test(cases, what_differs_is_said);
    tcase_add_test(cases, one_file_serves_all_ranks);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
