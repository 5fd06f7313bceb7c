/*
 * slow_colours - ranks and links that are slow for a time, in the proof of a fold.
 *
 * Those that are slow by the same factors at the same times begin with one colour, all others with
 * the colour of what is never slow: so a class holds only ranks, or links, that are slow together,
 * and one slow rank among 65,536 splits the classes that it touches, and no others.
 */
#ifndef ORRERY_RUN_SLOW_COLOURS_H
#define ORRERY_RUN_SLOW_COLOURS_H

#include "run/partition.h"

/* Adds to the colours of `partition`. False if the configuration's lines cannot be read: the run
 * says why. */
bool slow_colours_add(struct partition *partition, const struct config *config);

#endif
