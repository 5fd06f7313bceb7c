#include "workloads/text/text_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "workloads/text/text_words.h"

enum { PEEK_BYTES = 64, LEAST_WORD = 3 };

#define BYTES_MOST   (UINT64_C(1) << 60)
#define TIME_MOST_NS (UINT64_C(1) << 53)

static const char *const mode_words[] = {
#define X(name, word) [name] = word,
    TEXT_MODE_LIST(X)
#undef X
        NULL};

const char *text_mode_name(enum text_mode mode)
{
    return mode < TEXT_MODE_COUNT ? mode_words[mode] : "?";
}

bool text_file_is(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return false;
    char text[PEEK_BYTES];
    size_t length = fread(text, 1, sizeof text, stream), word = 0;
    fclose(stream);
    while (word < length && (isupper((unsigned char)text[word]) || text[word] == '_'))
        word++;
    if (word < LEAST_WORD || word == length || !isspace((unsigned char)text[word]))
        return false;
    for (size_t i = word; i < length; i++) {
        if (!isprint((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* -- line 1 ------------------------------------------------------------------------------------ */

static enum status parse_mode(struct text_words *words, enum text_mode *mode)
{
    text_words_next(words);
    for (int m = 0; m < TEXT_MODE_COUNT; m++) {
        if (text_words_are(words, mode_words[m])) {
            *mode = (enum text_mode)m;
            return STATUS_OK;
        }
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(words->length < 63 ? words->length : 63),
             words->word);
    const char *nearest = suggest_nearest(word, mode_words);
    text_words_fail(words, "a mode of parallelism");
    diag_hint(words->diag,
              "%s%s%sDATA, MODEL, HYBRID_DATA_MODEL, HYBRID_TRANSFORMER and others: see "
              "workloads/README.md",
              nearest ? "did you mean " : "", nearest ? nearest : "",
              nearest ? "? Known are " : "");
    return STATUS_BAD_INPUT;
}

struct header {
    struct text_file *file;
    struct text_words *words;
    struct arena *arena;
    uint64_t *checkpoints, *initiators; /* count, then layers */
    bool has_group;
};

static enum status parse_list(struct header *header, const char *what, uint64_t **list)
{
    struct text_words *words = header->words;
    uint64_t count;
    /* each takes at least two characters of the line */
    uint64_t most = (uint64_t)(words->line_end - words->word) / 2 + 1;
    enum status status = text_words_number(words, what, 0, most, &count);
    if (status != STATUS_OK)
        return status;
    *list = arena_array(header->arena, count + 1, sizeof **list);
    (*list)[0] = count;
    for (uint64_t i = 1; i <= count && status == STATUS_OK; i++)
        status = text_words_number(words, "a layer", 0, UINT32_MAX - 1, &(*list)[i]);
    return status;
}

static enum status parse_count(struct header *header, const char *what, uint32_t *to)
{
    uint64_t number;
    enum status status = text_words_number(header->words, what, 1, 1 << 24, &number);
    if (status == STATUS_OK)
        *to = (uint32_t)number;
    return status;
}

static enum status parse_key(struct header *header)
{
    struct text_words *words = header->words;
    struct text_file *file = header->file;
    const struct {
        const char *key;
        uint32_t *to;
    } counts[] = {{"ep:", &file->ep},
                  {"pp:", &file->pp},
                  {"vpp:", &file->vpp},
                  {"ga:", &file->ga},
                  {"all_gpus:", &file->all_gpus}};
    if (text_words_are(words, "model_parallel_NPU_group:")) {
        header->has_group = true;
        return parse_count(header, "the size of model-parallel groups", &file->model_group);
    }
    if (text_words_are(words, "checkpoints:"))
        return parse_list(header, "the number of checkpoints", &header->checkpoints);
    if (text_words_are(words, "checkpoint_initiates:"))
        return parse_list(header, "the number of layers that initiate", &header->initiators);
    if (text_words_are(words, "pp_comm") || text_words_are(words, "pp_comm:")) {
        file->is_simai = true;
        return text_words_number(words, "bytes between stages", 0, BYTES_MOST,
                                 &file->pp_comm_bytes);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (text_words_are(words, counts[i].key)) {
            file->is_simai = true;
            return parse_count(header, counts[i].key, counts[i].to);
        }
    }
    return text_words_fail(words, "model_parallel_NPU_group:, checkpoints:, checkpoint_initiates:, "
                                  "ep:, pp:, vpp:, ga:, all_gpus: or pp_comm");
}

static enum status parse_bottom(struct header *header)
{
    struct text_words *words = header->words;
    struct text_words mark = *words;
    uint64_t number;
    if (!text_words_next(words) || !text_words_are(words, "DLRM_LAST_BOTTOM_LAYER:"))
        *words = mark;
    enum status status =
        text_words_number(words, "the last bottom layer", 0, UINT32_MAX - 1, &number);
    header->file->last_bottom_layer = (uint32_t)number;
    return status;
}

static bool is_transformer(enum text_mode mode)
{
    return mode == TEXT_TRANSFORMER || mode == TEXT_TRANSFORMER_RECOMPUTE;
}

static enum status parse_header(struct header *header)
{
    struct text_words *words = header->words;
    struct text_file *file = header->file;
    enum status status = parse_mode(words, &file->mode);
    if (status == STATUS_OK && (file->mode == TEXT_DLRM || file->mode == TEXT_DLRM_ENHANCED))
        status = parse_bottom(header);
    while (status == STATUS_OK && text_words_next(words))
        status = is_transformer(file->mode) ? parse_key(header)
                                            : text_words_fail(words, "the end of the line");
    if (status != STATUS_OK)
        return status;
    if (is_transformer(file->mode) && !header->has_group)
        return text_words_fail(words, "model_parallel_NPU_group: and the size of these groups");
    bool has_checkpoints = header->checkpoints && header->checkpoints[0] > 0;
    file->is_simai |= file->mode == TEXT_TRANSFORMER_RECOMPUTE && !has_checkpoints;
    return STATUS_OK;
}

/* -- layers ------------------------------------------------------------------------------------ */

static const struct {
    const char *word;
    enum collective_kind kind;
} kind_words[] = {
    {"ALLREDUCE", COLL_ALL_REDUCE},
    {"ALLTOALL", COLL_ALL_TO_ALL},
    {"ALLGATHER", COLL_ALL_GATHER},
    {"REDUCESCATTER", COLL_REDUCE_SCATTER},
};

static const char *const scope_words[] = {
    [TEXT_PLAIN] = "", [TEXT_EXPERT] = "_EP", [TEXT_EXPERT_DATA] = "_DP_EP"};

static bool find_kind(const struct text_words *words, struct text_collective *collective)
{
    char name[40];
    for (size_t k = 0; k < sizeof kind_words / sizeof *kind_words; k++) {
        for (int s = TEXT_PLAIN; s <= TEXT_EXPERT_DATA; s++) {
            snprintf(name, sizeof name, "%s%s", kind_words[k].word, scope_words[s]);
            if (!text_words_are(words, name))
                continue;
            *collective = (struct text_collective){
                .is_there = true, .kind = (uint8_t)kind_words[k].kind, .scope = (uint8_t)s};
            return true;
        }
    }
    return false;
}

static enum status parse_collective(struct text_words *words, const struct text_file *file,
                                    struct text_collective *collective, struct notices *notices)
{
    *collective = (struct text_collective){0};
    text_words_next(words);
    bool is_found = find_kind(words, collective);
    if (is_found && collective->scope != TEXT_PLAIN && !is_transformer(file->mode))
        return text_words_fail(words, "a kind without _EP: this mode has no experts");
    if (is_found && collective->scope != TEXT_PLAIN && file->ep == 0)
        return text_words_fail(words, "a kind without _EP, or ep: in line 1");
    if (text_words_are(words, "BROADCAST"))
        notices_add(notices, NOTICE_IGNORED, "broadcast of a text workload", 1,
                    "line %" PRIu32 ": ASTRA-sim 1.0 and SimAI run none either", words->line);
    else if (!is_found && !text_words_are(words, "NONE"))
        return text_words_fail(words, "ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER (with _EP or "
                                      "_DP_EP) or NONE");
    enum status status = text_words_number(words, "bytes", 0, BYTES_MOST, &collective->bytes);
    if (collective->bytes == 0)
        collective->is_there = false;
    return status;
}

static enum status parse_own_mode(struct text_words *words, struct text_layer *layer)
{
    enum status status = parse_mode(words, &layer->mode);
    bool is_simple = layer->mode == TEXT_DATA || layer->mode == TEXT_MODEL ||
                     layer->mode == TEXT_DATA_MODEL || layer->mode == TEXT_MODEL_DATA;
    if (status == STATUS_OK && !is_simple)
        status = text_words_fail(words, "DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA");
    return status;
}

static enum status parse_layer(struct text_words *words, struct text_file *file,
                               struct text_layer *layer, struct arena *arena,
                               struct notices *notices)
{
    static const char *const times[TEXT_PASSES] = {"the time of the forward pass",
                                                   "the time of input gradients",
                                                   "the time of weight gradients"};
    uint64_t update;
    layer->mode = file->mode;
    layer->name = arena_text(arena, words->word, words->length);
    if (!text_words_next(words))
        return text_words_fail(words, "the reserved number -1");
    enum status status = STATUS_OK;
    for (int pass = 0; pass < TEXT_PASSES && status == STATUS_OK; pass++) {
        status = text_words_number(words, times[pass], 0, TIME_MOST_NS, &layer->compute_ns[pass]);
        if (status == STATUS_OK)
            status = parse_collective(words, file, &layer->collective[pass], notices);
    }
    if (status == STATUS_OK)
        status = text_words_number(words, "the update time", 0, UINT64_MAX, &update);
    if (status == STATUS_OK && file->mode == TEXT_CUSTOMIZED)
        status = parse_own_mode(words, layer);
    if (status == STATUS_OK && text_words_next(words))
        status = text_words_fail(words, "the end of the line");
    return status;
}

static enum status parse_layers(struct text_file *file, struct text_words *words,
                                struct arena *arena, struct notices *notices)
{
    size_t lines = 1;
    for (const char *c = words->at; c < words->end; c++)
        lines += *c == '\n';
    file->layer = arena_array(arena, lines, sizeof *file->layer);
    while (text_words_line(words)) {
        text_words_next(words);
        enum status status =
            parse_layer(words, file, &file->layer[file->layer_count], arena, notices);
        if (status != STATUS_OK)
            return status;
        file->layer_count++;
    }
    return STATUS_OK;
}

/* -- checkpoints ------------------------------------------------------------------------------- */

static enum status mark_layers(const struct header *header, const uint64_t *list, bool is_initiator)
{
    struct text_file *file = header->file;
    for (uint64_t i = 1; list && i <= list[0]; i++) {
        if (list[i] >= file->layer_count) {
            diag_at(header->words->diag, DIAG_LINE, 1);
            return diag_fail(header->words->diag, STATUS_BAD_INPUT,
                             "layer %" PRIu64 " is named, but layers are 0 to %" PRIu32, list[i],
                             file->layer_count - 1);
        }
        struct text_layer *layer = &file->layer[list[i]];
        *(is_initiator ? &layer->is_initiator : &layer->is_checkpoint) = true;
    }
    return STATUS_OK;
}

/* Each layer that initiates needs a checkpoint before it. */
static enum status check_initiators(const struct header *header)
{
    const struct text_file *file = header->file;
    bool has_checkpoint = false;
    for (uint32_t l = 0; l < file->layer_count; l++) {
        if (file->layer[l].is_initiator && !has_checkpoint) {
            diag_at(header->words->diag, DIAG_LINE, 1);
            return diag_fail(header->words->diag, STATUS_BAD_INPUT,
                             "layer %" PRIu32 " (\"%.60s\") initiates computing forward again, but "
                             "no layer before it is a checkpoint",
                             l, file->layer[l].name);
        }
        has_checkpoint |= file->layer[l].is_checkpoint;
    }
    return STATUS_OK;
}

static enum status finish(struct header *header)
{
    struct text_file *file = header->file;
    struct diag *diag = header->words->diag;
    if (file->layer_count == 0) {
        diag_at(diag, DIAG_LINE, header->words->line);
        return diag_fail(diag, STATUS_BAD_INPUT, "expected lines of layers, found none");
    }
    bool is_dlrm = file->mode == TEXT_DLRM || file->mode == TEXT_DLRM_ENHANCED;
    if (is_dlrm && file->last_bottom_layer >= file->layer_count) {
        diag_at(diag, DIAG_LINE, 1);
        return diag_fail(diag, STATUS_BAD_INPUT,
                         "the last bottom layer is %" PRIu32 ", but layers are 0 to %" PRIu32,
                         file->last_bottom_layer, file->layer_count - 1);
    }
    enum status status = mark_layers(header, header->checkpoints, false);
    if (status == STATUS_OK)
        status = mark_layers(header, header->initiators, true);
    return status == STATUS_OK ? check_initiators(header) : status;
}

enum status text_file_parse(struct text_file *file, const char *path, const void *bytes,
                            size_t length, struct arena *arena, struct notices *notices,
                            struct diag *diag)
{
    struct text_words words;
    struct header header = {.file = file, .words = &words, .arena = arena};
    uint64_t count = 0;
    *file = (struct text_file){.model_group = 1};
    text_words_init(&words, bytes, length, diag);
    if (!text_words_line(&words))
        text_words_next(&words);
    enum status status = parse_header(&header);
    if (status == STATUS_OK) {
        bool has_line = text_words_line(&words);
        status = has_line ? text_words_number(&words, "the number of layers", 0, UINT32_MAX, &count)
                          : text_words_fail(&words, "a line with the number of layers");
    }
    if (status == STATUS_OK && text_words_next(&words))
        status = text_words_fail(&words, "the end of the line");
    if (status == STATUS_OK)
        status = parse_layers(file, &words, arena, notices);
    if (status == STATUS_OK)
        status = finish(&header);
    if (status != STATUS_OK)
        diag_in(diag, path);
    else if (count != file->layer_count)
        notices_add(notices, NOTICE_ODDITY, "number of layers of a text workload", 1,
                    "%.100s says %" PRIu64 ", and has %" PRIu32 ": these are taken", path, count,
                    file->layer_count);
    return status;
}
