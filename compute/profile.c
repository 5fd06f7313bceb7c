#include "compute/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/profile_parts.h"

enum { NEAREST = 8, MOST_CORNERS = 1 << PROFILE_SIZES };

uint32_t profile_row_count(const struct profile *profile)
{
    return profile->row_count;
}

/* -- finding ---------------------------------------------------------------------------------- */

static const struct profile_group *find_group(const struct profile *profile,
                                              const struct op_shape *kind)
{
    for (uint32_t i = 0; i < profile->group_count; i++) {
        if (memcmp(&profile->group[i].kind, kind, sizeof *kind) == 0)
            return &profile->group[i];
    }
    return NULL;
}

static const struct profile_row *find_row(const struct profile *profile,
                                          const struct profile_group *group,
                                          const uint64_t size[PROFILE_SIZES])
{
    uint32_t low = group->first, high = group->first + group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = profile_compare(profile->row[middle].size, size);
        if (order == 0)
            return &profile->row[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The neighbours of a size on its axis, and how far it is between them (0 .. 1 in octaves). */
struct bracket {
    uint64_t low, high;
    double part;
    bool is_outside;
};

static struct bracket bracket_of(const uint64_t *axis, uint32_t count, uint64_t size)
{
    if (size <= axis[0] || size >= axis[count - 1]) {
        uint64_t end = size <= axis[0] ? axis[0] : axis[count - 1];
        return (struct bracket){end, end, 0, size != end};
    }
    uint32_t at = 0;
    while (axis[at + 1] < size)
        at++;
    if (axis[at + 1] == size)
        return (struct bracket){size, size, 0, false};
    double low = log2((double)axis[at]), high = log2((double)axis[at + 1]);
    return (struct bracket){axis[at], axis[at + 1], (log2((double)size) - low) / (high - low),
                            false};
}

/* -- answers ----------------------------------------------------------------------------------- */

struct question {
    const struct device *device;
    const struct profile *profile;
    const struct profile_group *group;
    struct op_time_options next; /* of the model behind the profile */
    uint64_t size[PROFILE_SIZES];
    struct op_shape kind;
};

/* The next model's time of a shape of the group with these sizes; bytes and flops by their
 * formulas. */
static double next_ns(const struct question *question, const uint64_t size[PROFILE_SIZES])
{
    struct op_shape shape = question->kind;
    struct op_time time;
    const char *why;
    shape.batch = size[0];
    shape.m = size[1];
    shape.n = size[2];
    shape.k = size[3];
    shape.q_len = size[4];
    shape.kv_len = size[5];
    shape.heads = (uint32_t)size[6];
    if (shape.kv_heads) /* profile_split() keeps how many share keys */
        shape.kv_heads = shape.heads / shape.kv_heads;
    op_shape_finish(&shape);
    op_time(question->device, &shape, &question->next, &time, &why);
    return time.ns;
}

/* Rule 3, first case. False if a corner of the grid is missing. */
static bool on_grid(const struct question *question, const struct bracket bracket[PROFILE_SIZES],
                    double *ns)
{
    double sum = 0;
    for (uint32_t corner = 0; corner < MOST_CORNERS; corner++) {
        uint64_t size[PROFILE_SIZES];
        double weight = 1;
        for (uint32_t a = 0; a < PROFILE_SIZES; a++) {
            bool is_high = corner >> a & 1;
            size[a] = is_high ? bracket[a].high : bracket[a].low;
            weight *= is_high ? bracket[a].part : 1 - bracket[a].part;
        }
        if (weight == 0)
            continue;
        const struct profile_row *row = find_row(question->profile, question->group, size);
        if (!row)
            return false;
        sum += weight * log(row->ns);
    }
    *ns = exp(sum);
    return true;
}

struct neighbour {
    const struct profile_row *row;
    double distance; /* squared, in octaves */
};

static double distance_of(const uint64_t a[PROFILE_SIZES], const uint64_t b[PROFILE_SIZES])
{
    double sum = 0;
    for (uint32_t i = 0; i < PROFILE_SIZES; i++) {
        if (a[i] && b[i]) {
            double octaves = log2((double)a[i] / (double)b[i]);
            sum += octaves * octaves;
        }
    }
    return sum;
}

static uint32_t find_nearest(const struct question *question, struct neighbour nearest[NEAREST])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < question->group->count; i++) {
        const struct profile_row *row = &question->profile->row[question->group->first + i];
        struct neighbour one = {row, distance_of(row->size, question->size)};
        if (count == NEAREST && nearest[NEAREST - 1].distance <= one.distance)
            continue;
        uint32_t at = count < NEAREST ? count++ : NEAREST - 1;
        for (; at > 0 && nearest[at - 1].distance > one.distance; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = one;
    }
    return count;
}

/* Rule 3, second case. */
static void near_rows(const struct question *question, struct op_time *out)
{
    struct neighbour nearest[NEAREST] = {{0}};
    uint32_t count = find_nearest(question, nearest);
    double sum = 0, weights = 0;
    for (uint32_t i = 0; i < count; i++) {
        double weight = 1 / (nearest[i].distance + 1e-9);
        sum += weight * log(nearest[i].row->ns / next_ns(question, nearest[i].row->size));
        weights += weight;
    }
    out->ns = next_ns(question, question->size) * exp(sum / weights);
    out->is_extrapolated = nearest[0].distance > 1;
    snprintf(out->reason, sizeof out->reason,
             "next model x %.4g, the ratio at the %u nearest measured rows%s", exp(sum / weights),
             count, out->is_extrapolated ? ", none within an octave" : "");
}

/* Rules 3 and 4. */
static void answer(const struct question *question, struct op_time *out)
{
    struct bracket bracket[PROFILE_SIZES];
    uint64_t border[PROFILE_SIZES];
    bool is_outside = false;
    for (uint32_t a = 0; a < PROFILE_SIZES; a++) {
        bracket[a] =
            bracket_of(question->group->axis[a], question->group->axis_count[a], question->size[a]);
        border[a] = bracket[a].is_outside ? bracket[a].low : question->size[a];
        is_outside |= bracket[a].is_outside;
    }
    double ns;
    if (!on_grid(question, bracket, &ns)) {
        near_rows(question, out);
        return;
    }
    if (!is_outside) {
        out->ns = ns;
        snprintf(out->reason, sizeof out->reason, "%s",
                 find_row(question->profile, question->group, question->size)
                     ? "measured"
                     : "between measured rows");
        return;
    }
    double ratio = next_ns(question, question->size) / next_ns(question, border);
    out->ns = ns * ratio;
    out->is_extrapolated = true;
    snprintf(out->reason, sizeof out->reason,
             "outside what was measured: %.4g us at the border x %.4g by the next model", ns / 1e3,
             ratio);
}

static bool profile_time(const struct device *device, const struct op_shape *shape,
                         const struct op_time_options *options, struct op_time *out,
                         const char **why)
{
    if (!options->profile)
        return false;
    struct question question = {.device = device, .profile = options->profile, .next = *options};
    question.next.profile = NULL;
    question.next.model = OP_MODEL_AUTO;
    memset(question.next.slowness, 0, sizeof question.next.slowness); /* only ratios matter */
    profile_split(shape, question.size, &question.kind);
    question.group = find_group(options->profile, &question.kind);
    if (!question.group) {
        *why = "the profile has no such op";
        return false;
    }
    answer(&question, out);
    return true;
}

const struct op_model_ops op_model_profile = {
    .name = "profile",
    .summary = "measured times of a table (--profile), between and beyond its rows",
    .time = profile_time,
};
