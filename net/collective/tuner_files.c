/* Where the tuner's presets come from: the files of a folder, or texts; and finding them by
 * name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "net/collective/tuner_parts.h"
#include "net/collective/tuner_preset_files.h"

/* -- files ------------------------------------------------------------------------------------ */

typedef enum status read_document(struct tuner *, const struct doc *, struct diag *);

static enum status read_text(struct tuner *tuner, const char *name, const char *text,
                             read_document *read, struct diag *diag)
{
    struct doc doc;
    enum status status = doc_parse(&doc, name, text, strlen(text), DOC_YAML, diag);
    if (status == STATUS_OK) {
        status = read(tuner, &doc, diag);
        doc_release(&doc);
    }
    return status;
}

enum status tuner_read_library(struct tuner *tuner, const char *name, const char *text,
                               struct diag *diag)
{
    return read_text(tuner, name, text, tuner_library_read, diag);
}

enum status tuner_read_systems(struct tuner *tuner, const char *name, const char *text,
                               struct diag *diag)
{
    return read_text(tuner, name, text, tuner_systems_read, diag);
}

static enum status load_file(struct tuner *tuner, const char *path, read_document *read,
                             struct diag *diag)
{
    struct doc doc;
    enum status status = doc_load(&doc, path, DOC_YAML, diag);
    if (status == STATUS_OK) {
        status = read(tuner, &doc, diag);
        doc_release(&doc);
    }
    return status;
}

static int is_yaml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Every .yaml of folder/room, by name. */
static enum status load_room(struct tuner *tuner, const char *folder, const char *room,
                             read_document *read, struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3800s/%s", folder, room);
    struct dirent **entry;
    int count = scandir(path, &entry, is_yaml, by_name);
    if (count < 0) {
        diag_fail(diag, STATUS_IO, "no folder of presets");
        diag_in(diag, path);
        diag_hint(diag, "give the folder that holds libraries/ and systems/");
        return STATUS_IO;
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char file[sizeof path + 256];
        snprintf(file, sizeof file, "%s/%.255s", path, entry[i]->d_name);
        if (status == STATUS_OK)
            status = load_file(tuner, file, read, diag);
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* Every one of the program's own files, by name. */
static enum status read_embedded(struct tuner *tuner, const struct embedded_file *file,
                                 read_document *read, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (; file->name && status == STATUS_OK; file++)
        status = read_text(tuner, file->name, file->text, read, diag);
    return status;
}

/* The folder `configs` with presets nearest above the program, or NULL. */
static const char *find_folder(char *to, size_t size)
{
    char path[3800] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        char probe[3900];
        snprintf(probe, sizeof probe, "%s/configs/libraries/nccl.yaml", path);
        if (file_exists(probe)) {
            snprintf(to, size, "%s/configs", path);
            return to;
        }
    }
    return NULL;
}

struct tuner *tuner_create_empty(void)
{
    struct tuner *tuner = calloc(1, sizeof *tuner);
    need_memory(tuner != NULL);
    arena_init(&tuner->arena);
    tuner->library = arena_array(&tuner->arena, TUNER_MOST_LIBRARIES, sizeof *tuner->library);
    tuner->system = arena_array(&tuner->arena, TUNER_MOST_SYSTEMS, sizeof *tuner->system);
    return tuner;
}

enum status tuner_create(struct tuner **tuner, const char *folder, struct diag *diag)
{
    char found[3900];
    if (!folder)
        folder = find_folder(found, sizeof found);
    *tuner = tuner_create_empty();
    enum status status = folder ? load_room(*tuner, folder, "libraries", tuner_library_read, diag)
                                : read_embedded(*tuner, library_files, tuner_library_read, diag);
    if (status == STATUS_OK)
        status = folder ? load_room(*tuner, folder, "systems", tuner_systems_read, diag)
                        : read_embedded(*tuner, system_files, tuner_systems_read, diag);
    if (status != STATUS_OK) {
        tuner_destroy(*tuner);
        *tuner = NULL;
    }
    return status;
}

void tuner_destroy(struct tuner *tuner)
{
    if (!tuner)
        return;
    arena_release(&tuner->arena);
    free(tuner);
}

/* -- finding ---------------------------------------------------------------------------------- */

enum status tuner_find_system(const struct tuner *tuner, const char *name,
                              const struct tuner_system **system, struct diag *diag)
{
    *system = tuner_system_called(tuner, name);
    if (*system)
        return STATUS_OK;
    const char *known[TUNER_MOST_SYSTEMS + 1] = {NULL};
    char list[300] = "";
    for (uint32_t i = 0; i < tuner->system_count; i++) {
        known[i] = tuner->system[i].name;
        if (strlen(list) + strlen(known[i]) + 2 < sizeof list) {
            strcat(list, " ");
            strcat(list, known[i]);
        }
    }
    diag_fail(diag, STATUS_BAD_CONFIG, "no system preset is called \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "known:%s", list);
    return STATUS_BAD_CONFIG;
}

uint32_t tuner_system_count(const struct tuner *tuner)
{
    return tuner->system_count;
}

const char *tuner_system_name(const struct tuner *tuner, uint32_t index, const char **summary)
{
    promise(index < tuner->system_count);
    if (summary)
        *summary = tuner->system[index].summary;
    return tuner->system[index].name;
}
