/* Who may ask what, and the headers of answers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "serve/server_parts.h"

/* -- headers of a request ---------------------------------------------------------------------- */

struct header {
    const char *name, *value; /* of the last one of that name */
    uint32_t count, all;
    bool is_odd; /* one has a name that is none, or a NUL */
};

/* A token of RFC 9110, 5.6.2: "Transfer-Encoding :" is none. */
static bool is_token(const char *name, size_t length)
{
    static const char letters[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return length > 0 && strspn(name, letters) == length;
}

static enum MHD_Result see_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_length, const char *value, size_t length)
{
    struct header *header = context;
    (void)kind;
    header->all++;
    header->is_odd |= !is_token(name, name_length) || (value && strlen(value) != length);
    if (header->name && strcasecmp(name, header->name) == 0) {
        header->count++;
        header->value = value ? value : "";
    }
    return MHD_YES;
}

static struct header find_header(const struct client *client, const char *name)
{
    struct header header = {.name = name};
    MHD_get_connection_values_n(client->connection, MHD_HEADER_KIND, see_header, &header);
    return header;
}

static bool has_word(const struct header *header, const char *word)
{
    return header->count == 1 && strcmp(header->value, word) == 0;
}

/* -- checks ------------------------------------------------------------------------------------ */

struct asked {
    const struct client *client;
    const char *url, *method, *version;
};

static bool is_ours(const struct asked *asked, const char *host)
{
    const struct server_options *options = asked->client->server->options;
    return address_is_host(options->address, host, options->name);
}

static bool is_other_method(const struct asked *asked)
{
    return strcmp(asked->method, "GET") != 0 && strcmp(asked->method, "HEAD") != 0;
}

/* Also what makes two readers of one stream of bytes disagree about where a request ends. */
static bool has_body(const struct asked *asked)
{
    struct header coding = find_header(asked->client, "Transfer-Encoding");
    struct header length = find_header(asked->client, "Content-Length");
    return coding.count || length.count > 1 || (length.count && strcmp(length.value, "0") != 0);
}

static bool has_long_path(const struct asked *asked)
{
    return strlen(asked->url) > SERVER_PATH_BYTES;
}

static bool has_many_headers(const struct asked *asked)
{
    return find_header(asked->client, NULL).all > SERVER_HEADERS;
}

/* Host: HTTP/1.0 need not have one; no browser leaves it out. */
static bool is_malformed(const struct asked *asked)
{
    struct header host = find_header(asked->client, "Host");
    bool is_old = strcmp(asked->version, "HTTP/1.0") == 0;
    return host.is_odd || host.count > 1 || (host.count == 0 && !is_old);
}

/* In absolute form the target's host is what counts (RFC 9112, 3.2.2). */
static bool has_other_host(const struct asked *asked)
{
    struct header host = find_header(asked->client, "Host");
    if (host.count && !is_ours(asked, host.value))
        return true;
    if (asked->url[0] == '/')
        return false;
    char authority[256];
    const char *path = request_path(asked->url);
    if (strncasecmp(asked->url, "http://", 7) != 0 || *path != '/')
        return true;
    int length = (int)(path - asked->url) - 7;
    return snprintf(authority, sizeof authority, "%.*s", length, asked->url + 7) >=
               (int)sizeof authority ||
           !is_ours(asked, authority);
}

/* What a page of another site asks for; not what a user goes to by a link. */
static bool is_of_other_site(const struct asked *asked)
{
    struct header origin = find_header(asked->client, "Origin");
    struct header site = find_header(asked->client, "Sec-Fetch-Site");
    struct header mode = find_header(asked->client, "Sec-Fetch-Mode");
    if (origin.count && (origin.count > 1 || strncmp(origin.value, "http://", 7) != 0 ||
                         !is_ours(asked, origin.value + 7)))
        return true;
    return site.count && !has_word(&site, "same-origin") && !has_word(&site, "none") &&
           !has_word(&mode, "navigate");
}

static const struct {
    bool (*is_bad)(const struct asked *asked);
    unsigned status;
} checks[] = {
    {has_long_path, MHD_HTTP_URI_TOO_LONG},
    {has_many_headers, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE},
    {is_malformed, MHD_HTTP_BAD_REQUEST},
    {has_body, MHD_HTTP_CONTENT_TOO_LARGE},
    {is_other_method, MHD_HTTP_METHOD_NOT_ALLOWED},
    {has_other_host, MHD_HTTP_MISDIRECTED_REQUEST},
    {is_of_other_site, MHD_HTTP_FORBIDDEN},
};

unsigned request_check(struct client *client, const char *url, const char *method,
                       const char *version)
{
    struct asked asked = {client, url, method, version};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].is_bad(&asked))
            return checks[i].status;
    }
    return 0;
}

const char *request_path(const char *url)
{
    if (strncasecmp(url, "http://", 7) != 0)
        return url;
    return url + 7 + strcspn(url + 7, "/");
}

