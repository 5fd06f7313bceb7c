/*
 * server - HTTP on one loop (libmicrohttpd): who may ask, how much, how long. The only user of
 * libmicrohttpd, with server_*.c.
 *
 * Rules:
 *  1. It only reads: GET and HEAD, without a body. What is answered is the caller's, by path; a
 *     path is compared as it was sent, never decoded, and never the name of a file. What follows
 *     '?' is ignored.
 *  2. Requests of other sites are refused: by Host (address.h), Origin, and Sec-Fetch-Site (but for
 *     links that a user follows). There is no CORS, no cookie.
 *  3. All is bounded: SERVER_* below. A connection that asks, or reads its answer, too slowly is
 *     ended; one more than there may be waits until another ends.
 *  4. The caller answers at once, or lets a request wait until server_wake(), when all that wait
 *     are asked again; or makes it a stream of events. A stream gets what was published last, also
 *     when it begins: who reads slowly misses events, not the present state.
 *  5. Everything happens in calls of the loop; nothing here blocks, starts a thread or a process.
 */
#ifndef ORRERY_SERVE_SERVER_H
#define ORRERY_SERVE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "serve/address.h"
#include "serve/body.h"

enum {
    SERVER_CONNECTIONS = 256,     /* in all */
    SERVER_OF_ADDRESS = 64,       /* of one address, if it listens beyond loopback */
    SERVER_STREAMS = 48,          /* of events */
    SERVER_REQUEST_BYTES = 16384, /* request line, headers, and headers of the answer */
    SERVER_PATH_BYTES = 512,
    SERVER_HEADERS = 64,
    SERVER_ASK_S = 10,  /* to the end of a request's headers; between requests */
    SERVER_READ_S = 30, /* to read an answer, and a second more for each 16 KiB */
};

enum server_turn { SERVER_REPLY, SERVER_WAIT, SERVER_STREAM };

struct server_reply {
    unsigned status;        /* of HTTP */
    struct body *body;      /* kept by the caller; NULL: a line that says the status */
    unsigned retry_after_s; /* 0: not said */
};

struct server_ops {
    /* Answers GET `path`. SERVER_REPLY: *reply is set. */
    enum server_turn (*answer)(void *context, const char *path, struct server_reply *reply);
};

struct server_options {
    const struct address *address;
    int listening;      /* of address_listen(); the server's from server_create() on */
    const char *name;   /* a further name that Host may have; NULL */
    const char *policy; /* Content-Security-Policy */
};

struct server_counts {
    uint64_t requests, refused; /* refused: by rules 1 to 3 */
    uint32_t connections, streams;
};

struct server;

/* NULL with a message. Options are borrowed. */
struct server *server_create(struct loop *loop, const struct server_options *options,
                             const struct server_ops *ops, void *context, struct diag *diag);
void server_destroy(struct server *server);

void server_wake(struct server *server);

/* A block of text/event-stream, as streams get it; kept here. */
void server_publish(struct server *server, struct body *event);

struct server_counts server_counts(const struct server *server);

#endif
