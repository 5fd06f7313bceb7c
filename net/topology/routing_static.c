/*
 * Routes from a file, one a line:
 *
 *     SOURCE DESTINATION: NODE NODE ..      # the nodes between; nothing: the link from one to other
 *
 * Names are the fabric's. Links between consecutive nodes must exist. Pairs that are not listed go
 * by the shortest way.
 */
#include "net/topology/routing_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/table.h"

enum { MOST_BYTES = 1 << 30, LONGEST_NAME = 160 };

struct static_routes {
    struct table index;       /* source << 32 | destination -> number */
    struct route_buffer link; /* of all routes, one after the other */
    uint32_t *first;          /* [count + 1] */
    uint32_t count, capacity;
};

struct line_reader {
    const struct fabric *fabric;
    struct names names;
    struct static_routes *routes;
    const char *next, *end; /* of the line */
    struct diag *diag;
};

/* The next word of the line, up to a blank or ':'. False at its end. */
static bool take_name(struct line_reader *reader, char name[LONGEST_NAME])
{
    size_t length = 0;
    while (reader->next < reader->end && strchr(" \t\r", *reader->next))
        reader->next++;
    while (reader->next < reader->end && !strchr(" \t\r:", *reader->next)) {
        if (length + 1 < LONGEST_NAME)
            name[length++] = *reader->next;
        reader->next++;
    }
    name[length] = '\0';
    return length > 0;
}

static enum status unknown(const struct line_reader *reader, const char *name)
{
    const char *const *known = (const char *const *)reader->names.text;
    const char **list = malloc(((size_t)reader->names.count + 1) * sizeof *list);
    need_memory(list);
    memcpy(list, known, reader->names.count * sizeof *list);
    list[reader->names.count] = NULL;
    const char *nearest = suggest_nearest(name, list);
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "the topology has no node \"%s\"", name);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    free(list);
    return reader->diag->status;
}

static enum status take_node(struct line_reader *reader, uint32_t *node)
{
    char name[LONGEST_NAME];
    if (!take_name(reader, name)) {
        int left = reader->end - reader->next < 20 ? (int)(reader->end - reader->next) : 20;
        diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected the name of a node, found \"%.*s\"",
                  left, reader->next);
        diag_hint(reader->diag, "a route is written \"npu0 npu5: leaf0 spine1 leaf1\"");
        return reader->diag->status;
    }
    *node = names_find(&reader->names, name, strlen(name));
    return *node == TABLE_NONE ? unknown(reader, name) : STATUS_OK;
}

static enum status add_hop(struct line_reader *reader, uint32_t from, uint32_t to)
{
    const struct fabric *fabric = reader->fabric;
    uint32_t link = fabric_find_link(fabric, from, to);
    if (link == FABRIC_NONE)
        return diag_fail(reader->diag, STATUS_BAD_CONFIG, "there is no link from %s to %s",
                         fabric->node[from].name, fabric->node[to].name);
    struct route_buffer *buffer = &reader->routes->link;
    if (buffer->count == buffer->capacity)
        route_reserve(buffer);
    buffer->link[buffer->count++] = link;
    return STATUS_OK;
}

static enum status begin_route(struct line_reader *reader, uint32_t src, uint32_t dst)
{
    struct static_routes *routes = reader->routes;
    const struct fabric_node *node = reader->fabric->node;
    if (src == dst)
        return diag_fail(reader->diag, STATUS_BAD_CONFIG, "a route from %s to itself",
                         node[src].name);
    if (table_put(&routes->index, (uint64_t)src << 32 | dst, routes->count) != TABLE_NONE)
        return diag_fail(reader->diag, STATUS_BAD_CONFIG, "a second route from %s to %s",
                         node[src].name, node[dst].name);
    if (routes->count + 1 >= routes->capacity) {
        routes->capacity = routes->capacity ? 2 * routes->capacity : 64;
        routes->first = realloc(routes->first, routes->capacity * sizeof *routes->first);
        need_memory(routes->first);
    }
    routes->first[routes->count++] = routes->link.count;
    return STATUS_OK;
}

