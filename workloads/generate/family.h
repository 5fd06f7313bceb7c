/*
 * family - models that are no transformers: layers of their own, data parallel only.
 *
 * Rules:
 *  1. A model file says `family: NAME` and has a map of that name, which the family reads.
 *  2. A sample is an image or a click: plan->seq is 1, batches count samples. Of the plan's degrees
 *     only dp may be above 1 (train_plan_check() sees to it).
 *  3. A family gives the pieces of one rank in the order of the forward pass, as layer_ops.h has
 *     them for layers.
 *
 * Add one: a file with an ops table, its row in family.c and in enum model_family, a preset, a
 * test.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_FAMILY_H
#define ORRERY_WORKLOADS_GENERATE_FAMILY_H

#include "base/fields.h"
#include "workloads/generate/layer_ops.h"

struct family_ops {
    const char *name;

    /* Reads and checks the family's map (NULL if the file has none) into the spec; memory is of the
     * reader's arena. */
    enum status (*read)(struct model_spec *spec, const struct field_reader *reader,
                        const struct doc_node *map);

    uint64_t (*parameters)(const struct model_spec *spec);

    /* Multiply-adds of the forward pass of one sample. */
    double (*products)(const struct model_spec *spec);

    /* The pieces of a rank for one micro-batch; *piece is owned by the arena. Returns how many. */
    uint32_t (*pieces)(const struct model_spec *spec, const struct train_plan *plan,
                       const struct framework *framework, struct arena *arena,
                       struct layer_piece **piece);
};

/* All pieces of a model as one: for who needs sums only. */
void family_book(struct layer_piece *all, const struct model_spec *spec,
                 const struct train_plan *plan, const struct framework *framework,
                 struct arena *arena);

/* NULL for transformers. */
const struct family_ops *family_of(const struct model_spec *spec);

#endif
