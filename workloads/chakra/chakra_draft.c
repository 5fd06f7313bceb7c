#include "workloads/chakra/chakra_draft.h"

#include <stdlib.h>
#include <string.h>

static const char *const attr_names[] = {
#define X(name, text) text,
    CHAKRA_ATTR_LIST(X)
#undef X
};

void draft_init(struct chakra_draft *draft)
{
    *draft = (struct chakra_draft){0};
}

void draft_release(struct chakra_draft *draft)
{
    free(draft->data.id);
    free(draft->control.id);
    draft_init(draft);
}

void draft_reset(struct chakra_draft *draft)
{
    draft->id = 0;
    draft->type = OP_INVALID;
    draft->type_known = true;
    draft->duration_us = draft->start_us = 0;
    draft->name = (struct chakra_text){0};
    draft->in_values = draft->in_shapes = draft->in_types = (struct chakra_text){0};
    draft->data.count = draft->control.count = 0;
    draft->given = 0;
    draft->valueless_count = draft->repeated_count = 0;
    draft->other_count = draft->unknown_field_count = 0;
}

bool id_list_add(struct id_list *list, uint64_t id)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        uint64_t *moved = realloc(list->id, capacity * sizeof *moved);
        if (!moved)
            return false;
        list->id = moved;
        list->capacity = capacity;
    }
    list->id[list->count++] = id;
    return true;
}

/* Attribute `attr` if that is what `name` says. */
static inline enum chakra_attr match(enum chakra_attr attr, const char *name, size_t length)
{
    return memcmp(attr_names[attr], name, length) == 0 ? attr : ATTR_OTHER;
}

/* By length and one telling letter, then one comparison: this runs for every attribute read. */
enum chakra_attr chakra_attr_find(const char *name, size_t length)
{
    switch (length) {
    case 4:
        return match(ATTR_ROOT, name, length);
    case 5:
        return match(ATTR_HOLDS, name, length);
    case 6:
        return match(ATTR_STREAM, name, length);
    case 7:
        if (name[0] == 'n')
            return match(ATTR_NUM_OPS, name, length);
        if (name[0] == 'k')
            return match(ATTR_KERNELS, name, length);
        return match(name[0] == 'p' ? ATTR_PG_NAME : ATTR_RUNTIME, name, length);
    case 8:
        if (name[7] == 'c')
            return match(ATTR_COMM_SRC, name, length);
        if (name[7] == 'e')
            return match(ATTR_OP_SHAPE, name, length);
        return match(name[7] == 't' ? ATTR_COMM_DST : ATTR_COMM_TAG, name, length);
    case 9:
        if (name[0] == 'i')
            return match(ATTR_IS_CPU_OP, name, length);
        if (name[0] == 'r')
            return match(ATTR_ROOT_RANK, name, length);
        return match(name[5] == 't' ? ATTR_COMM_TYPE : ATTR_COMM_SIZE, name, length);
    case 10:
        return match(ATTR_COMM_GROUP, name, length);
    case 11:
        return match(name[0] == 't' ? ATTR_TENSOR_SIZE : ATTR_PEER_PLACES, name, length);
    case 12:
        return match(ATTR_INVOLVED_DIM, name, length);
    case 13:
        return match(ATTR_COMM_PRIORITY, name, length);
    default:
        return ATTR_OTHER;
    }
}

const char *chakra_attr_name(enum chakra_attr attr)
{
    return attr < ATTR_COUNT ? attr_names[attr] : "another attribute";
}

void draft_attr(struct chakra_draft *draft, struct chakra_text name,
                const struct chakra_value *value)
{
    size_t length = name.at ? strnlen(name.at, name.length) : 0;
    enum chakra_attr attr = chakra_attr_find(name.at, length);
    if (attr == ATTR_OTHER) {
        draft->other = (struct chakra_text){name.at, length};
        draft->other_count++;
        return;
    }
    if (value->kind == VALUE_NONE) {
        draft->valueless_count++;
        return;
    }
    draft->repeated_count += draft->given >> attr & 1;
    draft->given |= 1u << attr;
    draft->attr[attr] = *value;
}