static enum status read_line(struct line_reader *reader)
{
    uint32_t src = 0, dst = 0, at, next;
    enum status status = take_node(reader, &src);
    if (status == STATUS_OK)
        status = take_node(reader, &dst);
    if (status != STATUS_OK)
        return status;
    while (reader->next < reader->end && strchr(" \t", *reader->next))
        reader->next++;
    if (reader->next == reader->end || *reader->next != ':')
        return diag_fail(reader->diag, STATUS_BAD_CONFIG,
                         "expected \":\" after the source and the destination");
    reader->next++;
    status = begin_route(reader, src, dst);
    for (at = src; status == STATUS_OK; at = next) {
        while (reader->next < reader->end && strchr(" \t\r", *reader->next))
            reader->next++;
        if (reader->next == reader->end)
            break;
        status = take_node(reader, &next);
        if (status == STATUS_OK)
            status = add_hop(reader, at, next);
    }
    return status == STATUS_OK && at != dst ? add_hop(reader, at, dst) : status;
}

static enum status read_lines(struct line_reader *reader, const struct file *file, const char *path)
{
    const char *text = (const char *)file->bytes, *end = text + file->length;
    if (memchr(text, '\0', file->length)) {
        diag_in(reader->diag, path);
        return diag_fail(reader->diag, STATUS_BAD_CONFIG, "a NUL byte: this is not a text file");
    }
    uint64_t line = 1;
    enum status status = STATUS_OK;
    for (; text < end && status == STATUS_OK; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        const char *comment = memchr(text, '#', (size_t)(stop - text));
        char first[LONGEST_NAME];
        reader->next = text;
        reader->end = comment ? comment : stop;
        bool blank = !take_name(reader, first) && reader->next == reader->end;
        reader->next = text;
        if (!blank)
            status = read_line(reader);
        if (status != STATUS_OK)
            diag_at(reader->diag, DIAG_LINE, line);
        text = stop + 1;
    }
    if (status != STATUS_OK)
        diag_in(reader->diag, path);
    return status;
}

struct static_routes *static_routes_create(const struct fabric *fabric, const char *path,
                                           struct diag *diag)
{
    struct file file;
    if (!path) {
        diag_fail(diag, STATUS_BAD_CONFIG, "static routing needs a file of routes");
        diag_hint(diag, "set network.routes (--routes FILE)");
        return NULL;
    }
    if (file_load(&file, path, MOST_BYTES, diag) != STATUS_OK)
        return NULL;
    struct static_routes *routes = calloc(1, sizeof *routes);
    need_memory(routes);
    table_init(&routes->index);
    struct line_reader reader = {.fabric = fabric, .routes = routes, .diag = diag};
    names_init(&reader.names);
    for (uint32_t v = 0; v < fabric->node_count; v++)
        names_add(&reader.names, fabric->node[v].name, strlen(fabric->node[v].name));
    enum status status = read_lines(&reader, &file, path);
    if (status == STATUS_OK && routes->first)
        routes->first[routes->count] = routes->link.count;
    names_release(&reader.names);
    file_release(&file);
    if (status == STATUS_OK)
        return routes;
    static_routes_destroy(routes);
    return NULL;
}

void static_routes_destroy(struct static_routes *routes)
{
    if (!routes)
        return;
    table_release(&routes->index);
    free(routes->link.link);
    free(routes->link.share);
    free(routes->first);
    free(routes);
}

bool static_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    const struct static_routes *routes = routing->fixed;
    uint32_t number = table_find(&routes->index, (uint64_t)src << 32 | dst);
    if (number == TABLE_NONE)
        return false;
    for (uint32_t i = routes->first[number]; i < routes->first[number + 1]; i++)
        route_add(routing, routes->link.link[i]);
    return true;
}
