#include "net/topology/spec_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/units.h"

enum status spec_fail(struct spec_reader *reader, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "%s", message);
    diag_field(reader->diag, "topology \"%.90s\"", reader->start);
    return reader->diag->status;
}

/* -- words ----------------------------------------------------------------------------------- */

/* The word at *next in lower case, without '-' and '_'; cut to SPEC_TOKEN - 1 letters. */
void spec_take_word(const char **next, char word[SPEC_TOKEN])
{
    size_t length = 0;
    while (isalnum((unsigned char)**next) || **next == '-' || **next == '_') {
        if (**next != '-' && **next != '_' && length + 1 < SPEC_TOKEN)
            word[length++] = (char)tolower((unsigned char)**next);
        ++*next;
    }
    word[length] = '\0';
}

static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list && *list) {
        size_t this_length = strcspn(list, " ");
        if (this_length == length && strncmp(list, word, length) == 0)
            return true;
        list += this_length;
        list += *list == ' ';
    }
    return false;
}

static const struct spec_kind *find_kind(const char *word)
{
    for (const struct spec_kind *const *kind = spec_kinds; *kind; kind++)
        if (strcmp((*kind)->name, word) == 0 || in_list((*kind)->aliases, word))
            return *kind;
    return NULL;
}

bool spec_is_kind(const char *text)
{
    char word[SPEC_TOKEN];
    while (*text == ' ')
        text++;
    spec_take_word(&text, word);
    return (*text == '\0' || strchr(":,* ", *text)) && find_kind(word);
}

static enum status unknown_kind(struct spec_reader *reader, const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (const struct spec_kind *const *kind = spec_kinds; *kind && count < 63; kind++)
        names[count++] = (*kind)->name;
    names[count] = NULL;
    const char *nearest = suggest_nearest(word, names);
    spec_fail(reader, "unknown kind of topology \"%s\"", word);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"? `orrery list topologies` has all kinds",
                  nearest);
    else
        diag_hint(reader->diag, "a kind such as ring, torus, switch or fattree, or the path of a "
                                "topology file");
    return reader->diag->status;
}

/* -- sizes ----------------------------------------------------------------------------------- */

static enum status take_number(struct spec_reader *reader, uint32_t *number)
{
    if (!isdigit((unsigned char)*reader->next))
        return spec_fail(reader, "expected a number at \"%.20s\"", reader->next);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(reader->next, &end, 10);
    if (errno || value > CONFIG_MAX_NPUS)
        return spec_fail(reader, "%.*s is too large: the limit is %d", (int)(end - reader->next),
                         reader->next, CONFIG_MAX_NPUS);
    reader->next = end;
    *number = (uint32_t)value;
    return STATUS_OK;
}

/* Numbers with 'x' (or ',' if `commas`) between. */
enum status spec_take_row(struct spec_reader *reader, bool commas, uint32_t *row, uint32_t *count)
{
    for (*count = 0;;) {
        if (*count == SPEC_COLUMNS)
            return spec_fail(reader, "more than %d sizes in a row", SPEC_COLUMNS);
        enum status status = take_number(reader, &row[(*count)++]);
        if (status != STATUS_OK)
            return status;
        bool more = *reader->next == 'x' || *reader->next == 'X' ||
                    (commas && *reader->next == ',' && isdigit((unsigned char)reader->next[1]));
        if (!more)
            return STATUS_OK;
        reader->next++;
    }
}

static enum status take_sizes(struct spec_reader *reader, struct spec_factor *factor)
{
    for (;;) {
        if (factor->rows == SPEC_ROWS)
            return spec_fail(reader, "%s: more than %d rows of sizes", factor->kind->name,
                             SPEC_ROWS);
        uint32_t row = factor->rows++;
        enum status status = spec_take_row(reader, true, factor->size[row], &factor->columns[row]);
        if (status != STATUS_OK) {
            diag_hint(reader->diag, "%s:%s", factor->kind->name, factor->kind->sizes);
            return status;
        }
        if (*reader->next != '/' && *reader->next != ';')
            return STATUS_OK;
        reader->next++;
    }
}

/* -- parts ----------------------------------------------------------------------------------- */

static enum status put_part(struct spec_reader *reader, struct spec *spec, uint32_t copies,
                            const struct spec *part, bool first)
{
    struct arena arena;
    arena_init(&arena);
    char count[16] = "";
    if (copies != 1)
        snprintf(count, sizeof count, "%u", copies);
    size_t room = sizeof spec->text - spec->text_used;
    size_t used = (size_t)snprintf(spec->text + spec->text_used, room, "%s%s(%s)", first ? "" : "+",
                                   count, spec_print(part, &arena));
    arena_release(&arena);
    if (used >= room)
        return spec_fail(reader, "the parts are longer than %d letters", SPEC_TEXT);
    spec->text_used += used;
    return STATUS_OK;
}

static enum status parse_plain(struct spec_reader *reader, struct spec *spec);

