/*
 * astra_reader - what the files that read ASTRA-sim's system JSON share. Only astra_*.c include it.
 */
#ifndef ORRERY_CONFIG_ASTRA_READER_H
#define ORRERY_CONFIG_ASTRA_READER_H

#include "base/doc.h"
#include "config/config.h"

struct astra_reader {
    struct config *config;
    const struct doc *doc;
    const struct doc_node *node; /* of the key being read */
    double injection_scale;
    struct notices *notices;
    struct diag *diag;
};

/* Fails with "expected .., found .." at the key being read. */
enum status astra_expected(struct astra_reader *reader, const char *expected);

/* {all-reduce, ..}-implementation: one algorithm per dimension. */
enum status astra_read_algorithms(struct astra_reader *reader);

/* {all-reduce, ..}-implementation-custom: one prefix of Chakra files. */
enum status astra_read_custom(struct astra_reader *reader);

/* per-node-custom-implementation: a YAML file, node id to prefix. */
enum status astra_read_per_node(struct astra_reader *reader);

#endif
