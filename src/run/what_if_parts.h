/* what_if_parts - shared by run/what_if.c, which reads and checks, and run/what_if_run.c. */
#ifndef ORRERY_RUN_WHAT_IF_PARTS_H
#define ORRERY_RUN_WHAT_IF_PARTS_H

#include "run/what_if.h"

/* Is node `index` one that what_if->match[match] names? */
bool what_if_matches(const struct what_if *what_if, uint32_t match, struct trace *trace,
                     uint32_t index);

#endif
