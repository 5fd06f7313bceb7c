#include "net/collective/msccl.h"

#include <expat.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/suggest.h"
#include "net/collective/msccl_check.h"

static const char *const op_names[] = {"nop", "s",    "r",   "rcs", "rrs",
                                       "rrc", "rrcs", "cpy", "re",  NULL};

enum { MOST_CHUNKS = 1 << 20, MOST_INPUT = 1 << 30 };

enum element { IN_NOTHING, IN_ALGO, IN_GPU, IN_BLOCK, IN_STEP, IN_OTHER };

struct reader {
    XML_Parser parser;
    struct msccl *msccl;
    struct arena *arena;
    struct diag *diag;
    size_t length; /* of the file: bounds what it can describe */
    enum element where;
    uint32_t skipped; /* depth inside an element of no meaning */
    uint32_t gpu;     /* the one being read */
    uint32_t block_room, step_room, copy_room;
    bool failed;
};

static uint32_t line_of(const struct reader *reader)
{
    return (uint32_t)XML_GetCurrentLineNumber(reader->parser);
}

/* Records the cause once and ends the reading. */
static void fail(struct reader *reader, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(struct reader *reader, const char *field, const char *format, ...)
{
    if (reader->failed)
        return;
    reader->failed = true;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_fail(reader->diag, STATUS_BAD_INPUT, "%s", text);
    diag_at(reader->diag, DIAG_LINE, line_of(reader));
    diag_field(reader->diag, "%s", field);
    XML_StopParser(reader->parser, XML_FALSE);
}

/* -- attributes ------------------------------------------------------------------------------ */

static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return NULL;
}

/* A whole number from 0 to `most`; -1 is MSCCL_NONE if `may_be_none`. */
static uint32_t number(struct reader *reader, const char **attributes, const char *name,
                       uint64_t most, bool may_be_none)
{
    const char *text = attribute(attributes, name);
    uint64_t value;
    if (!text) {
        fail(reader, name, "this attribute is missing");
        return 0;
    }
    if (may_be_none && strcmp(text, "-1") == 0)
        return MSCCL_NONE;
    if (decimal_u64(text, strlen(text), &value) && value <= most)
        return (uint32_t)value;
    fail(reader, name, "expected a whole number from 0 to %" PRIu64 "%s, found \"%.40s\"", most,
         may_be_none ? ", or -1" : "", text);
    return 0;
}

static uint32_t optional(struct reader *reader, const char **attributes, const char *name,
                         uint64_t most, uint32_t otherwise)
{
    return attribute(attributes, name) ? number(reader, attributes, name, most, false) : otherwise;
}

/* -- elements -------------------------------------------------------------------------------- */

static void read_kind(struct reader *reader, const char **attributes)
{
    static const struct {
        const char *name;
        enum collective_kind kind;
    } kinds[] = {
        {"allreduce", COLL_ALL_REDUCE},
        {"allgather", COLL_ALL_GATHER},
        {"alltoall", COLL_ALL_TO_ALL},
        {"reduce_scatter", COLL_REDUCE_SCATTER},
        {"reducescatter", COLL_REDUCE_SCATTER},
        {"broadcast", COLL_BROADCAST},
        {"reduce", COLL_REDUCE},
        {"gather", COLL_GATHER},
        {"scatter", COLL_SCATTER},
    };
    struct msccl *msccl = reader->msccl;
    const char *text = attribute(attributes, "coll");
    msccl->is_custom = !text || strcmp(text, "custom") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !msccl->is_custom; i++) {
        if (strcmp(text, kinds[i].name) != 0)
            continue;
        msccl->kind = kinds[i].kind;
        return;
    }
    if (!msccl->is_custom)
        fail(reader, "coll",
             "expected allreduce, allgather, alltoall, reduce_scatter, broadcast, reduce, gather, "
             "scatter or custom, found \"%.40s\"",
             text);
}

static void begin_algo(struct reader *reader, const char **attributes)
{
    struct msccl *msccl = reader->msccl;
    const char *name = attribute(attributes, "name");
    msccl->name = name ? arena_text(reader->arena, name, strlen(name)) : "unnamed";
    msccl->n = number(reader, attributes, "ngpus", CONFIG_MAX_NPUS, false);
    msccl->chunks_per_loop = number(reader, attributes, "nchunksperloop", MOST_CHUNKS, false);
    msccl->in_place = optional(reader, attributes, "inplace", 1, 0) == 1;
    read_kind(reader, attributes);
    if (!reader->failed && msccl->n < 2)
        fail(reader, "ngpus", "expected 2 or more");
    if (!reader->failed && !msccl->chunks_per_loop)
        fail(reader, "nchunksperloop", "expected 1 or more");
    if (!reader->failed && msccl->n > reader->length / sizeof "<gpu/>")
        fail(reader, "ngpus", "more than the file is long enough for");
    if (!reader->failed)
        msccl->gpu = arena_array(reader->arena, msccl->n, sizeof *msccl->gpu);
    reader->where = IN_ALGO;
}

