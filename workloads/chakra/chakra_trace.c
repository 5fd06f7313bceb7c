/* The trace object: its life, its names, its facts. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/memory.h"
#include "workloads/chakra/chakra_build.h"

/* Room for a name of `length` bytes and its NUL in the shown-name buffer. */
static void show_room(struct chakra_trace *made, size_t length)
{
    if (length < made->shown_capacity)
        return;
    made->shown_capacity = 2 * length + 64;
    made->shown = realloc(made->shown, made->shown_capacity);
    need_memory(made->shown != NULL);
}

static const char *name_of(struct trace *trace, uint32_t index)
{
    struct chakra_trace *made = (struct chakra_trace *)trace;
    uint64_t name = trace->node[index].name;
    if (!made->has_file)
        return name ? (const char *)(uintptr_t)name : "";
    size_t length = name & NAME_LENGTH_MASK;
    show_room(made, length);
    memcpy(made->shown, made->file.bytes + (name >> NAME_LENGTH_BITS), length);
    made->shown[length] = '\0';
    return made->shown;
}

static void destroy(struct trace *trace)
{
    struct chakra_trace *made = (struct chakra_trace *)trace;
    spill_release(&made->node);
    spill_release(&made->parent_begin);
    spill_release(&made->parent);
    spill_release(&made->missing);
    names_release(&made->group_names);
    names_release(&made->shapes.text);
    free(made->shapes.shape);
    free(made->holds.hold);
    free(made->trace.life);
    group_list_release(&made->groups);
    if (made->has_file)
        file_release(&made->file);
    free(made->shown);
    arena_release(&made->arena);
    free(made);
}

struct chakra_trace *chakra_trace_create(const char *path)
{
    struct chakra_trace *made = calloc(1, sizeof *made);
    need_memory(made != NULL);
    arena_init(&made->arena);
    names_init(&made->group_names);
    names_init(&made->shapes.text);
    made->trace.path = arena_text(&made->arena, path, strlen(path));
    made->trace.format = made->trace.version = made->trace.schema = "";
    made->trace.name_of = name_of;
    made->trace.destroy = destroy;
    return made;
}

void chakra_trace_keep_file(struct chakra_trace *made, const struct file *file)
{
    made->file = *file;
    made->has_file = true;
}

const struct chakra_facts *chakra_facts(const struct trace *trace)
{
    return trace->destroy == destroy ? &((const struct chakra_trace *)trace)->facts : NULL;
}
