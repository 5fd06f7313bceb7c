/*
 * lone - one collective alone on a network, run by simulate() with its plan's closed form beside
 * it.
 *
 * The network is a one-line topology with settings of config/settings.h. `shape`, if given, is what
 * the ranks are said to be in instead of the fabric's own dimensions: on full:12 as 3 x 4 every
 * pair has a link of its own, so what an algorithm of several dimensions sends never meets.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_LONE_H
#define ORRERY_TESTS_AGREE_FORMS_LONE_H

#include "config/config.h"
#include "model/collective.h"
#include "stats/result.h"

enum { LONE_MOST_SETTINGS = 8 };

struct lone_setting {
    const char *key, *value;
};

struct lone_case {
    const char *topology;
    uint32_t shape[4]; /* ends at the first 0 */
    enum collective_kind kind;
    uint64_t bytes;        /* trace.h rule 5 */
    const char *algorithm; /* as in a configuration; several with commas, one per dimension */
    enum net_backend fidelity;
    bool is_unfolded;
    struct lone_setting setting[LONE_MOST_SETTINGS]; /* ends at the first without a key */
};

struct lone {
    struct config config;
    struct run_result result;
    struct collective_cost
        cost; /* sums over the phases; total_bytes and port_bytes of all groups */
    uint32_t phases;
    bool
        is_symmetric; /* every shift of a dimension leaves the schedules of all phases as they are */
};

/*
 * Runs it. STATUS_BAD_CONFIG or STATUS_BAD_INPUT: the algorithm cannot run this, `diag` says why.
 * lone_release() in every case.
 */
enum status lone_run(struct lone *lone, const struct lone_case *given, struct diag *diag);
void lone_release(struct lone *lone);

/* Could it not run for a reason that lies in the case? */
static inline bool lone_is_refused(enum status status)
{
    return status == STATUS_BAD_CONFIG || status == STATUS_BAD_INPUT;
}

/* Adds a setting to a case. */
void lone_set(struct lone_case *given, const char *key, const char *value);

#endif
