/*
 * peer - rows of the peers' reference files (one JSON map a line), and running one.
 */
#ifndef ORRERY_TESTS_AGREE_FLUID_PEER_H
#define ORRERY_TESTS_AGREE_FLUID_PEER_H

#include "base/doc.h"
#include "base/file.h"
#include "net/traffic/traffic.h"

struct peer_file {
    struct file file;
    const char *rest, *path;
    uint32_t line;
};

/* `path` is borrowed. */
enum status peer_open(struct peer_file *peers, const char *path, struct diag *diag);
void peer_close(struct peer_file *peers);

/* The next row; false at the end or with *diag set. The caller releases it. */
bool peer_next(struct peer_file *peers, struct doc *row, struct diag *diag);

/* A value of the row's map: "" or 0 if it is absent. */
const char *peer_text(const struct doc *row, const char *key);
double peer_number(const struct doc *row, const char *key);

/* The rows' flow_list: [id, src, dst, bytes, [deps], ..] with ids 1, 2, .. */
void peer_flows(const struct doc *row, struct traffic *traffic);

/* What a row is run on. */
struct peer_network {
    const char *topology; /* one-line form */
    enum net_backend backend;
    enum net_routing routing;
    uint64_t seed;
    const struct network_ops *ops; /* instead of the backend's; NULL: that */
};

/* Runs it; the result is released by the caller in every case. */
enum status peer_run(const struct peer_network *network, const struct traffic *traffic,
                     struct traffic_result *result, struct diag *diag);

#endif
