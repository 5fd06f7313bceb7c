/*
 * page_files - what the build puts into the program for pages (scripts/page-parts): "script" (d3 and
 * web/?*.js), "style" (web/style.css) and "policy", the sources of both for the page's security
 * policy: "script-src 'sha256-..'; style-src 'sha256-..'".
 */
#ifndef ORRERY_PAGE_PAGE_FILES_H
#define ORRERY_PAGE_PAGE_FILES_H

#include "base/embedded.h"

extern const struct embedded_file page_files[];

#endif
