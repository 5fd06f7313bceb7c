#include "workloads/generate/family.h"

#include <string.h>

#include "workloads/generate/dlrm.h"
#include "workloads/generate/resnet.h"

const struct family_ops *family_of(const struct model_spec *spec)
{
    static const struct family_ops *const families[] = {
        [MODEL_TRANSFORMER] = NULL,
        [MODEL_RESNET] = &family_resnet,
        [MODEL_DLRM] = &family_dlrm,
    };
    return families[spec->family];
}

/* Appends the items of `from`; what they wait for moves along. */
static void append(struct item_list *to, const struct item_list *from, struct arena *arena)
{
    uint32_t count = to->count + from->count;
    struct layer_item *item = arena_array(arena, count, sizeof *item);
    if (to->count)
        memcpy(item, to->item, to->count * sizeof *item);
    for (uint32_t i = 0; i < from->count; i++) {
        item[to->count + i] = from->item[i];
        if (from->item[i].waits)
            item[to->count + i].waits += to->count;
    }
    *to = (struct item_list){item, count, count};
}

void family_book(struct layer_piece *all, const struct model_spec *spec,
                 const struct train_plan *plan, const struct framework *framework,
                 struct arena *arena)
{
    struct layer_piece *piece;
    uint32_t count = family_of(spec)->pieces(spec, plan, framework, arena, &piece);
    *all = (struct layer_piece){.kind = PIECE_HEAD};
    for (uint32_t i = 0; i < count; i++) {
        append(&all->forward, &piece[i].forward, arena);
        append(&all->backward, &piece[count - 1 - i].backward, arena);
        all->parameters += piece[i].parameters;
        all->local_bytes += piece[i].local_bytes;
        all->activation_bytes += piece[i].activation_bytes;
    }
    all->activation_bytes_kept = all->activation_bytes;
}
