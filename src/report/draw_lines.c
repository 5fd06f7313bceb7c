#include "base/memory.h"
#include "base/table.h"
#include "report/draw_parts.h"

static bool is_hotter(const struct drawing *drawing, uint32_t link, uint32_t than)
{
    return than == FABRIC_NONE || (drawing->heat && drawing->heat[link] > drawing->heat[than]);
}

static void add_link(struct drawing *drawing, struct table *table, uint32_t l)
{
    const struct fabric_link *link = &drawing->fabric->link[l];
    uint32_t from = drawing->box_of[link->src], to = drawing->box_of[link->dst];
    if (from == to)
        return;
    uint32_t a = from < to ? from : to, b = from < to ? to : from;
    uint64_t pair = (uint64_t)a << 32 | b;
    uint32_t number = table_find(table, pair);
    if (number == TABLE_NONE) {
        number = drawing->line_count++;
        table_put(table, pair, number);
        drawing->line[number] =
            (struct draw_line){.a = a, .b = b, .link = {FABRIC_NONE, FABRIC_NONE}};
    }
    struct draw_line *line = &drawing->line[number];
    bool is_back = from != a;
    if (is_hotter(drawing, l, line->link[is_back]))
        line->link[is_back] = l;
    line->dim = link->dim;
    if (link->reverse == FABRIC_NONE || link->src < link->dst)
        line->cables += link->count;
}

void draw_join(struct drawing *drawing)
{
    struct table table;
    table_init(&table);
    drawing->line =
        arena_array(&drawing->arena, drawing->fabric->link_count, sizeof *drawing->line);
    for (uint32_t l = 0; l < drawing->fabric->link_count; l++)
        add_link(drawing, &table, l);
    table_release(&table);
}
