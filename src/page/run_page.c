#include "page/run_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "page/page_shell.h"
#include "page/run_parts.h"
#include "report/describe.h"

void run_chart_block(struct run_writing *writing, const char *name)
{
    for (const struct run_chart *row = run_charts; row->name; row++) {
        struct chart chart;
        if (strcmp(row->name, name) != 0 || !row->fill(&chart, &writing->source))
            continue;
        chart_json(&chart, &writing->json);
        chart_release(&chart);
    }
}

static void put_document(struct run_writing *writing)
{
    const struct run_page *page = writing->page;
    struct json_writer *json = &writing->json;
    char network[DESCRIBE_TEXT];
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "schema_version", PAGE_SCHEMA);
    json_text(json, "kind", "run");
    json_text(json, "title", page->title);
    json_text(json, "subtitle", describe_network(network, &page->config->network));
    json_text(json, "version", page->context->version);
    run_facts(writing);
    json_list_begin(json, "sections", JSON_LINES);
    run_section_time(writing);
    run_section_path(writing);
    run_section_timeline(writing);
    run_section_communication(writing);
    run_section_network(writing);
    run_section_compute(writing);
    run_section_memory(writing);
    run_section_origin(writing);
    json_list_end(json);
    json_map_end(json);
}

void run_page_data(const struct run_page *page, FILE *out)
{
    struct run_writing writing = {.page = page};
    rank_groups_init(&writing.groups, page->result);
    writing.source =
        (struct run_charts_source){page->result, page->config, &writing.groups, page->blame};
    json_init(&writing.json, out);
    put_document(&writing);
    rank_groups_release(&writing.groups);
}

void run_page_write(const struct run_page *page, FILE *out)
{
    char *data = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&data, &length);
    need_memory(memory != NULL);
    run_page_data(page, memory);
    need_memory(fclose(memory) == 0);
    page_shell_write(page->title, data, length, out);
    free(data);
}
