/*
 * names - the words for the enums of `struct config`: one table each, for every reader, message,
 * list and report.
 *
 * Each table is in the order of its enum, so names[value] is the word, and ends with NULL.
 */
#ifndef ORRERY_CONFIG_NAMES_H
#define ORRERY_CONFIG_NAMES_H

#include "config/config.h"

extern const char *const net_block_names[];      /* "Ring": enum net_block */
extern const char *const net_backend_names[];    /* "congestion-unaware": enum net_backend */
extern const char *const net_routing_names[];    /* "ecmp": enum net_routing */
extern const char *const net_forwarding_names[]; /* "cut-through": enum net_forwarding */
extern const char *const slot_names[];           /* "all-reduce": enum algorithm_slot */
extern const char *const policy_names[];         /* "LIFO": enum sched_policy */
extern const char *const optimization_names[];   /* "baseline": enum collective_optimization */
extern const char *const dim_order_names[];      /* "ascending": enum dim_order */
extern const char *const compute_model_names[];  /* "replay": enum compute_model_id */
extern const char *const memory_type_names[];    /* "per-npu": enum memory_type */
extern const char *const deps_mode_names[];      /* "auto": enum deps_mode */
extern const char *const jitter_form_names[];    /* "lognormal": enum jitter_form */

/* The value whose name is `text`, to the letter. False if there is none. */
bool names_value(const char *const *names, const char *text, unsigned *value);

/* The next word of a list with commas, which is cut in place; "" between two commas, NULL at the
 * end. `*rest` is the list at first. */
char *names_next(char **rest);

/* The names as "a, b or c", for messages. */
const char *names_text(char *to, size_t size, const char *const *names);

#endif
