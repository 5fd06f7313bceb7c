#include "workloads/chakra/chakra_build.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "base/status.h"

enum { MAX_NODES = PARENT_INDEX };

/* Mappings of temporary files count against the limit of the shell, too. */
static const char *room_hint(bool paged)
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        return "raise the shell's limit on address space (ulimit -v)";
    return paged ? "set TMPDIR to a folder on a disk with more space"
                 : "use a machine with more memory";
}

static enum status no_room(struct chakra_build *build)
{
    diag_fail(build->context.diag, STATUS_NO_MEMORY,
              "no room for the nodes and edges of the trace (%zu nodes so far)",
              build->made->node.count);
    diag_hint(build->context.diag, "%s", room_hint(build->made->node.paged));
    return STATUS_NO_MEMORY;
}

void build_init(struct chakra_build *build, struct chakra_trace *made, bool paged,
                struct notices *notices, struct diag *diag, int64_t rank)
{
    *build = (struct chakra_build){.made = made, .is_sorted = true};
    build->context = (struct draft_context){.group_names = &made->group_names,
                                            .shapes = &made->shapes,
                                            .holds = &made->holds,
                                            .notices = notices,
                                            .diag = diag,
                                            .rank = rank};
    made->facts.is_paged = paged;
    spill_init(&made->node, sizeof(struct trace_node), paged);
    spill_init(&made->parent_begin, sizeof(uint64_t), paged);
    spill_init(&made->parent, sizeof(uint32_t), paged);
    spill_init(&made->missing, sizeof(struct missing_parent), paged);
    spill_init(&build->begin, 2 * sizeof(uint64_t), paged);
    spill_init(&build->parent_id, sizeof(uint64_t), paged);
}

void build_release(struct chakra_build *build)
{
    spill_release(&build->begin);
    spill_release(&build->parent_id);
}

/* Where the name is: offset and length in the kept file, or the address of a copy. */
static uint64_t store_name(struct chakra_trace *made, struct chakra_text name)
{
    if (made->has_file && name.length) {
        uint64_t offset = (uint64_t)((const unsigned char *)name.at - made->file.bytes);
        uint64_t length = name.length < NAME_LENGTH_MASK ? name.length : NAME_LENGTH_MASK;
        return offset << NAME_LENGTH_BITS | length;
    }
    size_t length = name.length ? strnlen(name.at, name.length) : 0;
    return length ? (uint64_t)(uintptr_t)arena_text(&made->arena, name.at, length) : 0;
}

static bool push_ids(struct chakra_build *build, const struct id_list *list)
{
    if (!list->count)
        return true;
    uint64_t *to = spill_push(&build->parent_id, list->count);
    if (to)
        memcpy(to, list->id, list->count * sizeof *to);
    return to != NULL;
}

static void note_facts(struct chakra_build *build, const struct chakra_draft *draft,
                       const struct trace_node *node)
{
    struct chakra_trace *made = build->made;
    if (made->node.count > 1 && node->id <= build->last_id)
        build->is_sorted = false;
    build->last_id = node->id;
    made->trace.data_edge_count += draft->data.count;
    made->trace.control_edge_count += draft->control.count;
    if (node->type != OP_METADATA || !draft->in_values.length)
        return;
    if (!chakra_text_groups(draft->in_values, &made->arena, &made->groups))
        notices_add(build->context.notices, NOTICE_IGNORED,
                    "process-group declaration that cannot be read", 1, "node %" PRIu64, node->id);
}

/* Found at once, so that a file of zeros (nodes of one byte each, all id 0) costs no memory. */
static enum status repeated_id(struct chakra_build *build)
{
    build->duplicate[0] = (uint32_t)build->made->node.count - 2;
    build->duplicate[1] = (uint32_t)build->made->node.count - 1;
    build->has_duplicate = true;
    return STATUS_BAD_INPUT;
}

enum status build_add(struct chakra_build *build, const struct chakra_draft *draft)
{
    struct chakra_trace *made = build->made;
    if (made->node.count >= MAX_NODES)
        return diag_fail(build->context.diag, STATUS_NO_MEMORY,
                         "a trace can have at most 2^31 - 1 nodes");
    struct trace_node *node = spill_push(&made->node, 1);
    uint64_t *begin = spill_push(&build->begin, 1);
    if (!node || !begin)
        return no_room(build);
    enum status status = draft_finish(draft, &build->context, node);
    if (status)
        return status;
    node->name = store_name(made, draft->name);
    if (made->node.count > 1 && node->id == build->last_id)
        return repeated_id(build);
    begin[0] = build->parent_id.count;
    begin[1] = begin[0] + draft->data.count;
    if (!push_ids(build, &draft->data) || !push_ids(build, &draft->control))
        return no_room(build);
    note_facts(build, draft, node);
    return STATUS_OK;
}

