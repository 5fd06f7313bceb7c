/*
 * trace_spec - a trace set from a specification in JSON, as the agreement data describes them:
 *   {"gen": "coll", "npus": 8, "comm": "ALL_REDUCE", "size": 1048576}
 *   {"gen": "dp", "npus": 8, "layers": 32, "iters": 1, "fwd_ops": ..., "fwd_bytes": ...,
 *    "bwd_ops": ..., "bwd_bytes": ..., "grad_bytes": ...}
 *   {"gen": "skew", "npus": 8, "comm": .., "size": .., "count": 1, "base_us": 1, "spread_us": 97}
 */
#ifndef ORRERY_TESTS_TOOLS_TRACE_SPEC_H
#define ORRERY_TESTS_TOOLS_TRACE_SPEC_H

#include "base/doc.h"

/*
 * Writes PREFIX.all.et, or PREFIX.<rank>.et if ranks differ. STATUS_USAGE if the specification is
 * of a kind that is not generated here.
 */
enum status trace_spec_write(const struct doc_node *spec, const char *prefix, struct diag *diag);

#endif
