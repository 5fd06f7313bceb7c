#include <math.h>
#include <string.h>

#include "tests/agree/fluid/fluid_parts.h"
#include "tests/agree/fluid/given_routes.h"
#include "tests/agree/fluid/peer.h"

#define TOLERANCE 1e-5
enum { MOST_FAMILIES = 32, NAME = 48 };

/* What is compared: with our topology and routing, or on the routes of the row. */
enum way { OWN, GIVEN, WAYS };

/* Rows of one topology and latency mode. */
struct family {
    char name[NAME];
    uint32_t rows, flows;
    uint32_t failed[WAYS], ran[WAYS];
    double worst[WAYS];
};

struct table_of_families {
    struct family family[MOST_FAMILIES];
    uint32_t count;
};

static struct family *family_of(struct table_of_families *table, const struct doc *row)
{
    char name[NAME];
    const char *topology = peer_text(row, "topology");
    snprintf(name, sizeof name, "%.24s %.12s", topology, peer_text(row, "latency_mode"));
    for (uint32_t i = 0; i < table->count; i++) {
        if (strcmp(table->family[i].name, name) == 0)
            return &table->family[i];
    }
    promise(table->count < MOST_FAMILIES);
    struct family *family = &table->family[table->count++];
    memcpy(family->name, name, sizeof name);
    return family;
}

/* SimGrid's name of a topology in our one-line form. */
static void our_topology(const struct doc *row, char *to, size_t size)
{
    static const char *const names[][2] = {
        {"star:", "switch:"}, {"fattreex:", "xgft:"}, {NULL, NULL}};
    const char *theirs = peer_text(row, "topology");
    const char *kind = "", *rest = theirs;
    for (int i = 0; names[i][0]; i++) {
        size_t length = strlen(names[i][0]);
        if (strncmp(theirs, names[i][0], length) == 0) {
            kind = names[i][1];
            rest = theirs + length;
        }
    }
    snprintf(to, size, "%s%s,bw=%.0fB/s,lat=%.0fns", kind, rest, peer_number(row, "link_bw_Bps"),
             peer_number(row, "hop_latency_s") * 1e9);
}

/* The largest relative difference of a flow's finish. */
static double worst_of(const struct doc *row, const struct traffic_result *result)
{
    const struct doc_node *finish = doc_find(row->root, "finish_s");
    double worst = 0;
    for (uint32_t i = 0; i < finish->count; i++) {
        double theirs_ps = finish->child[i].number * 1e12;
        double error = fabs((double)result->arrived_ps[i] - theirs_ps) / theirs_ps;
        if (error > worst)
            worst = error;
    }
    return worst;
}

static enum status run_way(const struct doc *row, const struct traffic *traffic, enum way way,
                           struct family *family, struct diag *diag)
{
    char topology[128];
    struct traffic_result result;
    traffic_result_init(&result);
    our_topology(row, topology, sizeof topology);
    /* On given routes the topology only says how many NPUs there are. */
    char npus[32];
    snprintf(npus, sizeof npus, "switch:%.0f", peer_number(row, "hosts"));
    const struct peer_network network = {.topology = way == OWN ? topology : npus,
                                         .backend = NET_FLOW,
                                         .routing = ROUTING_SIMGRID,
                                         .ops = way == OWN ? NULL : &network_given_routes};
    struct diag refused = DIAG_NONE; /* a topology that we cannot make is a row that differs */
    enum status status = peer_run(&network, traffic, &result, &refused);
    double worst = status == STATUS_OK ? worst_of(row, &result) : INFINITY;
    family->ran[way]++;
    family->failed[way] += !(worst <= TOLERANCE);
    family->worst[way] = fmax(family->worst[way], worst);
    traffic_result_release(&result);
    if (status != STATUS_OK && status != STATUS_BAD_CONFIG)
        *diag = refused;
    return diag->status;
}

static enum status run_row(const struct doc *row, struct table_of_families *table,
                           struct diag *diag)
{
    const char *mode = peer_text(row, "latency_mode");
    bool is_fluid = strcmp(mode, "zero") == 0 || strcmp(mode, "plain") == 0;
    if (!is_fluid || !doc_find(row->root, "flow_list"))
        return STATUS_OK;
    struct family *family = family_of(table, row);
    struct traffic traffic;
    traffic_init(&traffic);
    peer_flows(row, &traffic);
    family->rows++;
    family->flows += traffic_count(&traffic);
    enum status status = run_way(row, &traffic, OWN, family, diag);
    if (status == STATUS_OK && given_routes_set(row))
        status = run_way(row, &traffic, GIVEN, family, diag);
    traffic_release(&traffic);
    return status;
}

static void print_row(FILE *out, const struct family *family)
{
    fprintf(out, "  %-36s %5u %7u   %8.1e", family->name, family->rows, family->flows,
            family->worst[OWN]);
    if (family->ran[GIVEN])
        fprintf(out, "   %8.1e (%u)", family->worst[GIVEN], family->ran[GIVEN]);
    else
        fputs("          -    ", out);
    if (family->failed[OWN] + family->failed[GIVEN])
        fprintf(out, "   FAILED: %u, %u rows", family->failed[OWN], family->failed[GIVEN]);
    fputc('\n', out);
}

static void print_table(FILE *out, bool brief, const struct table_of_families *table,
                        struct part_count *count)
{
    struct family all = {.name = "all"};
    fprintf(out, "  %-36s %5s %7s   %8s   %s\n", "SimGrid: topology, latency", "rows", "flows",
            "worst", "on its own routes (rows)");
    for (uint32_t i = 0; i < table->count; i++) {
        const struct family *family = &table->family[i];
        if (!brief || family->failed[OWN] + family->failed[GIVEN])
            print_row(out, family);
        all.rows += family->rows;
        all.flows += family->flows;
        for (int way = 0; way < WAYS; way++) {
            all.worst[way] = fmax(all.worst[way], family->worst[way]);
            all.ran[way] += family->ran[way];
            all.failed[way] += family->failed[way];
            count->failed += family->failed[way];
            count->passed += family->ran[way] - family->failed[way];
        }
    }
    print_row(out, &all);
}

static enum status run_file(const char *shared, const char *name, struct table_of_families *table,
                            struct diag *diag)
{
    char path[4096];
    struct peer_file peers;
    struct doc row;
    snprintf(path, sizeof path, "%.3900s/data/peers/%s", shared, name);
    enum status status = peer_open(&peers, path, diag);
    while (status == STATUS_OK && peer_next(&peers, &row, diag)) {
        status = run_row(&row, table, diag);
        doc_release(&row);
    }
    peer_close(&peers);
    return diag->status;
}

enum status agree_simgrid(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag)
{
    static struct table_of_families table;
    memset(&table, 0, sizeof table);
    if (run_file(shared, "simgrid_reference.jsonl", &table, diag) == STATUS_OK &&
        run_file(shared, "simgrid_htsim_match.jsonl", &table, diag) == STATUS_OK)
        print_table(out, brief, &table, count);
    return diag->status;
}
