#include "tests/tools/trace_spec.h"

#include <string.h>

#include "workloads/synth/synth.h"

/* X(name in a specification, collective) */
#define COMM_NAMES(X)                                                                              \
    X("ALL_REDUCE", COLL_ALL_REDUCE)                                                               \
    X("ALL_GATHER", COLL_ALL_GATHER)                                                               \
    X("REDUCE_SCATTER", COLL_REDUCE_SCATTER)                                                       \
    X("ALL_TO_ALL", COLL_ALL_TO_ALL)

static const struct {
    const char *name;
    enum collective_kind kind;
} comm_names[] = {
#define X(name, kind) {name, kind},
    COMM_NAMES(X)
#undef X
};

static const struct {
    const char *name;
    enum synth_kind kind;
} generators[] = {{"coll", SYNTH_COLLECTIVE}, {"dp", SYNTH_DP}, {"skew", SYNTH_SKEW}};

static uint64_t number(const struct doc_node *spec, const char *key)
{
    const struct doc_node *node = doc_find(spec, key);
    return node != NULL && node->kind == DOC_NUMBER ? node->magnitude : 0;
}

static const char *text(const struct doc_node *spec, const char *key)
{
    const struct doc_node *node = doc_find(spec, key);
    return node != NULL && node->kind == DOC_TEXT ? node->text : "";
}

static bool find_kinds(const struct doc_node *spec, struct synth_spec *synth)
{
    const char *gen = text(spec, "gen"), *comm = text(spec, "comm");
    bool has_gen = false, has_comm = comm[0] == '\0';
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        if (strcmp(gen, generators[i].name) != 0)
            continue;
        synth->kind = generators[i].kind;
        has_gen = true;
    }
    for (size_t i = 0; i < sizeof comm_names / sizeof *comm_names; i++) {
        if (strcmp(comm, comm_names[i].name) != 0)
            continue;
        synth->collective = comm_names[i].kind;
        has_comm = true;
    }
    return has_gen && has_comm;
}

enum status trace_spec_write(const struct doc_node *spec, const char *prefix, struct diag *diag)
{
    struct synth_spec synth = {
        .ranks = (uint32_t)number(spec, "npus"),
        .size_bytes = number(spec, "size"),
        .count = (uint32_t)number(spec, "count"),
        .layers = (uint32_t)number(spec, "layers"),
        .iterations = (uint32_t)number(spec, "iters"),
        .forward_ops = number(spec, "fwd_ops"),
        .forward_bytes = number(spec, "fwd_bytes"),
        .backward_ops = number(spec, "bwd_ops"),
        .backward_bytes = number(spec, "bwd_bytes"),
        .gradient_bytes = number(spec, "grad_bytes"),
        .base_us = number(spec, "base_us"),
        .spread_us = number(spec, "spread_us"),
    };
    if (!find_kinds(spec, &synth))
        return diag_fail(diag, STATUS_USAGE, "no trace is generated for \"gen\": \"%s\"",
                         text(spec, "gen"));
    return synth_write(&synth, prefix, diag);
}
