/*
 * places - what the loaders of this room share: where a value stands, and what was ignored.
 */
#ifndef ORRERY_CONFIG_PLACES_H
#define ORRERY_CONFIG_PLACES_H

#include "base/doc.h"
#include "config/config.h"

/* Bounds that keep durations within the range of simulated time; far outside real hardware. */
#define LEAST_B_PER_NS 1e-9 /* 1 byte/s */
#define MOST_QUANTITY  1e15 /* ns of latency: 11 days; GB/s or B/ns of bandwidth */

/*
 * Loads a document and lists it among the configuration's inputs. On failure `doc` is empty:
 * doc_release() is allowed.
 */
enum status load_input(struct config *config, struct doc *doc, const char *role, const char *path,
                       enum doc_syntax syntax, struct diag *diag);

/* load_input(), then `read`. */
enum status load_and_read(struct config *config, const char *role, const char *path,
                          enum doc_syntax syntax,
                          enum status (*read)(struct config *config, const struct doc *doc,
                                              struct notices *notices, struct diag *diag),
                          struct notices *notices, struct diag *diag);

/* "path:line" of a node, the source text of its provenance row. */
const char *place_of(char *to, size_t size, const struct doc *doc, const struct doc_node *node);

/* An IGNORED notice `kind_of_key` that counts the keys of map `node` that are not in `known`. */
void ignore_unknown(const struct doc *doc, const struct doc_node *node, const char *const *known,
                    const char *kind_of_key, struct notices *notices);

/* Adds file, line and field to a message made below, and returns `status`. */
enum status fail_at_node(const struct doc *doc, const struct doc_node *node, const char *field,
                         enum status status, struct diag *diag);

/* `path` as seen from the folder of the document; lives in `arena` or is `path` itself. */
const char *path_beside(struct arena *arena, const struct doc *doc, const char *path);

/* Is it meant as a path, and not as a one-line form? It has a slash or a dot, and no colon. */
bool is_topology_path(const char *text);

/* The block of a dimension, by its name to the letter. `node` may be NULL. */
enum status read_block_name(const struct doc *doc, const struct doc_node *node, const char *field,
                            enum net_block *block, struct diag *diag);

/*
 * Custom collectives of single nodes: the map `node`, id to prefix. `field` names it in messages.
 * `beside`: prefixes are relative to the document's folder.
 */
enum status read_node_algorithms(struct config *config, const struct doc *doc,
                                 const struct doc_node *node, const char *field, bool beside,
                                 struct diag *diag);

/* Where the four values of a dimension stand. */
struct dim_places {
    const struct doc_node *block, *npus, *bandwidth, *latency;
};

/* Notes the rows of dimension `d`. */
void network_note_dim(struct config *config, uint32_t d, const struct doc *doc,
                      const struct dim_places *places);

/* Sets the number of NPUs from the dimensions; fails if there are too many. */
enum status network_complete(struct config *config, const struct doc *doc,
                             const struct doc_node *node, const char *field, struct diag *diag);

#endif
