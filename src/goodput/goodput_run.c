#include "goodput/goodput_run.h"

#include <math.h>

#include "base/mix.h"
#include "sim/engine.h"

#define DAY_S 86400.0

enum { KIND_PHASE_END, KIND_FAILURE, KIND_PLANNED, KIND_DURABLE, KIND_REPAIRED };
enum phase { PHASE_WORK, PHASE_STALL, PHASE_RESTART, PHASE_PLANNED, PHASE_WAIT, PHASES };

/* What was done up to a moment: `work` counts slow work less, `time` does not. */
struct done {
    double work, time, stall;
};

struct job {
    const struct goodput_input *input;
    double interval_s;
    struct engine engine;
    uint64_t random;
    enum phase phase;
    time_ps since;          /* when the phase began */
    double speed;           /* of the work of this phase */
    double spent[PHASES];   /* s */
    struct done now, taken; /* taken: by the last snapshot */
    struct done counted;    /* by the last snapshot on storage */
    struct timer phase_end, failure, planned, durable;
    uint32_t in_repair, missing, back; /* back: repaired, to join at the next snapshot */
    uint64_t failures;
};

static double exponential(struct job *job, double mean_s)
{
    double uniform = ((double)(random_next(&job->random) >> 11) + 0.5) * 0x1p-53;
    return -mean_s * log(uniform);
}

static time_ps after(const struct job *job, double s)
{
    return time_after(job->engine.now, time_rounded(s * 1e9, false));
}

/* -- phases ------------------------------------------------------------------------------------ */

/* Books the phase that ends now, and what of it was done. */
static void leave(struct job *job)
{
    double s = (double)(job->engine.now - job->since) / 1e12;
    job->spent[job->phase] += s;
    if (job->phase == PHASE_WORK) {
        job->now.work += s * job->speed;
        job->now.time += s;
    }
    if (job->phase == PHASE_STALL)
        job->now.stall += s;
    job->since = job->engine.now;
}

static void enter(struct job *job, enum phase phase)
{
    const struct goodput_input *input = job->input;
    const double length[PHASES] = {[PHASE_WORK] = job->interval_s,
                                   [PHASE_STALL] = input->stall_s,
                                   [PHASE_RESTART] = input->restart_s,
                                   [PHASE_PLANNED] = input->write_s + input->restart_s};
    job->phase = phase;
    job->speed = fmax(0, 1 - job->missing * input->node_ratio);
    timer_cancel(&job->phase_end);
    if (phase != PHASE_WAIT)
        engine_push(&job->engine, after(job, length[phase]),
                    timer_payload(KIND_PHASE_END, &job->phase_end, 0));
}

static void await_failure(struct job *job)
{
    timer_cancel(&job->failure);
    if (job->input->failures_per_s > 0)
        engine_push(&job->engine, after(job, exponential(job, 1 / job->input->failures_per_s)),
                    timer_payload(KIND_FAILURE, &job->failure, 0));
}

/* While the job works: from each beginning of it on. */
static void await_planned(struct job *job)
{
    timer_cancel(&job->planned);
    if (job->input->planned_per_s > 0)
        engine_push(&job->engine, after(job, exponential(job, 1 / job->input->planned_per_s)),
                    timer_payload(KIND_PLANNED, &job->planned, 0));
}

static void begin_restart(struct job *job)
{
    timer_cancel(&job->planned);
    job->missing -= job->back; /* those that are whole again take part */
    job->back = 0;
    enter(job, PHASE_RESTART);
    await_failure(job);
}

/* The snapshot is written from now on. */
static void write_snapshot(struct job *job)
{
    job->taken = job->now;
    timer_cancel(&job->durable);
    engine_push(&job->engine, after(job, job->input->write_s),
                timer_payload(KIND_DURABLE, &job->durable, 0));
}

static void take_snapshot(struct job *job)
{
    if (job->input->is_async)
        write_snapshot(job);
    else
        job->counted = job->taken = job->now;
}

static void on_planned(void *self, uint64_t payload)
{
    struct job *job = self;
    if (!timer_is_due(&job->planned, payload))
        return;
    leave(job);
    write_snapshot(job);
    job->missing -= job->back;
    job->back = 0;
    enter(job, PHASE_PLANNED);
}

