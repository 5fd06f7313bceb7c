/*
 * site - what is served of a study: a table of routes.
 *
 * Rules:
 *  1. A route is a constant path, or one with a number at its end ("/point/12": digits only, no
 *     leading zero, at most nine). Nothing of a request ever names a file.
 *  2. Pages and their data are made by maker.h from a store opened anew; "/events" is live.h;
 *     "/progress.json" and "/healthz" are what this process knows.
 *  3. A store that cannot be read is 503 with the reason, on the page too, which tries again.
 */
#ifndef ORRERY_SERVE_SITE_H
#define ORRERY_SERVE_SITE_H

#include <stdint.h>
#include <stdio.h>

#include "base/loop.h"
#include "serve/server.h"

struct site_options {
    const char *store;
    const char *title;   /* of the page */
    const char *version; /* of orrery */
    const struct address *address;
    int listening;
    const char *name;     /* a further Host, or NULL */
    double point_limit_s; /* of a page of one point */

    /*
     * In a process of its own: writes the page of a point, HTML, to `out`. Anything but STATUS_OK:
     * the diag says why there is none, and what the store has is shown. NULL: always that.
     */
    enum status (*point)(const char *store, uint32_t ordinal, FILE *out, struct diag *diag);

    /* Likewise: a chart of the study as SVG; `name` is of orrery plot. NULL: there are none. */
    enum status (*plot)(const char *store, const char *name, FILE *out, struct diag *diag);
};

struct site;

/* NULL with a message. Options are borrowed. */
struct site *site_create(struct loop *loop, const struct site_options *options, struct diag *diag);
void site_destroy(struct site *site);

/* As of now, for a closing line. */
struct server_counts site_counts(const struct site *site);

/* Prints every route and its meaning. */
void site_print_routes(FILE *out);

#endif