/* -- order --------------------------------------------------------------------------------- */

struct keyed {
    uint64_t id;
    uint32_t record; /* place in the file */
};

/* One pass of a stable radix sort; returns false if all keys share this byte. */
static bool radix_pass(const struct keyed *from, struct keyed *to, size_t count, unsigned shift)
{
    size_t start[256] = {0};
    for (size_t i = 0; i < count; i++)
        start[from[i].id >> shift & 0xff]++;
    if (start[from[0].id >> shift & 0xff] == count)
        return false;
    size_t sum = 0;
    for (unsigned b = 0; b < 256; b++) {
        size_t here = start[b];
        start[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i].id >> shift & 0xff]++] = from[i];
    return true;
}

/* Sorts `keyed` by id, equal ids in file order. `other` is scratch of the same length. */
static struct keyed *sort_keyed(struct keyed *keyed, struct keyed *other, size_t count)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!radix_pass(keyed, other, count, shift))
            continue;
        struct keyed *swap = keyed;
        keyed = other;
        other = swap;
    }
    return keyed;
}

static bool find_duplicate(struct chakra_build *build, const struct keyed *keyed, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (keyed[i].id != keyed[i - 1].id)
            continue;
        build->duplicate[0] = keyed[i - 1].record;
        build->duplicate[1] = keyed[i].record;
        build->has_duplicate = true;
        return true;
    }
    return false;
}

/* Moves the nodes into id order; `order` receives the record of each index. */
static enum status apply_order(struct chakra_build *build, const struct keyed *keyed,
                               struct spill *order)
{
    struct spill *node = &build->made->node;
    struct spill moved;
    spill_init(&moved, sizeof(struct trace_node), node->paged);
    struct trace_node *to = spill_push(&moved, node->count);
    uint32_t *record = spill_push(order, node->count);
    if (!to || !record) {
        spill_release(&moved);
        return no_room(build);
    }
    const struct trace_node *from = node->data;
    for (size_t i = 0; i < node->count; i++) {
        record[i] = keyed[i].record;
        to[i] = from[keyed[i].record];
    }
    spill_release(node);
    *node = moved;
    return STATUS_OK;
}

/* Sorts the nodes by id. `order` stays empty if the file already was in order. */
static enum status sort_nodes(struct chakra_build *build, struct spill *order)
{
    struct spill *node = &build->made->node;
    if (build->is_sorted)
        return STATUS_OK;
    struct spill scratch;
    spill_init(&scratch, sizeof(struct keyed), node->paged);
    struct keyed *keyed = spill_push(&scratch, 2 * node->count);
    if (!keyed)
        return no_room(build);
    const struct trace_node *from = node->data;
    for (size_t i = 0; i < node->count; i++)
        keyed[i] = (struct keyed){from[i].id, (uint32_t)i};
    keyed = sort_keyed(keyed, keyed + node->count, node->count);
    enum status status = find_duplicate(build, keyed, node->count)
                             ? STATUS_BAD_INPUT
                             : apply_order(build, keyed, order);
    spill_release(&scratch);
    return status;
}

/* -- linking ------------------------------------------------------------------------------- */

/* Finds the index of an id: by subtraction, in a window of ids, or by hash. */
struct id_map {
    uint64_t first, range; /* range: last - first */
    bool is_dense;
    struct spill window; /* index + 1 of id first + i, if not empty */
    struct table table;
};

static bool id_map_init(struct id_map *map, const struct spill *nodes)
{
    const struct trace_node *node = nodes->data;
    size_t count = nodes->count;
    *map = (struct id_map){.first = node[0].id, .range = node[count - 1].id - node[0].id};
    spill_init(&map->window, sizeof(uint32_t), nodes->paged);
    table_init(&map->table);
    map->is_dense = map->range == count - 1;
    if (map->is_dense)
        return true;
    if (map->range < 4 * (uint64_t)count) {
        uint32_t *slot = spill_push(&map->window, map->range + 1);
        if (!slot)
            return false;
        memset(slot, 0, (map->range + 1) * sizeof *slot);
        for (size_t i = 0; i < count; i++)
            slot[node[i].id - map->first] = (uint32_t)i + 1;
        return true;
    }
    table_reserve(&map->table, count);
    for (size_t i = 0; i < count; i++)
        table_put(&map->table, node[i].id, (uint32_t)i);
    return true;
}

static void id_map_release(struct id_map *map)
{
    spill_release(&map->window);
    table_release(&map->table);
}

