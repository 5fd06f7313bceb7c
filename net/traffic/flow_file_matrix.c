#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "net/traffic/flow_file_parts.h"

enum { MOST_WORDS = 24 };

struct word {
    const char *text;
    size_t length;
};

static uint32_t cut(const struct flow_line *line, struct word *word)
{
    uint32_t count = 0;
    const char *at = line->text, *end = at + line->length;
    while (at < end && count < MOST_WORDS) {
        const char *begin = at;
        while (at < end && *at != ' ' && *at != '\t')
            at++;
        word[count++] = (struct word){begin, (size_t)(at - begin)};
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
    }
    return count;
}

static bool is_word(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Lines about the list as a whole, or about what a flow model does not have. */
static bool is_other_line(const struct word *word)
{
    static const char *const others[] = {"Nodes",   "Connections", "Triggers", "Failures",
                                         "trigger", "failure",     NULL};
    for (const char *const *other = others; *other; other++) {
        if (is_word(word, *other))
            return true;
    }
    return false;
}

struct connection {
    struct traffic_flow flow;
    uint64_t id, waits_for, fires; /* triggers; 0: none */
    bool has_id, has_size;
};

/* "3->12" */
static enum status read_ends(struct flow_reader *reader, const struct word *word,
                             struct connection *connection)
{
    const char *arrow = memchr(word->text, '-', word->length);
    const char *end = word->text + word->length;
    if (!arrow || arrow + 2 > end || arrow[1] != '>')
        return flow_reader_fail(reader, NULL, "expected SOURCE->DESTINATION, found \"%.*s\"",
                                (int)(word->length < 60 ? word->length : 60), word->text);
    if (flow_reader_rank(reader, "source", word->text, (size_t)(arrow - word->text),
                         &connection->flow.src) != STATUS_OK)
        return STATUS_BAD_INPUT;
    return flow_reader_rank(reader, "destination", arrow + 2, (size_t)(end - arrow - 2),
                            &connection->flow.dst);
}

static enum status read_pair(struct flow_reader *reader, const struct word *key,
                             const struct word *value, struct connection *connection)
{
    uint64_t number;
    char name[24];
    size_t length = key->length < sizeof name - 1 ? key->length : sizeof name - 1;
    memcpy(name, key->text, length);
    name[length] = '\0';
    if (!decimal_u64(value->text, value->length, &number))
        return flow_reader_fail(reader, name, "expected a whole number, found \"%.*s\"",
                                (int)(value->length < 60 ? value->length : 60), value->text);
    if (is_word(key, "id")) {
        connection->id = number;
        connection->has_id = true;
    } else if (is_word(key, "start")) {
        connection->flow.start_ps = number;
    } else if (is_word(key, "size")) {
        connection->flow.bytes = number;
        connection->has_size = true;
    } else if (is_word(key, "trigger")) {
        connection->waits_for = number;
    } else if (is_word(key, "send_done_trigger") || is_word(key, "recv_done_trigger")) {
        connection->fires = number;
    } else if (!is_word(key, "prio")) {
        flow_reader_fail(reader, NULL, "unknown word \"%s\"", name);
        diag_hint(reader->diag, "known: id, start, size, trigger, send_done_trigger, "
                                "recv_done_trigger");
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status read_connection(struct flow_reader *reader, const struct word *word,
                                   uint32_t words, struct connection *connection)
{
    *connection = (struct connection){0};
    if (read_ends(reader, &word[0], connection) != STATUS_OK)
        return STATUS_BAD_INPUT;
    if (words % 2 == 0)
        return flow_reader_fail(reader, NULL, "a word without its number at the end of the line");
    for (uint32_t i = 1; i < words; i += 2) {
        if (read_pair(reader, &word[i], &word[i + 1], connection) != STATUS_OK)
            return STATUS_BAD_INPUT;
    }
    if (!connection->has_size)
        return flow_reader_fail(reader, "size", "the connection has no size");
    return STATUS_OK;
}

/* Who fires which trigger. */
struct firing {
    uint64_t id;   /* of the flow */
    uint32_t next; /* earlier one of the same trigger, + 1 */
};

struct matrix {
    struct flow_reader *reader;
    struct table last;   /* trigger -> its last firing */
    struct grow firings; /* struct firing */
    struct grow waits;   /* struct wanted_dep; id: the trigger */
};

static void note_triggers(struct matrix *matrix, const struct connection *connection)
{
    uint32_t flow = traffic_count(matrix->reader->traffic) - 1;
    if (connection->fires) {
        uint32_t at = (uint32_t)grow_push(&matrix->firings, 1);
        uint32_t before = table_put(&matrix->last, connection->fires, at);
        ((struct firing *)matrix->firings.base)[at] = (struct firing){
            traffic_flow(matrix->reader->traffic, flow)->id, before == TABLE_NONE ? 0 : before + 1};
    }
    if (connection->waits_for) {
        size_t at = grow_push(&matrix->waits, 1);
        ((struct wanted_dep *)matrix->waits.base)[at] =
            (struct wanted_dep){connection->waits_for, flow, matrix->reader->line_number};
    }
}

/* A flow waits for all that fire its trigger. In order of flows, as look_up() wants it. */
static enum status want_firings(struct matrix *matrix)
{
    struct flow_reader *reader = matrix->reader;
    const struct wanted_dep *wait = matrix->waits.base;
    for (size_t i = 0; i < matrix->waits.count; i++) {
        uint32_t found = table_find(&matrix->last, wait[i].id);
        reader->line_number = wait[i].line;
        if (found == TABLE_NONE)
            return flow_reader_fail(reader, "trigger", "no flow fires trigger %" PRIu64,
                                    wait[i].id);
        for (uint32_t next = found + 1; next > 0;) {
            const struct firing *firing = (struct firing *)matrix->firings.base + next - 1;
            size_t at = grow_push(&reader->wanted, 1);
            ((struct wanted_dep *)reader->wanted.base)[at] =
                (struct wanted_dep){firing->id, wait[i].flow, wait[i].line};
            next = firing->next;
        }
    }
    return STATUS_OK;
}

static enum status read_lines(struct matrix *matrix)
{
    struct flow_reader *reader = matrix->reader;
    struct flow_line line;
    while (flow_reader_line(reader, &line)) {
        struct word word[MOST_WORDS];
        uint32_t words = cut(&line, word);
        struct connection connection;
        if (is_other_line(&word[0]))
            continue;
        if (read_connection(reader, word, words, &connection) != STATUS_OK ||
            flow_reader_add(reader, &connection.flow, connection.has_id ? &connection.id : NULL) !=
                STATUS_OK)
            return reader->diag->status;
        note_triggers(matrix, &connection);
    }
    return want_firings(matrix);
}

enum status flow_file_matrix(struct flow_reader *reader)
{
    struct matrix matrix = {.reader = reader};
    table_init(&matrix.last);
    need_memory(grow_init(&matrix.firings, sizeof(struct firing), UINT32_MAX - 1) &&
                grow_init(&matrix.waits, sizeof(struct wanted_dep), UINT32_MAX - 1));
    enum status status = read_lines(&matrix);
    table_release(&matrix.last);
    grow_release(&matrix.firings);
    grow_release(&matrix.waits);
    return status;
}
