/*
 * scalesim_windows - scalesim_misses for the input of a convolution, whose windows share words.
 *
 * A word that several windows share stands in several lines, so whether it is held cannot be told
 * from its position: each word has a list of its lines. One look at each word the array asks for,
 * O(m k folds across lines of a word), and none if everything is held. Memory: 4 bytes a word of
 * the m x k matrix and 4 a word of the input.
 *
 * Rules:
 *  1. Words outside the input (of a last window that hangs over the edge) do not exist.
 *  2. Memory belongs to the arena given to scalesim_windows_init().
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_WINDOWS_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_WINDOWS_H

#include "base/arena.h"
#include "compute/model/convolution.h"
#include "compute/model/scalesim_misses.h"

#define SCALESIM_NO_WORD UINT32_MAX

/* Where word (m, k) of the implicit matrix lies in the input. */
struct scalesim_words {
    enum systolic_dataflow dataflow;
    uint64_t input_height, input_width, channels, filter_width, output_width;
    uint64_t stride_height, stride_width;
};

struct scalesim_windows {
    struct scalesim_order order;
    struct scalesim_words words;
    struct scalesim_window window;
    uint32_t *first, *line; /* lines of word w: line[first[w] .. first[w + 1] - 1] */
    uint64_t fold, diagonal, column;
};

/* True if each word lies in one window only and none outside: then scalesim_misses is exact, and
 * fast. */
bool scalesim_windows_are_plain(const struct convolution *conv);

/* Words of the input that are in some window. */
uint64_t scalesim_windows_distinct(const struct convolution *conv);

void scalesim_words_init(struct scalesim_words *words, const struct convolution *conv,
                         uint64_t output_width, enum systolic_dataflow dataflow);

/* Fails if the matrix has 2^30 words or more. */
enum status scalesim_windows_init(struct scalesim_windows *windows,
                                  const struct scalesim_order *order,
                                  const struct scalesim_words *words, uint64_t memory_words,
                                  struct arena *arena, struct diag *diag);

/* As scalesim_misses_next(). */
bool scalesim_windows_next(struct scalesim_windows *windows, uint64_t *cycle, uint64_t *moves);

/*
 * Words that DRAM delivers if `capacity` distinct words are kept and then all forgotten, and the
 * cycle in which they last were (UINT64_MAX: never). Fails as scalesim_windows_init().
 */
enum status scalesim_windows_reads(const struct scalesim_order *order,
                                   const struct scalesim_words *words, uint64_t capacity,
                                   struct arena *arena, uint64_t *reads, uint64_t *last_cycle,
                                   struct diag *diag);

#endif