/* -- answers ----------------------------------------------------------------------------------- */

static const char *const fixed[][2] = {
    {"Cache-Control", "no-cache"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
};

/* A drawing has a style of its own; it runs nothing and asks for nothing. */
static const char drawing_policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

void add_headers(const struct server *server, const char *type, struct MHD_Response *response)
{
    bool is_drawing = strcmp(type, "image/svg+xml") == 0;
    MHD_add_response_header(response, "Content-Security-Policy",
                            is_drawing ? drawing_policy : server->options->policy);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        MHD_add_response_header(response, fixed[i][0], fixed[i][1]);
}

/* True if a list such as "a, b;q=0.5" has the word, and not with q=0. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (*list) {
        list += strspn(list, " \t,");
        size_t item = strcspn(list, ",");
        size_t name = strcspn(list, ";, \t");
        if (name == length && strncasecmp(list, word, length) == 0) {
            char rest[32];
            snprintf(rest, sizeof rest, "%.*s", (int)(item - name), list + name);
            const char *q = strstr(rest, "q=");
            return !q || strspn(q + 2, "0.") != strcspn(q + 2, " \t");
        }
        list += item;
    }
    return false;
}

/* Tags of the two encodings differ, and mean the same to us. */
static bool has_already(const struct client *client, const char *tag)
{
    struct header known = find_header(client, "If-None-Match");
    return known.count && (has_word(&known, "*") || strstr(known.value, tag) != NULL);
}

static void drop(void *body)
{
    body_drop(body);
}

static struct MHD_Response *make_response(struct body *body, bool is_packed)
{
    size_t length = is_packed ? body->packed_length : body->length;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        length, is_packed ? body->packed : body->bytes, drop, body_keep(body));
    need_memory(response != NULL);
    MHD_add_response_header(response, "Content-Type", body->type);
    if (is_packed)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    return response;
}

static struct MHD_Response *empty_response(void)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    need_memory(response != NULL);
    return response;
}

static const char *status_line(unsigned status)
{
    static const struct {
        unsigned status;
        const char *text;
    } lines[] = {
        {MHD_HTTP_BAD_REQUEST, "400 this is no request that can be understood"},
        {MHD_HTTP_FORBIDDEN, "403 pages of other sites may not ask here"},
        {MHD_HTTP_NOT_FOUND, "404 there is nothing of that name here"},
        {MHD_HTTP_METHOD_NOT_ALLOWED, "405 only GET and HEAD: nothing can be changed here"},
        {MHD_HTTP_CONTENT_TOO_LARGE, "413 a request has no body here"},
        {MHD_HTTP_URI_TOO_LONG, "414 the path is too long"},
        {MHD_HTTP_MISDIRECTED_REQUEST,
         "421 this server does not go by that name; see --host of orrery serve"},
        {MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "431 too many headers"},
        {MHD_HTTP_SERVICE_UNAVAILABLE, "503 not now; try again"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].status == status)
            return lines[i].text;
    }
    return "500 that went wrong";
}

static void add_tags(struct MHD_Response *response, const struct body *body, bool is_packed)
{
    char tag[40];
    snprintf(tag, sizeof tag, "\"%s%s\"", body->tag, is_packed ? "-gzip" : "");
    MHD_add_response_header(response, "ETag", tag);
    MHD_add_response_header(response, "Vary", "Accept-Encoding");
}

static enum MHD_Result send_body(struct client *client, const struct server_reply *reply,
                                 struct body *body, bool is_last)
{
    char seconds[16];
    bool is_good = reply->status == MHD_HTTP_OK;
    struct header coding = find_header(client, "Accept-Encoding");
    bool is_packed = body->packed && coding.count == 1 && lists(coding.value, "gzip");
    bool is_known = is_good && has_already(client, body->tag);
    struct MHD_Response *response = is_known ? empty_response() : make_response(body, is_packed);
    add_headers(client->server, body->type, response);
    if (is_good)
        add_tags(response, body, is_packed);
    if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (is_last)
        MHD_add_response_header(response, "Connection", "close");
    if (reply->retry_after_s) {
        snprintf(seconds, sizeof seconds, "%u", reply->retry_after_s);
        MHD_add_response_header(response, "Retry-After", seconds);
    }
    client->deadline_s = loop_now_s(client->server->loop) + SERVER_READ_S +
                         (double)(is_packed ? body->packed_length : body->length) / 16384;
    enum MHD_Result result = MHD_queue_response(
        client->connection, is_known ? MHD_HTTP_NOT_MODIFIED : reply->status, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result client_reply(struct client *client, const struct server_reply *reply, bool is_last)
{
    struct body *line = NULL, *body = reply->body;
    if (!body)
        body = line = body_text("text/plain; charset=utf-8", "%s\n", status_line(reply->status));
    enum MHD_Result result = send_body(client, reply, body, is_last);
    body_drop(line);
    return result;
}
