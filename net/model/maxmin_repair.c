#include "net/model/maxmin_parts.h"

/*
 * Links whose level may be wrong wait in the heap, by their old level. One is taken, its level
 * computed from what its flows get elsewhere; if it differs, the other links of the flows whose
 * rate that changes join the heap. When the heap is empty each level agrees with its neighbours',
 * and only the max-min levels do: the least of them has flows that are held back nowhere else, so
 * it is capacity / weight, and so on upwards. For the same reason the loop ends: a level is final
 * once those below it are.
 */

/* A flow that is held back elsewhere at almost the level of a link may be one that both hold
 * back. */
#define NEARLY (1 - 1e-9)

/* Give up when this many times all flow-links were looked at. */
enum { EFFORT = 2 };

struct repair {
    struct maxmin *solver;
    uint64_t looked_at; /* flow-links */
};

/* What the members of a link get. */
struct demand {
    long double open_weight; /* of flows that it holds back, or nobody does */
    long double used;        /* by flows held back elsewhere */
    double most_foreign;     /* greatest rate of those */
};

static bool is_open(double rate, uint32_t bottleneck, uint32_t link)
{
    return bottleneck == link || rate == INFINITY;
}

static struct demand demand_of(const struct maxmin *solver, uint32_t link)
{
    struct demand demand = {0};
    const struct maxmin_member *member = members_of(solver, link);
    for (uint32_t i = 0; i < solver->link[link].count; i++) {
        uint32_t bottleneck = state_at(solver, member[i].flow)->bottleneck;
        double rate = solver->level[bottleneck];
        if (is_open(rate, bottleneck, link)) {
            demand.open_weight += member[i].weight;
        } else {
            demand.used += (long double)member[i].weight * rate;
            if (rate > demand.most_foreign)
                demand.most_foreign = rate;
        }
    }
    return demand;
}

/* Adds up what the members get that are slower elsewhere than `level`; the rest is open. Returns
 * how many those are. */
static uint32_t slower_than(const struct maxmin *solver, uint32_t link, double level,
                            struct demand *demand)
{
    const struct maxmin_member *member = members_of(solver, link);
    uint32_t slower = 0;
    *demand = (struct demand){0};
    for (uint32_t i = 0; i < solver->link[link].count; i++) {
        uint32_t bottleneck = state_at(solver, member[i].flow)->bottleneck;
        double rate = solver->level[bottleneck];
        if (rate < level && bottleneck != link) {
            demand->used += (long double)member[i].weight * rate;
            slower++;
        } else {
            demand->open_weight += member[i].weight;
        }
    }
    return slower;
}

/* Where the link fills up if it takes over flows that are faster elsewhere. From below: each round
 * lets those go that stay slower than the level, which raises it. */
static double level_from_below(const struct maxmin *solver, uint32_t link)
{
    double level = 0;
    uint32_t slower = 0, slower_before;
    struct demand demand;
    slower_than(solver, link, level, &demand);
    do {
        if (demand.open_weight == 0)
            return INFINITY;
        level = rounded_level((solver->capacity[link] - demand.used) / demand.open_weight);
        slower_before = slower;
        slower = slower_than(solver, link, level, &demand);
    } while (slower > slower_before);
    return level;
}

static double new_level(struct maxmin *solver, uint32_t link)
{
    struct demand demand = demand_of(solver, link);
    double capacity = solver->capacity[link];
    solver->link[link].load = (double)demand.used;
    touch(solver, link);
    if (demand.open_weight == 0 && demand.used <= capacity * (1 + MAXMIN_TIE))
        return INFINITY;
    if (demand.open_weight > 0) {
        long double level = (capacity - demand.used) / demand.open_weight;
        if (demand.most_foreign < level * NEARLY)
            return rounded_level(level);
    }
    return level_from_below(solver, link);
}

/* The rate of `flow` changed by `change` for the sake of link `cause`. */
static void tell_others(struct repair *repair, uint32_t flow, uint32_t cause, double change)
{
    struct maxmin *solver = repair->solver;
    const struct maxmin_flow *one = flow_at(solver, flow);
    const struct maxmin_element *element = element_at(solver, one->first);
    repair->looked_at += one->count;
    for (uint32_t k = 0; k < one->count; k++) {
        uint32_t link = element[k].link;
        if (link == cause || id_heap_has(&solver->heap, link))
            continue;
        if (solver->level[link] == INFINITY) {
            solver->link[link].load += weight_of(solver, one, k) * change;
            touch(solver, link);
            if (solver->link[link].load < solver->capacity[link] * (1 - 1e-9))
                continue; /* not full, and far from it */
        }
        id_heap_set(&solver->heap, link, id_heap_key(solver->level[link]));
    }
}

