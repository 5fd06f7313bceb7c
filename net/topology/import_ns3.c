#include "net/topology/import_ns3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/units.h"

enum { WORD = 64, SHORT_HEADER = 3, LONG_HEADER = 6, LEAST_LINK_BYTES = 8 };

struct reader {
    const char *path;
    const char *at, *end;
    uint64_t line; /* of `at` */
    struct diag *diag;
};

struct header {
    uint32_t nodes, gpus_per_server /* 0: the short form */, nv_switches, switches, links;
};

/* -- words ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word, cut to WORD - 1 letters; on the present line only if `same_line`. */
static bool next_word(struct reader *reader, bool same_line, char word[WORD])
{
    for (; reader->at < reader->end && is_blank(*reader->at); reader->at++) {
        if (*reader->at == '\n' && same_line)
            return false;
        reader->line += *reader->at == '\n';
    }
    size_t length = 0;
    for (; reader->at < reader->end && !is_blank(*reader->at); reader->at++) {
        if (length < WORD - 1)
            word[length++] = *reader->at;
    }
    word[length] = '\0';
    return length > 0;
}

static enum status fail_here(struct reader *reader, const char *field)
{
    diag_in(reader->diag, reader->path);
    diag_at(reader->diag, DIAG_LINE, reader->line);
    diag_field(reader->diag, "%s", field);
    return reader->diag->status;
}

static enum status truncated(struct reader *reader, const char *field, const char *expected)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "the file ends where %s is expected", expected);
    return fail_here(reader, field);
}

static enum status read_number(struct reader *reader, const char *field, const char *what,
                               uint64_t most, uint32_t *value)
{
    char word[WORD];
    uint64_t wide = 0;
    if (!next_word(reader, false, word))
        return truncated(reader, field, what);
    if (decimal_u64(word, strlen(word), &wide) && wide <= most) {
        *value = (uint32_t)wide;
        return STATUS_OK;
    }
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected %s, 0 to %" PRIu64 ", found \"%.40s\"",
              what, most, word);
    return fail_here(reader, field);
}

/* -- header --------------------------------------------------------------------------------- */

/* The words of the first line; more than LONG_HEADER are counted as one more. */
static int header_words(struct reader *reader, char word[LONG_HEADER][WORD])
{
    int count = 0;
    char more[WORD];
    while (count < LONG_HEADER && next_word(reader, count > 0, word[count]))
        count++;
    return count == LONG_HEADER && next_word(reader, true, more) ? count + 1 : count;
}

static bool is_header(char word[LONG_HEADER][WORD], int count)
{
    int numbers = count == SHORT_HEADER ? count : LONG_HEADER - 1;
    if (count != SHORT_HEADER && count != LONG_HEADER && count != LONG_HEADER - 1)
        return false;
    uint64_t value;
    for (int i = 0; i < numbers; i++) {
        if (!decimal_u64(word[i], strlen(word[i]), &value))
            return false;
    }
    return true;
}

bool import_ns3_is(const char *text, size_t length)
{
    struct reader reader = {.at = text, .end = text + length, .line = 1};
    char word[LONG_HEADER][WORD];
    int count = header_words(&reader, word);
    return is_header(word, count);
}

static enum status header_value(struct reader *reader, const char *word, const char *field,
                                uint32_t *value)
{
    uint64_t wide = 0;
    if (decimal_u64(word, strlen(word), &wide) && wide <= FABRIC_MAX_NODES) {
        *value = (uint32_t)wide;
        return STATUS_OK;
    }
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected 0 to %d, found \"%.40s\"",
              FABRIC_MAX_NODES, word);
    return fail_here(reader, field);
}

/* A connected graph has at least one cable less than nodes; a cable takes some bytes. So no count
 * that lies reaches an allocation. */
static enum status check_header(struct reader *reader, const struct header *header, size_t length)
{
    struct diag *diag = reader->diag;
    uint64_t switches = (uint64_t)header->nv_switches + header->switches;
    if (switches >= header->nodes)
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%" PRIu64 " switches among %" PRIu32 " nodes leave no NPU", switches,
                  header->nodes);
    else if (header->nodes - switches > CONFIG_MAX_NPUS)
        diag_fail(diag, STATUS_BAD_CONFIG, "more NPUs than the %d supported", CONFIG_MAX_NPUS);
    else if ((uint64_t)header->links + 1 < header->nodes)
        diag_fail(diag, STATUS_BAD_CONFIG, "%" PRIu32 " links cannot connect %" PRIu32 " nodes",
                  header->links, header->nodes);
    else if ((uint64_t)header->links * LEAST_LINK_BYTES > length)
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%" PRIu32 " links are promised, but the file is too short for them",
                  header->links);
    else
        return STATUS_OK;
    diag_hint(diag, "the first line is \"nodes switches links\", or \"nodes gpus_per_server "
                    "nv_switches switches links gpu_type\"");
    return fail_here(reader, "first line");
}

