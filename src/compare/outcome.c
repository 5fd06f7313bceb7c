#include "compare/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/outcome_figures.h"

const char *const rank_figure_keys[] = {
#define X(name, key, words, meaning) [name] = key,
    RANK_FIGURE_LIST(X)
#undef X
};

const char *const rank_figure_words[] = {
#define X(name, key, words, meaning) [name] = words,
    RANK_FIGURE_LIST(X)
#undef X
};

const char *const rank_figure_meanings[] = {
#define X(name, key, words, meaning) [name] = meaning,
    RANK_FIGURE_LIST(X)
#undef X
};

void outcome_init(struct outcome *outcome, struct names *words)
{
    *outcome = (struct outcome){
        .words = words, .path = "", .kind = "", .grain_ps = 1, .end_ps = OUTCOME_UNSAID};
    arena_init(&outcome->arena);
    table_init(&outcome->by_rank);
    notices_init(&outcome->notices);
}

void outcome_release(struct outcome *outcome)
{
    notices_release(&outcome->notices);
    table_release(&outcome->by_rank);
    arena_release(&outcome->arena);
}

struct outcome_rank *outcome_add_rank(struct outcome *outcome, uint32_t rank)
{
    outcome->rank = arena_grow(&outcome->arena, outcome->rank, outcome->rank_count,
                               &outcome->rank_room, sizeof *outcome->rank);
    if (table_find(&outcome->by_rank, rank) == TABLE_NONE)
        table_put(&outcome->by_rank, rank, outcome->rank_count);
    struct outcome_rank *added = &outcome->rank[outcome->rank_count++];
    added->rank = rank;
    for (int f = 0; f < RANK_FIGURE_COUNT; f++)
        added->figure_ps[f] = OUTCOME_UNSAID;
    return added;
}

struct outcome_op *outcome_add_op(struct outcome *outcome, uint32_t rank, const char *name,
                                  const char *class)
{
    outcome->op = arena_grow(&outcome->arena, outcome->op, outcome->op_count, &outcome->op_room,
                             sizeof *outcome->op);
    struct outcome_op *op = &outcome->op[outcome->op_count];
    *op = (struct outcome_op){
        .rank = rank,
        .name = names_add(outcome->words, name, strlen(name)),
        .class = names_add(outcome->words, class, strlen(class)),
        .order = outcome->op_count++,
        .begin_ps = OUTCOME_UNSAID,
        .collective = -1,
        .size_bytes = OUTCOME_NO_SIZE,
    };
    return op;
}

struct outcome_collective *outcome_add_collective(struct outcome *outcome, int32_t kind)
{
    outcome->collective =
        arena_grow(&outcome->arena, outcome->collective, outcome->collective_count,
                   &outcome->collective_room, sizeof *outcome->collective);
    struct outcome_collective *added = &outcome->collective[outcome->collective_count++];
    *added = (struct outcome_collective){.kind = kind};
    return added;
}

void outcome_add_step(struct outcome *outcome, uint64_t step, uint32_t rank, int64_t time_ps)
{
    outcome->step = arena_grow(&outcome->arena, outcome->step, outcome->step_count,
                               &outcome->step_room, sizeof *outcome->step);
    outcome->step[outcome->step_count++] = (struct outcome_step){step, rank, time_ps};
}

static const char *copied(struct outcome *outcome, const char *text)
{
    return arena_text(&outcome->arena, text, strlen(text));
}

void outcome_add_input(struct outcome *outcome, const struct outcome_input *input)
{
    outcome->input = arena_grow(&outcome->arena, outcome->input, outcome->input_count,
                                &outcome->input_room, sizeof *outcome->input);
    outcome->input[outcome->input_count++] =
        (struct outcome_input){copied(outcome, input->key), copied(outcome, input->value),
                               copied(outcome, input->note), input->is_file};
}

struct outcome_rank *outcome_find_rank(const struct outcome *outcome, uint32_t rank)
{
    uint32_t index = table_find(&outcome->by_rank, rank);
    return index == TABLE_NONE ? NULL : &outcome->rank[index];
}

static void number_ranks(struct outcome *outcome)
{
    table_release(&outcome->by_rank);
    table_init(&outcome->by_rank);
    for (uint32_t i = 0; i < outcome->rank_count; i++)
        table_put(&outcome->by_rank, outcome->rank[i].rank, i);
}

uint32_t outcome_drop_unfinished(struct outcome *outcome)
{
    uint32_t kept = 0, all = outcome->rank_count;
    for (uint32_t i = 0; i < all; i++)
        if (outcome->rank[i].figure_ps[RANK_FINISH] != OUTCOME_UNSAID)
            outcome->rank[kept++] = outcome->rank[i];
    outcome->rank_count = kept;
    number_ranks(outcome);
    return all - kept;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct outcome_rank *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Finish less the sum of compute durations, if only that is missing. */
static void derive_exposed(struct outcome_rank *rank)
{
    int64_t *figure = rank->figure_ps;
    if (figure[RANK_EXPOSED] == OUTCOME_UNSAID && figure[RANK_FINISH] != OUTCOME_UNSAID &&
        figure[RANK_COMPUTE_SUM] != OUTCOME_UNSAID)
        figure[RANK_EXPOSED] = figure[RANK_FINISH] - figure[RANK_COMPUTE_SUM];
}

/* The same the other way round: what an ASTRA-sim log says. */
static void derive_compute_sum(struct outcome_rank *rank)
{
    int64_t *figure = rank->figure_ps;
    int64_t difference;
    if (figure[RANK_COMPUTE_SUM] == OUTCOME_UNSAID && figure[RANK_FINISH] != OUTCOME_UNSAID &&
        figure[RANK_EXPOSED] != OUTCOME_UNSAID &&
        !__builtin_sub_overflow(figure[RANK_FINISH], figure[RANK_EXPOSED], &difference))
        figure[RANK_COMPUTE_SUM] = difference;
}

enum status outcome_close(struct outcome *outcome, struct diag *diag)
{
    outcome_figures_of_ops(outcome);
    if (outcome->rank_count)
        qsort(outcome->rank, outcome->rank_count, sizeof *outcome->rank, compare_ranks);
    for (uint32_t i = 1; i < outcome->rank_count; i++) {
        if (outcome->rank[i].rank != outcome->rank[i - 1].rank)
            continue;
        diag_fail(diag, STATUS_BAD_INPUT, "there are two results of rank %" PRIu32,
                  outcome->rank[i].rank);
        diag_in(diag, outcome->path);
        diag_hint(diag, "one run at a time is compared");
        return STATUS_BAD_INPUT;
    }
    number_ranks(outcome);
    bool derive_end = outcome->end_ps == OUTCOME_UNSAID;
    for (uint32_t i = 0; i < outcome->rank_count; i++) {
        derive_exposed(&outcome->rank[i]);
        derive_compute_sum(&outcome->rank[i]);
        int64_t finish = outcome->rank[i].figure_ps[RANK_FINISH];
        if (derive_end && finish > outcome->end_ps)
            outcome->end_ps = finish;
    }
    return STATUS_OK;
}

const char *outcome_word(const struct outcome *outcome, uint32_t number)
{
    return outcome->words->text[number];
}

bool outcome_ps_of_ns(uint64_t ns, int64_t *ps)
{
    if (ns > INT64_MAX / 1000)
        return false;
    *ps = (int64_t)ns * 1000;
    return true;
}
