#include "serve/live.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/json_writer.h"

enum { SAMPLES = 60 }; /* of half a second */

struct sample {
    double at_s;
    uint32_t done;
};

struct live {
    struct loop *loop;
    const struct live_ops *ops;
    void *context;
    struct store_follow *follow;
    struct loop_timer *timer;
    double said_s;
    struct sample sample[SAMPLES]; /* a ring; `samples` were taken in all */
    uint64_t samples;
};

const struct store_state *live_state(const struct live *live)
{
    return store_follow_state(live->follow);
}

bool live_is_complete(const struct live *live)
{
    const struct store_state *state = live_state(live);
    return state->is_well && !state->writer && state->progress.total > 0 &&
           store_state_done(state) == state->progress.total;
}

/* -- the rate ---------------------------------------------------------------------------------- */

static void take_sample(struct live *live)
{
    const struct store_state *state = live_state(live);
    uint32_t done = store_state_done(state);
    if (!state->writer || !state->is_well ||
        (live->samples && done < live->sample[(live->samples - 1) % SAMPLES].done))
        live->samples = 0;
    if (state->writer && state->is_well)
        live->sample[live->samples++ % SAMPLES] = (struct sample){loop_now_s(live->loop), done};
}

/* Points per second; not-a-number if that is not known. */
static double rate(const struct live *live)
{
    if (live->samples < 2)
        return NAN;
    const struct sample *last = &live->sample[(live->samples - 1) % SAMPLES];
    const struct sample *first =
        &live->sample[live->samples > SAMPLES ? live->samples % SAMPLES : 0];
    double time_s = last->at_s - first->at_s;
    return time_s > 0 && last->done > first->done ? (last->done - first->done) / time_s : NAN;
}

/* -- words ------------------------------------------------------------------------------------- */

static const char *state_name(const struct live *live)
{
    const struct store_state *state = live_state(live);
    if (!state->is_well)
        return "unavailable";
    if (live_is_complete(live))
        return "ended";
    if (state->writer)
        return "running";
    if (state->has_jobs)
        return "queued";
    return state->progress.total ? "stopped" : "waiting";
}

static void write_best(struct json_writer *json, const struct progress *progress)
{
    if (!progress->has_best) {
        json_double(json, "best", NAN);
        return;
    }
    json_map_begin(json, "best", JSON_INLINE);
    json_text(json, "column", measure_columns[progress->best_column]);
    json_text(json, "unit", measure_units[progress->best_column]);
    json_double(json, "value", progress->best);
    json_u64(json, "point", progress->best_ordinal);
    json_map_end(json);
}

static void write_state(const struct live *live, FILE *out)
{
    const struct store_state *state = live_state(live);
    const struct progress *progress = &state->progress;
    uint32_t done = store_state_done(state);
    double per_s = rate(live);
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_INLINE);
    json_text(&json, "schema", "orrery.progress/1");
    json_u64(&json, "version", state->version);
    json_text(&json, "state", state_name(live));
    json_text(&json, "reason", state->is_well ? NULL : state->why.message);
    json_u64(&json, "done", done);
    json_u64(&json, "total", progress->total);
    json_u64(&json, "failed", progress->failed);
    json_double(&json, "points_per_s", per_s);
    json_double(&json, "left_s", (progress->total - done) / per_s);
    write_best(&json, progress);
    json_map_end(&json);
}

static struct body *write_body(const struct live *live, const char *type, bool is_event)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    need_memory(out != NULL);
    if (is_event)
        fprintf(out,
                "id: %" PRIu64 "\nevent: progress\nretry: 2000\ndata: ", live_state(live)->version);
    write_state(live, out); /* ends with a newline */
    if (is_event)
        fputc('\n', out);
    need_memory(fclose(out) == 0);
    return body_create(type, bytes, length, NULL, 0);
}

struct body *live_progress(const struct live *live)
{
    return write_body(live, "application/json", false);
}

/* -- looking ----------------------------------------------------------------------------------- */

static void look(void *context)
{
    struct live *live = context;
    bool is_new = store_follow_look(live->follow);
    double now_s = loop_now_s(live->loop);
    take_sample(live);
    if (is_new || now_s - live->said_s > LIVE_BEAT_S) {
        struct body *event = write_body(live, "text/event-stream", true);
        live->said_s = now_s;
        live->ops->publish(live->context, event);
        body_drop(event);
    }
    loop_timer_start(live->timer, LIVE_LOOK_S);
}

struct live *live_create(struct loop *loop, const char *store, const struct live_ops *ops,
                         void *context)
{
    struct live *live = calloc(1, sizeof *live);
    need_memory(live != NULL);
    *live = (struct live){.loop = loop, .ops = ops, .context = context, .said_s = -LIVE_BEAT_S};
    live->follow = store_follow_create(store);
    live->timer = loop_timer_add(loop, look, live);
    store_follow_look(live->follow);
    loop_timer_start(live->timer, 0);
    return live;
}

void live_destroy(struct live *live)
{
    if (!live)
        return;
    loop_timer_remove(live->timer);
    store_follow_destroy(live->follow);
    free(live);
}
