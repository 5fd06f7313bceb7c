/*
 * formats - the formats of this room, for its table in report.c. Others use report.h.
 */
#ifndef ORRERY_REPORT_FORMATS_H
#define ORRERY_REPORT_FORMATS_H

#include "report/report.h"

extern const struct report_ops report_text;
extern const struct report_ops report_json;
extern const struct report_ops report_csv;
extern const struct report_ops report_astra;

/* STATUS_OK, or STATUS_IO if `out` has failed. Every format ends with it. */
enum status report_finish(FILE *out, struct diag *diag);

#endif
