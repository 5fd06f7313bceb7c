/*
 * msccl_write - a schedule as an MSCCL XML file, which msccl.h reads back.
 *
 * Rules:
 *  1. Each message is a step s, and a step r or rrc. A chunk is a piece of the schedule. Messages
 *     of one pair share a channel, and so a thread block on each side, where the schedule sends and
 *     takes them one after the other anyway; else they have channels of their own (MSCCL's own
 *     runtime takes 32 at most).
 *  2. Pieces that do not lie together are copied to the scratch buffer before they are sent, and
 *     from it after they came (cpy, re).
 *  3. A send that is done when it leaves has wait="0", which other readers do not know.
 *  4. Read back, at an endpoint delay of 0, it takes the time of the schedule.
 */
#ifndef ORRERY_NET_COLLECTIVE_MSCCL_WRITE_H
#define ORRERY_NET_COLLECTIVE_MSCCL_WRITE_H

#include <stdio.h>

#include "base/diag.h"
#include "model/collective.h"

/*
 * Writes the described programs of all positions. Fails, with nothing written, for a barrier,
 * uneven sizes, and what is combined in the network. Write errors are the stream's.
 */
enum status msccl_write(const struct schedule_request *request, const struct schedule *schedule,
                        const struct program *program, const char *name, FILE *out,
                        struct diag *diag);

#endif
