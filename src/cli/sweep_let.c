#include "cli/sweep_let.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "let.";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

bool sweep_let_is_key(const char *key)
{
    if (strncmp(key, prefix, strlen(prefix)) != 0)
        return false;
    const char *name = key + strlen(prefix);
    return *name && name[strspn(name, letters)] == '\0';
}

static bool is_name(const char *key, const char *name, size_t length)
{
    return sweep_let_is_key(key) && strlen(key) == strlen(prefix) + length &&
           memcmp(key + strlen(prefix), name, length) == 0;
}

/* An axis wins over the base. */
static const char *find(const struct study *study, const uint32_t *value, const char *name,
                        size_t length)
{
    for (uint32_t i = 0; i < study->axis_count; i++) {
        if (is_name(study->axis[i].key, name, length))
            return study->axis[i].text[value[i]];
    }
    for (uint32_t i = 0; i < study->base_count; i++) {
        if (is_name(study->base[i].key, name, length))
            return study->base[i].text;
    }
    return NULL;
}

/* Writes what `text` becomes to `to`, or only counts if that is NULL. */
static size_t fill(char *to, const struct study *study, const uint32_t *value, const char *text)
{
    size_t length = 0;
    while (*text) {
        size_t name = *text == '{' ? strspn(text + 1, letters) : 0;
        const char *put = name && text[1 + name] == '}' ? find(study, value, text + 1, name) : NULL;
        size_t size = put ? strlen(put) : 1;
        if (to)
            memcpy(to + length, put ? put : text, size);
        length += size;
        text += put ? name + 2 : 1;
    }
    return length;
}

const char *sweep_let_fill(struct arena *arena, const struct study *study, const uint32_t *value,
                           const char *text)
{
    if (!strchr(text, '{'))
        return text;
    char *filled = arena_take(arena, fill(NULL, study, value, text) + 1);
    fill(filled, study, value, text);
    return filled;
}

static bool is_used(const struct study *study, const char *in_braces)
{
    for (uint32_t i = 0; i < study->base_count; i++) {
        if (!sweep_let_is_key(study->base[i].key) && strstr(study->base[i].text, in_braces))
            return true;
    }
    for (uint32_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axis[i];
        for (uint32_t k = 0; k < axis->count && !sweep_let_is_key(axis->key); k++) {
            if (strstr(axis->text[k], in_braces))
                return true;
        }
    }
    return false;
}

enum status sweep_let_check(const struct study *study, struct diag *diag)
{
    for (uint32_t i = 0; i < study->base_count + study->axis_count; i++) {
        const char *key =
            i < study->base_count ? study->base[i].key : study->axis[i - study->base_count].key;
        char in_braces[128];
        if (!sweep_let_is_key(key))
            continue;
        snprintf(in_braces, sizeof in_braces, "{%.120s}", key + strlen(prefix));
        if (is_used(study, in_braces))
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG, "no value of the study has %s", in_braces);
        diag_field(diag, "%s", key);
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}
