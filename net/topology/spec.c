#include "net/topology/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"

enum { TOKEN = 64, LONGEST_TEXT = 4096 };

/* The text that is left to read, and where it began, for the place in messages. */
struct reader {
    const char *start, *next;
    struct diag *diag;
};

static enum status fail(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum status fail(struct reader *reader, const char *format, ...)
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

/* The word at *next in lower case, without '-' and '_'; cut to TOKEN - 1 letters. */
static void take_word(const char **next, char word[TOKEN])
{
    size_t length = 0;
    while (isalnum((unsigned char)**next) || **next == '-' || **next == '_') {
        if (**next != '-' && **next != '_' && length + 1 < TOKEN)
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
    char word[TOKEN];
    while (*text == ' ')
        text++;
    take_word(&text, word);
    return (*text == '\0' || strchr(":,* ", *text)) && find_kind(word);
}

static enum status unknown_kind(struct reader *reader, const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (const struct spec_kind *const *kind = spec_kinds; *kind && count < 63; kind++)
        names[count++] = (*kind)->name;
    names[count] = NULL;
    const char *nearest = suggest_nearest(word, names);
    fail(reader, "unknown kind of topology \"%s\"", word);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"? `orrery list topologies` has all kinds",
                  nearest);
    else
        diag_hint(reader->diag, "a kind such as ring, torus, switch or fattree, or the path of a "
                                "topology file");
    return reader->diag->status;
}

/* -- sizes ----------------------------------------------------------------------------------- */

static enum status take_number(struct reader *reader, uint32_t *number)
{
    if (!isdigit((unsigned char)*reader->next))
        return fail(reader, "expected a number at \"%.20s\"", reader->next);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(reader->next, &end, 10);
    if (errno || value > CONFIG_MAX_NPUS)
        return fail(reader, "%.*s is too large: the limit is %d", (int)(end - reader->next),
                    reader->next, CONFIG_MAX_NPUS);
    reader->next = end;
    *number = (uint32_t)value;
    return STATUS_OK;
}

/* Numbers with 'x' (or ',' if `commas`) between. */
static enum status take_row(struct reader *reader, bool commas, uint32_t *row, uint32_t *count)
{
    for (*count = 0;;) {
        if (*count == SPEC_COLUMNS)
            return fail(reader, "more than %d sizes in a row", SPEC_COLUMNS);
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

static enum status take_sizes(struct reader *reader, struct spec_factor *factor)
{
    for (;;) {
        if (factor->rows == SPEC_ROWS)
            return fail(reader, "%s: more than %d rows of sizes", factor->kind->name, SPEC_ROWS);
        uint32_t row = factor->rows++;
        enum status status = take_row(reader, true, factor->size[row], &factor->columns[row]);
        if (status != STATUS_OK) {
            diag_hint(reader->diag, "%s:%s", factor->kind->name, factor->kind->sizes);
            return status;
        }
        if (*reader->next != '/' && *reader->next != ';')
            return STATUS_OK;
        reader->next++;
    }
}

/* -- keys ------------------------------------------------------------------------------------ */

static enum status unknown_key(struct reader *reader, const struct spec_kind *kind,
                               const char *word)
{
    const char *names[SPEC_KEYS + 1];
    char list[200] = "";
    size_t count = 0;
    for (; kind->key[count].name; count++) {
        names[count] = kind->key[count].name;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", names[count]);
    }
    names[count] = NULL;
    const char *nearest = suggest_nearest(word, names);
    fail(reader, "%s has no option \"%s\"", kind->name, word);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"? It has %s", nearest, list);
    else
        diag_hint(reader->diag, "it has %s", list);
    return reader->diag->status;
}

static enum status take_ratio(struct reader *reader, const char *text, double least, double *ratio)
{
    char *end;
    *ratio = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xXnN") || !(*ratio >= least) ||
        *ratio > CONFIG_MAX_NPUS)
        return fail(reader, "expected a number from %g to %d, found \"%s\"", least, CONFIG_MAX_NPUS,
                    text);
    return STATUS_OK;
}

static enum status take_choice(struct reader *reader, const struct spec_key *key, const char *text,
                               double *number)
{
    for (uint32_t i = 0; key->choices[i]; i++) {
        if (strcmp(key->choices[i], text) == 0) {
            *number = i;
            return STATUS_OK;
        }
    }
    char list[160] = "";
    for (uint32_t i = 0; key->choices[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", key->choices[i]);
    }
    const char *nearest = suggest_nearest(text, key->choices);
    fail(reader, "%s: expected one of %s, found \"%s\"", key->name, list, text);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return reader->diag->status;
}

static enum status take_numbers(struct reader *reader, const char *text, struct spec_value *value)
{
    struct reader inner = {reader->start, text, reader->diag};
    enum status status = take_row(&inner, false, value->numbers, &value->numbers_count);
    if (status == STATUS_OK && *inner.next)
        return fail(reader, "expected numbers with \"x\" between, found \"%s\"", text);
    return status;
}

static enum status take_value(struct reader *reader, const struct spec_key *key, const char *text,
                              struct spec_value *value)
{
    struct diag *diag = reader->diag;
    enum status status = STATUS_OK;
    value->given = true;
    switch (key->type) {
    case SPEC_BANDWIDTH:
        status = units_parse_bandwidth(text, NULL, &value->number, NULL, diag);
        break;
    case SPEC_DURATION:
        status = units_parse_duration(text, NULL, &value->number, NULL, diag);
        break;
    case SPEC_COUNT:
        status = take_ratio(reader, text, 1, &value->number);
        if (status == STATUS_OK && value->number != (double)(uint32_t)value->number)
            status = fail(reader, "%s: expected a whole number, found \"%s\"", key->name, text);
        break;
    case SPEC_RATIO:
        status = take_ratio(reader, text, 1, &value->number);
        break;
    case SPEC_NUMBERS:
        status = take_numbers(reader, text, value);
        break;
    case SPEC_CHOICE:
        status = take_choice(reader, key, text, &value->number);
        break;
    case SPEC_FLAG:
        value->number = 1;
        break;
    }
    if (status != STATUS_OK)
        diag_field(diag, "topology \"%.60s\": %s", reader->start, key->name);
    return status;
}

static enum status take_key(struct reader *reader, struct spec_factor *factor)
{
    char word[TOKEN], text[TOKEN];
    take_word(&reader->next, word);
    const struct spec_key *key = factor->kind->key;
    while (key->name && strcmp(key->name, word) != 0)
        key++;
    if (!key->name)
        return unknown_key(reader, factor->kind, word);
    struct spec_value *value = &factor->value[key - factor->kind->key];
    if (value->given)
        return fail(reader, "%s is given twice", key->name);
    if ((*reader->next == '=') == (key->type == SPEC_FLAG))
        return fail(reader,
                    key->type == SPEC_FLAG ? "%s takes no value" : "%s needs a value (%s=..)",
                    key->name, key->name);
    size_t length = 0;
    if (*reader->next == '=')
        length = strcspn(++reader->next, ",*");
    if (length >= TOKEN)
        return fail(reader, "%s: the value is too long", key->name);
    memcpy(text, reader->next, length);
    text[length] = '\0';
    reader->next += length;
    return take_value(reader, key, text, value);
}

/* -- the whole ------------------------------------------------------------------------------- */

static enum status check_factor(struct reader *reader, const struct spec_factor *factor,
                                uint64_t *npus)
{
    enum status status = STATUS_OK;
    *npus = factor->size[0][0];
    if (factor->kind->check)
        status = factor->kind->check(factor, npus, reader->diag);
    else if (factor->rows != 1 || factor->columns[0] != 1)
        status = fail(reader, "%s takes one size: the number of NPUs", factor->kind->name);
    if (status == STATUS_OK && *npus == 0)
        status = fail(reader, "%s: sizes must be 1 or more", factor->kind->name);
    if (status != STATUS_OK) {
        diag_field(reader->diag, "topology \"%.90s\"", reader->start);
        diag_hint(reader->diag, "%s:%s", factor->kind->name, factor->kind->sizes);
    }
    return status;
}

static enum status take_factor(struct reader *reader, struct spec_factor *factor, uint64_t *npus)
{
    char word[TOKEN];
    take_word(&reader->next, word);
    *factor = (struct spec_factor){.kind = find_kind(word)};
    if (!factor->kind)
        return unknown_kind(reader, word);
    enum status status = STATUS_OK;
    if (*reader->next == ':') {
        reader->next++;
        status = take_sizes(reader, factor);
    }
    while (status == STATUS_OK && *reader->next == ',') {
        reader->next++;
        status = take_key(reader, factor);
    }
    if (status == STATUS_OK && *reader->next && *reader->next != '*')
        status = fail(reader, "cannot read \"%.30s\"", reader->next);
    return status == STATUS_OK ? check_factor(reader, factor, npus) : status;
}

/* Blanks are dropped, so that "400 Gbps" and blanks around '*' are fine. */
static enum status without_blanks(const char *text, char *to, struct diag *diag)
{
    size_t length = 0;
    for (; *text; text++) {
        if (isspace((unsigned char)*text))
            continue;
        if (length + 1 == LONGEST_TEXT)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "the one-line form of a topology is longer than %d letters",
                             LONGEST_TEXT - 1);
        to[length++] = *text;
    }
    to[length] = '\0';
    return STATUS_OK;
}

enum status spec_parse(const char *text, struct spec *spec, struct diag *diag)
{
    char plain[LONGEST_TEXT];
    enum status status = without_blanks(text, plain, diag);
    if (status != STATUS_OK)
        return status;
    struct reader reader = {plain, plain, diag};
    uint64_t total = 1;
    *spec = (struct spec){0};
    for (;;) {
        uint64_t npus = 0;
        if (spec->count == SPEC_FACTORS)
            return fail(&reader, "more than %d factors", SPEC_FACTORS);
        status = take_factor(&reader, &spec->factor[spec->count++], &npus);
        if (status != STATUS_OK)
            return status;
        total = npus > CONFIG_MAX_NPUS ? CONFIG_MAX_NPUS + 1ull : total * npus;
        if (total > CONFIG_MAX_NPUS)
            return fail(&reader, "more than %d NPUs", CONFIG_MAX_NPUS);
        if (*reader.next == '\0')
            return STATUS_OK;
        reader.next++;
    }
}

struct spec_factor spec_factor_of(const struct spec_kind *kind, uint32_t size)
{
    return (struct spec_factor){.kind = kind, .rows = 1, .columns = {1}, .size = {{size}}};
}

double spec_number(const struct spec_factor *factor, uint32_t key)
{
    return factor->value[key].given ? factor->value[key].number : factor->kind->key[key].fallback;
}
