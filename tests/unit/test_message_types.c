/* message_types: which messages the collectives and sends of a job have, and where each rank sends
 * them. */
#include "run/message_types.h"

#include "tests/unit/mini.h"

/* A job of one trace, prepared. */
struct fixture {
    struct mini *mini;
    struct workload workload;
    struct group_file file;
    struct prepared prepared;
    struct job_shape shape;
    struct message_types types;
    const char *why;
};

static void set_up(struct fixture *f, enum algorithm_id id, uint32_t window)
{
    f->mini = mini_new();
    f->why = "";
    mini_dim(f->mini, NET_RING, 4, 1, 0);
    mini_dim(f->mini, NET_RING, 2, 1, 0);
    mini_algorithm(f->mini, id, window);
    f->mini->config.system.broadcast_replayed = false;
    mini_trace_new(f->mini);
}

static bool collect(struct fixture *f, bool prefer_xor, uint32_t most)
{
    f->workload = (struct workload){8, f->mini->of_rank, f->mini->traces, f->mini->trace_count};
    f->file = (struct group_file){
        .entry = f->mini->group, .count = f->mini->group_count, .path = "groups.json"};
    ck_assert_msg(prepare(&f->prepared, &f->mini->config, &f->workload, &f->file,
                          &f->mini->result.notices, &f->mini->diag) == STATUS_OK,
                  "%s", f->mini->diag.message);
    job_shape_init(&f->shape, &f->workload, f->prepared.graphs, NULL);
    return message_types_collect(&f->types, &f->mini->config, &f->workload, &f->prepared, &f->shape,
                                 prefer_xor, most, &f->why);
}

static void release(struct fixture *f)
{
    message_types_release(&f->types);
    job_shape_release(&f->shape);
    prepared_release(&f->prepared);
}

static void tear_down(struct fixture *f)
{
    release(f);
    mini_free(f->mini);
}

struct seen {
    uint64_t label[32];
    uint32_t to[32], count;
};

static void note(void *context, uint64_t label, uint32_t to)
{
    struct seen *seen = context;
    seen->label[seen->count] = label;
    seen->to[seen->count++] = to;
}

static struct seen messages_of(const struct fixture *f, uint32_t rank)
{
    struct seen seen = {.count = 0};
    message_types_visit(&f->types, rank, note, &seen);
    return seen;
}

/* Every rank has each type once, to another rank, and each rank hears each type once. */
static void check_types(const struct fixture *f, uint32_t types)
{
    struct seen first = messages_of(f, 0);
    uint32_t heard[32][8] = {{0}};
    ck_assert_uint_eq(first.count, types);
    for (uint32_t r = 0; r < 8; r++) {
        struct seen seen = messages_of(f, r);
        ck_assert_uint_eq(seen.count, types);
        for (uint32_t t = 0; t < types; t++) {
            ck_assert_uint_eq(seen.label[t], first.label[t]);
            ck_assert_uint_ne(seen.to[t], r);
            ck_assert_uint_eq(heard[t][seen.to[t]]++, 0);
        }
    }
}

static const struct {
    enum algorithm_id id;
    uint32_t window;
    enum collective_kind kind;
    bool prefer_xor;
    uint32_t types; /* on 4 x 2 */
} rows[] = {
    /* Neighbours both ways; in a dimension of 2 they are one. */
    {ALG_RING, 0, COLL_ALL_REDUCE, false, 2 + 1},
    {ALG_RING, 0, COLL_ALL_GATHER, true, 2 + 1},
    /* Distances 1, 2, 3, and the same backwards. */
    {ALG_DIRECT, 0, COLL_ALL_TO_ALL, false, 3 + 1},
    /* All at once: across 1, 2, 3 as well. */
    {ALG_DIRECT, 0, COLL_ALL_TO_ALL, true, 3 + 1},
    /* Across 1 and 2. */
    {ALG_HALVING_DOUBLING, 0, COLL_ALL_REDUCE, false, 2 + 1},
};

START_TEST(types_of_plans)
{
    struct fixture f;
    set_up(&f, rows[_i].id, rows[_i].window);
    mini_collective(f.mini, 0, -1, rows[_i].kind, 4800);
    mini_collective(f.mini, 0, -1, rows[_i].kind, 9600); /* the same steps: no type more */
    ck_assert_msg(collect(&f, rows[_i].prefer_xor, rows[_i].types), "%s", f.why);
    check_types(&f, rows[_i].types);
    release(&f);
    ck_assert(!collect(&f, rows[_i].prefer_xor, rows[_i].types - 1));
    ck_assert_str_eq(f.why, "too many routes to compare");
    tear_down(&f);
}
END_TEST

/* Rooted kinds give positions different parts, of all ranks: nobody could stand for another. */
START_TEST(a_root_of_all)
{
    struct fixture f;
    set_up(&f, ALG_RING, 0);
    mini_collective(f.mini, 0, -1, COLL_BROADCAST, 4800);
    ck_assert(!collect(&f, false, UINT32_MAX));
    ck_assert_str_eq(f.why, "a collective's algorithm gives ranks different parts");
    tear_down(&f);
}
END_TEST

