#include "workloads/generate/model_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fields.h"
#include "base/memory.h"
#include "config/places.h"
#include "workloads/generate/family.h"
#include "workloads/generate/preset_files.h"

enum { MOST_LIKES = 8, MOST_FACTOR = 1024 };

static const char *const family_names[] = {"transformer", "resnet", "dlrm", NULL};
static const char *const norm_names[] = {"layer", "rms", NULL};
static const char *const position_names[] = {"learned", "rotary", "alibi", "none", NULL};
static const char *const bias_names[] = {"none", "all", "qkv", NULL};

/* Bounds keep every count and its flops within 64 bits; far outside of what is trained. */
#define MOST_WIDTH .least = 1, .most = 1u << 24

static const struct field spec_fields[] = {
    FIELD(struct model_spec, about, "about", FIELD_TEXT),
    FIELD(struct model_spec, source, "source", FIELD_TEXT),
    FIELD(struct model_spec, checked, "checked", FIELD_TEXT),
    FIELD(struct model_spec, also, "also", FIELD_TEXTS),
    FIELD(struct model_spec, family, "family", FIELD_WORD, .words = family_names),
    FIELD(struct model_spec, layers, "layers", FIELD_U32, .least = 1, .most = 4096),
    FIELD(struct model_spec, hidden, "hidden", FIELD_U64, .least = 1, .most = 1u << 20),
    FIELD(struct model_spec, ffn, "ffn", FIELD_U64, MOST_WIDTH),
    FIELD(struct model_spec, vocab, "vocab", FIELD_U64, MOST_WIDTH),
    FIELD(struct model_spec, max_seq, "max-seq", FIELD_U64, MOST_WIDTH),
    FIELD(struct model_spec, heads, "heads", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct model_spec, kv_heads, "kv-heads", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct model_spec, head_dim, "head-dim", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct model_spec, gated_mlp, "gated-mlp", FIELD_FLAG),
    FIELD(struct model_spec, tied_embeddings, "tied-embeddings", FIELD_FLAG),
    FIELD(struct model_spec, parallel_block, "parallel-block", FIELD_FLAG),
    FIELD(struct model_spec, qk_norm, "qk-norm", FIELD_FLAG),
    FIELD(struct model_spec, bias, "bias", FIELD_WORD, .words = bias_names),
    FIELD(struct model_spec, norm, "norm", FIELD_WORD, .words = norm_names),
    FIELD(struct model_spec, norm_bias, "norm-bias", FIELD_FLAG),
    FIELD(struct model_spec, norms_per_layer, "norms-per-layer", FIELD_U32, .most = 16),
    FIELD(struct model_spec, embedding_norm, "embedding-norm", FIELD_FLAG),
    FIELD(struct model_spec, masked_lm, "masked-lm", FIELD_FLAG),
    FIELD(struct model_spec, position, "position", FIELD_WORD, .words = position_names),
    FIELD(struct model_spec, window, "window", FIELD_U64, .most = 1u << 24),
    FIELD(struct model_spec, global_every, "global-every", FIELD_U32, .most = 4096),
    FIELD(struct model_spec, dropout, "dropout", FIELD_NUMBER),
    FIELD(struct model_spec, mtp_layers, "mtp-layers", FIELD_U32, .most = 64),
    FIELD(struct model_spec, published_note, "published-note", FIELD_TEXT),
    {.key = NULL},
};

static const struct field moe_fields[] = {
    FIELD(struct moe_spec, experts, "count", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct moe_spec, top_k, "top-k", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct moe_spec, ffn, "ffn", FIELD_U64, MOST_WIDTH),
    FIELD(struct moe_spec, shared_experts, "shared", FIELD_U32, .most = 1024),
    FIELD(struct moe_spec, shared_ffn, "shared-ffn", FIELD_U64, .most = 1u << 24),
    FIELD(struct moe_spec, dense_layers, "dense-layers", FIELD_U32, .most = 4096),
    FIELD(struct moe_spec, every, "every", FIELD_U32, .least = 1, .most = 4096),
    FIELD(struct moe_spec, capacity_factor, "capacity-factor", FIELD_NUMBER),
    FIELD(struct moe_spec, imbalance, "imbalance", FIELD_NUMBER),
    {.key = NULL},
};

