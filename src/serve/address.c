#include "serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/decimal.h"

enum { BACKLOG = 128 };

/* -- text -------------------------------------------------------------------------------------- */

/* A number such as "127.0.0.1", "::1" or "[::1]", of `length` letters. */
static bool read_number(struct address *address, const char *text, size_t length)
{
    char copy[ADDRESS_TEXT];
    bool is_bracketed = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    text += is_bracketed;
    length -= is_bracketed ? 2 : 0;
    if (length >= sizeof copy - 2)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    memset(address->bytes, 0, sizeof address->bytes);
    address->is_v6 = is_bracketed;
    if (inet_pton(is_bracketed ? AF_INET6 : AF_INET, copy, address->bytes) != 1)
        return false;
    static const unsigned char none[16], one[16] = {[15] = 1};
    size_t size = address->is_v6 ? 16 : 4;
    address->is_all = memcmp(address->bytes, none, size) == 0;
    address->is_loopback =
        address->is_v6 ? memcmp(address->bytes, one, size) == 0 : address->bytes[0] == 127;
    inet_ntop(address->is_v6 ? AF_INET6 : AF_INET, address->bytes, copy, sizeof copy - 2);
    snprintf(address->text, sizeof address->text, address->is_v6 ? "[%s]" : "%s", copy);
    return true;
}

/* Where the port's colon is, or the end. */
static const char *find_port(const char *text)
{
    const char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *colon = strchr(bracket ? bracket : text, ':');
    return colon ? colon : text + strlen(text);
}

enum status address_parse(struct address *address, const char *text, const char *option,
                          struct diag *diag)
{
    const char *colon = find_port(text), *port = *colon ? colon + 1 : text;
    uint64_t number = 0;
    *address = (struct address){.port = 0};
    bool is_port = *port && decimal_u64(port, strlen(port), &number) && number <= UINT16_MAX;
    bool has_address = *colon && colon > text;
    bool is_number = has_address ? read_number(address, text, (size_t)(colon - text))
                                 : read_number(address, "127.0.0.1", 9);
    if (is_port && is_number) {
        address->port = (uint16_t)number;
        return STATUS_OK;
    }
    diag_field(diag, "%s", option);
    diag_fail(diag, STATUS_USAGE, "expected ADDRESS:PORT in numbers, found \"%.80s\"", text);
    diag_hint(diag, "127.0.0.1:8080, [::1]:8080, or 8080; port 0 is any that is free");
    return STATUS_USAGE;
}

/* -- sockets ----------------------------------------------------------------------------------- */

union place {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t fill_place(union place *place, const struct address *address)
{
    memset(place, 0, sizeof *place);
    if (address->is_v6) {
        place->v6.sin6_family = AF_INET6;
        place->v6.sin6_port = htons(address->port);
        memcpy(&place->v6.sin6_addr, address->bytes, 16);
        return sizeof place->v6;
    }
    place->v4.sin_family = AF_INET;
    place->v4.sin_port = htons(address->port);
    memcpy(&place->v4.sin_addr, address->bytes, 4);
    return sizeof place->v4;
}

static int fail(const struct address *address, int fd, struct diag *diag)
{
    int error = errno;
    if (fd >= 0)
        close(fd);
    diag_fail(diag, STATUS_IO, "cannot listen at %s:%u: %s", address->text, address->port,
              strerror(error));
    if (error == EADDRINUSE)
        diag_hint(diag, "another program listens there: --listen %s:0 takes any free port",
                  address->text);
    else if (error == EACCES)
        diag_hint(diag, "ports below 1024 are of the system: take a higher one");
    else if (error == EADDRNOTAVAIL)
        diag_hint(diag, "this machine does not have that address");
    return -1;
}

int address_listen(struct address *address, struct diag *diag)
{
    union place place;
    socklen_t size = fill_place(&place, address);
    int one = 1;
    int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(address, fd, diag);
    /* A port that was ours a minute ago may be taken again; one that is in use may not. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address->is_v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, &place.any, size) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &place.any, &size) != 0)
        return fail(address, fd, diag);
    address->port = ntohs(address->is_v6 ? place.v6.sin6_port : place.v4.sin_port);
    return fd;
}

/* -- names ------------------------------------------------------------------------------------- */

static bool is_name(const char *host, size_t length, const char *name)
{
    return name && strlen(name) == length && strncasecmp(host, name, length) == 0;
}

bool address_is_host(const struct address *address, const char *host, const char *name)
{
    const char *colon = find_port(host);
    size_t length = (size_t)(colon - host);
    uint64_t port = 0;
    if (length == 0 ||
        (*colon && (!decimal_u64(colon + 1, strlen(colon + 1), &port) || port > UINT16_MAX)))
        return false;
    if (is_name(host, length, "localhost") || is_name(host, length, name))
        return true;
    struct address other;
    if (!read_number(&other, host, length))
        return false;
    return other.is_loopback || address->is_all ||
           (other.is_v6 == address->is_v6 && memcmp(other.bytes, address->bytes, 16) == 0);
}
