/*
 * sweep_let - names of a study that stand inside its values: places that no key of ours reaches, such
 * as a parameter of a topology or of a preset.
 *
 *     base: {topology: "rail:8x{nodes},bw={speed}"}
 *     axes: {let.nodes: [4, 8], let.speed: [200Gbps, 400Gbps]}
 *
 * Rules:
 *  1. `{NAME}` in any value of base or axes is the value of `let.NAME` at the point. Braces around
 *     anything else stay as they are. What is put in is not looked at again.
 *  2. A name that stands in no value is an error: it would change nothing.
 */
#ifndef ORRERY_CLI_SWEEP_LET_H
#define ORRERY_CLI_SWEEP_LET_H

#include "sweep/study.h"

/* True of "let.NAME", a name of letters, digits, '-' and '_'. */
bool sweep_let_is_key(const char *key);

/* Rule 1 for the point where axis i has value number value[i]. `text` itself if it has no name. */
const char *sweep_let_fill(struct arena *arena, const struct study *study, const uint32_t *value,
                           const char *text);

/* Rule 2. */
enum status sweep_let_check(const struct study *study, struct diag *diag);

#endif
