/*
 * axis_values - the values of one axis, from a list or a range of a study file.
 */
#ifndef ORRERY_SWEEP_AXIS_VALUES_H
#define ORRERY_SWEEP_AXIS_VALUES_H

#include "base/doc.h"
#include "sweep/study.h"

/* Fills count, text and number of `axis`, in `arena`; `field` is the axis's place for messages. */
enum status axis_read(struct axis *axis, struct arena *arena, const struct doc *doc,
                      const struct doc_node *node, const char *field, struct diag *diag);

#endif
