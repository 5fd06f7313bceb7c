/* Profiles: rows by group and size, and the axes of each group. */
#include <stdlib.h>
#include <string.h>

#include "compute/profile_parts.h"

void profile_split(const struct op_shape *shape, uint64_t size[PROFILE_SIZES],
                   struct op_shape *kind)
{
    const uint64_t sizes[PROFILE_SIZES] = {shape->batch, shape->m,      shape->n,    shape->k,
                                           shape->q_len, shape->kv_len, shape->heads};
    memcpy(size, sizes, sizeof sizes);
    *kind = *shape;
    kind->batch = kind->m = kind->n = kind->k = kind->q_len = kind->kv_len = 0;
    kind->heads = 0;
    kind->flops = kind->read_bytes = kind->write_bytes = 0;
    /* Self-attention has one length: rows of one form no grid of two. */
    if (op_class_is_attention(shape->class) && shape->q_len == shape->kv_len) {
        size[5] = 0;
        kind->kv_len = 1;
    }
    /* Heads that share keys: the ratio is what matters. */
    if (shape->kv_heads)
        kind->kv_heads = shape->heads / shape->kv_heads;
}

int profile_compare(const uint64_t a[PROFILE_SIZES], const uint64_t b[PROFILE_SIZES])
{
    for (uint32_t i = 0; i < PROFILE_SIZES; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct profile_row *left = a, *right = b;
    uint64_t size[PROFILE_SIZES];
    struct op_shape kinds[2];
    profile_split(&left->shape, size, &kinds[0]);
    profile_split(&right->shape, size, &kinds[1]);
    int order = memcmp(&kinds[0], &kinds[1], sizeof kinds[0]);
    if (order == 0)
        order = profile_compare(left->size, right->size);
    /* so that the sum of equal shapes has one order */
    return order ? order : (left->ns > right->ns) - (left->ns < right->ns);
}

static bool is_same_kind(const struct profile_row *a, const struct profile_row *b)
{
    uint64_t size[PROFILE_SIZES];
    struct op_shape kinds[2];
    profile_split(&a->shape, size, &kinds[0]);
    profile_split(&b->shape, size, &kinds[1]);
    return memcmp(&kinds[0], &kinds[1], sizeof kinds[0]) == 0;
}

/* Rows of one shape become their mean. */
static void average(struct profile *profile)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < profile->row_count; i++) {
        struct profile_row *last = kept ? &profile->row[kept - 1] : NULL;
        const struct profile_row *row = &profile->row[i];
        if (last && is_same_kind(last, row) && profile_compare(last->size, row->size) == 0) {
            last->samples++;
            last->ns += (row->ns - last->ns) / last->samples;
        } else {
            profile->row[kept++] = *row;
        }
    }
    profile->row_count = kept;
}

static int compare_sizes(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void make_axes(struct profile *profile, struct profile_group *group)
{
    for (uint32_t a = 0; a < PROFILE_SIZES; a++) {
        uint64_t *axis = arena_array(profile->arena, group->count, sizeof *axis);
        for (uint32_t i = 0; i < group->count; i++)
            axis[i] = profile->row[group->first + i].size[a];
        qsort(axis, group->count, sizeof *axis, compare_sizes);
        uint32_t kept = 1;
        for (uint32_t i = 1; i < group->count; i++) {
            if (axis[i] != axis[kept - 1])
                axis[kept++] = axis[i];
        }
        group->axis[a] = axis;
        group->axis_count[a] = kept;
    }
}

void profile_seal(struct profile *profile)
{
    qsort(profile->row, profile->row_count, sizeof *profile->row, compare_rows);
    average(profile);
    profile->group = arena_array(profile->arena, profile->row_count, sizeof *profile->group);
    for (uint32_t i = 0; i < profile->row_count; i++) {
        if (i == 0 || !is_same_kind(&profile->row[i - 1], &profile->row[i]))
            profile->group[profile->group_count++].first = i;
        profile->group[profile->group_count - 1].count++;
    }
    for (uint32_t i = 0; i < profile->group_count; i++) {
        struct profile_group *group = &profile->group[i];
        uint64_t size[PROFILE_SIZES];
        profile_split(&profile->row[group->first].shape, size, &group->kind);
        make_axes(profile, group);
    }
}
