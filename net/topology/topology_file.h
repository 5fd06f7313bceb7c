/*
 * topology_file - topologies that are not written in one line: files, told apart by content.
 *
 *     a first line of numbers            ns-3, SimAI           import_ns3.h
 *     <..                                lstopo's XML          import_lstopo.h
 *     YAML or JSON with nodes, links     an arbitrary graph    graph_file.h
 *                  node, copies          equal nodes and the network between their NICs  compose.h
 *                  lstopo                lstopo's XML, and what it does not say  lstopo_doc.h
 *                  npus_count            ASTRA-sim's network file
 *                  topology              a one-line form, a preset, or a path, by another name
 *
 * Rules:
 *  1. Paths inside a file are relative to its folder. Files may name files, TOPOLOGY_DEPTH deep.
 *  2. All of ours may have `changes`: a text of changes.h, or a list of such texts.
 *  3. Graphs and ns-3's text that are trees of switches get their levels (find_tree.h).
 *  4. What a reader had to guess or left out is in fabric->notices.
 */
#ifndef ORRERY_NET_TOPOLOGY_TOPOLOGY_FILE_H
#define ORRERY_NET_TOPOLOGY_TOPOLOGY_FILE_H

#include "base/doc.h"
#include "net/topology/fabric.h"

enum { TOPOLOGY_DEPTH = 4, TOPOLOGY_MOST_BYTES = 1 << 30 };

/* Is `text` the path of a file, or meant to be one? */
bool topology_file_is(const char *text);

/* `depth`: how many files lead here. */
enum status topology_file_load(const char *path, uint32_t depth, struct fabric **fabric,
                               struct diag *diag);

/* The topology that a document names: in one line, or by a path relative to the document. */
enum status topology_beside(const struct doc *doc, const struct doc_node *node, const char *field,
                            uint32_t depth, struct fabric **fabric, struct diag *diag);

#endif
