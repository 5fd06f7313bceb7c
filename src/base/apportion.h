/*
 * apportion - fractions rounded so that they keep their sum: the method of largest remainders.
 *
 * Each part is rounded down, and what is missing goes, one by one, to those that lost most by it
 * (equal ones: the first). No part is off by 1 or more. Example: 10 by 1 : 1 : 1 is 4, 3, 3.
 */
#ifndef ORRERY_BASE_APPORTION_H
#define ORRERY_BASE_APPORTION_H

#include <stdint.h>

typedef unsigned __int128 apportion_sum; /* room for times summed over all ranks of a run */

/*
 * to[i] = part[i] x times / by, rounded so that they sum to (sum of part) x times / by, which is a
 * whole number: a promise. Products must fit in 128 bits. `by` is above 0.
 */
void apportion(const apportion_sum *part, uint32_t count, uint64_t times, apportion_sum by,
               uint64_t *to);

#endif