static const struct field mla_fields[] = {
    FIELD(struct mla_spec, q_rank, "q-rank", FIELD_U32, .most = 1u << 20),
    FIELD(struct mla_spec, kv_rank, "kv-rank", FIELD_U32, .least = 1, .most = 1u << 20),
    FIELD(struct mla_spec, rope_dim, "rope-dim", FIELD_U32, .most = 65536),
    FIELD(struct mla_spec, nope_dim, "nope-dim", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct mla_spec, v_dim, "v-dim", FIELD_U32, .least = 1, .most = 65536),
    {.key = NULL},
};

static const char *const other_keys[] = {
    "like", "experts", "latent-attention", "published-parameters", "published-active", "resnet",
    "dlrm", NULL};

/* -- parts of a file -------------------------------------------------------------------------- */

/* "174.6B", "124M", or a plain number. */
static enum status read_count(const struct field_reader *reader, const struct doc_node *root,
                              const char *key, uint64_t *count)
{
    const struct doc_node *node = doc_find(root, key);
    if (!node)
        return STATUS_OK;
    static const char expected[] = "a number of parameters such as 174.6B, 124M or 70553706496";
    if (node->kind != DOC_TEXT && node->kind != DOC_NUMBER)
        return doc_fail(reader->doc, node, key, expected, reader->diag);
    char *end;
    double value = strtod(node->text, &end);
    static const char letters[] = "KMBT";
    const char *letter = *end ? strchr(letters, *end) : NULL;
    if (letter)
        value *= pow(1000, (double)(letter - letters + 1));
    bool is_whole = end != node->text && (letter ? end[1] : end[0]) == '\0';
    if (!is_whole || !(value >= 1) || value > 1e16)
        return doc_fail(reader->doc, node, key, expected, reader->diag);
    *count = (uint64_t)(value + 0.5);
    return STATUS_OK;
}

static enum status read_part(const struct field_reader *reader, const struct doc_node *root,
                             const char *key, const struct field *fields, void *to)
{
    const struct doc_node *node = doc_find(root, key);
    struct field_reader inner = *reader;
    inner.path = key;
    return node ? fields_read(&inner, node, fields, NULL, to) : STATUS_OK;
}

static enum status read_spec(const struct field_reader *reader, struct model_spec *spec)
{
    const struct doc_node *root = reader->doc->root;
    enum status status = fields_read(reader, root, spec_fields, other_keys, spec);
    const struct family_ops *family = family_of(spec);
    if (status == STATUS_OK && family) {
        struct field_reader inner = *reader;
        inner.path = family->name;
        status = family->read(spec, &inner, doc_find(root, family->name));
    }
    if (status == STATUS_OK)
        status = read_part(reader, root, "experts", moe_fields, &spec->moe);
    if (status == STATUS_OK)
        status = read_part(reader, root, "latent-attention", mla_fields, &spec->mla);
    if (status == STATUS_OK)
        status = read_count(reader, root, "published-parameters", &spec->published_parameters);
    if (status == STATUS_OK)
        status = read_count(reader, root, "published-active", &spec->published_active);
    return status;
}

/* -- what is absent, what does not fit -------------------------------------------------------- */

static enum status refuse(const struct doc *doc, const char *field, const char *message,
                          struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "%s", message);
    diag_in(diag, doc->path);
    diag_field(diag, "%s", field);
    return STATUS_BAD_CONFIG;
}

static void complete(struct model_spec *spec)
{
    if (!spec->kv_heads)
        spec->kv_heads = spec->heads;
    if (!spec->head_dim && spec->heads)
        spec->head_dim = (uint32_t)(spec->hidden / spec->heads);
    struct moe_spec *moe = &spec->moe;
    if (!moe->experts)
        return;
    if (!moe->top_k)
        moe->top_k = 1;
    if (!moe->ffn)
        moe->ffn = spec->ffn;
    if (!moe->shared_ffn)
        moe->shared_ffn = moe->shared_experts * moe->ffn;
    if (!spec->ffn)
        spec->ffn = moe->ffn;
}

