/*
 * agree_net - networks against references: other simulators, and published measurements.
 * Arguments and exit code: part_program_run().
 */
#include <stdio.h>

#include "tests/agree/fluid/fluid_parts.h"
#include "tests/agree/forms/forms.h"
#include "tests/agree/messages/messages.h"
#include "tests/agree/part/part.h"
#include "tests/agree/published/published.h"

static enum status run_published(const char *shared, bool brief, FILE *out,
                                 struct part_count *count, struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/collectives.csv", shared);
    return published_run(path, brief, out, count, diag);
}

static const struct part parts[] = {
    {"forms", "closed forms of all algorithms, exactly", agree_forms, PART_NEEDS_NOTHING},
    {"properties", "laws of networks, on random cases", agree_properties, PART_NEEDS_NOTHING},
    {"simgrid", "SimGrid, pure max-min: every flow within 1e-5", agree_simgrid, PART_NEEDS_DATA},
    {"htsim", "htsim, packets: sprayed makespans within 15 %, ECMP collisions", agree_htsim,
     PART_NEEDS_DATA},
    {"speed", "SimGrid's speed: flows per CPU second", agree_simgrid_speed, PART_NEEDS_CLOCK},
    {"loggopsim", "LogGOPSim, messages with endpoint costs", agree_loggopsim, PART_NEEDS_DATA},
    {"loggopsim-large", "LogGOPSim, 256 ranks and up", agree_loggopsim_large, PART_NEEDS_DATA},
    {"single-flows", "htsim, single flows at link", agree_single_flows, PART_NEEDS_DATA},
    {"packets", "htsim, patterns at link, for information", agree_packet_patterns, PART_NEEDS_DATA},
    {"ns3", "ASTRA-sim over ns-3, for information", agree_ns3, PART_NEEDS_DATA},
    {"published", "published measurements", run_published, PART_NEEDS_DATA},
    {0},
};

int main(int argc, char **argv)
{
    static const struct part_program program = {"agree_net", "data/peers/simgrid_reference.jsonl",
                                                parts};
    return part_program_run(&program, argc, argv);
}
