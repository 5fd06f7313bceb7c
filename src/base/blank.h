/*
 * blank - text without the blanks around it.
 */
#ifndef ORRERY_BASE_BLANK_H
#define ORRERY_BASE_BLANK_H

/* Where the first character that is no blank is, in `text`; ends it behind the last such one. */
char *blank_trim(char *text);

#endif