static void on_phase_end(void *self, uint64_t payload)
{
    struct job *job = self;
    if (!timer_is_due(&job->phase_end, payload))
        return;
    enum phase ended = job->phase;
    leave(job);
    if (ended == PHASE_WORK) {
        enter(job, PHASE_STALL);
        return;
    }
    if (ended == PHASE_STALL)
        take_snapshot(job);
    if (ended == PHASE_STALL && job->back > 0) { /* planned: the snapshot is on storage first */
        job->counted = job->taken;
        timer_cancel(&job->durable);
        begin_restart(job);
        return;
    }
    if (ended != PHASE_STALL)
        await_planned(job);
    enter(job, PHASE_WORK);
}

static void on_durable(void *self, uint64_t payload)
{
    struct job *job = self;
    if (timer_is_due(&job->durable, payload))
        job->counted = job->taken;
}

/* -- failures ---------------------------------------------------------------------------------- */

static void on_failure(void *self, uint64_t payload)
{
    struct job *job = self;
    const struct goodput_input *input = job->input;
    if (!timer_is_due(&job->failure, payload))
        return;
    leave(job);
    job->now = job->taken = job->counted;
    timer_cancel(&job->durable);
    timer_cancel(&job->planned);
    job->failures++;
    bool is_repaired = input->repair_s > 0;
    if (is_repaired) {
        job->in_repair++;
        engine_push(&job->engine, after(job, exponential(job, input->repair_s)),
                    engine_payload(KIND_REPAIRED, 0));
    }
    if (input->policy == GOODPUT_SHRINK && is_repaired) {
        job->missing++;
        begin_restart(job);
    } else if (is_repaired && job->in_repair > input->spares) {
        timer_cancel(&job->failure);
        enter(job, PHASE_WAIT);
    } else {
        begin_restart(job);
    }
}

static void on_repaired(void *self, uint64_t payload)
{
    struct job *job = self;
    (void)payload;
    job->in_repair--;
    if (job->input->policy == GOODPUT_SHRINK) {
        job->back++;
    } else if (job->phase == PHASE_WAIT) {
        leave(job);
        begin_restart(job);
    }
}

/* -- the whole --------------------------------------------------------------------------------- */

static struct goodput sum_up(const struct job *job, double all_s)
{
    const struct done *done = &job->now;
    double attempts = job->spent[PHASE_WORK] + job->spent[PHASE_STALL];
    return (struct goodput){
        .interval_s = job->interval_s,
        .share = {[SHARE_USEFUL] = done->work / all_s,
                  [SHARE_CHECKPOINT] = done->stall / all_s,
                  [SHARE_LOST] = (attempts - done->time - done->stall) / all_s,
                  [SHARE_RESTART] = job->spent[PHASE_RESTART] / all_s,
                  [SHARE_PLANNED] = job->spent[PHASE_PLANNED] / all_s,
                  [SHARE_WAITING] = job->spent[PHASE_WAIT] / all_s,
                  [SHARE_SLOWER] = (done->time - done->work) / all_s},
        .failures_per_day = (double)job->failures / (all_s / DAY_S),
    };
}

struct goodput goodput_run(const struct goodput_input *input, double interval_s, double days,
                           uint64_t seed, uint64_t sample)
{
    struct job job = {.input = input, .interval_s = interval_s};
    job.random = mix_in(mix64(seed + MIX_STEP), sample);
    time_ps end = time_rounded(days * DAY_S * 1e9, false);
    engine_init(&job.engine);
    engine_on(&job.engine, KIND_PHASE_END, on_phase_end, &job);
    engine_on(&job.engine, KIND_FAILURE, on_failure, &job);
    engine_on(&job.engine, KIND_PLANNED, on_planned, &job);
    engine_on(&job.engine, KIND_DURABLE, on_durable, &job);
    engine_on(&job.engine, KIND_REPAIRED, on_repaired, &job);
    enter(&job, PHASE_WORK);
    await_failure(&job);
    await_planned(&job);
    while (engine_run(&job.engine, 1 << 16, end) == ENGINE_SLICE)
        continue;
    job.engine.now = end;
    leave(&job);
    engine_release(&job.engine);
    return sum_up(&job, (double)end / 1e12);
}
