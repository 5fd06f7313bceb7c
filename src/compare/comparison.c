#include "compare/comparison.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/comparison_parts.h"

const char *const align_by_names[] = {"auto", "name", "class", NULL};

const char *const compare_part_keys[] = {
#define X(name, key, heading) [name] = key,
    COMPARE_PART_LIST(X)
#undef X
};

const char *comparison_text(struct comparison *comparison, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return arena_text(&comparison->arena, text, strlen(text));
}

struct compare_row *comparison_add_row(struct comparison *comparison, enum compare_part part,
                                       const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    comparison->row = arena_grow(&comparison->arena, comparison->row, comparison->row_count,
                                 &comparison->row_room, sizeof *comparison->row);
    struct compare_row *row = &comparison->row[comparison->row_count++];
    *row = (struct compare_row){.part = part,
                                .name = arena_text(&comparison->arena, text, strlen(text)),
                                .worst = "",
                                .widest = ""};
    return row;
}

/* -- ranks ----------------------------------------------------------------------------------- */

struct rank_pair {
    const struct outcome_rank *a, *b;
};

static struct rank_pair *pair_ranks(struct comparison *comparison)
{
    const struct outcome *a = comparison->a, *b = comparison->b;
    struct rank_pair *pair = arena_array(&comparison->arena, a->rank_count, sizeof *pair);
    comparison->only_a = arena_array(&comparison->arena, a->rank_count, sizeof(uint32_t));
    comparison->only_b = arena_array(&comparison->arena, b->rank_count, sizeof(uint32_t));
    uint32_t i = 0, k = 0;
    while (i < a->rank_count || k < b->rank_count) {
        bool has_a = i < a->rank_count, has_b = k < b->rank_count;
        if (has_a && has_b && a->rank[i].rank == b->rank[k].rank)
            pair[comparison->ranks_both++] = (struct rank_pair){&a->rank[i++], &b->rank[k++]};
        else if (has_a && (!has_b || a->rank[i].rank < b->rank[k].rank))
            comparison->only_a[comparison->only_a_count++] = a->rank[i++].rank;
        else
            comparison->only_b[comparison->only_b_count++] = b->rank[k++].rank;
    }
    return pair;
}

static void keep_widest(struct comparison *comparison, const struct error_stats *error,
                        const uint32_t *rank)
{
    for (uint32_t i = 0; i < error->wide_count; i++) {
        const struct error_wide *wide = &error->wide[i];
        const char *which = comparison_text(comparison, "rank %" PRIu32, rank[wide->number]);
        comparison->wide_rank[i] = (struct compare_wide){which, "", wide->a_ps, wide->b_ps};
    }
    comparison->wide_rank_count = error->wide_count;
}

static void compare_figure(struct comparison *comparison, const struct rank_pair *pair,
                           enum rank_figure figure)
{
    struct error_book book;
    uint32_t *rank = malloc((comparison->ranks_both + 1) * sizeof *rank), said = 0;
    need_memory(rank != NULL);
    error_book_init(&book, comparison->grain_ps);
    for (uint32_t i = 0; i < comparison->ranks_both; i++) {
        int64_t a = pair[i].a->figure_ps[figure], b = pair[i].b->figure_ps[figure];
        if (a == OUTCOME_UNSAID || b == OUTCOME_UNSAID)
            continue;
        rank[said++] = pair[i].a->rank;
        error_book_add(&book, a, b);
    }
    struct error_stats error = error_book_close(&book);
    if (figure == RANK_FINISH) {
        comparison->ranks_equal = (uint32_t)error.equal;
        comparison->finish_is_said = said > 0 && said == comparison->ranks_both;
    }
    if (said) {
        struct compare_row *row =
            comparison_add_row(comparison, COMPARE_RANKS, "%s", rank_figure_words[figure]);
        row->error = error;
        if (figure == RANK_FINISH) {
            row->only_a = comparison->only_a_count;
            row->only_b = comparison->only_b_count;
        }
        if (error.equal < error.pairs) {
            if (error.worst_percent != 0)
                row->worst = comparison_text(comparison, "rank %" PRIu32, rank[error.worst]);
            row->widest = comparison_text(comparison, "rank %" PRIu32, rank[error.wide[0].number]);
        }
    }
    if (figure == RANK_FINISH)
        keep_widest(comparison, &error, rank);
    error_book_release(&book);
    free(rank);
}

void comparison_of_ranks(struct comparison *comparison)
{
    const struct rank_pair *pair = pair_ranks(comparison);
    for (int figure = 0; figure < RANK_FIGURE_COUNT; figure++)
        compare_figure(comparison, pair, (enum rank_figure)figure);
}

