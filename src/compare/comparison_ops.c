/* Rows of ops: one for all, one for each class or name, most time first; the widest pairs. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/comparison_parts.h"

/* What is gathered for a row before it is made. */
struct class_book {
    uint32_t class, number;
    struct error_book errors;
    uint64_t only_a, only_b;
    double only_a_ps, only_b_ps;
    const struct op_pair **pair; /* as numbered by `errors` */
    uint64_t count, room;
};

struct class_books {
    struct class_book *row;
    uint32_t count, room;
    struct table by_class;
};

static struct class_book *book_of(struct class_books *books, uint32_t class, int64_t grain_ps)
{
    uint32_t index = table_find(&books->by_class, class);
    if (index != TABLE_NONE)
        return &books->row[index];
    if (books->count == books->room) {
        books->room = books->room ? 2 * books->room : 16;
        books->row = realloc(books->row, books->room * sizeof *books->row);
        need_memory(books->row != NULL);
    }
    table_put(&books->by_class, class, books->count);
    struct class_book *book = &books->row[books->count];
    *book = (struct class_book){.class = class, .number = books->count++};
    error_book_init(&book->errors, grain_ps);
    return book;
}

static void add_pair(struct class_book *book, const struct op_pair *pair)
{
    if (!pair->a || !pair->b) {
        book->only_a += pair->a != NULL;
        book->only_b += pair->b != NULL;
        book->only_a_ps += pair->a ? (double)pair->a->duration_ps : 0;
        book->only_b_ps += pair->b ? (double)pair->b->duration_ps : 0;
        return;
    }
    if (book->count == book->room) {
        book->room = book->room ? 2 * book->room : 64;
        book->pair = realloc(book->pair, book->room * sizeof *book->pair);
        need_memory(book->pair != NULL);
    }
    book->pair[book->count++] = pair;
    error_book_add(&book->errors, pair->a->duration_ps, pair->b->duration_ps);
}

static const char *describe(struct comparison *comparison, const struct op_pair *pair)
{
    const char *name = outcome_word(comparison->a, pair->a->name);
    return comparison_text(comparison, "rank %" PRIu32 ", %.80s #%" PRIu32, pair->a->rank, name,
                           pair->occurrence);
}

/* -- rows -------------------------------------------------------------------------------------- */

static void close_book(struct comparison *comparison, struct class_book *book, const char *name)
{
    struct error_stats error = error_book_close(&book->errors);
    struct compare_row *row = comparison_add_row(comparison, COMPARE_OPS, "%s", name);
    row->error = error;
    row->only_a = book->only_a;
    row->only_b = book->only_b;
    row->only_a_ps = book->only_a_ps;
    row->only_b_ps = book->only_b_ps;
    if (error.pairs > error.equal) {
        if (error.worst_percent != 0) /* else all that differ have a reference of 0 */
            row->worst = describe(comparison, book->pair[error.worst]);
        row->widest = describe(comparison, book->pair[error.wide[0].number]);
    }
    error_book_release(&book->errors);
    free(book->pair);
}

/* Of the book of all ops, before it is closed. */
static void keep_widest(struct comparison *comparison, const struct class_book *all)
{
    const struct error_stats *stats = &all->errors.stats;
    for (uint32_t i = 0; i < stats->wide_count; i++) {
        const struct error_wide *wide = &stats->wide[i];
        const struct op_pair *pair = all->pair[wide->number];
        comparison->wide_op[i] = (struct compare_wide){describe(comparison, pair),
                                                       outcome_word(comparison->a, pair->a->class),
                                                       wide->a_ps, wide->b_ps};
    }
    comparison->wide_op_count = stats->wide_count;
}

static double time_of(const struct class_book *book)
{
    return book->errors.stats.total_a_ps + book->errors.stats.total_b_ps + book->only_a_ps +
           book->only_b_ps;
}

/* Most time of both sides first; of equals, the class that was met first. */
static int compare_books(const void *left, const void *right)
{
    const struct class_book *a = left, *b = right;
    if (time_of(a) != time_of(b))
        return time_of(a) > time_of(b) ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void fill(struct comparison *comparison, const struct op_pairs *pairs, bool by_name)
{
    struct class_books books = {0};
    struct class_book all = {0};
    table_init(&books.by_class);
    error_book_init(&all.errors, comparison->grain_ps);
    for (uint64_t i = 0; i < pairs->count; i++) {
        const struct op_pair *pair = &pairs->row[i];
        const struct outcome_op *one = pair->a ? pair->a : pair->b;
        add_pair(&all, pair);
        add_pair(book_of(&books, by_name ? one->name : one->class, comparison->grain_ps), pair);
    }
    keep_widest(comparison, &all);
    close_book(comparison, &all, "all ops");
    if (books.count)
        qsort(books.row, books.count, sizeof *books.row, compare_books);
    for (uint32_t i = 0; i < books.count; i++)
        close_book(comparison, &books.row[i], outcome_word(comparison->a, books.row[i].class));
    free(books.row);
    table_release(&books.by_class);
}

void comparison_of_ops(struct comparison *comparison, const struct compare_how *how)
{
    enum align_by align = how->align;
    const struct outcome *a = comparison->a, *b = comparison->b;
    struct op_pairs pairs = {0};
    if (a->op_count && b->op_count) {
        uint64_t fewer = a->op_count < b->op_count ? a->op_count : b->op_count;
        op_pairs_make(&pairs, a, b, align == ALIGN_CLASS);
        comparison->align = align == ALIGN_CLASS ? ALIGN_CLASS : ALIGN_NAME;
        if (align != ALIGN_CLASS)
            comparison->ops_by_name = pairs.both;
        if (align == ALIGN_AUTO && pairs.both < fewer / 2 + fewer % 2) {
            op_pairs_release(&pairs);
            op_pairs_make(&pairs, a, b, true);
            comparison->align = ALIGN_CLASS;
        }
        fill(comparison, &pairs, how->rows_by_name);
    }
    op_pairs_release(&pairs);
}
