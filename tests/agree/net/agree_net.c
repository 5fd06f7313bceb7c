/*
 * agree_net - networks against references: other simulators, and published measurements.
 *
 * agree_net [--brief] [--untimed] [--part NAME]; data is in $ORRERY_SHARED (default ../shared).
 * --untimed leaves out what measures time. Ends with one line, "agree_net: P passed, F failed,
 * S skipped"; exit code 1 if anything failed.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/agree/fluid/fluid_parts.h"
#include "tests/agree/forms/forms.h"
#include "tests/agree/messages/messages.h"
#include "tests/agree/net/part.h"
#include "tests/agree/published/published.h"

static enum status run_published(const char *shared, bool brief, FILE *out,
                                 struct part_count *count, struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/collectives.csv", shared);
    return published_run(path, brief, out, count, diag);
}

const struct part parts[] = {
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

static int usage(void)
{
    fputs("usage: agree_net [--brief] [--untimed] [--part NAME]\n", stderr);
    for (const struct part *part = parts; part->name; part++)
        fprintf(stderr, "  %-12s %s\n", part->name, part->what);
    return STATUS_USAGE;
}

static bool is_there(const char *shared)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/peers/simgrid_reference.jsonl", shared);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return file != NULL;
}

struct asked {
    const char *only; /* a part; NULL: all */
    bool brief, untimed;
};

static enum status run_parts(const struct asked *asked, const char *shared,
                             struct part_count *count, struct diag *diag)
{
    for (const struct part *part = parts; part->name; part++) {
        if ((asked->only && strcmp(asked->only, part->name) != 0) ||
            (asked->untimed && part->need == PART_NEEDS_CLOCK))
            continue;
        if (part->need != PART_NEEDS_NOTHING && !is_there(shared)) {
            printf("skipped: %s: no data in %s\n", part->name, shared);
            count->skipped++;
            continue;
        }
        printf("== %s\n", part->what);
        fflush(stdout);
        enum status status = part->run(shared, asked->brief, stdout, count, diag);
        if (status != STATUS_OK)
            return status;
        putchar('\n');
    }
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct asked asked = {0};
    bool is_known = false;
    const char *shared = getenv("ORRERY_SHARED");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0)
            asked.brief = true;
        else if (strcmp(argv[i], "--untimed") == 0)
            asked.untimed = true;
        else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc)
            asked.only = argv[++i];
        else
            return usage();
    }
    for (const struct part *part = parts; part->name; part++)
        is_known = is_known || !asked.only || strcmp(asked.only, part->name) == 0;
    if (!is_known)
        return usage();
    shared = shared ? shared : "../shared";
    struct part_count count = {0};
    struct diag diag = DIAG_NONE;
    enum status status = run_parts(&asked, shared, &count, &diag);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        return status_exit_code(status);
    }
    printf("agree_net: %u passed, %u failed, %u skipped\n", count.passed, count.failed,
           count.skipped);
    return count.failed == 0 && count.passed + count.skipped > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
