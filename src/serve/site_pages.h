/*
 * site_pages - the pages of a study, each made in a process of its own (maker.h).
 *
 * Each opens the store, writes the page of it, and returns a status of HTTP; with another than 200,
 * one line that says why there is no page.
 */
#ifndef ORRERY_SERVE_SITE_PAGES_H
#define ORRERY_SERVE_SITE_PAGES_H

#include <stdio.h>

#include "serve/site.h"

unsigned site_make_page(const struct site_options *options, uint32_t number, FILE *out);
unsigned site_make_data(const struct site_options *options, uint32_t number, FILE *out);
unsigned site_make_results(const struct site_options *options, uint32_t number, FILE *out);
/* Charts: `number` is one of these. */
enum { PLOT_SCALING, PLOT_PARETO, PLOT_DISTRIBUTION };
unsigned site_make_plot(const struct site_options *options, uint32_t number, FILE *out);
unsigned site_make_point(const struct site_options *options, uint32_t number, FILE *out);

/* Why there is no page; it asks again by itself. */
void site_write_reason(const char *title, const struct diag *why, FILE *out);

/* The Content-Security-Policy of all answers: what the head of a page allows (page/page_shell.h),
 * and what only a header can say. */
void site_put_policy(FILE *out);

#endif
