#include "net/model/id_heap.h"

#include <stdlib.h>

#include "base/memory.h"

enum { WAYS = 4 };

void id_heap_init(struct id_heap *heap, uint32_t count)
{
    *heap = (struct id_heap){0};
    heap->node = malloc(((size_t)count + 1) * sizeof *heap->node);
    heap->place = calloc((size_t)count + 1, sizeof *heap->place);
    need_memory(heap->node != NULL && heap->place != NULL);
}

void id_heap_release(struct id_heap *heap)
{
    free(heap->node);
    free(heap->place);
    *heap = (struct id_heap){0};
}

static bool is_before(const struct id_heap_node *a, const struct id_heap_node *b)
{
    return a->key < b->key || (a->key == b->key && a->id < b->id);
}

static void put(struct id_heap *heap, uint32_t at, struct id_heap_node node)
{
    heap->node[at] = node;
    heap->place[node.id] = at + 1;
}

static void sift_up(struct id_heap *heap, uint32_t at, struct id_heap_node node)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / WAYS;
        if (!is_before(&node, &heap->node[parent]))
            break;
        put(heap, at, heap->node[parent]);
        at = parent;
    }
    put(heap, at, node);
}

static void sift_down(struct id_heap *heap, uint32_t at, struct id_heap_node node)
{
    for (;;) {
        uint32_t first = at * WAYS + 1, least = first;
        if (first >= heap->count)
            break;
        uint32_t end = first + WAYS < heap->count ? first + WAYS : heap->count;
        for (uint32_t child = first + 1; child < end; child++) {
            if (is_before(&heap->node[child], &heap->node[least]))
                least = child;
        }
        if (!is_before(&heap->node[least], &node))
            break;
        put(heap, at, heap->node[least]);
        at = least;
    }
    put(heap, at, node);
}

void id_heap_set(struct id_heap *heap, uint32_t id, uint64_t key)
{
    struct id_heap_node node = {key, id};
    if (!heap->place[id]) {
        sift_up(heap, heap->count++, node);
        return;
    }
    uint32_t at = heap->place[id] - 1;
    if (heap->node[at].key == key)
        return;
    if (key < heap->node[at].key)
        sift_up(heap, at, node);
    else
        sift_down(heap, at, node);
}

void id_heap_remove(struct id_heap *heap, uint32_t id)
{
    if (!heap->place[id])
        return;
    uint32_t at = heap->place[id] - 1;
    struct id_heap_node moved = heap->node[--heap->count];
    heap->place[id] = 0;
    if (at == heap->count)
        return;
    struct id_heap_node gone = {heap->node[at].key, id};
    if (is_before(&moved, &gone))
        sift_up(heap, at, moved);
    else
        sift_down(heap, at, moved);
}

void id_heap_clear(struct id_heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++)
        heap->place[heap->node[i].id] = 0;
    heap->count = 0;
}