/* A bound of the parameters that cannot overflow. */
static double largest(const struct model_spec *spec)
{
    double ffn = (double)spec->ffn + (double)spec->moe.ffn * fmax(1, spec->moe.experts) +
                 (double)spec->moe.shared_ffn;
    double attention = (double)(spec->heads + spec->kv_heads) * spec->head_dim;
    attention += (double)spec->heads * (spec->mla.nope_dim + spec->mla.rope_dim + spec->mla.v_dim);
    double layer = 4 * (double)spec->hidden * (ffn + attention);
    return spec->layers * layer + 2 * (double)(spec->vocab + spec->max_seq) * (double)spec->hidden;
}

static enum status check(const struct model_spec *spec, const struct doc *doc, struct diag *diag)
{
    if (spec->checked && strcmp(spec->checked, "seen") != 0 && strcmp(spec->checked, "memory") != 0)
        return refuse(doc, "checked", "expected seen or memory", diag);
    if (!spec->layers)
        return refuse(doc, "layers", "expected a value, found nothing", diag);
    if (!spec->hidden)
        return refuse(doc, "hidden", "expected a value, found nothing", diag);
    if (!spec->heads)
        return refuse(doc, "heads", "expected a value, found nothing", diag);
    if (!spec->ffn)
        return refuse(doc, "ffn", "expected a value, found nothing", diag);
    if (!spec->vocab)
        return refuse(doc, "vocab", "expected a value, found nothing", diag);
    if (!spec->head_dim)
        return refuse(doc, "head-dim", "more heads than hidden: give head-dim", diag);
    if (spec->heads % spec->kv_heads != 0)
        return refuse(doc, "kv-heads", "expected a divisor of heads", diag);
    if (spec->position == POSITION_LEARNED && !spec->max_seq)
        return refuse(doc, "max-seq", "learned positions need it", diag);
    if (spec->moe.experts && spec->moe.top_k > spec->moe.experts)
        return refuse(doc, "experts.top-k", "more than there are experts", diag);
    if (spec->moe.experts && !(spec->moe.imbalance >= 1 && spec->moe.imbalance <= MOST_FACTOR))
        return refuse(doc, "experts.imbalance", "expected 1, which is balanced, to 1024", diag);
    if (spec->moe.capacity_factor > MOST_FACTOR)
        return refuse(doc, "experts.capacity-factor", "expected at most 1024", diag);
    if (largest(spec) > 1e15)
        return refuse(doc, "layers", "more than 10^15 parameters", diag);
    if (spec->dropout >= 1)
        return refuse(doc, "dropout", "expected less than 1", diag);
    return STATUS_OK;
}

/* -- loading ---------------------------------------------------------------------------------- */

static void defaults(struct model_spec *spec)
{
    *spec = (struct model_spec){.family = MODEL_TRANSFORMER,
                                .norm_bias = true,
                                .norms_per_layer = 2,
                                .position = POSITION_ROTARY,
                                .moe = {.every = 1, .imbalance = 1}};
}

/* The files from `name` back along `like`: doc[0] is the last. */
struct ancestry {
    struct doc doc[MOST_LIKES];
    uint32_t count;
};

/* What a file is like, or NULL. */
static enum status next_name(const struct doc *doc, const char **name, struct arena *arena,
                             struct diag *diag)
{
    const struct doc_node *like = doc_find(doc->root, "like");
    *name = NULL;
    enum status status = like ? doc_get_text(doc, like, "like", name, diag) : STATUS_OK;
    if (status == STATUS_OK && *name && embedded_is_path(*name))
        *name = path_beside(arena, doc, *name);
    return status;
}

