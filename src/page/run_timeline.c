/* The timeline of a run's page: what report/timeline_draw tells, as one block. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/table.h"
#include "page/run_parts.h"
#include "report/timeline_draw.h"

enum { MOST_RANKS = 16, NAME_LENGTH = 96, MOST_TOLD = 1 << 22 };

struct kept_slice {
    uint64_t begin_ns, length_ns;
    uint32_t track, name, category;
};

struct kept_track {
    uint32_t pid, tid, place;
    uint32_t name;
};

struct kept_process {
    uint32_t pid, place, name;
};

/* What was told so far. */
struct telling {
    struct names names; /* of slices, tracks, processes */
    struct names categories;
    struct grow tracks, processes, slices;
    struct table track_of; /* pid and tid -> number */
};

static void *grown(struct grow *grow)
{
    size_t index = grow_push(grow, 1);
    return (char *)grow->base + index * grow->element_bytes;
}

static uint32_t name_of(struct names *names, const char *text)
{
    size_t length = strlen(text);
    return names_add(names, text, length < NAME_LENGTH ? length : NAME_LENGTH);
}

static uint64_t track_key(uint32_t pid, uint32_t tid)
{
    return (uint64_t)pid << 32 | tid;
}

/* -- the sink ---------------------------------------------------------------------------------- */

static void take_facts(void *self, const struct timeline_arg *fact, uint32_t count)
{
    (void)self, (void)fact, (void)count;
}

static void take_process(void *self, uint32_t pid, uint32_t place, const char *name)
{
    struct telling *telling = self;
    struct kept_process *process = grown(&telling->processes);
    *process = (struct kept_process){pid, place, name_of(&telling->names, name)};
}

static void take_track(void *self, uint32_t pid, uint32_t tid, uint32_t place, const char *name)
{
    struct telling *telling = self;
    table_put(&telling->track_of, track_key(pid, tid), (uint32_t)telling->tracks.count);
    struct kept_track *track = grown(&telling->tracks);
    *track = (struct kept_track){pid, tid, place, name_of(&telling->names, name)};
}

static void take_counter(void *self, const struct timeline_counter *counter)
{
    (void)self, (void)counter;
}

static void take_begin(void *self, const struct timeline_slice *told)
{
    struct telling *telling = self;
    struct kept_slice *slice = grown(&telling->slices);
    *slice = (struct kept_slice){
        .begin_ns = told->begin_ns,
        .length_ns = told->end_ns - told->begin_ns,
        .track = table_find(&telling->track_of, track_key(told->pid, told->tid)),
        .name = name_of(&telling->names, told->name),
        .category = name_of(&telling->categories, told->category),
    };
}

static void take_end(void *self, uint32_t pid, uint32_t tid, uint64_t at_ns)
{
    (void)self, (void)pid, (void)tid, (void)at_ns;
}

static void take_value(void *self, const struct timeline_counter *counter, uint64_t at_ns,
                       double value)
{
    (void)self, (void)counter, (void)at_ns, (void)value;
}

static void take_done(void *self)
{
    (void)self;
}

/* -- the block --------------------------------------------------------------------------------- */

static void put_names(struct json_writer *json, const char *key, const struct names *names)
{
    json_list_begin(json, key, JSON_INLINE);
    for (uint32_t i = 0; i < names->count; i++)
        json_text(json, NULL, names->text[i]);
    json_list_end(json);
}

static void put_slices(struct json_writer *json, const struct telling *telling)
{
    static const char *const keys[] = {"track", "name", "category", "begin", "length"};
    const struct kept_slice *slice = telling->slices.base;
    json_map_begin(json, "slices", JSON_LINES);
    for (int k = 0; k < 5; k++) {
        json_list_begin(json, keys[k], JSON_INLINE);
        for (size_t i = 0; i < telling->slices.count; i++)
            json_u64(json, NULL,
                     k == 0   ? slice[i].track
                     : k == 1 ? slice[i].name
                     : k == 2 ? slice[i].category
                     : k == 3 ? slice[i].begin_ns
                              : slice[i].length_ns);
        json_list_end(json);
    }
    json_map_end(json);
}

static void put_note(struct json_writer *json, const struct timeline_view *view,
                     const struct timeline_pick *pick)
{
    char text[320];
    size_t used = (size_t)snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " ranks",
                                   pick->count, view->result->rank_count);
    if (pick->too_short && used < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "; %" PRIu64 " ops of up to %" PRIu64 " ps are left out",
                                 pick->too_short, pick->longest_short);
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, ". --timeline FILE writes all for Perfetto.");
    json_text(json, "note", text);
}

