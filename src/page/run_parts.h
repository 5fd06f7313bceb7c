/*
 * run_parts - the sections of a run's page. Each writes itself whole, or nothing if the run has
 * nothing for it.
 */
#ifndef ORRERY_PAGE_RUN_PARTS_H
#define ORRERY_PAGE_RUN_PARTS_H

#include "page/block.h"
#include "page/run_page.h"
#include "report/run_charts.h"

struct run_writing {
    const struct run_page *page;
    struct rank_groups groups;
    struct run_charts_source source;
    struct json_writer json;
};

/* The chart of that name, if the run has it. */
void run_chart_block(struct run_writing *writing, const char *name);

void run_facts(struct run_writing *writing);
void run_section_time(struct run_writing *writing);
void run_section_timeline(struct run_writing *writing);
void run_section_path(struct run_writing *writing);
void run_section_network(struct run_writing *writing);
void run_section_communication(struct run_writing *writing);
void run_section_compute(struct run_writing *writing);
void run_section_memory(struct run_writing *writing);
void run_section_origin(struct run_writing *writing);

#endif
