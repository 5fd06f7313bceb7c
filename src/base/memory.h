/*
 * memory - what happens when there is no more of it.
 *
 * Rules:
 *  1. An allocation whose failure has no better answer is wrapped in need_memory(). The program
 *     then ends with exit code 6 and one message. No output is left in part: reports are written
 *     beside their name and moved when whole.
 *  2. Pools and arenas never grow past memory_limit(), so that a run too large for the machine ends
 *     with that message and not with the system's out-of-memory killer.
 */
#ifndef ORRERY_BASE_MEMORY_H
#define ORRERY_BASE_MEMORY_H

#include <stddef.h>

/* Bytes that this program may take: physical memory, or less if its control group or the limit on
 * address space says so. */
size_t memory_limit(void);

/* Bytes that one pool may reserve: all of physical memory (a reservation costs nothing), but a
 * sixteenth of a limit on address space, where it does. */
size_t memory_pool_limit(void);

/* Ends the program with STATUS_NO_MEMORY's exit code. */
_Noreturn void memory_exhausted(void);

#define need_memory(condition)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            memory_exhausted();                                                                    \
    } while (0)

#endif
