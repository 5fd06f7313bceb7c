#include "sweep/identity.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"
#include "sweep/points.h"

enum { SEED_LOW = 1, SEED_HIGH = 2 };

struct identity identity_of_bytes(const void *bytes, size_t length)
{
    return (struct identity){
        {hash_bytes(bytes, length, SEED_LOW), hash_bytes(bytes, length, SEED_HIGH)}};
}

struct identity identity_join(struct identity a, struct identity b)
{
    struct identity both[2] = {a, b};
    return identity_of_bytes(both, sizeof both);
}

const char *identity_show(char to[IDENTITY_HEX], struct identity identity)
{
    snprintf(to, IDENTITY_HEX, "%016" PRIx64 "%016" PRIx64, identity.word[0], identity.word[1]);
    return to;
}

const char *identity_program(char *to, size_t size, const char *version)
{
    snprintf(to, size, "%s+%016" PRIx64, version, input_hash_now("program", "/proc/self/exe"));
    return to;
}

/* -- the request ------------------------------------------------------------------------------- */

static struct identity of_pair(const char *key, const char *text)
{
    struct identity a = identity_of_bytes(key, strlen(key));
    return identity_join(a, identity_of_bytes(text, strlen(text)));
}

/* A sum does not depend on the order of what is added. */
static void add(struct identity *sum, struct identity part)
{
    sum->word[0] += part.word[0];
    sum->word[1] += part.word[1];
}

static bool is_axis(const struct study *study, const char *key)
{
    for (uint32_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axis[i].key, key) == 0)
            return true;
    }
    return false;
}

struct identity identity_of_request(const struct study *study, uint32_t place, const char *program)
{
    struct identity sum = of_pair("program", program);
    for (uint32_t i = 0; i < study->base_count; i++) {
        if (!is_axis(study, study->base[i].key))
            add(&sum, of_pair(study->base[i].key, study->base[i].text));
    }
    uint32_t value[STUDY_AXES];
    points_values(study, place, value);
    for (uint32_t i = 0; i < study->axis_count; i++)
        add(&sum, of_pair(study->axis[i].key, study->axis[i].text[value[i]]));
    return sum;
}

/* -- inputs ------------------------------------------------------------------------------------ */

static uint64_t hash_file(const char *path)
{
    struct file file;
    struct diag none = DIAG_NONE;
    if (file_load(&file, path, FILE_NO_LIMIT, &none) != STATUS_OK)
        return 0;
    uint64_t hash = hash_bytes(file.bytes, file.length, 0);
    file_release(&file);
    return hash;
}

static bool is_trace_name(const char *name, const char *prefix)
{
    static const char *const ends[] = {".et", ".json", ".gz", ".eg", ".all", NULL};
    size_t length = strlen(prefix), all = strlen(name);
    if (strncmp(name, prefix, length) != 0)
        return false;
    if (name[length] == '\0')
        return true;
    for (int i = 0; ends[i]; i++) {
        size_t end = strlen(ends[i]);
        if (name[length] == '.' && all >= length + end && strcmp(name + all - end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* A sum over files, each mixed with its name: the order of the folder does not matter. */
static uint64_t hash_traces(const char *prefix)
{
    const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - prefix) : 2,
             slash ? prefix : "./");
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    uint64_t sum = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!is_trace_name(entry->d_name, name))
            continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        sum += mix64(hash_file(path) ^ hash_bytes(entry->d_name, strlen(entry->d_name), 0));
    }
    closedir(dir);
    return sum;
}

uint64_t input_hash_now(const char *role, const char *path)
{
    return strcmp(role, "traces") == 0 ? hash_traces(path) : hash_file(path);
}
