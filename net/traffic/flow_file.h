/*
 * flow_file - reads a list of flows: CSV, JSON lines, or htsim's connection matrix.
 *
 *   id,src,dst,bytes,start,deps        {"id": 3, "src": 1, "dst": 2, "bytes": "1MB",
 *   1,0,1,1MB,,                          "start": "5us", "deps": [1, 2]}
 *   3,1,2,1MB,5us,1 2
 *
 * Rules:
 *  1. What it is, is seen from the content: '{' begins JSON lines, "Nodes" a connection matrix; all
 *     else is CSV, whose first line names its columns, in any order.
 *  2. src, dst and bytes are needed. id is any number, each once; without ids, flows are 1, 2, ..
 *     A bare number of bytes is in B, a bare start in ns. deps are ids, of lines before or after;
 *     in CSV with blanks or ';' between.
 *  3. Connection matrix: lines "SRC->DST id N start PS size BYTES"; a flow with "trigger N" starts
 *     when the flow with "send_done_trigger N" or "recv_done_trigger N" has arrived. Lines that
 *     begin with Nodes, Connections, Triggers, trigger, failure or '#' have nothing else to say.
 *  4. Empty lines, and lines that begin with '#', are skipped. Gzip is known by its magic.
 *  5. A mistake is STATUS_BAD_INPUT with file, line and field.
 */
#ifndef ORRERY_NET_TRAFFIC_FLOW_FILE_H
#define ORRERY_NET_TRAFFIC_FLOW_FILE_H

#include "net/traffic/traffic.h"

enum status flow_file_load(struct traffic *traffic, const char *path, struct diag *diag);

/* The same from memory; `name` is used in messages. */
enum status flow_file_parse(struct traffic *traffic, const char *name, const char *text,
                            size_t length, struct diag *diag);

#endif
