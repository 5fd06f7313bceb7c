#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/memory.h"
#include "net/traffic/flow_file_parts.h"

bool flow_reader_line(struct flow_reader *reader, struct flow_line *line)
{
    while (reader->rest < reader->end) {
        const char *begin = reader->rest;
        const char *stop = memchr(begin, '\n', (size_t)(reader->end - begin));
        if (!stop)
            stop = reader->end;
        reader->rest = stop < reader->end ? stop + 1 : stop;
        reader->line_number++;
        while (stop > begin && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        while (begin < stop && (*begin == ' ' || *begin == '\t'))
            begin++;
        if (begin == stop || *begin == '#')
            continue;
        *line = (struct flow_line){begin, (size_t)(stop - begin), reader->line_number};
        return true;
    }
    return false;
}

enum status flow_reader_blame(struct flow_reader *reader, const char *field)
{
    reader->diag->status = STATUS_BAD_INPUT;
    diag_in(reader->diag, reader->name);
    if (reader->line_number > 0) /* an empty file has none */
        diag_at(reader->diag, DIAG_LINE, reader->line_number);
    if (field)
        diag_field(reader->diag, "%s", field);
    return STATUS_BAD_INPUT;
}

enum status flow_reader_fail(struct flow_reader *reader, const char *field, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_fail(reader->diag, STATUS_BAD_INPUT, "%s", text);
    return flow_reader_blame(reader, field);
}

enum status flow_reader_add(struct flow_reader *reader, const struct traffic_flow *flow,
                            const uint64_t *id)
{
    struct traffic *traffic = reader->traffic;
    uint32_t index = traffic_count(traffic);
    if (index > 0 && reader->has_ids != (id != NULL))
        return flow_reader_fail(reader, "id", "some flows have an id and some have none");
    reader->has_ids = id != NULL;
    if (!grow_room(&traffic->flows, 1))
        return diag_fail(reader->diag, STATUS_NO_MEMORY,
                         "more than %" PRIu32 " flows are more than this machine can hold", index);
    traffic_add(traffic, flow->src, flow->dst, flow->bytes);
    traffic_flow(traffic, index)->start_ps = flow->start_ps;
    if (id)
        traffic_flow(traffic, index)->id = *id;
    if (table_put(&reader->by_id, traffic_flow(traffic, index)->id, index) != TABLE_NONE)
        return flow_reader_fail(reader, "id", "there is a flow %" PRIu64 " already", *id);
    return STATUS_OK;
}

void flow_reader_want(struct flow_reader *reader, uint64_t id)
{
    size_t at = grow_push(&reader->wanted, 1);
    ((struct wanted_dep *)reader->wanted.base)[at] =
        (struct wanted_dep){id, traffic_count(reader->traffic) - 1, reader->line_number};
}

enum status flow_reader_rank(struct flow_reader *reader, const char *field, const char *text,
                             size_t length, uint32_t *rank)
{
    uint64_t value;
    if (!decimal_u64(text, length, &value) || value >= CONFIG_MAX_NPUS)
        return flow_reader_fail(reader, field,
                                "expected an NPU's number (0, 1, ..), found \"%.*s\"",
                                (int)(length < 60 ? length : 60), text);
    *rank = (uint32_t)value;
    return STATUS_OK;
}

/* Units are parsed from text that ends with a NUL. */
static bool copied(char *to, size_t size, const char *text, size_t length)
{
    if (length >= size)
        return false;
    memcpy(to, text, length);
    to[length] = '\0';
    return true;
}

enum status flow_reader_bytes(struct flow_reader *reader, const char *text, size_t length,
                              uint64_t *bytes)
{
    char copy[64];
    if (!copied(copy, sizeof copy, text, length))
        return flow_reader_fail(reader, "bytes", "expected a size (1MB), found a long text");
    if (units_parse_bytes(copy, "B", bytes, NULL, reader->diag) == STATUS_OK)
        return STATUS_OK;
    return flow_reader_blame(reader, "bytes");
}

enum status flow_reader_start(struct flow_reader *reader, const char *text, size_t length,
                              time_ps *start)
{
    char copy[64];
    double ns;
    if (!copied(copy, sizeof copy, text, length))
        return flow_reader_fail(reader, "start", "expected a time (5us), found a long text");
    if (units_parse_duration(copy, "ns", &ns, NULL, reader->diag) != STATUS_OK)
        return flow_reader_blame(reader, "start");
    *start = time_rounded(ns, false);
    return STATUS_OK;
}

/* Turns the ids of dependencies into indices, flow by flow: they were read in order of flows. */
static enum status look_up(struct flow_reader *reader)
{
    struct traffic *traffic = reader->traffic;
    const struct wanted_dep *wanted = reader->wanted.base;
    for (size_t i = 0; i < reader->wanted.count; i++) {
        uint32_t parent = table_find(&reader->by_id, wanted[i].id);
        struct traffic_flow *flow = traffic_flow(traffic, wanted[i].flow);
        reader->line_number = wanted[i].line;
        if (parent == TABLE_NONE)
            return flow_reader_fail(reader, "deps", "there is no flow %" PRIu64, wanted[i].id);
        if (parent == wanted[i].flow)
            return flow_reader_fail(reader, "deps", "flow %" PRIu64 " depends on itself",
                                    wanted[i].id);
        if (flow->dep_count == 0)
            flow->first_dep = (uint32_t)traffic->deps.count;
        *traffic_dep(traffic, (uint32_t)grow_push(&traffic->deps, 1)) = parent;
        flow->dep_count++;
    }
    return STATUS_OK;
}

static enum status read_all(struct flow_reader *reader, const char *text, size_t length)
{
    if (memchr(text, '\0', length))
        return flow_reader_fail(reader, NULL, "expected text, found a NUL byte");
    struct flow_line first;
    if (!flow_reader_line(reader, &first))
        return flow_reader_fail(reader, NULL, "the file has no flows");
    reader->rest = text;
    reader->line_number = 0;
    enum status status = *first.text == '{' ? flow_file_json(reader)
                         : first.length >= 5 && memcmp(first.text, "Nodes", 5) == 0
                             ? flow_file_matrix(reader)
                             : flow_file_csv(reader);
    if (status == STATUS_OK && traffic_count(reader->traffic) == 0)
        return flow_reader_fail(reader, NULL, "the file has no flows");
    return status == STATUS_OK ? look_up(reader) : status;
}

enum status flow_file_parse(struct traffic *traffic, const char *name, const char *text,
                            size_t length, struct diag *diag)
{
    struct flow_reader reader = {
        .traffic = traffic, .name = name, .diag = diag, .rest = text, .end = text + length};
    table_init(&reader.by_id);
    need_memory(grow_init(&reader.wanted, sizeof(struct wanted_dep), UINT32_MAX - 1));
    enum status status = read_all(&reader, text, length);
    grow_release(&reader.wanted);
    table_release(&reader.by_id);
    return status;
}

enum status flow_file_load(struct traffic *traffic, const char *path, struct diag *diag)
{
    struct file file;
    if (file_load(&file, path, FILE_NO_LIMIT, diag) != STATUS_OK)
        return diag->status;
    enum status status =
        flow_file_parse(traffic, path, (const char *)file.bytes, file.length, diag);
    file_release(&file);
    return status;
}