/* Opens `name`, if given, and all that the last of the line is like. */
static enum status open_all(struct ancestry *line, const char *name, struct arena *arena,
                            struct diag *diag)
{
    enum status status = STATUS_OK;
    if (!name)
        status = next_name(&line->doc[0], &name, arena, diag);
    while (name && status == STATUS_OK) {
        if (line->count == MOST_LIKES) {
            diag_fail(diag, STATUS_BAD_CONFIG, "more than %d files in a line: is one like itself?",
                      MOST_LIKES);
            diag_in(diag, line->doc[0].path);
            diag_field(diag, "like");
            return STATUS_BAD_CONFIG;
        }
        struct doc *doc = &line->doc[line->count];
        status = embedded_open(doc, model_files, "model", name, diag);
        if (status != STATUS_OK)
            return status;
        line->count++;
        status = next_name(doc, &name, arena, diag);
    }
    return status;
}

static enum status read_all(struct model_spec *spec, const struct ancestry *line,
                            struct arena *arena, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t i = line->count; i-- > 0 && status == STATUS_OK;) {
        /* What belongs to one file only. */
        spec->also = NULL;
        spec->published_parameters = spec->published_active = 0;
        spec->published_note = NULL;
        struct field_reader reader = {
            .doc = &line->doc[i], .arena = arena, .diag = diag, .path = ""};
        status = read_spec(&reader, spec);
    }
    if (status != STATUS_OK)
        return status;
    if (family_of(spec))
        return STATUS_OK; /* has checked its part */
    complete(spec);
    return check(spec, &line->doc[0], diag);
}

static enum status load_line(struct model_spec *spec, struct ancestry *line, const char *name,
                             struct arena *arena, struct notices *notices, struct diag *diag)
{
    defaults(spec);
    enum status status = open_all(line, line->count ? NULL : name, arena, diag);
    if (status == STATUS_OK)
        status = read_all(spec, line, arena, diag);
    spec->name = arena_text(arena, name, strlen(name));
    if (status == STATUS_OK && spec->checked && strcmp(spec->checked, "memory") == 0)
        notices_add(notices, NOTICE_ODDITY, "model from memory", 1,
                    "%.60s: its hyper-parameters were not looked up", name);
    for (uint32_t i = 0; i < line->count; i++)
        doc_release(&line->doc[i]);
    free(line);
    return status;
}

static struct ancestry *new_line(void)
{
    struct ancestry *line = calloc(1, sizeof *line);
    need_memory(line != NULL);
    return line;
}

enum status model_spec_load(struct model_spec *spec, const char *name, struct arena *arena,
                            struct notices *notices, struct diag *diag)
{
    char as_preset[2 * EMBEDDED_NAME];
    const char *preset = embedded_is_path(name) ? NULL : model_spec_find(name);
    if (preset)
        name = embedded_rename(as_preset, sizeof as_preset, name, preset);
    return load_line(spec, new_line(), name, arena, notices, diag);
}

enum status model_spec_parse(struct model_spec *spec, const char *name, const char *text,
                             size_t length, struct arena *arena, struct notices *notices,
                             struct diag *diag)
{
    struct ancestry *line = new_line();
    enum status status = doc_parse(&line->doc[0], name, text, length, DOC_YAML, diag);
    if (status != STATUS_OK) {
        free(line);
        return status;
    }
    line->count = 1;
    return load_line(spec, line, name, arena, notices, diag);
}

/* -- other names ------------------------------------------------------------------------------ */

static bool has_name(const struct doc_node *also, const char *name)
{
    for (uint32_t i = 0; also && i < also->count; i++)
        if (also->child[i].text && strcasecmp(also->child[i].text, name) == 0)
            return true;
    return false;
}

const char *model_spec_find(const char *text)
{
    struct embedded_words words;
    embedded_split(&words, text);
    const char *name = words.name;
    for (const struct embedded_file *file = model_files; file->name; file++)
        if (strcasecmp(file->name, name) == 0)
            return file->name;
    for (const struct embedded_file *file = model_files; file->name; file++) {
        struct doc doc;
        struct diag diag = DIAG_NONE;
        if (doc_parse(&doc, file->name, file->text, file->length, DOC_YAML, &diag) != STATUS_OK)
            continue;
        bool found = has_name(doc_find(doc.root, "also"), name);
        doc_release(&doc);
        if (found)
            return file->name;
    }
    return NULL;
}
