#include "net/topology/fabric_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"

static enum status check_names(const struct fabric *fabric, struct diag *diag)
{
    struct names names;
    names_init(&names);
    enum status status = STATUS_OK;
    for (uint32_t v = 0; v < fabric->node_count && status == STATUS_OK; v++) {
        const char *name = fabric->node[v].name;
        if (names_add(&names, name, strlen(name)) != v) {
            status = diag_fail(diag, STATUS_BAD_CONFIG, "two nodes are called \"%s\"", name);
            diag_hint(diag, "names of nodes must be unique");
        }
    }
    names_release(&names);
    return status;
}

static enum status check_links(const struct fabric *fabric, struct diag *diag)
{
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        const struct fabric_link *link = &fabric->link[i];
        const char *src = fabric->node[link->src].name, *dst = fabric->node[link->dst].name;
        if (link->src == link->dst)
            return diag_fail(diag, STATUS_BAD_CONFIG, "link from %s to itself", src);
        if (!(link->bandwidth_Bps > 0) || !isfinite(link->bandwidth_Bps))
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "link %s -> %s: expected a bandwidth above 0, found %g B/s", src, dst,
                             link->bandwidth_Bps);
        if (!(link->latency_ns >= 0) || !isfinite(link->latency_ns))
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "link %s -> %s: expected a latency of 0 or more, found %g ns", src,
                             dst, link->latency_ns);
    }
    return STATUS_OK;
}

static enum status check_dims(const struct fabric *fabric, struct diag *diag)
{
    uint64_t product = 1;
    for (uint32_t d = 0; d < fabric->dim_count && product <= fabric->npu_count; d++)
        product *= fabric->dim[d].npus;
    if (product == fabric->npu_count)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG,
              "the sizes of the dimensions multiply out to %llu, but there are %u NPUs",
              (unsigned long long)product, fabric->npu_count);
    return diag->status;
}

/* For a search against the links' directions: links by destination. */
struct incoming {
    uint32_t *first; /* [node_count + 1] */
    uint32_t *link;
};

static struct incoming incoming_of(const struct fabric *fabric)
{
    struct incoming in = {calloc((size_t)fabric->node_count + 2, sizeof *in.first),
                          malloc(((size_t)fabric->link_count + 1) * sizeof *in.link)};
    need_memory(in.first && in.link);
    for (uint32_t i = 0; i < fabric->link_count; i++)
        in.first[fabric->link[i].dst + 2]++;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        in.first[v + 2] += in.first[v + 1];
    for (uint32_t i = 0; i < fabric->link_count; i++)
        in.link[in.first[fabric->link[i].dst + 1]++] = i;
    return in;
}

/* Marks in `seen` what NPU 0 reaches (in == NULL), or what reaches it. */
static void search(const struct fabric *fabric, const struct incoming *in, unsigned char *seen,
                   uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(seen, 0, fabric->node_count);
    seen[0] = 1;
    queue[tail++] = 0;
    const uint32_t *first = in ? in->first : fabric->first_link;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t k = first[v]; k < first[v + 1]; k++) {
            const struct fabric_link *link = &fabric->link[in ? in->link[k] : k];
            uint32_t next = in ? link->src : link->dst;
            if (link->bandwidth_Bps > 0 && !seen[next]) {
                seen[next] = 1;
                queue[tail++] = next;
            }
        }
    }
}

static enum status cut_off(const struct fabric *fabric, const unsigned char *seen, bool against,
                           struct diag *diag)
{
    char list[200] = "";
    uint32_t count = 0;
    for (uint32_t v = 0; v < fabric->npu_count; v++) {
        if (seen[v] || count++ >= 3)
            continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.50s", used ? ", " : "",
                 fabric->node[v].name);
    }
    char more[40] = "";
    if (count > 3)
        snprintf(more, sizeof more, " and %u more", count - 3);
    if (against)
        diag_fail(diag, STATUS_BAD_CONFIG, "the network is cut: %s%s cannot reach %s", list, more,
                  fabric->node[0].name);
    else
        diag_fail(diag, STATUS_BAD_CONFIG, "the network is cut: %s cannot reach %s%s",
                  fabric->node[0].name, list, more);
    diag_hint(diag, "every NPU must reach every other over links that work");
    return diag->status;
}

static bool all_npus(const struct fabric *fabric, const unsigned char *seen)
{
    return memchr(seen, 0, fabric->npu_count) == NULL;
}

enum status fabric_check_connected(const struct fabric *fabric, struct diag *diag)
{
    unsigned char *seen = malloc((size_t)fabric->node_count + 1);
    uint32_t *queue = malloc(((size_t)fabric->node_count + 1) * sizeof *queue);
    need_memory(seen && queue);
    enum status status = STATUS_OK;
    search(fabric, NULL, seen, queue);
    if (!all_npus(fabric, seen))
        status = cut_off(fabric, seen, false, diag);
    if (status == STATUS_OK) {
        struct incoming in = incoming_of(fabric);
        search(fabric, &in, seen, queue);
        if (!all_npus(fabric, seen))
            status = cut_off(fabric, seen, true, diag);
        free(in.first);
        free(in.link);
    }
    free(seen);
    free(queue);
    return status;
}

enum status fabric_check(const struct fabric *fabric, struct diag *diag)
{
    if (fabric->npu_count == 0)
        return diag_fail(diag, STATUS_BAD_CONFIG, "a network needs at least one NPU");
    enum status status = check_names(fabric, diag);
    if (status == STATUS_OK)
        status = check_links(fabric, diag);
    if (status == STATUS_OK)
        status = check_dims(fabric, diag);
    if (status == STATUS_OK)
        status = fabric_check_connected(fabric, diag);
    return status;
}
