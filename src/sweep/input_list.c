#define _XOPEN_SOURCE 700 /* realpath() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/sweep.h"

/* Of "traces" the folder is made absolute: the prefix itself is no file. */
static void make_absolute(char *to, size_t size, const char *path)
{
    char folder[512];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    char *real = realpath(folder, NULL);
    int n = snprintf(to, size, "%s/%s", real && strcmp(real, "/") != 0 ? real : "", name);
    if (!real || n >= (int)size)
        snprintf(to, size, "%s", path);
    free(real);
}

void input_list_add(struct input_list *list, const char *role, const char *path, uint64_t hash)
{
    struct input_file file = {.hash = hash};
    snprintf(file.role, sizeof file.role, "%s", role);
    make_absolute(file.path, sizeof file.path, path);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->file[i].path, file.path) == 0)
            return;
    }
    if (list->count == SWEEP_INPUTS)
        return;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->file = realloc(list->file, list->room * sizeof *list->file);
        need_memory(list->file != NULL);
    }
    list->file[list->count++] = file;
}

void input_list_release(struct input_list *list)
{
    free(list->file);
    *list = (struct input_list){.count = 0};
}
