/*
 * kinds - which class of work an op of a measured trace is, from what profilers call it.
 *
 * Rules:
 *  1. Communication kernels begin with "nccl" or hold "rccl" or "oneccl"; which collective they are
 *     is in the argument "Collective name", else in the kernel's name. Words are compared without
 *     regard to case, '-' and '_'.
 *  2. Everything else is a class by the first row of a table whose word its name holds; the table
 *     is in kinds.c. It is a guess from names, for the rows of a table of errors, never for a time.
 */
#ifndef ORRERY_COMPARE_KINDS_H
#define ORRERY_COMPARE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* enum collective_kind of a word ("all-reduce", "AllReduce", "_allgather_base", "all_to_allv"), or
 * -1. */
int32_t kinds_find_collective(const char *word);

/* True if `kernel` is one of a communication library. */
bool kinds_is_communication(const char *kernel);

/* The collective that a communication kernel's name says, or -1 (send, receive, several). */
int32_t kinds_of_kernel(const char *kernel);

/* Class of a compute kernel: "gemm", "attention", .., or "compute". */
const char *kinds_class_of(const char *kernel);

/* Bytes of one element of a type as PyTorch writes it ("Float", "BFloat16", "c10::Half"), or 0. */
uint32_t kinds_type_bytes(const char *type);

#endif
