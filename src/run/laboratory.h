/*
 * laboratory - one collective alone on a network: every algorithm at every fidelity.
 *
 * Rules:
 *  1. Each cell of the table is a whole run of simulate(): nothing here is a formula but the bound.
 *  2. In a table of all algorithms a row whose algorithm cannot run the collective on this network
 *     has `reason`, and no figures. An algorithm that was named must run, and of all at least one.
 *  3. Strings and arrays live in lab->arena; `request` is borrowed.
 */
#ifndef ORRERY_RUN_LABORATORY_H
#define ORRERY_RUN_LABORATORY_H

#include "base/arena.h"
#include "base/diag.h"
#include "config/config.h"
#include "model/network.h"
#include "run/lone_schedule.h"
#include "run/simulate.h"

/* A setting of config/settings.h by its key, as text. */
struct lab_setting {
    const char *key, *value;
};

struct lab_request {
    enum collective_kind kind;
    uint64_t bytes; /* as nccl-tests counts it: the full buffer (all-gather: the gathered one) */
    /* Names, NULL-terminated; NULL: all of the kind. custom:PREFIX names Chakra files, a path that
     * ends with .xml an MSCCL file. */
    const char *const *algorithm;
    const enum net_backend *fidelity;
    uint32_t fidelity_count;
    const struct lab_setting *setting; /* network.topology among them */
    uint32_t setting_count;
};

struct lab_row {
    const char *algorithm; /* as configured */
    const char *reason;    /* why it cannot run, or NULL */
    double messages;       /* of the plan, over all ranks; 0: a schedule from a file */
    uint64_t steps;        /* messages one after the other, of one piece; 0: no closed form */
    const char *chosen;    /* what `auto` ran, else NULL */
    double messages_per_rank;
    double bytes_per_rank;  /* injected */
    double most_link_bytes; /* on the busiest link; 0 if no fidelity saw links */
    const char *busiest_link;
    time_ps time_ps[NET_BACKEND_COUNT]; /* [fidelity_count] */
};

struct lab {
    struct arena arena;
    const struct lab_request *request;
    const char *topology; /* canonical text */
    uint32_t ranks;
    double injection_Bps; /* least over the ranks: all links out of one */
    time_ps bound_ps;     /* no algorithm without reduction in the network is faster */
    /* Bytes per rank that bus bandwidth counts: those of lab_bus_factor(); uneven: sent to
     * others. */
    double bus_bytes;
    const char *tuned; /* what the library of `auto` would do and how long it would take, or NULL */
    time_ps tuned_ps;
    struct lab_row *row;
    uint32_t row_count;
    struct notices notices;
};

/* `watch` may be NULL. Fails only if the request itself is wrong; `lab` is released in every
 * case. */
enum status lab_run(struct lab *lab, const struct lab_request *request,
                    const struct simulate_watch *watch, struct diag *diag);

/* The schedule of one algorithm of the request, or of an MSCCL file, on its network. To be released
 * in every case. */
enum status lab_schedule(const struct lab_request *request, const char *algorithm,
                         struct lone_schedule *lone, struct diag *diag);

/* Is the algorithm of that name for the request's kind? */
bool lab_is_of_kind(const struct lab_request *request, const char *name);

void lab_init(struct lab *lab);
void lab_release(struct lab *lab);

/* Factor from bytes / time to bus bandwidth, as nccl-tests defines it. */
double lab_bus_factor(enum collective_kind kind, uint32_t ranks);

#endif
