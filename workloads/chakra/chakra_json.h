/*
 * chakra_json - the JSON form of a trace: {"workload_graph": [{"Id": .., "NodeType": .., ..}, ..]}.
 *
 * Keys of a node: Id, Name, NodeType, runtime (us), data_deps, ctrl_deps (also ctrlDeps, dataDeps),
 * and any attribute by its Chakra name. The jsonizer's output (messages back to back) is not a JSON
 * document and is not read.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_JSON_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_JSON_H

#include "workloads/chakra/chakra_build.h"

/* True if the bytes can only be JSON: '{' and then '"' or '}', blanks aside. */
bool chakra_is_json(const uint8_t *bytes, size_t length);

/* Adds every node of the document to `build`. */
enum status chakra_read_json(struct chakra_build *build, const char *path, const uint8_t *bytes,
                             size_t length);

#endif
