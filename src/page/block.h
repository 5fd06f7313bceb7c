/*
 * block - what a page is made of, as JSON: facts, tables, charts, texts in sections.
 *
 * The form is "orrery.page/1", documented in README.md; web/page.js draws it. Every figure has a
 * unit and a source: those of its column, or its own.
 */
#ifndef ORRERY_PAGE_BLOCK_H
#define ORRERY_PAGE_BLOCK_H

#include <stdint.h>

#include "report/json_writer.h"

#define PAGE_SCHEMA "orrery.page/1"

/* A column of a table. Units that the page scales: "ps", "s", "B", "B/s", "flop", "flop/s". */
struct block_column {
    const char *key;    /* a name for filters: "time_s" */
    const char *label;  /* what people read: "time" */
    const char *unit;   /* "" of texts and counts */
    const char *source; /* where it comes from, one sentence */
    bool is_text;
};

/* "sections": [ .. ] of the document. */
void block_section_begin(struct json_writer *json, const char *id, const char *title,
                         const char *intro);
void block_section_end(struct json_writer *json);

/*
 * A table; its rows follow, each as a JSON list of cells in the order of the columns (the last has
 * a NULL key), then block_table_end(). `note` says what is left out, or is NULL.
 */
void block_table_begin(struct json_writer *json, const char *id, const char *caption,
                       const struct block_column *column, const char *note);
void block_table_end(struct json_writer *json);

/* Preformatted text with a caption. */
void block_code(struct json_writer *json, const char *caption, const char *text);

/* One figure at the top of the page. */
void block_fact(struct json_writer *json, const char *label, double value, const char *unit,
                const char *source);
void block_fact_text(struct json_writer *json, const char *label, const char *value,
                     const char *source);

#endif