/* -- the step -------------------------------------------------------------------------------- */

static int64_t step_of(const struct outcome *side, const struct step_times *times)
{
    return times->count ? (int64_t)(times->mean_ps + 0.5) : side->end_ps;
}

static enum status compare_steps(struct comparison *comparison, struct diag *diag)
{
    enum status status = step_times_find(&comparison->step_a, comparison->a, diag);
    if (status == STATUS_OK)
        status = step_times_find(&comparison->step_b, comparison->b, diag);
    if (status != STATUS_OK)
        return status;
    comparison->step_a_ps = step_of(comparison->a, &comparison->step_a);
    comparison->step_b_ps = step_of(comparison->b, &comparison->step_b);
    if (comparison->step_a_ps == OUTCOME_UNSAID || comparison->step_b_ps == OUTCOME_UNSAID)
        return STATUS_OK;
    struct error_book book;
    error_book_init(&book, comparison->grain_ps);
    error_book_add(&book, comparison->step_a_ps, comparison->step_b_ps);
    comparison_add_row(comparison, COMPARE_STEP, "%s", "step")->error = error_book_close(&book);
    error_book_release(&book);
    return STATUS_OK;
}

/* -- inputs ---------------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
    const struct outcome_input *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : strcmp(a->value, b->value);
}

static struct outcome_input *sorted_inputs(struct comparison *comparison,
                                           const struct outcome *side)
{
    struct outcome_input *input =
        arena_array(&comparison->arena, side->input_count + 1, sizeof *input);
    memcpy(input, side->input, side->input_count * sizeof *input);
    qsort(input, side->input_count, sizeof *input, compare_keys);
    return input;
}

static void add_input(struct comparison *comparison, const struct outcome_input *a,
                      const struct outcome_input *b)
{
    comparison->input = arena_grow(&comparison->arena, comparison->input, comparison->input_count,
                                   &comparison->input_room, sizeof *comparison->input);
    const struct outcome_input *one = a ? a : b;
    comparison->input[comparison->input_count++] =
        (struct compare_input){one->key, a ? a->value : NULL, b ? b->value : NULL, one->is_file};
}

void comparison_of_inputs(struct comparison *comparison)
{
    uint32_t a_count = comparison->a->input_count, b_count = comparison->b->input_count;
    comparison->inputs_are_said = a_count && b_count;
    if (!comparison->inputs_are_said)
        return;
    const struct outcome_input *a = sorted_inputs(comparison, comparison->a);
    const struct outcome_input *b = sorted_inputs(comparison, comparison->b);
    for (uint32_t i = 0, k = 0; i < a_count || k < b_count;) {
        int order = i == a_count ? 1 : k == b_count ? -1 : strcmp(a[i].key, b[k].key);
        if (order == 0 && strcmp(a[i].value, b[k].value) == 0)
            comparison->inputs_same++;
        else
            add_input(comparison, order <= 0 ? &a[i] : NULL, order >= 0 ? &b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

/* -- all of it ------------------------------------------------------------------------------- */

enum status comparison_make(struct comparison *comparison, const struct outcome *a,
                            const struct outcome *b, const struct compare_how *how,
                            struct diag *diag)
{
    *comparison = (struct comparison){.a = a, .b = b};
    arena_init(&comparison->arena);
    promise(a->words == b->words);
    comparison->grain_ps = a->grain_ps > b->grain_ps ? a->grain_ps : b->grain_ps;
    enum status status = compare_steps(comparison, diag);
    if (status == STATUS_OK) {
        comparison_of_ranks(comparison);
        comparison_of_ops(comparison, how);
        comparison_of_collectives(comparison);
        comparison_of_inputs(comparison);
    }
    if (status == STATUS_OK && !comparison->row_count) {
        status = diag_fail(diag, STATUS_BAD_INPUT,
                           "the two sides have nothing in common that could be compared");
        diag_hint(diag, "%.100s is %s, %.100s is %s", a->path, a->kind, b->path, b->kind);
    }
    if (status != STATUS_OK)
        comparison_release(comparison);
    return status;
}

void comparison_release(struct comparison *comparison)
{
    arena_release(&comparison->arena);
}

const struct compare_row *comparison_find(const struct comparison *comparison,
                                          enum compare_part part, const char *name)
{
    for (uint32_t i = 0; i < comparison->row_count; i++)
        if (comparison->row[i].part == part && strcmp(comparison->row[i].name, name) == 0)
            return &comparison->row[i];
    return NULL;
}
