#include "net/topology/spec_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"

static enum status unknown_key(struct spec_reader *reader, const struct spec_kind *kind,
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
    spec_fail(reader, "%s has no option \"%s\"", kind->name, word);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"? It has %s", nearest, list);
    else
        diag_hint(reader->diag, "it has %s", list);
    return reader->diag->status;
}

static enum status take_ratio(struct spec_reader *reader, const struct spec_key *key,
                              const char *text, double *ratio)
{
    char *end;
    *ratio = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xXnN") || !(*ratio >= 1) || *ratio > CONFIG_MAX_NPUS)
        return spec_fail(reader, "%s: expected a number from 1 to %d, found \"%s\"", key->name,
                         CONFIG_MAX_NPUS, text);
    return STATUS_OK;
}

static enum status take_choice(struct spec_reader *reader, const struct spec_key *key,
                               const char *text, double *number)
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
    spec_fail(reader, "%s: expected one of %s, found \"%s\"", key->name, list, text);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return reader->diag->status;
}

static enum status take_numbers(struct spec_reader *reader, const char *text,
                                struct spec_value *value)
{
    struct spec_reader inner = {reader->start, text, reader->diag, reader->in_part};
    enum status status = spec_take_row(&inner, false, value->numbers, &value->numbers_count);
    if (status == STATUS_OK && *inner.next)
        return spec_fail(reader, "expected numbers with \"x\" between, found \"%s\"", text);
    return status;
}

static enum status take_value(struct spec_reader *reader, const struct spec_key *key,
                              const char *text, struct spec_value *value)
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
        status = take_ratio(reader, key, text, &value->number);
        if (status == STATUS_OK && value->number != (double)(uint32_t)value->number)
            status =
                spec_fail(reader, "%s: expected a whole number, found \"%s\"", key->name, text);
        break;
    case SPEC_RATIO:
        status = take_ratio(reader, key, text, &value->number);
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

enum status spec_take_key(struct spec_reader *reader, struct spec_factor *factor)
{
    char word[SPEC_TOKEN], text[SPEC_TOKEN];
    spec_take_word(&reader->next, word);
    const struct spec_key *key = factor->kind->key;
    while (key->name && strcmp(key->name, word) != 0)
        key++;
    if (!key->name)
        return unknown_key(reader, factor->kind, word);
    struct spec_value *value = &factor->value[key - factor->kind->key];
    if (value->given)
        return spec_fail(reader, "%s is given twice", key->name);
    if ((*reader->next == '=') == (key->type == SPEC_FLAG))
        return spec_fail(reader,
                         key->type == SPEC_FLAG ? "%s takes no value" : "%s needs a value (%s=..)",
                         key->name, key->name);
    size_t length = 0;
    if (*reader->next == '=')
        length = strcspn(++reader->next, ",*");
    if (length >= SPEC_TOKEN)
        return spec_fail(reader, "%s: the value is too long", key->name);
    memcpy(text, reader->next, length);
    text[length] = '\0';
    reader->next += length;
    return take_value(reader, key, text, value);
}
