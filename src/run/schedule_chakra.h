/*
 * schedule_chakra - a schedule as Chakra files, one per position: the form of a custom collective.
 *
 * PREFIX.<position>.et holds a send or receive node for each message, with its size, peer and tag
 * (the receive's slot), and the data edges between them. Hand-overs and reductions are not in the
 * files: Chakra counts in whole microseconds. So at an endpoint delay of 0 and with free reductions
 * a run of the files takes the time of the schedule (in ASTRA-sim's dialect too).
 */
#ifndef ORRERY_RUN_SCHEDULE_CHAKRA_H
#define ORRERY_RUN_SCHEDULE_CHAKRA_H

#include "base/diag.h"
#include "model/collective.h"

/* Writes the programs of all request->n positions. Fails for what is combined in the network. */
enum status schedule_write_chakra(const struct schedule_request *request,
                                  const struct program *program, const char *prefix,
                                  struct diag *diag);

#endif
