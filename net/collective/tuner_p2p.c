/* Point to point: all-to-all, gather, scatter, send and receive. */
#include "net/collective/tuner_cost.h"

/* Every rank, or the root, has a part of its bytes for each rank. */
static bool is_to_all(int kind)
{
    return kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER;
}

/* Part of what a rank sends that goes to its own domain, and to others. */
static void p2p_parts(const struct tuner_shape *shape, double *inside, double *outside)
{
    bool to_all = is_to_all(shape->request->kind);
    *inside = to_all ? (shape->g - 1) / shape->n : shape->D < 2;
    *outside = to_all ? (shape->n - shape->g) / shape->n : shape->D > 1;
}

/* The slower of links and, behind a switch, of the copies that feed them (a rank's own part is
 * one) when a rank sends `bytes` in all. */
static double p2p_inside_us(const struct tuner_shape *shape, double bytes)
{
    double inside, outside;
    p2p_parts(shape, &inside, &outside);
    double us = tuner_us_of(bytes * inside, shape->B * shape->library->p2p_links);
    double copied = outside > 0 ? inside : 1;
    if (shape->system->scale_up == SCALE_UP_SWITCH)
        us = fmax(us, tuner_us_of(bytes * copied, shape->library->p2p_copy_rate_Bps));
    return us;
}

static double p2p_outside_us(const struct tuner_shape *shape, double bytes)
{
    double inside, outside;
    p2p_parts(shape, &inside, &outside);
    return tuner_us_of(bytes * outside, shape->W / shape->g);
}

void tuner_try_p2p(const struct tuner_shape *shape, struct tuner_candidate *p2p)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    bool to_all = is_to_all(shape->request->kind);
    double peer_bytes = to_all ? shape->bytes / shape->n : shape->bytes;
    bool is_ll = peer_bytes <= library->p2p_ll_bytes && !shape->system->simple_only;
    p2p->protocol = is_ll ? TUNER_LL : TUNER_SIMPLE;
    p2p->base_us = tuner_base_us(shape, TUNER_RING, TUNER_LL);
    p2p->alpha_us = generation->ll_hop_us > 0
                        ? generation->ll_hop_us
                        : shape->hop_us[TUNER_RING][TUNER_LL] * generation->latency_scale;
    if (shape->D > 1)
        p2p->alpha_us += tuner_net_us(shape, library->net_us[TUNER_RING][TUNER_LL], p2p->protocol);
    p2p->steps = 1;
    p2p->wire_bytes = shape->bytes;
    if (to_all)
        p2p->base_us += fmax(0, shape->n - library->p2p_peers) * library->p2p_peer_us;
    double inside = p2p_inside_us(shape, shape->bytes);
    if (is_ll) {
        inside = fmax(inside, tuner_us_of(peer_bytes, library->ll_channel_rate_Bps));
    } else {
        p2p->base_us += library->p2p_simple_us * generation->latency_scale;
        if (to_all)
            inside += library->p2p_fill *
                      p2p_inside_us(shape, fmin(shape->bytes, library->p2p_fill_bytes));
    }
    p2p->transfer_us = fmax(inside, p2p_outside_us(shape, shape->bytes));
    double to_own, to_others;
    p2p_parts(shape, &to_own, &to_others);
    p2p->ideal_us =
        tuner_ideal_us(shape, shape->bytes * to_own, shape->bytes * to_others * shape->g);
    p2p->plan_us = 0; /* nothing to choose */
}
