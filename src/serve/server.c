/* The daemon on the loop, its connections and their deadlines. */
#include "serve/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "serve/server_parts.h"

/* -- the loop ---------------------------------------------------------------------------------- */

static void turn(void *context)
{
    struct server *server = context;
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    do { /* where there was no room for one more, the library looks for one at its next turn */
        server->has_closed = false;
        MHD_run(server->daemon);
    } while (server->has_closed);
    if (MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES)
        loop_timer_start(server->timer, (double)wait_ms / 1e3);
    else
        loop_timer_stop(server->timer);
}

/* Too late: the library finds the socket at its end. */
static void on_deadlines(void *context)
{
    struct server *server = context;
    double now_s = loop_now_s(server->loop);
    for (struct client *client = server->clients; client; client = client->next) {
        if (client->deadline_s > 0 && client->deadline_s < now_s) {
            client->deadline_s = 0;
            server->counts.refused++;
            shutdown(client->fd, SHUT_RDWR);
        }
    }
    if (server->clients)
        loop_timer_start(server->deadlines, 1);
}

/* -- waiting ----------------------------------------------------------------------------------- */

static void resume(struct client *client)
{
    if (!client->is_suspended)
        return;
    loop_fd_remove(client->gone);
    client->gone = NULL;
    client->is_suspended = false;
    MHD_resume_connection(client->connection);
    loop_timer_start(client->server->timer, 0);
}

/* The library does not look at a suspended connection. Bytes are a request that came early. */
static void on_gone(void *context)
{
    struct client *client = context;
    char byte;
    ssize_t n = recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n > 0) {
        loop_fd_remove(client->gone);
        client->gone = NULL;
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        client->is_gone = true;
        resume(client);
    }
}

void client_suspend(struct client *client)
{
    client->deadline_s = 0;
    client->is_suspended = true;
    client->gone = loop_fd_add(client->server->loop, client->fd, on_gone, client);
    MHD_suspend_connection(client->connection);
}

void server_wake(struct server *server)
{
    for (struct client *client = server->clients; client; client = client->next)
        resume(client);
}

void server_publish(struct server *server, struct body *event)
{
    body_drop(server->event);
    server->event = body_keep(event);
    server->event_count++;
    for (struct client *client = server->clients; client; client = client->next) {
        if (client->stream)
            resume(client);
    }
}

/* -- calls of the library ---------------------------------------------------------------------- */

static void open_client(struct server *server, struct MHD_Connection *connection, void **context)
{
    struct client *client = calloc(1, sizeof *client);
    need_memory(client != NULL);
    *client = (struct client){.server = server,
                              .connection = connection,
                              .link = &server->clients,
                              .next = server->clients};
    client->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    client->deadline_s = loop_now_s(server->loop) + SERVER_ASK_S;
    if (client->next)
        client->next->link = &client->next;
    server->clients = client;
    server->counts.connections++;
    *context = client;
    if (!loop_timer_is_on(server->deadlines))
        loop_timer_start(server->deadlines, 1);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **of_socket,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        open_client(server, connection, of_socket);
        return;
    }
    struct client *client = *of_socket;
    if (!client)
        return;
    loop_fd_remove(client->gone);
    *client->link = client->next;
    if (client->next)
        client->next->link = client->link;
    free(client);
    *of_socket = NULL;
    server->counts.connections--;
    server->has_closed = true;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **of_request,
                         enum MHD_RequestTerminationCode code)
{
    (void)connection;
    (void)code;
    struct server *server = context;
    struct client *client = *of_request;
    if (!client)
        return;
    client->stream = NULL;
    client->deadline_s = loop_now_s(server->loop) + SERVER_ASK_S;
    *of_request = NULL;
}

static enum MHD_Result refuse(struct client *client, unsigned status)
{
    struct server_reply reply = {.status = status};
    client->server->counts.refused++;
    return client_reply(client, &reply, true);
}

static enum MHD_Result answer(struct client *client, const char *path)
{
    struct server *server = client->server;
    struct server_reply reply = {.status = MHD_HTTP_OK};
    switch (server->ops->answer(server->context, path, &reply)) {
    case SERVER_WAIT:
        client_suspend(client);
        return MHD_YES;
    case SERVER_STREAM:
        return client_stream(client);
    default:
        return client_reply(client, &reply, false);
    }
}

/* First called when the headers are there, then when the request has ended, or waited. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **of_request)
{
    struct server *server = context;
    (void)data;
    struct client *client =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (client->is_gone || *size > 0)
        return MHD_NO;
    bool is_first = *of_request == NULL;
    *of_request = client;
    if (is_first) {
        server->counts.requests++;
        unsigned status = request_check(client, url, method, version);
        return status ? refuse(client, status) : MHD_YES;
    }
    return answer(client, request_path(url));
}

/* Paths stay as they were sent. */
static size_t keep_as_sent(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

/* -- life -------------------------------------------------------------------------------------- */

/* Half of the descriptors are for connections: the rest is for the store, for processes, and for
 * the library. */
static unsigned most_connections(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur / 2 > SERVER_CONNECTIONS)
        return SERVER_CONNECTIONS;
    return files.rlim_cur > 16 ? (unsigned)files.rlim_cur / 2 : 8;
}

static struct MHD_Daemon *start(struct server *server)
{
    const struct server_options *options = server->options;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    if (options->address->is_v6)
        flags |= MHD_USE_IPv6;
    unsigned of_address = options->address->is_loopback ? 0 : SERVER_OF_ADDRESS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, options->listening,
        MHD_OPTION_CONNECTION_LIMIT, most_connections(), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        of_address, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_REQUEST_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_as_sent, NULL, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

struct server *server_create(struct loop *loop, const struct server_options *options,
                             const struct server_ops *ops, void *context, struct diag *diag)
{
    struct server *server = calloc(1, sizeof *server);
    need_memory(server != NULL);
    *server = (struct server){.loop = loop, .options = options, .ops = ops, .context = context};
    server->daemon = start(server);
    if (!server->daemon) {
        diag_fail(diag, STATUS_IO, "the server cannot be started: %s", strerror(errno));
        close(options->listening);
        free(server);
        return NULL;
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    server->timer = loop_timer_add(loop, turn, server);
    server->deadlines = loop_timer_add(loop, on_deadlines, server);
    server->sockets = loop_fd_add(loop, info->epoll_fd, turn, server);
    return server;
}

void server_destroy(struct server *server)
{
    if (!server)
        return;
    server->is_ending = true;
    server_wake(server);
    MHD_run(server->daemon); /* streams end as such */
    server_wake(server);
    MHD_stop_daemon(server->daemon);
    loop_fd_remove(server->sockets);
    loop_timer_remove(server->timer);
    loop_timer_remove(server->deadlines);
    body_drop(server->event);
    free(server);
}

struct server_counts server_counts(const struct server *server)
{
    return server->counts;
}