/* The link of least level on the way of `flow`, but for link `but`. */
static uint32_t least_other(const struct maxmin *solver, uint32_t flow, uint32_t but)
{
    const struct maxmin_flow *one = flow_at(solver, flow);
    const struct maxmin_element *element = element_at(solver, one->first);
    uint32_t least = MAXMIN_NONE;
    for (uint32_t k = 0; k < one->count; k++) {
        uint32_t link = element[k].link;
        if (link == but)
            continue;
        if (least == MAXMIN_NONE || solver->level[link] < solver->level[least])
            least = link;
    }
    return least;
}

/* Lets flows of `link` go that other links hold back below `level`; true if there was one. */
static bool let_go(struct repair *repair, uint32_t link, double level)
{
    struct maxmin *solver = repair->solver;
    const struct maxmin_member *member = members_of(solver, link);
    bool any = false;
    for (uint32_t i = 0; i < solver->link[link].count; i++) {
        uint32_t flow = member[i].flow;
        if (state_at(solver, flow)->bottleneck != link)
            continue;
        uint32_t other = least_other(solver, flow, link);
        repair->looked_at += flow_at(solver, flow)->count;
        if (other == MAXMIN_NONE || solver->level[other] >= level)
            continue;
        double change = solver->level[other] - solver->level[link];
        set_bottleneck(solver, flow, other);
        if (change != 0)
            tell_others(repair, flow, link, change);
        any = true;
    }
    return any;
}

/* Sets the level; takes over flows that are faster elsewhere. */
static void hold_back(struct repair *repair, uint32_t link, double level)
{
    struct maxmin *solver = repair->solver;
    double before = solver->level[link];
    const struct maxmin_member *member = members_of(solver, link);
    set_level(solver, link, level);
    if (level == INFINITY)
        return;
    for (uint32_t i = 0; i < solver->link[link].count; i++) {
        uint32_t flow = member[i].flow, bottleneck = state_at(solver, flow)->bottleneck;
        double rate = bottleneck == link ? before : solver->level[bottleneck];
        if (bottleneck != link) {
            if (rate <= level)
                continue;
            set_bottleneck(solver, flow, link);
        }
        if (rate != level)
            tell_others(repair, flow, link, rate == INFINITY ? level : level - rate);
    }
}

static void repair_link(struct repair *repair, uint32_t link)
{
    struct maxmin *solver = repair->solver;
    if (solver->link[link].count == 0)
        return;
    double level;
    do {
        level = new_level(solver, link);
        repair->looked_at += solver->link[link].count;
    } while (level > solver->level[link] && let_go(repair, link, level));
    if (level != solver->level[link])
        hold_back(repair, link, level);
}

/* Flows that start are held back by what holds back others on their way. A link that was not full
 * before flows left it is not full now. */
static void begin(struct maxmin *solver)
{
    const uint32_t *started = solver->started.base;
    for (size_t i = 0; i < solver->started.count; i++) {
        const struct maxmin_flow *flow = flow_at(solver, started[i]);
        for (uint32_t k = 0; k < flow->count; k++) {
            uint32_t link = element_at(solver, flow->first + k)->link;
            id_heap_set(&solver->heap, link, id_heap_key(solver->level[link]));
        }
        set_bottleneck(solver, started[i], least_other(solver, started[i], MAXMIN_NONE));
    }
    for (uint32_t i = 0; i < solver->dirty.count; i++) {
        uint32_t link = solver->dirty.item[i];
        if (solver->link[link].count > 0 && solver->level[link] < INFINITY)
            id_heap_set(&solver->heap, link, id_heap_key(solver->level[link]));
    }
}

bool maxmin_repair(struct maxmin *solver)
{
    struct repair repair = {.solver = solver};
    begin(solver);
    while (solver->heap.count > 0) {
        uint32_t link = id_heap_least(&solver->heap).id;
        id_heap_remove(&solver->heap, link);
        repair_link(&repair, link);
        if (repair.looked_at > EFFORT * solver->running_elements) {
            id_heap_clear(&solver->heap);
            return false;
        }
    }
    return true;
}
