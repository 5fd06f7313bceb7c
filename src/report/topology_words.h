/*
 * topology_words - what is worth a look in a fabric, in words, for every format.
 */
#ifndef ORRERY_REPORT_TOPOLOGY_WORDS_H
#define ORRERY_REPORT_TOPOLOGY_WORDS_H

#include "report/topology_report.h"

enum { TOPOLOGY_WARNINGS = 8, TOPOLOGY_WARNING_TEXT = 300 };

struct topology_warnings {
    uint32_t count;
    char text[TOPOLOGY_WARNINGS][TOPOLOGY_WARNING_TEXT];
};

/* "npu", "switch", ..: an enum fabric_role. */
const char *topology_role_name(unsigned role);

/* "NPUs", "switch", ..: for a text with a count. */
const char *topology_role_words(unsigned role, uint32_t count);

void topology_warn(struct topology_warnings *warnings, const struct topology_report *report);

#endif
