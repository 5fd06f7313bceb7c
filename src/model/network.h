/*
 * network - the promise of a network model: it carries messages and says when they arrive.
 *
 * Rules:
 *  1. Ranks are 0 .. npu_count - 1. `src` and `dst` differ; `bytes` may be 0 (latency only). On a
 *     fabric they may also be switches, by node number (reduction in the network).
 *  2. send() is called at engine->now and makes exactly one event with payload `ticket` happen, at
 *     the time the last byte is at `dst`. The ticket is the caller's, kind and all.
 *  3. A model registers its own event kinds from NETWORK_FIRST_KIND upwards.
 *  4. Models that round do so inside (ASTRA-sim's truncate to whole nanoseconds).
 */
#ifndef ORRERY_MODEL_NETWORK_H
#define ORRERY_MODEL_NETWORK_H

#include <stdint.h>

#include "base/diag.h"
#include "config/config.h"
#include "sim/engine.h"

enum { NETWORK_FIRST_KIND = 12 }; /* 12..15 belong to the network model */

/* What one link of the fabric has done; a sprayed message counts with its share. */
struct link_figures {
    double bytes;
    double busy_ns;   /* flow: integral of load / bandwidth; link: time it was sending */
    double queued_ns; /* link: sum over messages, or their segments, of the wait for it; else 0 */
    uint64_t messages;
};

/* Is told when links carry what: stats/link_series.h. A model counts by servers, of which there are
 * no more than links (network_ops.server_of). */
struct link_meter {
    /* The server carries `bytes` evenly from one time to the other, past or to come. */
    void (*carries)(void *self, uint32_t server, time_ps from, time_ps to, double bytes);
    void *self;
};

/*
 * A folded run (run/fold.h): one rank of each class stands for all of it. A message of it stands
 * for one of every rank of its class. The model keeps one queue, or one constraint, per class of
 * links instead of per link, and one port per class of ranks instead of per rank.
 */
struct link_fold {
    bool by_bundle;           /* below, "link" means bundle of net/topology/routing.h (spraying) */
    const uint32_t *class_of; /* [links]: the lowest link of the link's class */
    const uint32_t *class_size;     /* [links]: members of the class that the link leads */
    const uint32_t *class_of_rank;  /* [npu_count] */
    const uint32_t *first_of_class; /* [classes of ranks]: the rank that is simulated */
    const uint32_t *ranks_of_class; /* [classes of ranks]: how many it stands for */
    bool *is_tied; /* set it (and engine->stop) if an order that ranks may not share decided */
    struct fold_act *act; /* what the scheduler does: set before each send() */
};

/* An action of a simulated rank, as sched/fold_watch.c orders them. */
struct fold_act {
    time_ps registered;     /* an item of the agenda: when it was put there */
    uint32_t serial, cause; /* number of the item or event; of the one that registered it */
    bool is_item;           /* not an event of the engine */
    bool is_watched;        /* of an exchange: the scheduler itself watches the order */
};

/* Are two sends of one rank at one time in the same order on every rank of its class? */
static inline bool fold_act_is_before(const struct fold_act *a, const struct fold_act *b)
{
    return (a->is_watched && b->is_watched) || a->serial == b->serial ||
           (a->is_item && b->is_item && (a->registered != b->registered || a->cause == b->cause));
}

/* The rank whose state (ports) stands for that of `rank`; `fold` may be NULL. */
static inline uint32_t link_fold_stand_in(const struct link_fold *fold, uint32_t rank)
{
    return fold ? fold->first_of_class[fold->class_of_rank[rank]] : rank;
}

/* Messages on each link of a class of `size` for each message of `src` that uses it. */
static inline double link_fold_load(const struct link_fold *fold, uint32_t src, uint32_t size)
{
    return (double)fold->ranks_of_class[fold->class_of_rank[src]] / size;
}

struct network_ops {
    const char *name;    /* as on the command line */
    const char *summary; /* one line for `orrery list` */
    bool has_queues;     /* which of two messages of one time comes first can matter to them */
    bool has_contention; /* messages of different ranks that meet on a link slow each other down */

    /* Can it carry `config`? If not, says why, with a hint. */
    enum status (*check)(const struct network_config *config, struct diag *diag);

    /* Makes the model for `config`, which check() accepted; *self is valid until destroy(). */
    enum status (*create)(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag);

    /* Folded runs: called after create(), before the first send(). `fold` is borrowed. NULL: the
     * model times messages one by one and needs to know nothing. */
    void (*fold)(void *self, const struct link_fold *fold);

    /* Carries a message (rules 1 and 2). O(1), no allocation in steady state. */
    void (*send)(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket);

    /*
     * The same, but that the message's bytes do not leave before those of message `after` (what an
     * earlier call returned, 0: none; it may have arrived): a connection keeps its order. Returns a
     * number of the message, not 0. NULL: in this model messages of one way keep their order
     * anyhow, or never meet.
     */
    uint64_t (*send_after)(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t after,
                           uint64_t ticket);

    /* The same as `count` messages (`bytes` > 0), each sent `gap_ps` after the arrival of the one
     * before; the ticket is of the last. False, and nothing is sent, if the model cannot. NULL: it
     * never can. */
    bool (*send_chain)(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t count,
                       time_ps gap_ps, uint64_t ticket);

    /* Duration of the message on an idle network, for closed forms and bounds. */
    time_ps (*idle_time)(const void *self, uint32_t src, uint32_t dst, uint64_t bytes);

    /* First dimension in which the two ranks differ: the one whose links carry the message. */
    uint32_t (*dimension)(const void *self, uint32_t src, uint32_t dst);

    /* Adds what each link has done so far to rows[fabric->link_count]. NULL: it sees no links. */
    void (*links)(const void *self, struct link_figures *rows);

    /* Has `meter` told what links carry from now on: after create() and fold(), before the first
     * send(). Of a run in which all messages arrive a server was told what it carried, but for
     * rounding. A model that sees no links has its dimensions for servers, each with what all links
     * in it carry together, a message on every hop. NULL: it does not tell. */
    void (*meter)(void *self, const struct link_meter *meter);

    /* The server that counts for the link, and the link's part of what that carries. NULL: as
     * links. */
    uint32_t (*server_of)(const void *self, uint32_t link, double *share);

    void (*destroy)(void *self);
};

/* All models, NULL-terminated (net/models.c). */
extern const struct network_ops *const network_models[];

/* The model that `backend` names. */
const struct network_ops *network_model_of(enum net_backend backend);

#endif
