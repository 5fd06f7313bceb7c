/*
 * topology_doc - what the readers of topology documents (YAML) share.
 */
#ifndef ORRERY_NET_TOPOLOGY_TOPOLOGY_DOC_H
#define ORRERY_NET_TOPOLOGY_TOPOLOGY_DOC_H

#include "base/doc.h"

/* Fails unless `node` is a map whose keys are all in `known`; suggests. `field` names it. */
enum status topology_keys(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *const *known, struct diag *diag);

/*
 * Key `key` of map `node`: a bandwidth in bytes/s, a duration in ns, a whole number, a word of
 * `words`, or true and false. The value is left alone if the key is absent. `field` names the map:
 * messages are about "<field>.<key>".
 */
enum status topology_bandwidth(const struct doc *doc, const struct doc_node *node,
                               const char *field, const char *key, double *Bps, struct diag *diag);
enum status topology_duration(const struct doc *doc, const struct doc_node *node, const char *field,
                              const char *key, double *ns, struct diag *diag);
enum status topology_count(const struct doc *doc, const struct doc_node *node, const char *field,
                           const char *key, uint32_t most, uint32_t *count, struct diag *diag);
enum status topology_word(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *key, const char *const *words, unsigned *value,
                          struct diag *diag);
enum status topology_flag(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *key, bool *value, struct diag *diag);

/* Adds file, line and field to a message made below, and returns its status. */
enum status topology_at(const struct doc *doc, const struct doc_node *node, const char *field,
                        struct diag *diag);

#endif
