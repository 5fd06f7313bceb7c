/*
 * profile - measured times of ops: a table that a user brings, asked before any formula.
 *
 * Rules:
 *  1. A file is CSV with a heading, lines that begin with '#' left out. Columns, in any order:
 *     either `op` (a line of op_shape.h, "gemm 4096x8192x1024 bf16"), or `m`, `n`, `k` and, where
 *     wanted, `batch`, `type`, `class` (default 1, bf16, gemm); and one of `time_ns`, `time_us`,
 *     `time_ms`. Other columns are left out with a notice. Rows of one shape are averaged.
 *  2. Sizes are interpolated: batch, m, n, k, heads, q_len, kv_len. Everything else (class, types,
 *     head size, mask) must be the same; of what it has nothing, the profile declines.
 *  3. Between rows that form a grid around the shape, the logarithm of time is linear in the
 *     logarithm of each size. Where rows of the grid are missing, the next model's time is taken
 *     times the ratio of measured to next model at the nearest rows (weights 1 / distance^2 in
 *     octaves, 8 rows).
 *  4. Outside the sizes measured, time is that at the border times the ratio of the next model from
 *     there: flagged (op_time.is_extrapolated). So is rule 3's second case if no row is within an
 *     octave.
 *  5. Measured times are those of the user's own kernels: what a framework falls short by
 *     (op_time_options.slowness) does not apply to them.
 * Worked: 100 us at k = 1024 and 300 us at k = 4096: k = 2048 takes sqrt(100 x 300) = 173 us.
 */
#ifndef ORRERY_COMPUTE_PROFILE_H
#define ORRERY_COMPUTE_PROFILE_H

#include "compute/op_time.h"

struct profile; /* opaque */

/* *profile lives in `arena`. */
enum status profile_load(const struct profile **profile, const char *path, struct arena *arena,
                         struct notices *notices, struct diag *diag);

/* The same from memory; `name` is for messages. */
enum status profile_parse(const struct profile **profile, const char *name, const char *text,
                          size_t length, struct arena *arena, struct notices *notices,
                          struct diag *diag);

/* Distinct shapes. */
uint32_t profile_row_count(const struct profile *profile);

extern const struct op_model_ops op_model_profile;

#endif
