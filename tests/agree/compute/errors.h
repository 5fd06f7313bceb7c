/*
 * errors - measured times beside ours: summed up by series and by what a line judges.
 *
 * Rules:
 *  1. An error is (ours - measured) / measured. Texts are borrowed until errors_release().
 *  2. `line` names what the row is judged by ("NVIDIA", "norm", ..), NULL: for information only.
 *  3. Rows below `least_us` (launches weigh more than the kernel) are shown but not judged.
 */
#ifndef ORRERY_TESTS_AGREE_COMPUTE_ERRORS_H
#define ORRERY_TESTS_AGREE_COMPUTE_ERRORS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/agree/part/part.h"

struct error_row {
    const char *series, *line;
    const char *family; /* of near copies (the data's README), or NULL */
    const char *label;  /* what was run, for the list of the worst */
    const char *guess;  /* why it may be off, or NULL */
    double measured_us, ours_us;
};

struct errors {
    double least_us;
    struct error_row *row;
    uint32_t count, room;
};

struct error_sum {
    uint32_t rows;
    double median, mean, p90; /* absolute, % */
    double bias;              /* mean of signed errors, % */
};

void errors_init(struct errors *errors, double least_us);
void errors_release(struct errors *errors);
void errors_add(struct errors *errors, const struct error_row *row);

/* Of the rows with this series and line (NULL: any) that take `least_us` or more. */
struct error_sum errors_sum(const struct errors *errors, const char *series, const char *line,
                            double least_us);

/* One line a series, in order of first appearance: all rows, and those of rule 3 apart. */
void errors_table(const struct errors *errors, FILE *out);

/* By families of the judged rows: how many, the mean of their means, and the `most` worst. */
void errors_families(const struct errors *errors, uint32_t most, FILE *out);

/* The `most` worst of the judged rows. */
void errors_worst(const struct errors *errors, uint32_t most, FILE *out);

/* Prints whether median and mean of the line's rows are at most those (%; 0: not judged); counts a
 * check for each. */
void errors_judge(const struct errors *errors, const char *line, double median, double mean,
                  FILE *out, struct part_count *count);

#endif
