/*
 * partition_worklist - what partition_worklist.c and partition_collect.c share. Not for others.
 *
 * All messages of a job with the links of their routes, and indices from links, ranks and groups to
 * what touches them.
 */
#ifndef ORRERY_RUN_PARTITION_WORKLIST_H
#define ORRERY_RUN_PARTITION_WORKLIST_H

#include "run/partition_parts.h"

struct hop {
    uint32_t link; /* as thing */
    uint32_t message;
    uint32_t key; /* hash of its place on the route and its share */
};

struct message {
    uint64_t hash;   /* of label and latency, and colours of all that it touches */
    uint64_t before; /* while it is in `changed`: its hash when it came there */
    uint32_t src, dst;
    uint32_t hop; /* first */
    bool is_changed;
};

/* A thing is a rank, a link or a group, numbered in that order. */
struct thing {
    uint64_t sees; /* sum over its messages and groups, or members */
    uint32_t class;
    bool is_touched;
};

struct list {
    uint32_t *item;
    uint32_t count;
};

/* A touched thing, for sorting. */
struct touched {
    uint64_t sees;
    uint32_t class, thing;
};

struct recoloured {
    uint32_t thing, before;
};

struct worklist {
    struct partition *partition;
    const struct partition_job *job;
    struct message *message;
    struct hop *hop;
    uint32_t message_count, message_room, hop_count, hop_room;
    uint32_t src;                       /* whose messages are collected */
    uint32_t *hop_of_link, *link_begin; /* hops of each link */
    uint32_t *in_of_rank, *in_begin;    /* messages to each rank; those from it follow each other */
    uint32_t *out_begin;
    uint32_t *slot_begin, *group_of_slot; /* groups of each rank, as things */
    uint32_t *member_begin, *member;      /* of each group: places in group_of_slot */
    uint32_t *rank_of_slot;
    uint32_t first_link, first_group, things;
    struct thing *thing;
    struct list touched, changed;
    struct recoloured *recoloured;
    uint32_t recoloured_count;
    struct touched *sorted;
    uint32_t *class_size;
    uint64_t *class_sees; /* what those see that were not touched */
    uint32_t class_count, rank_classes;
    bool is_too_large;
};

/* Fills messages and indices; `first_link` and `first_group` are set. Sets `is_too_large` instead
 * if routes have more links in all than can be numbered. */
void worklist_collect(struct worklist *work);

#endif
