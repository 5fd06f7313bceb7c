/*
 * lab_report - the table of `orrery collective`, as text, JSON or CSV.
 *
 * Every figure has its unit in the heading (text) or in its name.
 */
#ifndef ORRERY_REPORT_LAB_REPORT_H
#define ORRERY_REPORT_LAB_REPORT_H

#include <stdio.h>

#include "run/laboratory.h"

struct lab_format {
    const char *name;
    void (*write)(const struct lab *lab, FILE *out);
};

/* text, json, csv; the last has a NULL name. */
extern const struct lab_format lab_formats[];

#endif
