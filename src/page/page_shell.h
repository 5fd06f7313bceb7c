/*
 * page_shell - the HTML around a page's data: one file that needs no other, no network and no
 * server.
 *
 * Rules:
 *  1. The data is JSON in a <script type="application/json">; every '<' of it is written as \u003c,
 *     so that no text in it ends the element. The title is the only text outside of it.
 *  2. The policy in the page's head allows its own script and style by their hashes, images that
 *     are in the page, and nothing else; of a live page also requests to where it came from.
 *  3. A live page has no data: its script asks for "data.json", beside the page, now and after each
 *     message of the event stream "events" (study_page.h, rule 4).
 */
#ifndef ORRERY_PAGE_PAGE_SHELL_H
#define ORRERY_PAGE_PAGE_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The page with `length` bytes of data. */
void page_shell_write(const char *title, const char *data, size_t length, FILE *out);

/* The page without. */
void page_shell_live(const char *title, FILE *out);

#endif
