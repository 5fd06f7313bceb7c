/*
 * survey - what there is to know of a fabric before anything is simulated on it.
 *
 * Rules:
 *  1. Figures are exact, or say what they are: `how` fields.
 *  2. Hops are links on a path; a path may lead through NPUs.
 *  3. Bisection: the least, over ways to part the NPUs into two halves (of equal size, or one
 *     apart), of the max flow from one half to the other, in the narrower direction. Up to
 *     SURVEY_ALL_HALVES NPUs all ways are tried; else the halves of every dimension and of the rank
 *     numbers, which include the narrowest of rings, meshes, tori, full meshes, switches and trees
 *     with even sizes. Of graphs and changed fabrics, halves that begin elsewhere are tried too
 *     (ring:16 without a cable is narrowest where that cable was).
 */
#ifndef ORRERY_NET_TOPOLOGY_SURVEY_H
#define ORRERY_NET_TOPOLOGY_SURVEY_H

#include "net/topology/fabric.h"

enum { SURVEY_ALL_HALVES = 12, SURVEY_MOST_FLOW_LINKS = 1 << 19 };

enum survey_how {
    SURVEY_EXACT,
    SURVEY_BY_SYMMETRY, /* of a product or a built tree, with even sizes: exact */
    SURVEY_SOME_HALVES, /* bisection: the narrowest of the halves tried; it is at most this */
    SURVEY_SOME_NPUS,   /* diameter: seen from some NPUs; it is at least this */
    SURVEY_UNKNOWN      /* too large to tell */
};

struct survey {
    uint32_t role_count[4]; /* by enum fabric_role */
    uint64_t cables;        /* both directions are one; parallel ones are counted */
    uint64_t one_way;       /* links without a way back */
    uint64_t failed;        /* links of bandwidth 0 */
    uint32_t level_count;   /* trees: switches in level i are level_switches[i] */
    uint32_t level_switches[16];

    uint32_t diameter_hops;
    uint32_t far_src, far_dst; /* two NPUs that far apart */
    enum survey_how diameter_how;

    double bisection_Bps; /* each way */
    enum survey_how bisection_how;
    int bisection_dim; /* whose halves are narrowest; -1: those of the ranks; -2: others */

    double injection_least_Bps, injection_most_Bps; /* out of an NPU, over all its links */
    double injection_total_Bps;
    uint32_t injection_least_npu;

    uint32_t classes;          /* alike.h, of NPUs */
    uint32_t class_first[4];   /* of the first classes: its first NPU .. */
    uint32_t class_members[4]; /* .. and how many it has */
    bool classes_settled;
};

void survey_take(struct survey *survey, const struct fabric *fabric);

#endif
