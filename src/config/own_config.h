/*
 * own_config - our one-file form: workload, network, system, memory and run in one YAML file.
 *
 * Rules:
 *  1. The form is documented in configs/README.md; configs/examples/ holds commented examples.
 *  2. Every quantity takes a unit ("50GB/s", "1.5us"). A bare number is GB/s or ns, with a notice.
 *  3. An unknown key is an error with a suggestion. Paths are relative to the file's folder.
 *  4. Where ASTRA-sim's behaviour is an accident, the defaults differ from its dialect: recorded
 *     duration 0 takes no time, zero-cost nodes release their children at once, broadcast uses the
 *     network, a node without bytes is computed, times are rounded to ps instead of cut to ns.
 */
#ifndef ORRERY_CONFIG_OWN_CONFIG_H
#define ORRERY_CONFIG_OWN_CONFIG_H

#include "config/config.h"
#include "config/group_file.h"

/* The defaults of this form (rule 4), after config_init(): for configurations made without a
 * file. */
void own_config_defaults(struct config *config);

/*
 * Fills `config` (after config_init()) and, if the file lists groups in place, `groups` (after
 * group_file_init()).
 */
enum status own_config_load(struct config *config, struct group_file *groups, const char *path,
                            struct notices *notices, struct diag *diag);

/* A value at a place of the file that is not what the file says: "system.collectives.all-reduce",
 * "direct". */
struct own_edit {
    const char *path, *text; /* base/doc_edit.h */
};

/*
 * The same with `count` edits. `topology` instead of a `path` (the other is NULL): as a file that
 * has that topology and nothing else.
 */
enum status own_config_load_edited(struct config *config, struct group_file *groups,
                                   const char *path, const char *topology,
                                   const struct own_edit *edit, uint32_t count,
                                   struct notices *notices, struct diag *diag);

/* The same from memory; `name` stands for the path. */
enum status own_config_parse(struct config *config, struct group_file *groups, const char *name,
                             const char *text, size_t length, struct notices *notices,
                             struct diag *diag);

#endif
