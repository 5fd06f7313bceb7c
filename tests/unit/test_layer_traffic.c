/* layer_ops: bytes of collectives in a layer against the formulas of papers. */
#include "tests/unit/layer_job.h"

#include <string.h>

/* -- collectives ------------------------------------------------------------------------------ */

struct traffic {
    uint32_t count;
    uint64_t bytes;
};

static struct traffic traffic_of(const struct item_list *list, enum group_kind group,
                                 enum collective_kind kind)
{
    struct traffic all = {0, 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        if (item->kind != ITEM_COLLECTIVE || item->group != group || item->collective != kind)
            continue;
        all.count++;
        all.bytes += item->bytes;
    }
    return all;
}

static void has_traffic(const struct item_list *list, enum group_kind group,
                        enum collective_kind kind, uint32_t count, uint64_t bytes)
{
    struct traffic found = traffic_of(list, group, kind);
    ck_assert_uint_eq(found.count, count);
    ck_assert_uint_eq(found.bytes, bytes);
}

/*
 * Korthikanti 2022, section 4.2: tensor parallelism takes 2 all-reduces of s b h numbers in each
 * pass of a layer; with sequence parallelism each becomes an all-gather and a reduce-scatter of the
 * same (an all-gather's bytes are those of a rank's own share). Inputs are gathered a second time
 * for the weights' gradients.
 */
START_TEST(tensor_parallel_traffic)
{
    open_all();
    struct layer_job job;
    uint64_t t = 8, sbh2 = 2048ull * 4 * 12288 * 2;
    begin(&job, "gpt3-175b");
    job.plan.tp = (uint32_t)t;
    job.plan.micro_batch = 4;
    make(&job);
    struct layer_piece *piece = &job.book.piece[PIECE_DENSE_LAYER];
    has_traffic(&piece->forward, GROUP_TP, COLL_ALL_REDUCE, 2, 2 * sbh2);
    has_traffic(&piece->backward, GROUP_TP, COLL_ALL_REDUCE, 2, 2 * sbh2);
    ck_assert_uint_eq(piece->boundary_bytes, sbh2);
    job.plan.sequence_parallel = true;
    make(&job);
    piece = &job.book.piece[PIECE_DENSE_LAYER];
    has_traffic(&piece->forward, GROUP_TP, COLL_ALL_REDUCE, 0, 0);
    has_traffic(&piece->forward, GROUP_TP, COLL_ALL_GATHER, 2, 2 * sbh2 / t);
    has_traffic(&piece->forward, GROUP_TP, COLL_REDUCE_SCATTER, 2, 2 * sbh2);
    has_traffic(&piece->backward, GROUP_TP, COLL_ALL_GATHER, 4, 4 * sbh2 / t);
    has_traffic(&piece->backward, GROUP_TP, COLL_REDUCE_SCATTER, 2, 2 * sbh2);
    ck_assert_uint_eq(piece->boundary_bytes, sbh2 / t);
    job.framework.gathers_again = false;
    make(&job);
    has_traffic(&job.book.piece[PIECE_DENSE_LAYER].backward, GROUP_TP, COLL_ALL_GATHER, 2,
                2 * sbh2 / t);
    /* Embedding: rows are summed. Loss: three numbers of four bytes per token. */
    has_traffic(&job.book.piece[PIECE_EMBEDDING].forward, GROUP_TP, COLL_REDUCE_SCATTER, 1, sbh2);
    has_traffic(&job.book.piece[PIECE_HEAD].forward, GROUP_TP, COLL_ALL_REDUCE, 3,
                3ull * 4 * 4 * 2048);
    close_all();
}
END_TEST

/* k of E experts: each way s b k h numbers, of the rank's own tokens, and s b k weights there; the
 * backward pass the same. */
/* Rows that are moved in memory, and the bytes of that. */
static void moves(const struct item_list *list, uint32_t count, uint64_t read, uint64_t written)
{
    uint32_t found = 0;
    uint64_t read_bytes = 0, write_bytes = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct op_shape *shape = &list->item[i].shape;
        if (list->item[i].kind != ITEM_COMPUTE || shape->class != OP_CLASS_PERMUTE)
            continue;
        found++;
        read_bytes += shape->read_bytes;
        write_bytes += shape->write_bytes;
    }
    ck_assert_uint_eq(found, count);
    ck_assert_uint_eq(read_bytes, read);
    ck_assert_uint_eq(write_bytes, written);
}

/* Of s tokens t s are sent, and as many arrive: permuted, sorted by expert, and both once more on
 * the way back. A rank with one expert sorts nothing. */
START_TEST(experts_move_rows)
{
    open_all();
    struct layer_job job;
    uint64_t s = 8192ull * 4096 * 2, t = 2;
    begin(&job, "llama3-8b");
    job.model.moe = (struct moe_spec){
        .experts = 8, .top_k = (uint32_t)t, .ffn = 14336, .every = 1, .imbalance = 1};
    job.plan.dp = job.plan.ep = 4;
    make(&job);
    struct layer_piece *piece = &job.book.piece[PIECE_MOE_LAYER];
    moves(&piece->forward, 4, s + 3 * t * s, s + 3 * t * s);
    moves(&piece->backward, 4, s + 3 * t * s, s + 3 * t * s);
    job.plan.dp = job.plan.ep = 8;
    job.plan.ranks = 0;
    job.plan.global_batch = 0;
    make(&job);
    piece = &job.book.piece[PIECE_MOE_LAYER];
    moves(&piece->forward, 2, s + t * s, s + t * s);
    moves(&piece->backward, 2, s + t * s, s + t * s);
    close_all();
}
END_TEST

