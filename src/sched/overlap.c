#include "sched/overlap.h"

/* How much longer compute of the rank takes now. */
static double factor_of(const struct sched *sched, const struct rank *rank)
{
    return rank->comm_running ? 1 + sched->system->overlap_slowdown : 1;
}

/* By how much it is slow for a time besides, or NULL. */
static const struct pace *pace_of(const struct sched *sched, uint32_t rank)
{
    return sched->speed ? rank_speed_pace(sched->speed, rank_at(sched, rank)) : NULL;
}

static void register_end(struct sched *sched, uint32_t index)
{
    struct flight *flight = flight_at(sched, index);
    double left_ps = (double)flight->work_left_ps * factor_of(sched, &sched->rank[flight->rank]);
    const struct pace *pace = pace_of(sched, flight->rank);
    if (pace)
        left_ps = pace_duration(pace, now_of(sched), left_ps);
    time_ps duration = left_ps < 0x1p63 ? (time_ps)(left_ps + 0.5) : TIME_NEVER;
    flight->since = now_of(sched);
    agenda_add(&sched->agenda, flight->rank, time_after(now_of(sched), duration),
               item_payload(ITEM_COMPUTE, flight->version, index));
}

void overlap_compute_begin(struct sched *sched, uint32_t index, time_ps duration)
{
    struct flight *flight = flight_at(sched, index);
    struct rank *rank = &sched->rank[flight->rank];
    flight->work_left_ps = duration;
    flight->version = (flight->version + 1) & ITEM_A_MASK;
    flight->next = rank->computing;
    rank->computing = index;
    register_end(sched, index);
}

bool overlap_has_ended(struct sched *sched, uint32_t index, uint32_t version)
{
    struct flight *flight = flight_at(sched, index);
    if (version != flight->version)
        return false;
    uint32_t *at = &sched->rank[flight->rank].computing;
    while (*at != index)
        at = &flight_at(sched, *at)->next;
    *at = flight->next;
    return true;
}

/* The speed of the rank's compute is about to change. */
static void settle(struct sched *sched, uint32_t rank_index)
{
    const struct rank *rank = &sched->rank[rank_index];
    double factor = factor_of(sched, rank);
    const struct pace *pace = pace_of(sched, rank_index);
    for (uint32_t i = rank->computing; i != NONE; i = flight_at(sched, i)->next) {
        struct flight *flight = flight_at(sched, i);
        double gone_ps = pace ? pace_work(pace, flight->since, now_of(sched))
                              : (double)(now_of(sched) - flight->since);
        double done_ps = gone_ps / factor;
        time_ps done = (time_ps)(done_ps + 0.5);
        flight->work_left_ps -= done < flight->work_left_ps ? done : flight->work_left_ps;
        flight->version = (flight->version + 1) & ITEM_A_MASK;
    }
}

static void go_on(struct sched *sched, uint32_t rank_index)
{
    for (uint32_t i = sched->rank[rank_index].computing; i != NONE; i = flight_at(sched, i)->next)
        register_end(sched, i);
}

/* The first collective that comes and the last that goes change the speed. */
static void set_running(struct sched *sched, uint32_t rank_index, uint32_t collectives)
{
    struct rank *rank = &sched->rank[rank_index];
    bool changes = (collectives > 0) != (rank->comm_running > 0);
    if (changes)
        settle(sched, rank_index);
    rank->comm_running = collectives;
    if (changes)
        go_on(sched, rank_index);
}

void overlap_comm_begin(struct sched *sched, uint32_t rank)
{
    if (sched->system->overlap_slowdown > 0)
        set_running(sched, rank, sched->rank[rank].comm_running + 1);
}

void overlap_comm_end(struct sched *sched, uint32_t rank)
{
    if (sched->system->overlap_slowdown > 0)
        set_running(sched, rank, sched->rank[rank].comm_running - 1);
}
