/*
 * server_parts - what the files of the server share: its connections.
 */
#ifndef ORRERY_SERVE_SERVER_PARTS_H
#define ORRERY_SERVE_SERVER_PARTS_H

#include <microhttpd.h>

#include "serve/server.h"

struct stream;

/* A connection. */
struct client {
    struct server *server;
    struct MHD_Connection *connection;
    struct client *next, **link; /* *link is this one */
    int fd;
    double deadline_s;    /* 0: none */
    bool is_suspended;    /* it waits, or has nothing to send */
    bool is_gone;         /* the other side closed while it was suspended */
    struct loop_fd *gone; /* watches for that */
    struct stream *stream;
};

struct server {
    struct loop *loop;
    const struct server_options *options;
    const struct server_ops *ops;
    void *context;
    struct MHD_Daemon *daemon;
    struct loop_fd *sockets;
    struct loop_timer *timer, *deadlines;
    struct client *clients;
    struct server_counts counts;
    struct body *event;   /* the last one published, or NULL */
    uint64_t event_count; /* published so far */
    bool has_closed;      /* a connection, in this turn */
    bool is_ending;
};

/* -- server.c ---------------------------------------------------------------------------------- */

void client_suspend(struct client *client);

/* -- server_request.c -------------------------------------------------------------------------- */

/* Sends it. `is_last`: and closes the connection. */
enum MHD_Result client_reply(struct client *client, const struct server_reply *reply, bool is_last);

/* The headers of every answer of that type. */
void add_headers(const struct server *server, const char *type, struct MHD_Response *response);

/* 0 if the request is one that may be asked, else the status it is refused with. */
unsigned request_check(struct client *client, const char *url, const char *method,
                       const char *version);

/* The path of a request's target, which may be in absolute form. */
const char *request_path(const char *url);

/* -- server_stream.c --------------------------------------------------------------------------- */

enum MHD_Result client_stream(struct client *client);

#endif
