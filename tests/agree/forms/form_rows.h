/*
 * form_rows - the algorithms of part `forms`, and what is known of each beside its closed form.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_FORM_ROWS_H
#define ORRERY_TESTS_AGREE_FORMS_FORM_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/op.h"

/* Where two messages of an algorithm go from one position to another at a time, also with a link
 * for every pair: the form then is a lower bound. */
enum meets {
    MEETS_NEVER,
    MEETS_TWO,     /* in a dimension of 2 both sides are one neighbour */
    MEETS_SHAPED,  /* rings through domains pass the same neighbours in them */
    MEETS_UNEVEN,  /* n no power of two: a message of the fold, or of the next stage, comes early */
    MEETS_ALWAYS,  /* chunks of the two trees, up and down */
    ENDS_UNEVENLY, /* positions end at different times, so phases overlap: an upper bound */
};

/* On one switch, a port for each position. */
enum on_switch {
    SWITCH_PATH,  /* one message at a time in each port: the form, with two links for one */
    SWITCH_POWER, /* that, if n is a power of two; else a lower bound */
    SWITCH_PORT,  /* all at once: latency terms + the bytes of the busiest port */
    SWITCH_BOUND, /* several at a time, in an order that the form does not see: a lower bound */
};

struct form_row {
    const char *name; /* as in a configuration */
    enum meets meets;
    enum on_switch on_switch;
    bool is_serial;   /* hand-overs one after the other, one for each message of the path */
    bool is_reduced;  /* the form has the reductions of every n, not of powers of two only */
    uint32_t optimal; /* bit k: kind k moves no byte twice (form_identity()) */
};

/* Ends with a row without a name. */
extern const struct form_row form_rows[];

/* Bytes that ranks must send in all if none is sent twice; `bytes` as in trace.h rule 5. */
uint64_t form_identity(enum collective_kind kind, uint64_t n, uint64_t bytes);

#endif
