/*
 * store_follow - how far a study is, seen by another process than the one that runs it.
 *
 * Rules:
 *  1. A look asks the file system first: a store of the same size and time, with the same log
 *     beside it, is not opened. (A change within a tenth of a second of a look is looked at again.)
 *  2. A store is open during a look only, so that whoever writes it can leave WAL when it ends, and
 *     only results that are new since the last look are read: ids of results only grow.
 *  3. Nothing is written, and no lock is taken that a writer would wait for.
 *  4. A store that is gone, replaced, cut, or of another schema is a state with its reason, not an
 *     end: the next look may find it well again. With it all is counted anew.
 *  5. `writer` is who holds FILE.lock (store.h), on this machine: 0 for nobody that can be seen.
 *  6. `has_jobs`: a cluster has a submission of this study whose results are not in the store
 *     (chunk_plan.h). A store that is locked, as while a command merges such results, keeps its
 *     last state for ten seconds of looks.
 *  7. The best is over the column that the study names (progress.h).
 */
#ifndef ORRERY_SWEEP_STORE_FOLLOW_H
#define ORRERY_SWEEP_STORE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "sweep/progress.h"

struct store_follow;

struct store_state {
    bool is_well;
    struct diag why;          /* it is not */
    uint64_t version;         /* counts up when what is in it changes; not 0 after a look */
    struct progress progress; /* total, stored: ended, failed, best */
    long writer;              /* process number, or 0 */
    bool has_jobs;
};

struct store_follow *store_follow_create(const char *path);
void store_follow_destroy(struct store_follow *follow);

/* True if *state is another than before. */
bool store_follow_look(struct store_follow *follow);

/* Of the last look. */
const struct store_state *store_follow_state(const struct store_follow *follow);

/* Points of the study that have ended, of `total`. */
static inline uint32_t store_state_done(const struct store_state *state)
{
    return state->progress.stored + state->progress.ran;
}

#endif