/* [count] '(' topology ')'. The topology is read by a reader of its own: one level, no deeper. */
static enum status take_part(struct spec_reader *reader, struct spec *spec,
                             struct spec_factor *factor, bool first)
{
    uint32_t copies = 1;
    enum status status = STATUS_OK;
    if (isdigit((unsigned char)*reader->next))
        status = take_number(reader, &copies);
    if (status != STATUS_OK)
        return status;
    if (*reader->next != '(' || copies == 0)
        return spec_fail(reader, "expected a part in parentheses at \"%.20s\"", reader->next);
    if (reader->in_part)
        return spec_fail(reader, "a part cannot be made of parts");
    size_t length = strcspn(++reader->next, "()");
    if (reader->next[length] == '(')
        return spec_fail(reader, "a part cannot be made of parts");
    if (reader->next[length] != ')')
        return spec_fail(reader, "a part has no closing parenthesis");
    struct spec *part = calloc(1, sizeof *part);
    char *text = calloc(1, length + 1);
    need_memory(part && text);
    memcpy(text, reader->next, length);
    struct spec_reader inner = {text, text, reader->diag, true};
    status = parse_plain(&inner, part);
    if (status == STATUS_OK)
        status = put_part(reader, spec, copies, part, first);
    factor->part_npus += copies * part->npus;
    reader->next += length + 1;
    free(part);
    free(text);
    return status;
}

static enum status take_parts(struct spec_reader *reader, struct spec *spec,
                              struct spec_factor *factor)
{
    size_t start = spec->text_used;
    for (bool first = true;; first = false) {
        enum status status = take_part(reader, spec, factor, first);
        if (status != STATUS_OK)
            return status;
        if (*reader->next != '+')
            break;
        reader->next++;
    }
    spec->text_used++; /* the end of this text */
    factor->parts = spec->text + start;
    return spec->text_used < SPEC_TEXT ? STATUS_OK : spec_fail(reader, "the parts are too long");
}

/* -- the whole ------------------------------------------------------------------------------- */

static enum status check_factor(struct spec_reader *reader, const struct spec_factor *factor,
                                uint64_t *npus)
{
    enum status status = STATUS_OK;
    *npus = factor->size[0][0];
    if (factor->kind->check)
        status = factor->kind->check(factor, npus, reader->diag);
    else if (factor->rows != 1 || factor->columns[0] != 1)
        status = spec_fail(reader, "%s takes one size: the number of NPUs", factor->kind->name);
    if (status == STATUS_OK && *npus == 0)
        status = spec_fail(reader, "%s: sizes must be 1 or more", factor->kind->name);
    if (status != STATUS_OK) {
        diag_field(reader->diag, "topology \"%.90s\"", reader->start);
        diag_hint(reader->diag, "%s:%s", factor->kind->name, factor->kind->sizes);
    }
    return status;
}

static enum status take_factor(struct spec_reader *reader, struct spec *spec,
                               struct spec_factor *factor, uint64_t *npus)
{
    char word[SPEC_TOKEN];
    spec_take_word(&reader->next, word);
    *factor = (struct spec_factor){.kind = find_kind(word)};
    if (!factor->kind)
        return unknown_kind(reader, word);
    enum status status = STATUS_OK;
    if (*reader->next == ':') {
        reader->next++;
        status = factor->kind->takes_parts ? take_parts(reader, spec, factor)
                                           : take_sizes(reader, factor);
    }
    while (status == STATUS_OK && *reader->next == ',') {
        reader->next++;
        status = spec_take_key(reader, factor);
    }
    if (status == STATUS_OK && *reader->next && *reader->next != '*')
        status = spec_fail(reader, "cannot read \"%.30s\"", reader->next);
    return status == STATUS_OK ? check_factor(reader, factor, npus) : status;
}

/* Blanks are dropped, so that "400 Gbps" and blanks around '*' are fine. */
static enum status without_blanks(const char *text, char *to, struct diag *diag)
{
    size_t length = 0;
    for (; *text; text++) {
        if (isspace((unsigned char)*text))
            continue;
        if (length + 1 == SPEC_PRINT)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "the one-line form of a topology is longer than %d letters",
                             SPEC_PRINT - 1);
        to[length++] = *text;
    }
    to[length] = '\0';
    return STATUS_OK;
}

static enum status parse_plain(struct spec_reader *reader, struct spec *spec)
{
    spec->npus = 1;
    for (;;) {
        uint64_t npus = 0;
        if (spec->count == SPEC_FACTORS)
            return spec_fail(reader, "more than %d factors", SPEC_FACTORS);
        enum status status = take_factor(reader, spec, &spec->factor[spec->count++], &npus);
        if (status != STATUS_OK)
            return status;
        spec->npus = npus > CONFIG_MAX_NPUS ? npus : spec->npus * npus;
        if (spec->npus > CONFIG_MAX_NPUS)
            return spec_fail(reader, "more than %d NPUs", CONFIG_MAX_NPUS);
        if (*reader->next == '\0')
            return STATUS_OK;
        reader->next++;
    }
}

enum status spec_parse(const char *text, struct spec *spec, struct diag *diag)
{
    char plain[SPEC_PRINT];
    *spec = (struct spec){0};
    enum status status = without_blanks(text, plain, diag);
    if (status != STATUS_OK)
        return status;
    struct spec_reader reader = {plain, plain, diag, false};
    return parse_plain(&reader, spec);
}

struct spec_factor spec_factor_of(const struct spec_kind *kind, uint32_t size)
{
    return (struct spec_factor){.kind = kind, .rows = 1, .columns = {1}, .size = {{size}}};
}

double spec_number(const struct spec_factor *factor, uint32_t key)
{
    return factor->value[key].given ? factor->value[key].number : factor->kind->key[key].fallback;
}
