#include <inttypes.h>

#include "base/units.h"
#include "report/draw.h"
#include "report/topology_words.h"

/* DOT quotes with backslashes; names from files may have quotes in them. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fputc('\\', out);
        fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
    }
    fputc('"', out);
}

static void put_node(const struct fabric_node *node, FILE *out)
{
    static const char *const shape[] = {[ROLE_NPU] = "circle",
                                        [ROLE_SWITCH] = "box",
                                        [ROLE_NIC] = "diamond",
                                        [ROLE_HOST] = "house"};
    fputs("  ", out);
    put_quoted(out, node->name);
    fprintf(out, " [shape=%s, class=%s];\n", shape[node->role], topology_role_name(node->role));
}

static void put_cable(const struct fabric *fabric, uint32_t l, FILE *out)
{
    const struct fabric_link *link = &fabric->link[l];
    char rate[32];
    bool one_way = link->reverse == FABRIC_NONE;
    bool uneven = !one_way && fabric->link[link->reverse].bandwidth_Bps != link->bandwidth_Bps;
    fputs("  ", out);
    put_quoted(out, fabric->node[link->src].name);
    fputs(" -> ", out);
    put_quoted(out, fabric->node[link->dst].name);
    fprintf(out, " [dir=%s, label=\"", one_way ? "forward" : "none");
    if (link->count > 1)
        fprintf(out, "%" PRIu32 " x ", link->count);
    fprintf(out, "%s", units_show_rate(rate, sizeof rate, link->bandwidth_Bps / link->count));
    if (uneven)
        fprintf(out, " / %s",
                units_show_rate(rate, sizeof rate,
                                fabric->link[link->reverse].bandwidth_Bps / link->count));
    fprintf(out, ", %g ns\"%s];\n", link->latency_ns,
            link->bandwidth_Bps <= 0 ? ", style=dashed" : "");
}

/* Trees have a rank of boxes per level, from the top. */
static void put_levels(const struct fabric *fabric, FILE *out)
{
    uint32_t top = 0;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        top = fabric->node[v].level > top ? fabric->node[v].level : top;
    for (uint32_t level = 0; level <= top; level++) {
        fputs("  { rank=same;", out);
        for (uint32_t v = 0; v < fabric->node_count; v++) {
            if (fabric->node[v].level != level)
                continue;
            fputc(' ', out);
            put_quoted(out, fabric->node[v].name);
        }
        fputs(" }\n", out);
    }
}

void draw_dot(const struct fabric *fabric, FILE *out)
{
    fputs("digraph ", out);
    put_quoted(out, fabric->text);
    fprintf(out, " {\n  layout=%s; rankdir=BT; node [fontsize=9]; edge [fontsize=8];\n",
            fabric->is_tree ? "dot" : "neato");
    for (uint32_t v = 0; v < fabric->node_count; v++)
        put_node(&fabric->node[v], out);
    if (fabric->is_tree)
        put_levels(fabric, out);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        if (link->reverse == FABRIC_NONE || link->src < link->dst)
            put_cable(fabric, l, out);
    }
    fputs("}\n", out);
}
