/*
 * identity - what makes two points the same: everything that affects the result.
 *
 * Two parts:
 *  1. The request: program (version and a hash of its own file), keys and values of base and point,
 *     limits apart. Known before the point runs. The order of keys does not matter, and a key that
 *     the point overrides is not in it.
 *  2. The inputs: role, path and hash of every file that the run read. Known after it ran; a stored
 *     result counts as long as each of them has the same bytes (as build tools do with
 *     dependencies). The identity is the hash of both. Hashes are 128 bits: two of base/table.h's
 *     with other seeds.
 */
#ifndef ORRERY_SWEEP_IDENTITY_H
#define ORRERY_SWEEP_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/study.h"

enum { IDENTITY_HEX = 33 };

struct identity {
    uint64_t word[2];
};

/* "0.1.0+9f3c..": the version, and the hash of the running program's file. */
const char *identity_program(char *to, size_t size, const char *version);

/* Part 1 of the point at `place` of the grid. */
struct identity identity_of_request(const struct study *study, uint32_t place, const char *program);

struct identity identity_join(struct identity a, struct identity b);

static inline bool identity_equal(struct identity a, struct identity b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

struct identity identity_of_bytes(const void *bytes, size_t length);

/* 32 hexadecimal digits. */
const char *identity_show(char to[IDENTITY_HEX], struct identity identity);

/* A file that a point read. Several files of one prefix ("traces") are one input. */
struct input_file {
    char role[16];  /* "traces": path is a prefix */
    char path[512]; /* absolute */
    uint64_t hash;
};

/* Hash of the bytes now, or 0 if it cannot be read. Of "traces": of the names and bytes of all
 * trace files whose name is the prefix or goes on with a '.' after it. */
uint64_t input_hash_now(const char *role, const char *path);

#endif