static void add_family(struct fixture *f, const char *name, uint32_t size, uint32_t stride)
{
    for (uint32_t r = 0; r < 8; r++) {
        uint32_t ranks[8];
        if (r / stride % size)
            continue;
        for (uint32_t i = 0; i < size; i++)
            ranks[i] = r + i * stride;
        mini_group(f->mini, name, ranks, size);
    }
}

/* Rings of 4 ranks at distance 2, and sends to the next of a pair. */
START_TEST(groups_and_sends)
{
    struct fixture f;
    set_up(&f, ALG_RING, 0);
    add_family(&f, "dp", 4, 2);
    add_family(&f, "pp", 2, 1);
    mini_collective(f.mini, 0, -1, COLL_ALL_GATHER, 4800);
    mini_in_group(f.mini, 0, "dp");
    for (int i = 0; i < 2; i++) {
        uint32_t node = mini_message(f.mini, 0, -1, i ? OP_RECV : OP_SEND, 1, 7, 100);
        mini_in_group(f.mini, 0, "pp");
        f.mini->trace[0].node[node].flags |= NODE_PEER_IN_GROUP;
    }
    ck_assert_msg(collect(&f, false, UINT32_MAX), "%s", f.why);
    check_types(&f, 3);
    struct seen seen = messages_of(&f, 5); /* of 1, 3, 5, 7: to 7 and 3; of 4, 5: to 4 */
    ck_assert_uint_eq(seen.to[0] + seen.to[1], 10);
    ck_assert_uint_eq(seen.to[2], 4);
    ck_assert_uint_eq(message_types_slots(&f.types, 5), 1); /* of collectives */
    ck_assert_uint_eq(message_types_slot_of(&f.types, 5, message_types_group(&f.types, 7, 0)), 0);
    ck_assert_uint_eq(message_types_slot_of(&f.types, 5, message_types_group(&f.types, 0, 0)),
                      UINT32_MAX);
    ck_assert_uint_eq(message_types_peer(&f.types, 5, 0), 4);
    tear_down(&f);
}
END_TEST

/* A broadcast from the first of each pair: the position is part of what a rank is. */
START_TEST(parts_of_small_groups)
{
    struct fixture f;
    set_up(&f, ALG_RING, 0);
    add_family(&f, "tp", 2, 1);
    mini_collective(f.mini, 0, -1, COLL_BROADCAST, 4800);
    mini_in_group(f.mini, 0, "tp");
    ck_assert_msg(collect(&f, false, UINT32_MAX), "%s", f.why);
    for (uint32_t r = 0; r < 8; r++) {
        struct seen seen = messages_of(&f, r);
        ck_assert_uint_eq(seen.count, r % 2 == 0);
        if (seen.count)
            ck_assert_uint_eq(seen.to[0], r + 1);
        ck_assert_uint_eq(message_types_rank_hash(&f.types, r),
                          message_types_rank_hash(&f.types, r % 2));
    }
    ck_assert_uint_ne(message_types_rank_hash(&f.types, 0), message_types_rank_hash(&f.types, 1));
    tear_down(&f);
}
END_TEST

/* By hand, on 2 x 3 (stride 2 in dimension 1): one up is +2 modulo 6. */
START_TEST(targets)
{
    struct phase phase = {.n = 3, .stride = 2, .schedule = {.form = SCHEDULE_EXCHANGE}};
    struct message_step up = {&phase, 1, false, 0};
    static const uint32_t want[] = {2, 3, 4, 5, 0, 1};
    for (uint32_t r = 0; r < 6; r++)
        ck_assert_uint_eq(message_step_target(&up, r), want[r]);

    /* A program on 2 x 3 whose position 0 sends to 3 = (1, 1): a step of both coordinates. */
    struct phase program = {
        .n = 6,
        .stride = 1,
        .request = {.n = 6, .dim_count = 2, .dim = {2, 3}},
        .schedule = {.form = SCHEDULE_PROGRAM, .symmetry = SYMMETRY_SHIFT},
    };
    struct message_step both = {&program, 3, false, 0};
    static const uint32_t want_both[] = {3, 2, 5, 4, 1, 0};
    for (uint32_t r = 0; r < 6; r++)
        ck_assert_uint_eq(message_step_target(&both, r), want_both[r]);

    struct phase flips = {.n = 4, .stride = 2, .schedule = {.form = SCHEDULE_EXCHANGE}};
    struct message_step across = {&flips, 3, true, 0};
    static const uint32_t want_across[] = {6, 7, 4, 5, 2, 3, 0, 1};
    for (uint32_t r = 0; r < 8; r++)
        ck_assert_uint_eq(message_step_target(&across, r), want_across[r]);
}
END_TEST

static Suite *message_types_suite(void)
{
    Suite *suite = suite_create("message_types");
    TCase *tcase = tcase_create("message_types");
    tcase_add_loop_test(tcase, types_of_plans, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, a_root_of_all);
    tcase_add_test(tcase, groups_and_sends);
    tcase_add_test(tcase, parts_of_small_groups);
    tcase_add_test(tcase, targets);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(message_types_suite())