static void begin_gpu(struct reader *reader, const char **attributes)
{
    struct msccl *msccl = reader->msccl;
    static const char *const names[] = {"i_chunks", "o_chunks", "s_chunks"};
    uint32_t id = number(reader, attributes, "id", msccl->n - 1, false);
    if (reader->failed)
        return;
    struct msccl_gpu *gpu = &msccl->gpu[id];
    if (gpu->line) {
        fail(reader, "id", "this gpu has been described before");
        return;
    }
    *gpu = (struct msccl_gpu){.first_block = msccl->block_count,
                              .first_copy = msccl->copy_count,
                              .line = line_of(reader)};
    for (int b = 0; b < 3; b++) {
        gpu->chunks[b] = number(reader, attributes, names[b], MOST_CHUNKS, false);
        msccl->room[b] = gpu->chunks[b] > msccl->room[b] ? gpu->chunks[b] : msccl->room[b];
    }
    reader->gpu = id;
    reader->where = IN_GPU;
}

static void begin_copy(struct reader *reader, const char **attributes)
{
    struct msccl *msccl = reader->msccl;
    msccl->copy = arena_grow(reader->arena, msccl->copy, msccl->copy_count, &reader->copy_room,
                             sizeof *msccl->copy);
    msccl->copy[msccl->copy_count++] =
        (struct msccl_copy){number(reader, attributes, "i_off", MOST_CHUNKS, false),
                            number(reader, attributes, "o_off", MOST_CHUNKS, false)};
    msccl->gpu[reader->gpu].copy_count++;
}

static void begin_block(struct reader *reader, const char **attributes)
{
    struct msccl *msccl = reader->msccl;
    msccl->block = arena_grow(reader->arena, msccl->block, msccl->block_count, &reader->block_room,
                              sizeof *msccl->block);
    msccl->block[msccl->block_count++] = (struct msccl_block){
        .id = number(reader, attributes, "id", MOST_CHUNKS, false),
        .send = number(reader, attributes, "send", msccl->n - 1, true),
        .recv = number(reader, attributes, "recv", msccl->n - 1, true),
        .chan = number(reader, attributes, "chan", MOST_CHUNKS, false),
        .first_step = msccl->step_count,
        .line = line_of(reader),
    };
    msccl->gpu[reader->gpu].block_count++;
    reader->where = IN_BLOCK;
}

/* The place of a buffer's chunk in the row of all three. Unused ones may be anything. */
static uint32_t place(struct reader *reader, const char **attributes, const char *buffer_name,
                      const char *offset_name, uint32_t count)
{
    const struct msccl_gpu *gpu = &reader->msccl->gpu[reader->gpu];
    const char *buffer = attribute(attributes, buffer_name);
    static const char *const names[] = {"i", "o", "s"};
    uint32_t which = 0;
    while (which < 3 && (!buffer || strcmp(buffer, names[which]) != 0))
        which++;
    if (which == 3) {
        fail(reader, buffer_name, "expected i, o or s, found \"%.40s\"", buffer ? buffer : "");
        return 0;
    }
    uint32_t offset = number(reader, attributes, offset_name, MOST_CHUNKS, false);
    if (!reader->failed && (offset >= gpu->chunks[which] || count > gpu->chunks[which] - offset))
        fail(reader, offset_name, "beyond the chunks of buffer %s of this gpu", buffer);
    return which << 30 | offset; /* msccl_check() turns it into a place of the row */
}

static bool reads(enum msccl_op op)
{
    return op != MSCCL_NOP && op != MSCCL_RECV && op != MSCCL_RECV_COPY_SEND;
}

static bool writes(enum msccl_op op)
{
    return op != MSCCL_NOP && op != MSCCL_SEND && op != MSCCL_RECV_REDUCE_SEND;
}

static uint8_t read_type(struct reader *reader, const char **attributes)
{
    const char *text = attribute(attributes, "type");
    for (uint8_t op = 0; op < MSCCL_OP_COUNT && text; op++) {
        if (strcmp(text, op_names[op]) == 0)
            return op;
    }
    fail(reader, "type", "expected nop, s, r, rcs, rrs, rrc, rrcs, cpy or re, found \"%.40s\"",
         text ? text : "");
    return MSCCL_NOP;
}

