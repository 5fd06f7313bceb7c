/*
 * schedule_out - `orrery collective --verify, --export-msccl, --export-chakra`: schedules instead
 * of a table of times.
 */
#ifndef ORRERY_CLI_SCHEDULE_OUT_H
#define ORRERY_CLI_SCHEDULE_OUT_H

#include "run/laboratory.h"

struct schedule_out {
    bool verify;
    const char *msccl;  /* path, or NULL */
    const char *chakra; /* prefix of paths, or NULL */
};

static inline bool schedule_out_is_asked(const struct schedule_out *out)
{
    return out->verify || out->msccl || out->chakra;
}

/*
 * Proves each algorithm of the request on standard output, and writes the one that is named. Those
 * that cannot run on the network are said, with the reason, if all were asked for.
 */
enum status schedule_out(const struct lab_request *request, const struct schedule_out *out,
                         struct diag *diag);

#endif
