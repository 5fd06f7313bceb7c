/*
 * watch - the wall clock beside a run: signals, a limit, a progress line (libev).
 *
 * Rules:
 *  1. From watch_start() to watch_stop(), SIGINT and SIGTERM ask the run to stop. Outside of that,
 *     after watch_signals(), they end the program at once with one line and exit code 130; the file
 *     of watch_unlink() goes with it. SIGHUP, unless ignored, always does the latter.
 *  2. watch_poll() is a `watch` of run/simulate.h: false asks the run to stop. A signal that no poll
 *     has seen after a second, or at watch_stop(), ends the program as outside of a run.
 *  3. The progress line goes to standard error once a second: on a terminal over itself, else as
 *     lines.
 */
#ifndef ORRERY_BASE_WATCH_H
#define ORRERY_BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

enum watch_reason { WATCH_NONE, WATCH_SIGNAL, WATCH_WALL_LIMIT };

struct watch;

/* Makes rule 1 true for the rest of the program. */
void watch_signals(void);

/*
 * For a program that waits for others, outside of a run: true holds SIGINT and SIGTERM back, so that
 * only watch_pause() sees them; false lets them go.
 */
void watch_hold(bool is_held);

/* Sleeps; false if a signal came, before or meanwhile. Between the two calls of watch_hold(). */
bool watch_pause(double seconds);

/*
 * A file that must not stay if the program is ended by a signal: it is unlinked then. NULL for
 * none; the name is copied.
 */
void watch_unlink(const char *path);

/* `wall_limit_s` 0: none. NULL if the system refuses an event loop: the run then goes unwatched. */
struct watch *watch_start(bool progress, double wall_limit_s);

/*
 * Events per second since `events_before` were counted. Fewer events than that: the run began again
 * (a folded run is thrown away and done unfolded), and all `events` are new.
 */
double watch_rate(uint64_t events, uint64_t events_before, double elapsed_s);

bool watch_poll(void *watch, time_ps now, uint64_t events);

/* Clears the progress line, gives the signals back, and says why the run was stopped, if it was.
 * `watch` may be NULL. */
enum watch_reason watch_stop(struct watch *watch);

#endif