static inline uint32_t id_map_find(const struct id_map *map, uint64_t id)
{
    if (map->table.count)
        return table_find(&map->table, id);
    if (id < map->first || id - map->first > map->range)
        return TRACE_NONE;
    if (map->is_dense)
        return (uint32_t)(id - map->first);
    return ((const uint32_t *)map->window.data)[id - map->first] - 1;
}

struct linker {
    struct chakra_build *build;
    struct id_map map;
    const uint32_t *record_of; /* index -> record, NULL: the same */
};

static uint32_t record_of(const struct linker *linker, uint32_t index)
{
    return linker->record_of ? linker->record_of[index] : index;
}

/* Resolves the parents of node `index`: data from begin[0], control from begin[1] up to `end`. */
static bool link_node(struct linker *linker, uint32_t index, const uint64_t begin[2], uint64_t end)
{
    struct chakra_trace *made = linker->build->made;
    const uint64_t *id = linker->build->parent_id.data;
    uint32_t self = record_of(linker, index);
    for (uint64_t i = begin[0]; i < end; i++) {
        bool is_control = i >= begin[1];
        uint32_t parent = id_map_find(&linker->map, id[i]);
        if (parent != TRACE_NONE) {
            *(is_control ? &made->facts.forward_control_count : &made->facts.forward_data_count) +=
                record_of(linker, parent) > self;
            ((uint32_t *)made->parent.data)[made->parent.count++] =
                parent | (is_control ? PARENT_IS_CONTROL : 0);
            continue;
        }
        struct missing_parent *missing =
            made->missing.count < UINT32_MAX ? spill_push(&made->missing, 1) : NULL;
        if (!missing)
            return false;
        *missing = (struct missing_parent){.child = index, .is_control = is_control, .id = id[i]};
    }
    return true;
}

static enum status link_nodes(struct linker *linker)
{
    struct chakra_build *build = linker->build;
    struct chakra_trace *made = build->made;
    size_t count = made->node.count;
    const uint64_t(*begin)[2] = build->begin.data;
    uint64_t *out = spill_push(&made->parent_begin, count + 1);
    if (!out || !spill_reserve(&made->parent, build->parent_id.count))
        return no_room(build);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t record = record_of(linker, i);
        uint64_t end = record + 1 < count ? begin[record + 1][0] : build->parent_id.count;
        out[i] = made->parent.count;
        if (!link_node(linker, i, begin[record], end))
            return no_room(build);
    }
    out[count] = made->parent.count;
    return STATUS_OK;
}

static enum status resolve(struct chakra_build *build, const struct spill *order)
{
    struct linker linker = {.build = build, .record_of = order->count ? order->data : NULL};
    if (build->made->node.count == 0)
        return link_nodes(&linker);
    if (!id_map_init(&linker.map, &build->made->node)) {
        id_map_release(&linker.map);
        return no_room(build);
    }
    enum status status = link_nodes(&linker);
    id_map_release(&linker.map);
    return status;
}

static void publish(struct chakra_build *build)
{
    struct chakra_trace *made = build->made;
    struct trace *trace = &made->trace;
    spill_fit(&made->node);
    spill_fit(&made->parent);
    spill_fit(&made->parent_begin);
    spill_fit(&made->missing);
    trace->count = (uint32_t)made->node.count;
    trace->node = made->node.data;
    trace->parent_begin = made->parent_begin.data;
    trace->parent = made->parent.data;
    trace->missing = made->missing.data;
    trace->missing_count = (uint32_t)made->missing.count;
    trace->group_names = (const char **)made->group_names.text;
    trace->group_name_count = made->group_names.count;
    trace->shape = made->shapes.shape;
    trace->shape_count = made->shapes.text.count;
    trace->groups = made->groups.group;
    trace->group_count = made->groups.count;
    trace->resident_bytes = made->node.count * sizeof *trace->node +
                            made->parent_begin.count * sizeof *trace->parent_begin +
                            made->parent.count * sizeof *trace->parent +
                            made->missing.count * sizeof *trace->missing;
    made->facts.was_sorted = build->is_sorted;
}

static enum status publish_lives(struct chakra_build *build)
{
    uint64_t missing;
    if (holds_resolve(&build->made->holds, &build->made->trace, &missing))
        return STATUS_OK;
    diag_fail(build->context.diag, STATUS_BAD_INPUT,
              "a tensor is held until node %" PRIu64 ", which is not there or comes before",
              missing);
    diag_field(build->context.diag, "holds");
    return STATUS_BAD_INPUT;
}

enum status build_finish(struct chakra_build *build)
{
    struct spill order;
    spill_init(&order, sizeof(uint32_t), build->made->node.paged);
    enum status status = sort_nodes(build, &order);
    if (!status)
        status = resolve(build, &order);
    spill_release(&order);
    if (status)
        return status;
    draft_report(&build->context);
    publish(build);
    return publish_lives(build);
}