static enum status read_header(struct reader *reader, struct header *header)
{
    size_t length = (size_t)(reader->end - reader->at);
    char word[LONG_HEADER][WORD];
    int count = header_words(reader, word);
    if (!is_header(word, count)) {
        diag_fail(reader->diag, STATUS_BAD_CONFIG,
                  "expected 3 whole numbers, or 5 and a word, on the first line");
        return fail_here(reader, "first line");
    }
    bool is_short = count == SHORT_HEADER;
    struct {
        const char *name;
        uint32_t *value;
    } rows[] = {{"nodes", &header->nodes},
                {"gpus_per_server", is_short ? NULL : &header->gpus_per_server},
                {"nv_switches", is_short ? NULL : &header->nv_switches},
                {"switches", &header->switches},
                {"links", &header->links}};
    int next = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == STATUS_OK; i++) {
        if (rows[i].value)
            status = header_value(reader, word[next++], rows[i].name, rows[i].value);
    }
    return status == STATUS_OK ? check_header(reader, header, length) : status;
}

/* -- nodes ---------------------------------------------------------------------------------- */

/* role_of[number]: 1 an NVSwitch, 2 a switch, 0 an NPU. */
static enum status read_switches(struct reader *reader, const struct header *header,
                                 unsigned char *role_of)
{
    uint32_t count = header->nv_switches + header->switches;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = 0;
        enum status status =
            read_number(reader, "switches", "a switch's number", header->nodes - 1, &number);
        if (status != STATUS_OK)
            return status;
        if (role_of[number]) {
            diag_fail(reader->diag, STATUS_BAD_CONFIG, "switch %" PRIu32 " is listed twice",
                      number);
            return fail_here(reader, "switches");
        }
        role_of[number] = i < header->nv_switches ? 1 : 2;
    }
    return STATUS_OK;
}

/* node_of[number in the file] = number in the fabric. */
static void add_nodes(const struct header *header, const unsigned char *role_of,
                      struct fabric_builder *builder, uint32_t *node_of)
{
    static const char *const prefix[] = {"npu", "nvswitch", "switch"};
    for (int role = 0; role < 3; role++) {
        for (uint32_t i = 0; i < header->nodes; i++) {
            char name[32];
            if (role_of[i] != role)
                continue;
            snprintf(name, sizeof name, "%s%" PRIu32, prefix[role], i);
            node_of[i] = fabric_add_node(builder, role ? ROLE_SWITCH : ROLE_NPU, name);
        }
    }
}

/* -- links ---------------------------------------------------------------------------------- */

struct cable {
    uint32_t a, b;
    double Bps, ns, error_ratio;
};

static enum status read_quantity(struct reader *reader, bool is_rate, double *value)
{
    const char *field = is_rate ? "bandwidth" : "latency";
    char word[WORD];
    if (!next_word(reader, false, word))
        return truncated(reader, field, is_rate ? "a bandwidth" : "a latency");
    enum status status = is_rate ? units_parse_bandwidth(word, NULL, value, NULL, reader->diag)
                                 : units_parse_duration(word, NULL, value, NULL, reader->diag);
    return status == STATUS_OK ? status : fail_here(reader, field);
}

static enum status read_error_ratio(struct reader *reader, double *value)
{
    char word[WORD];
    if (!next_word(reader, false, word))
        return truncated(reader, "error rate", "an error rate");
    char *end;
    *value = strtod(word, &end);
    if (*end == '\0' && *value >= 0 && *value <= 1)
        return STATUS_OK;
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected 0 to 1, found \"%.40s\"", word);
    return fail_here(reader, "error rate");
}

static enum status read_cable(struct reader *reader, const struct header *header,
                              struct cable *cable)
{
    enum status status =
        read_number(reader, "link", "a node's number", header->nodes - 1, &cable->a);
    if (status == STATUS_OK)
        status = read_number(reader, "link", "a node's number", header->nodes - 1, &cable->b);
    if (status == STATUS_OK && cable->a == cable->b) {
        diag_fail(reader->diag, STATUS_BAD_CONFIG, "a link from node %" PRIu32 " to itself",
                  cable->a);
        return fail_here(reader, "link");
    }
    if (status == STATUS_OK)
        status = read_quantity(reader, true, &cable->Bps);
    if (status == STATUS_OK)
        status = read_quantity(reader, false, &cable->ns);
    if (status == STATUS_OK)
        status = read_error_ratio(reader, &cable->error_ratio);
    return status;
}