static void put_block(struct run_writing *writing, const struct timeline_view *view,
                      const struct timeline_pick *pick, const struct telling *telling)
{
    struct json_writer *json = &writing->json;
    const struct kept_process *process = telling->processes.base;
    const struct kept_track *track = telling->tracks.base;
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "type", "timeline");
    json_text(json, "title", "What each rank did when");
    put_note(json, view, pick);
    json_u64(json, "end", view->result->end_ps / PS_PER_NS + 1);
    json_text(json, "unit", "ns");
    put_names(json, "names", &telling->names);
    put_names(json, "categories", &telling->categories);
    json_list_begin(json, "processes", JSON_LINES);
    for (size_t i = 0; i < telling->processes.count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "pid", process[i].pid);
        json_u64(json, "place", process[i].place);
        json_u64(json, "name", process[i].name);
        json_map_end(json);
    }
    json_list_end(json);
    json_list_begin(json, "tracks", JSON_LINES);
    for (size_t i = 0; i < telling->tracks.count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "pid", track[i].pid);
        json_u64(json, "place", track[i].place);
        json_u64(json, "name", track[i].name);
        json_map_end(json);
    }
    json_list_end(json);
    put_slices(json, telling);
    json_map_end(json);
}

/* -- which ranks ------------------------------------------------------------------------------- */

static int compare_ranks(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Evenly spaced among those that were simulated, ascending. */
static uint32_t choose_ranks(const struct timeline *timeline, uint32_t *rank)
{
    uint32_t *all = malloc(((size_t)timeline->seats + 1) * sizeof *all);
    need_memory(all != NULL);
    memcpy(all, timeline->rank_of_seat, timeline->seats * sizeof *all);
    qsort(all, timeline->seats, sizeof *all, compare_ranks);
    uint32_t count = timeline->seats < MOST_RANKS ? timeline->seats : MOST_RANKS;
    for (uint32_t i = 0; i < count; i++)
        rank[i] = all[count > 1 ? (uint64_t)i * (timeline->seats - 1) / (count - 1) : 0];
    free(all);
    return count;
}

static void telling_init(struct telling *telling)
{
    names_init(&telling->names);
    names_init(&telling->categories);
    table_init(&telling->track_of);
    need_memory(grow_init(&telling->tracks, sizeof(struct kept_track), MOST_TOLD));
    need_memory(grow_init(&telling->processes, sizeof(struct kept_process), MOST_TOLD));
    need_memory(grow_init(&telling->slices, sizeof(struct kept_slice), MOST_TOLD));
}

static void telling_release(struct telling *telling)
{
    grow_release(&telling->slices);
    grow_release(&telling->processes);
    grow_release(&telling->tracks);
    table_release(&telling->track_of);
    names_release(&telling->categories);
    names_release(&telling->names);
}

void run_section_timeline(struct run_writing *writing)
{
    const struct run_page *page = writing->page;
    if (!page->timeline || !page->timeline->seats)
        return;
    uint32_t rank[MOST_RANKS];
    struct critical_path path;
    struct timeline_view view = {.timeline = page->timeline,
                                 .result = page->result,
                                 .version = page->context->version,
                                 .job = page->title,
                                 .rank = rank,
                                 .rank_count = choose_ranks(page->timeline, rank),
                                 .most_slices = RUN_PAGE_SLICES};
    critical_path_init(&path);
    if (page->result->status == STATUS_OK) {
        critical_path_find(&path, page->timeline, page->config->system.rendezvous,
                           page->result->end_ps);
        view.path = path.count <= RUN_PAGE_SLICES / 2 ? &path : NULL;
    }
    struct telling telling;
    struct timeline_pick pick;
    telling_init(&telling);
    timeline_pick_init(&pick, &view);
    const struct timeline_sink sink = {take_facts,   take_process, take_track,
                                       take_counter, take_begin,   take_end,
                                       take_value,   take_done,    &telling};
    timeline_draw(&view, &pick, &sink);
    block_section_begin(&writing->json, "timeline", "Timeline",
                        "Operations of ranks over time, each at its place. In a folded run one "
                        "rank stands for all that are alike.");
    put_block(writing, &view, &pick, &telling);
    block_section_end(&writing->json);
    timeline_pick_release(&pick);
    telling_release(&telling);
    critical_path_release(&path);
}
