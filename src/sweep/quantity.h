/*
 * quantity - the number that a value's text means, if it means one.
 *
 * A plain number is itself; with a unit it is in base units: bytes/s ("50GB/s", "400Gbps"), bytes
 * ("64MiB"), ns ("1.5us"), flop/s ("312TFLOPS"). "64MiB" is 67108864. true is 1, false 0.
 */
#ifndef ORRERY_SWEEP_QUANTITY_H
#define ORRERY_SWEEP_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* False, with *number not-a-number, if `text` is no quantity. */
bool quantity_parse(const char *text, double *number);

/* Splits "50GB/s" into 50 and "GB/s" (borrowed from `text`; "" for a plain number). False if it
 * does not begin with a finite decimal number. */
bool quantity_split(const char *text, double *number, const char **unit);

#endif
