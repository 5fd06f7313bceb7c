/*
 * text_tables - the tables of the text report. Each prints its heading, itself and a blank line, or
 * nothing at all if the result has no rows for it.
 */
#ifndef ORRERY_REPORT_TEXT_TABLES_H
#define ORRERY_REPORT_TEXT_TABLES_H

#include <stdio.h>

#include "stats/result.h"

void text_breakdown(const struct run_result *result, FILE *out);
void text_overlapped(const struct run_result *result, FILE *out);
void text_compute(const struct run_result *result, FILE *out);
void text_collectives(const struct run_result *result, FILE *out);
void text_groups(const struct run_result *result, FILE *out);
void text_dimensions(const struct run_result *result, FILE *out);
void text_ranks(const struct run_result *result, FILE *out);

#endif