/* With servers, links to NVSwitches and between NPUs serve dimension 0, others dimension 1. */
static uint32_t dim_of(const struct cable *cable, const unsigned char *role_of, bool servers)
{
    return servers && (role_of[cable->a] == 2 || role_of[cable->b] == 2);
}

static enum status read_links(struct reader *reader, const struct header *header,
                              const unsigned char *role_of, const uint32_t *node_of,
                              struct fabric_builder *builder, struct fabric_dim dim[2])
{
    uint64_t lossy = 0;
    for (uint32_t i = 0; i < header->links; i++) {
        struct cable cable;
        enum status status = read_cable(reader, header, &cable);
        if (status != STATUS_OK) {
            diag_hint(reader->diag,
                      "the first line promises %" PRIu32 " links; this is number %" PRIu32,
                      header->links, i + 1);
            return status;
        }
        lossy += cable.error_ratio > 0;
        uint32_t d = dim_of(&cable, role_of, dim[1].npus > 1);
        bool has_npu = !role_of[cable.a] || !role_of[cable.b];
        if (has_npu && cable.Bps > dim[d].bandwidth_Bps) {
            dim[d].bandwidth_Bps = cable.Bps;
            dim[d].latency_ns = cable.ns;
        }
        fabric_add_cable(builder, node_of[cable.a], node_of[cable.b], cable.Bps, cable.ns, d);
    }
    char word[WORD];
    if (next_word(reader, false, word)) {
        diag_fail(reader->diag, STATUS_BAD_CONFIG,
                  "\"%.40s\" after the %" PRIu32 " links that the first line promises", word,
                  header->links);
        return fail_here(reader, "links");
    }
    if (lossy)
        notices_add(fabric_builder_notices(builder), NOTICE_IGNORED,
                    "error rate of a link (losses are not simulated)", lossy, "%s", reader->path);
    return STATUS_OK;
}

/* -- the whole ------------------------------------------------------------------------------- */

/* Two dimensions if whole servers were given. */
static void plan_dims(const struct header *header, struct fabric_builder *builder,
                      struct fabric_dim dim[2])
{
    uint32_t npus = header->nodes - header->nv_switches - header->switches;
    uint32_t size = header->gpus_per_server;
    bool whole = size > 0 && npus % size == 0;
    dim[0] = (struct fabric_dim){
        .kind = FABRIC_GRAPH, .npus = whole && size < npus ? size : npus, .stride = 1};
    dim[1] = (struct fabric_dim){
        .kind = FABRIC_GRAPH, .npus = npus / dim[0].npus, .stride = dim[0].npus};
    if (size > 0 && !whole)
        notices_add(fabric_builder_notices(builder), NOTICE_ODDITY,
                    "NPUs do not fill whole servers; taken as one dimension", 1,
                    "%" PRIu32 " NPUs, %" PRIu32 " per server", npus, size);
}

static enum status read_all(struct reader *reader, const struct header *header,
                            struct fabric_builder *builder)
{
    unsigned char *role_of = calloc(header->nodes, 1);
    uint32_t *node_of = calloc(header->nodes, sizeof *node_of);
    need_memory(role_of && node_of);
    struct fabric_dim dim[2];
    plan_dims(header, builder, dim);
    enum status status = read_switches(reader, header, role_of);
    if (status == STATUS_OK) {
        add_nodes(header, role_of, builder, node_of);
        status = read_links(reader, header, role_of, node_of, builder, dim);
    }
    if (status == STATUS_OK && dim[1].npus > 1) {
        fabric_add_dim(builder, dim[0]);
        fabric_add_dim(builder, dim[1]);
    }
    free(role_of);
    free(node_of);
    return status;
}

enum status import_ns3(const char *path, const char *text, size_t length, struct fabric **fabric,
                       struct diag *diag)
{
    struct reader reader = {
        .path = path, .at = text, .end = text + length, .line = 1, .diag = diag};
    struct header header = {0};
    enum status status = read_header(&reader, &header);
    if (status != STATUS_OK)
        return status;
    struct fabric_builder *builder = fabric_builder_create();
    status = read_all(&reader, &header, builder);
    if (status != STATUS_OK) {
        fabric_builder_destroy(builder);
        return status;
    }
    status = fabric_finish(builder, path, fabric, diag);
    if (status != STATUS_OK)
        diag_in(diag, path);
    return status;
}
