/*
 * fuzz_topology - the one-line form, and the changes in the lines after it: what is read is printed
 * and read back as the same; what is small is built, changed and routed; nothing ends by a signal.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/topology/changes.h"
#include "net/topology/routing.h"
#include "net/topology/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_NPUS = 64, MOST_PRODUCT = 20000 };

/* Sizes multiply: the product of all numbers bounds nodes and links. */
static bool is_small(const char *text)
{
    double product = 1;
    while (*text) {
        if (*text < '0' || *text > '9') {
            text++;
            continue;
        }
        double number = strtod(text, (char **)&text);
        product *= number > 1 ? number : 1;
    }
    return product <= MOST_PRODUCT;
}

static void route_all(const struct fabric *fabric, enum net_routing policy)
{
    struct routing *routing;
    struct diag diag = DIAG_NONE;
    struct network_config config = {.routing = policy};
    if (routing_create(&routing, fabric, &config, &diag) != STATUS_OK)
        return;
    for (uint32_t a = 0; a < fabric->npu_count; a++) {
        for (uint32_t b = 0; b < fabric->npu_count; b++) {
            struct route route;
            if (a == b)
                continue;
            routing_find(routing, a, b, &route);
            promise(route.count > 0 && fabric->link[route.link[0]].src == a);
            promise(fabric->link[route.link[route.count - 1]].dst == b);
        }
    }
    routing_destroy(routing);
}

static void build(const char *text, const char *changes)
{
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    if (fabric_parse(text, &fabric, &diag) != STATUS_OK) {
        promise(diag.message[0] != '\0');
        return;
    }
    if (fabric_change(fabric, changes, &diag) == STATUS_OK && fabric->npu_count <= MOST_NPUS) {
        route_all(fabric, ROUTING_AUTO);
        route_all(fabric, ROUTING_ECMP);
        route_all(fabric, ROUTING_SPRAY);
    }
    fabric_destroy(fabric);
}

static void round_trip(const struct spec *spec)
{
    struct arena arena;
    struct diag diag = DIAG_NONE;
    struct spec *again = malloc(sizeof *again);
    promise(again != NULL);
    arena_init(&arena);
    const char *text = spec_print(spec, &arena);
    enum status status = spec_parse(text, again, &diag);
    promise(status == STATUS_OK);
    promise(strcmp(text, spec_print(again, &arena)) == 0 && again->npus == spec->npus);
    arena_release(&arena);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = DIAG_NONE;
    struct spec *spec = malloc(sizeof *spec);
    char *text = calloc(1, size + 1);
    promise(spec != NULL && text != NULL);
    memcpy(text, data, size);
    char *changes = strchr(text, '\n');
    if (changes)
        *changes++ = '\0';
    if (spec_parse(text, spec, &diag) != STATUS_OK) {
        promise(diag.message[0] != '\0');
    } else {
        round_trip(spec);
        if (spec_is_kind(text) && is_small(text))
            build(text, changes ? changes : "");
    }
    free(spec);
    free(text);
    return 0;
}