/* A fused loss reads the logits once and writes a number for each token; backward it writes their
 * gradients. */
START_TEST(fused_loss_goes_through_the_logits_once)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-8b");
    make(&job);
    const struct layer_piece *head = &job.book.piece[PIECE_HEAD];
    const struct item_list *lists[] = {&head->forward, &head->backward};
    uint64_t logits = 8192ull * 128256 * 2, found = 0;
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const struct op_shape *shape = &lists[l]->item[i].shape;
            if (lists[l]->item[i].kind != ITEM_COMPUTE || shape->class != OP_CLASS_LOSS)
                continue;
            found++;
            ck_assert_uint_eq(shape->read_bytes, logits);
            ck_assert_uint_eq(shape->write_bytes, l ? logits : 4 * 8192);
        }
    ck_assert_uint_eq(found, 2);
    close_all();
}
END_TEST

START_TEST(expert_traffic)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-8b");
    job.model.moe =
        (struct moe_spec){.experts = 8, .top_k = 2, .ffn = 14336, .every = 1, .imbalance = 1.25};
    job.plan.dp = 4;
    job.plan.ep = 4;
    make(&job);
    struct layer_piece *piece = &job.book.piece[PIECE_MOE_LAYER];
    uint64_t sent = 8192ull * 2 * 4096 * 2, weights = 8192ull * 2 * 4;
    has_traffic(&piece->forward, GROUP_EP, COLL_ALL_TO_ALL, 3, 2 * sent + weights);
    has_traffic(&piece->backward, GROUP_EP, COLL_ALL_TO_ALL, 3, 2 * sent + weights);
    has_traffic(&piece->forward, GROUP_EP, COLL_ALL_GATHER, 1, 8 * 8); /* rows of each expert */
    uint64_t rows = 0;
    for (uint32_t i = 0; i < piece->forward.count; i++)
        if (piece->forward.item[i].shape.class == OP_CLASS_GROUPED_GEMM) {
            rows = piece->forward.item[i].shape.m;
            ck_assert_uint_eq(piece->forward.item[i].kernels, 2); /* launched one by one */
            ck_assert_uint_eq(piece->forward.item[i].shape.batch, 2);
        }
    ck_assert_uint_eq(rows, 8192 * 2 * 5 / 4); /* the busiest rank */
    ck_assert_uint_eq(piece->expert_parameters, 2ull * 3 * 4096 * 14336);
    /* Tensor-parallel experts: 2 ranks share each; their rows are gathered and the results
     * scattered. */
    job.plan.tp = 2;
    job.plan.expert_tp = 2;
    job.plan.ranks = 0;
    make(&job);
    piece = &job.book.piece[PIECE_MOE_LAYER];
    has_traffic(&piece->forward, GROUP_EP, COLL_ALL_TO_ALL, 3, sent + weights / 2);
    has_traffic(&piece->forward, GROUP_EXPERT_TP, COLL_ALL_GATHER, 1, sent / 2);
    has_traffic(&piece->forward, GROUP_EXPERT_TP, COLL_REDUCE_SCATTER, 1, sent);
    ck_assert_uint_eq(piece->expert_parameters, 3ull * 4096 * 14336);
    close_all();
}
END_TEST

/* cp ranks: a ring passes keys and values cp - 1 times, and with their gradients backward. */
START_TEST(context_traffic)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-8b");
    job.plan.cp = 4;
    make(&job);
    uint64_t kv = 2ull * 8192 / 4 * 8 * 128 * 2;
    const struct item_list *list = &job.book.piece[PIECE_DENSE_LAYER].forward;
    uint32_t rings = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        if (item->kind != ITEM_SEND_RECV)
            continue;
        rings++;
        ck_assert_uint_eq(item->bytes, kv);
        ck_assert_uint_eq(item->repeat, 3);
        ck_assert(item->overlaps);
        ck_assert_str_eq(list->item[item->waits].name, "attention.ring");
        ck_assert_uint_eq(list->item[item->waits].repeat, 3);
    }
    ck_assert_uint_eq(rings, 1);
    job.plan.context = CONTEXT_ALL_GATHER;
    make(&job);
    has_traffic(&job.book.piece[PIECE_DENSE_LAYER].forward, GROUP_CP, COLL_ALL_GATHER, 1, kv);
    has_traffic(&job.book.piece[PIECE_DENSE_LAYER].backward, GROUP_CP, COLL_REDUCE_SCATTER, 1,
                4 * kv);
    job.plan.context = CONTEXT_ALL_TO_ALL;
    make(&job);
    uint64_t q = 8192ull / 4 * 4096 * 2;
    has_traffic(&job.book.piece[PIECE_DENSE_LAYER].forward, GROUP_CP, COLL_ALL_TO_ALL, 2,
                2 * q + kv);
    close_all();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("layer_traffic");
    TCase *tcase = tcase_create("layer_traffic");
    tcase_add_test(tcase, tensor_parallel_traffic);
    tcase_add_test(tcase, experts_move_rows);
    tcase_add_test(tcase, fused_loss_goes_through_the_logits_once);
    tcase_add_test(tcase, expert_traffic);
    tcase_add_test(tcase, context_traffic);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
