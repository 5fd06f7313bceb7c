/*
 * status - the one result type of the program, and its exit codes.
 *
 * Rules:
 *  1. A function that can fail for reasons outside our code returns `enum status` and takes a
 *     `struct diag *` (diag.h) that the first function to know the cause fills, once.
 *  2. A promise broken by our own code is not a status: use `promise()` below, which stays in
 *     release builds, names the place, and ends with exit code 70 (never by a signal).
 *  3. A finding about the simulated system (stuck, mismatch, law broken) is a status too, so that
 *     it reaches the exit code, but it is reported through the run's result.
 */
#ifndef ORRERY_BASE_STATUS_H
#define ORRERY_BASE_STATUS_H

/* X(enumerator, exit code, short name, meaning) - the table printed by `orrery list exit-codes`. */
#define STATUS_LIST(X)                                                                             \
    X(STATUS_OK, 0, "ok", "the command did what was asked")                                        \
    X(STATUS_USAGE, 2, "usage", "the command line is wrong")                                       \
    X(STATUS_BAD_INPUT, 3, "bad-input",                                                            \
      "a trace, list of flows or MSCCL file is damaged, or cannot be run")                         \
    X(STATUS_BAD_CONFIG, 4, "bad-config", "a configuration file or value is wrong")                \
    X(STATUS_IO, 5, "io", "a file cannot be opened, read or written")                              \
    X(STATUS_NO_MEMORY, 6, "no-memory", "memory, or a limit of this program, is exhausted")        \
    X(STATUS_STUCK, 10, "stuck", "the simulated job can never finish (wait-for report printed)")   \
    X(STATUS_MISMATCH, 11, "mismatch", "ranks disagree about a collective they share")             \
    X(STATUS_EMPTY, 12, "empty", "there is nothing to simulate (see --allow-empty)")               \
    X(STATUS_LIMIT, 13, "limit", "a limit of the user, or of simulated time, came before the end") \
    X(STATUS_LAW, 14, "law-broken", "the run broke one of its own conservation laws")              \
    X(STATUS_DOES_NOT_FIT, 15, "does-not-fit",                                                     \
      "a rank needs more memory than its device has (see --ignore-memory)")                        \
    X(STATUS_DIFFERS, 16, "differs", "a comparison is beyond its tolerance")                       \
    X(STATUS_INTERRUPTED, 130, "interrupted", "stopped by SIGINT or SIGTERM")

enum status {
#define X(name, code, text, help) name,
    STATUS_LIST(X)
#undef X
        STATUS_COUNT
};

/* Process exit code of a status (see the table above). */
int status_exit_code(enum status status);

/* Short name, e.g. "bad-input"; never NULL. */
const char *status_name(enum status status);

/* One-sentence meaning; never NULL. */
const char *status_help(enum status status);

/* Ends the program with exit code 70 after printing the broken promise and where it was broken. */
_Noreturn void promise_broken(const char *what, const char *file, int line);

/* An assertion that is kept in release builds. */
#define promise(cond)                                                                              \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            promise_broken(#cond, __FILE__, __LINE__);                                             \
    } while (0)

#endif
