/*
 * results_write - tables of results as text, CSV and JSON.
 *
 * CSV and JSON hold what does not depend on the machine or on the order in which points ended: they
 * are the canonical export, the same bytes for the same study however often it was stopped. Numbers
 * are the shortest that read back the same. JSON is schema "orrery.results/1" (and
 * "orrery.pivot/1").
 */
#ifndef ORRERY_SWEEP_RESULTS_WRITE_H
#define ORRERY_SWEEP_RESULTS_WRITE_H

#include <stdio.h>

#include "sweep/pivot.h"
#include "sweep/results.h"

struct results_format {
    const char *name;
    void (*rows)(const struct results *results, FILE *out);
    void (*pivot)(const struct pivot *pivot, FILE *out);
};

/* text, csv, json; the last has a NULL name. */
extern const struct results_format results_formats[];

/* Shortest decimal that reads back as `number`; "" of not-a-number. */
const char *results_number(char *to, size_t size, double number);

#endif
