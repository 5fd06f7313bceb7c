/*
 * decimal - digits to an integer, all of them or nothing.
 */
#ifndef ORRERY_BASE_DECIMAL_H
#define ORRERY_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The value of `length` characters. False, with *value undefined, if there are none, one is not a
 * digit (no sign, no blank, no 0x), or the value does not fit in 64 bits. Leading zeros are digits.
 */
bool decimal_u64(const char *text, size_t length, uint64_t *value);

#endif