static void begin_step(struct reader *reader, const char **attributes)
{
    struct msccl *msccl = reader->msccl;
    struct msccl_block *block = &msccl->block[msccl->block_count - 1];
    uint32_t number_given = number(reader, attributes, "s", MOST_CHUNKS, false);
    if (!reader->failed && number_given != block->step_count)
        fail(reader, "s", "steps of a thread block are numbered 0, 1, .. in order");
    struct msccl_step step = {.op = read_type(reader, attributes),
                              .count = number(reader, attributes, "cnt", MOST_CHUNKS, false),
                              .line = line_of(reader)};
    step.depid = number(reader, attributes, "depid", MOST_CHUNKS, true);
    step.deps = number(reader, attributes, "deps", MOST_CHUNKS, true);
    step.no_wait = optional(reader, attributes, "wait", 1, 1) == 0;
    enum msccl_op op = (enum msccl_op)step.op;
    if (!reader->failed && op != MSCCL_NOP && !step.count)
        fail(reader, "cnt", "expected 1 chunk or more");
    if (!reader->failed && reads(op))
        step.src = place(reader, attributes, "srcbuf", "srcoff", step.count);
    if (!reader->failed && writes(op))
        step.dst = place(reader, attributes, "dstbuf", "dstoff", step.count);
    msccl->step = arena_grow(reader->arena, msccl->step, msccl->step_count, &reader->step_room,
                             sizeof *msccl->step);
    msccl->step[msccl->step_count++] = step;
    block->step_count++;
    reader->where = IN_STEP;
}

/* -- expat ----------------------------------------------------------------------------------- */

static void on_begin(void *self, const char *name, const char **attributes)
{
    struct reader *reader = self;
    if (reader->failed)
        return;
    if (reader->skipped) {
        reader->skipped++;
        return;
    }
    if (reader->where == IN_NOTHING && strcmp(name, "algo") == 0)
        begin_algo(reader, attributes);
    else if (reader->where == IN_NOTHING)
        fail(reader, "algo", "expected <algo> as the outermost element, found <%.40s>", name);
    else if (reader->where == IN_ALGO && strcmp(name, "gpu") == 0)
        begin_gpu(reader, attributes);
    else if (reader->where == IN_GPU && strcmp(name, "tb") == 0)
        begin_block(reader, attributes);
    else if (reader->where == IN_BLOCK && strcmp(name, "step") == 0)
        begin_step(reader, attributes);
    else if (reader->where == IN_GPU && strcmp(name, "copy") == 0) {
        begin_copy(reader, attributes);
        reader->skipped = 1;
    } else
        fail(reader, name, "unexpected element <%.40s>", name);
}

static void on_end(void *self, const char *name)
{
    (void)name;
    struct reader *reader = self;
    if (reader->skipped)
        reader->skipped--;
    else if (!reader->failed)
        reader->where = (enum element)(reader->where - 1);
}

/* No document type: nothing in it is needed, and entities could make the file grow without end. */
static void on_doctype(void *self, const char *name, const char *system, const char *public,
                       int has_internal)
{
    (void)name, (void)system, (void)public, (void)has_internal;
    fail(self, "DOCTYPE", "a document type is not accepted");
}

static enum status parse_xml(struct reader *reader, const void *bytes, size_t length)
{
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, on_begin, on_end);
    XML_SetStartDoctypeDeclHandler(reader->parser, on_doctype);
    enum XML_Status parsed = XML_Parse(reader->parser, bytes, (int)length, XML_TRUE);
    if (reader->failed)
        return STATUS_BAD_INPUT;
    if (parsed == XML_STATUS_OK)
        return STATUS_OK;
    diag_fail(reader->diag, STATUS_BAD_INPUT, "not well-formed XML: %s",
              XML_ErrorString(XML_GetErrorCode(reader->parser)));
    diag_at(reader->diag, DIAG_LINE, line_of(reader));
    return STATUS_BAD_INPUT;
}

enum status msccl_parse(struct msccl **out, const char *path, const void *bytes, size_t length,
                        struct arena *arena, struct diag *diag)
{
    struct msccl *msccl = arena_take(arena, sizeof *msccl);
    msccl->path = arena_text(arena, path, strlen(path));
    *out = msccl;
    enum status status = STATUS_OK;
    if (length > MOST_INPUT)
        status =
            diag_fail(diag, STATUS_NO_MEMORY, "an MSCCL file has at most %d bytes", MOST_INPUT);
    struct reader reader = {.msccl = msccl, .arena = arena, .diag = diag, .length = length};
    reader.parser = XML_ParserCreate(NULL);
    if (!reader.parser)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for an XML parser");
    if (!status)
        status = parse_xml(&reader, bytes, length);
    XML_ParserFree(reader.parser);
    if (!status)
        status = msccl_check(msccl, arena, diag);
    if (status)
        diag_in(diag, path);
    return status;
}

enum status msccl_load(struct msccl **msccl, const char *path, struct arena *arena,
                       struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, MOST_INPUT, diag);
    if (status)
        return status;
    status = msccl_parse(msccl, path, file.bytes, file.length, arena, diag);
    file_release(&file);
    return status;
}

bool msccl_is_path(const char *text)
{
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".xml") == 0;
}
