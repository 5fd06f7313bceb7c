#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/status.h"

enum { FIRST_CAPACITY = 16 };

void table_init(struct table *table)
{
    *table = (struct table){0};
}

void table_release(struct table *table)
{
    free(table->keys);
    free(table->values);
    table_init(table);
}

static size_t slot_of(const struct table *table, uint64_t key)
{
    size_t slot = mix64(key) & (table->capacity - 1);
    while (table->values[slot] != TABLE_NONE && table->keys[slot] != key)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static void rehash(struct table *table, size_t capacity)
{
    struct table old = *table;
    table->capacity = capacity;
    table->keys = malloc(capacity * sizeof *table->keys);
    table->values = malloc(capacity * sizeof *table->values);
    need_memory(table->keys && table->values);
    memset(table->values, 0xff, capacity * sizeof *table->values);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.values[i] == TABLE_NONE)
            continue;
        size_t slot = slot_of(table, old.keys[i]);
        table->keys[slot] = old.keys[i];
        table->values[slot] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

void table_reserve(struct table *table, size_t count)
{
    size_t capacity = table->capacity ? table->capacity : FIRST_CAPACITY;
    while (capacity / 4 * 3 < count)
        capacity *= 2;
    if (capacity != table->capacity)
        rehash(table, capacity);
}

uint32_t table_find(const struct table *table, uint64_t key)
{
    return table->capacity ? table->values[slot_of(table, key)] : TABLE_NONE;
}

uint32_t table_put(struct table *table, uint64_t key, uint32_t value)
{
    promise(value != TABLE_NONE);
    table_reserve(table, table->count + 1);
    size_t slot = slot_of(table, key);
    uint32_t old = table->values[slot];
    table->keys[slot] = key;
    table->values[slot] = value;
    table->count += old == TABLE_NONE;
    return old;
}

void table_remove(struct table *table, uint64_t key)
{
    if (table_find(table, key) == TABLE_NONE)
        return;
    size_t mask = table->capacity - 1;
    size_t hole = slot_of(table, key);
    table->values[hole] = TABLE_NONE;
    table->count--;
    /* Close the gap: move back every later key of the run whose home is not past the hole. */
    for (size_t i = (hole + 1) & mask; table->values[i] != TABLE_NONE; i = (i + 1) & mask) {
        size_t home = mix64(table->keys[i]) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        table->keys[hole] = table->keys[i];
        table->values[hole] = table->values[i];
        table->values[i] = TABLE_NONE;
        hole = i;
    }
}

uint32_t table_number(const uint64_t *key, uint32_t count, uint32_t *number)
{
    struct table table;
    table_init(&table);
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++) {
        number[i] = table_find(&table, key[i]);
        if (number[i] != TABLE_NONE)
            continue;
        number[i] = different++;
        table_put(&table, key[i], number[i]);
    }
    table_release(&table);
    return different;
}

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = mix64(seed ^ length);
    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = mix64(hash ^ word) + MIX_STEP;
    }
    uint64_t last = 0;
    memcpy(&last, at, length);
    return mix64(hash ^ last);
}

void names_init(struct names *names)
{
    *names = (struct names){0};
}

void names_release(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    free(names->slots);
    names_init(names);
}

/* Slot that holds `text`, or the free slot where it belongs. */
static size_t name_slot(const struct names *names, const char *text, size_t length)
{
    size_t slot = hash_bytes(text, length, 0) & (names->slot_count - 1);
    for (; names->slots[slot]; slot = (slot + 1) & (names->slot_count - 1)) {
        const char *other = names->text[names->slots[slot] - 1];
        if (strlen(other) == length && memcmp(other, text, length) == 0)
            break;
    }
    return slot;
}

static void names_grow(struct names *names)
{
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? 2 * names->capacity : FIRST_CAPACITY;
        names->text = realloc(names->text, names->capacity * sizeof *names->text);
        need_memory(names->text != NULL);
    }
    if (2 * (size_t)names->capacity == names->slot_count)
        return;
    names->slot_count = 2 * (size_t)names->capacity;
    free(names->slots);
    names->slots = calloc(names->slot_count, sizeof *names->slots);
    need_memory(names->slots != NULL);
    for (uint32_t i = 0; i < names->count; i++)
        names->slots[name_slot(names, names->text[i], strlen(names->text[i]))] = i + 1;
}

uint32_t names_find(const struct names *names, const char *text, size_t length)
{
    if (!names->slot_count)
        return TABLE_NONE;
    uint32_t number = names->slots[name_slot(names, text, length)];
    return number ? number - 1 : TABLE_NONE;
}

uint32_t names_add(struct names *names, const char *text, size_t length)
{
    uint32_t found = names_find(names, text, length);
    if (found != TABLE_NONE)
        return found;
    names_grow(names);
    char *copy = malloc(length + 1);
    need_memory(copy != NULL);
    memcpy(copy, text, length);
    copy[length] = '\0';
    /* A name with an embedded NUL would be found again as its prefix: it is cut there. */
    length = strlen(copy);
    size_t slot = name_slot(names, copy, length);
    if (names->slots[slot]) {
        free(copy);
        return names->slots[slot] - 1;
    }
    names->text[names->count] = copy;
    names->slots[slot] = names->count + 1;
    return names->count++;
}
