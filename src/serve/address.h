/*
 * address - where a server listens, and by which names it may be called.
 *
 * Rules:
 *  1. An address is a number: "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:80"; a port alone ("8080",
 *     ":8080") is of 127.0.0.1; port 0 is any that is free. Names are not looked up.
 *  2. A request is answered only if its Host is a name of this server: localhost, an address of
 *     this machine's own (127.0.0.0/8, [::1]), the address it listens at, or a name that the user
 *     gave. Else a page elsewhere could have its name point here and read what is served (DNS
 *     rebinding). Where it listens at all addresses, any number is one of its own.
 *  3. The port of a Host is not compared: a tunnel (ssh -L) has another one at its near end.
 */
#ifndef ORRERY_SERVE_ADDRESS_H
#define ORRERY_SERVE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum { ADDRESS_TEXT = 64 };

struct address {
    bool is_v6, is_loopback, is_all; /* is_all: 0.0.0.0, [::] */
    uint16_t port;
    unsigned char bytes[16]; /* the first 4 of IPv4, in network order */
    char text[ADDRESS_TEXT]; /* "127.0.0.1", "[::1]" */
};

/* `option` names it in a message. */
enum status address_parse(struct address *address, const char *text, const char *option,
                          struct diag *diag);

/* Binds and listens; sets the port that was found. The descriptor, or -1 with a message. */
int address_listen(struct address *address, struct diag *diag);

/* True if `host`, as a request has it, is a name of this server; `name` NULL: no further one. */
bool address_is_host(const struct address *address, const char *host, const char *name);

#endif
