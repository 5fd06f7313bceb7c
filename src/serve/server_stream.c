/* Streams of events: text/event-stream of the HTML standard, section 9.2. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "serve/server_parts.h"

enum { STREAM_BLOCK = 2048 };

struct stream {
    struct server *server;
    struct client *client; /* while the connection lives */
    struct body *event;    /* being sent, or NULL */
    size_t sent;           /* bytes of it */
    uint64_t seen;         /* events published when it was taken */
};

static bool take_event(struct stream *stream)
{
    struct server *server = stream->server;
    if (!server->event || stream->seen == server->event_count)
        return false;
    body_drop(stream->event);
    stream->event = body_keep(server->event);
    stream->seen = server->event_count;
    stream->sent = 0;
    return true;
}

static ssize_t read_events(void *context, uint64_t position, char *to, size_t most)
{
    struct stream *stream = context;
    struct client *client = stream->client;
    (void)position;
    if (stream->server->is_ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (client->is_gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if ((!stream->event || stream->sent == stream->event->length) && !take_event(stream)) {
        client_suspend(client);
        return 0;
    }
    size_t left = stream->event->length - stream->sent, n = left < most ? left : most;
    memcpy(to, stream->event->bytes + stream->sent, n);
    stream->sent += n;
    client->deadline_s = loop_now_s(stream->server->loop) + SERVER_READ_S;
    return (ssize_t)n;
}

static void end_stream(void *context)
{
    struct stream *stream = context;
    stream->server->counts.streams--;
    body_drop(stream->event);
    free(stream);
}

enum MHD_Result client_stream(struct client *client)
{
    static const char type[] = "text/event-stream; charset=utf-8";
    struct server *server = client->server;
    struct server_reply full = {.status = MHD_HTTP_SERVICE_UNAVAILABLE, .retry_after_s = 10};
    if (server->counts.streams >= SERVER_STREAMS) {
        server->counts.refused++;
        return client_reply(client, &full, true);
    }
    struct stream *stream = calloc(1, sizeof *stream);
    need_memory(stream != NULL);
    stream->server = server;
    stream->client = client;
    client->stream = stream;
    server->counts.streams++;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_events, stream, end_stream);
    need_memory(response != NULL);
    add_headers(server, type, response);
    MHD_add_response_header(response, "Content-Type", type);
    client->deadline_s = loop_now_s(server->loop) + SERVER_READ_S;
    enum MHD_Result result = MHD_queue_response(client->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}
