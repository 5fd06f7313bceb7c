/*
 * presets - topologies of machines that exist, by name and size: "preset:dgx-h100,nodes=128".
 *
 * A preset is a file of configs/clusters (configs/README.md has the form):
 *
 *     about: one line
 *     device: h100-sxm            # configs/devices
 *     library: h100-dgx           # configs/systems; may be absent
 *     parameter: {name: nodes, default: 32, about: DGX systems}
 *     sizes:                      # the first row that the parameter fits
 *       - {up-to: 32, topology: "rail:8x{nodes},.."}
 *     datasheet: {npus-each: 8, injection: 500GB/s}
 *     facts:                      # each number with its unit and source
 *       - {what: .., value: .., source: .., checked: seen}
 *
 * Rules:
 *  1. A parameter is a count, or a shape ("4x4x8") if its default is one. "{name}" in a row stands
 *     for its value, "{wrap}" for the wrap-around of a shape's dimensions: with `wrap-multiple-of:
 *     4` all dimensions are rings if all sizes are multiples of 4, else none is; with `wrap-at: 16`
 *     a dimension is a ring if it has that size.
 *  2. A row may ask for a multiple (`multiple-of`) or limit the NPUs of a shape (`most-npus`).
 *  3. `datasheet` is what tests hold the built fabric against: NPUs for each unit of a count
 *     parameter (of a shape: its product), and bytes/s out of an NPU over all its links, which a
 *     shape reaches where all its dimensions are rings.
 */
#ifndef ORRERY_NET_TOPOLOGY_PRESETS_H
#define ORRERY_NET_TOPOLOGY_PRESETS_H

#include "net/topology/fabric.h"

#define PRESET_PREFIX "preset:"

/* Does `text` name a preset (known or not)? */
bool preset_is(const char *text);

/* Builds "preset:NAME[,parameter=value]". fabric->text is the one-line form it stands for. */
enum status preset_build(const char *text, struct fabric **fabric, struct diag *diag);

struct preset_words {
    const char *name; /* borrowed for ever */
    char about[160];
    char device[40], library[40];     /* "" if there is none */
    char parameter[24], fallback[24]; /* "nodes", "32" */
    uint32_t npus_each;               /* datasheet; 0: a shape's product */
    double injection_Bps;             /* datasheet */
};

/* Words about the preset of that number; false if there are no more. */
bool preset_describe(uint32_t number, struct preset_words *words);

/* The same of the preset that `text` ("preset:NAME[,..]") names; false if there is none. */
bool preset_find(const char *text, struct preset_words *words);

#endif
