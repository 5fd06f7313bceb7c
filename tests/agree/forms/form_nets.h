/*
 * form_nets - the networks of part `forms`, and whether a closed form is exact on each.
 *
 * A mesh has a link for every pair of the positions, which are in any shape. A switch has a port
 * for each. The algorithm's own networks are those it is made for: a ring, a torus, domains.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_FORM_NETS_H
#define ORRERY_TESTS_AGREE_FORMS_FORM_NETS_H

#include <stddef.h>

#include "tests/agree/forms/form_rows.h"
#include "tests/agree/forms/lone.h"

/* Bytes of a position: whole pieces for 1 to 9 parts, 16 chunks, .. */
enum { FORM_UNIT = 20160 };

enum form_net_kind { FORM_NET_MESH, FORM_NET_SWITCH, FORM_NET_OWN };

/* A cursor over the networks of a row: zero it before the first form_net_next(). */
struct form_net {
    enum form_net_kind kind;
    uint32_t next; /* which comes next */
    uint32_t n;
    uint32_t shape[4];    /* mesh; ends at the first 0 */
    const char *topology; /* own: without bandwidths */
    double latency_ns;    /* of a message */
    bool by_port;         /* the bytes of the busiest port decide */
};

/* The next network of the row; false at the end. */
bool form_net_next(const struct form_row *row, struct form_net *net);

/* One-line form; `is_odd`: a bandwidth that is no whole number of ps per byte. */
void form_net_text(const struct form_net *net, bool is_odd, char *to, size_t size);
double form_net_Bps(bool is_odd);

/* Size of the collective: FORM_UNIT for each position. */
uint64_t form_net_bytes(const struct form_net *net);

enum relation { RELATION_EXACT, RELATION_AT_LEAST, RELATION_AT_MOST };

/* What the time is to the closed form. */
enum relation form_relation(const struct form_row *row, const struct lone_case *given,
                            const struct form_net *net);

#endif
