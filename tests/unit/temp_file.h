/*
 * temp_file - one temporary file with given content, for tests of loaders that take a path.
 */
#ifndef ORRERY_TESTS_UNIT_TEMP_FILE_H
#define ORRERY_TESTS_UNIT_TEMP_FILE_H

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int mkstemp(char *template); /* not in the strict C library view */

/* Writes `text` to a new file; its path, valid until the next call. Remove it with unlink(). */
static inline const char *temp_file(const char *text)
{
    static char path[64];
    strcpy(path, "/tmp/orrery-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    size_t length = strlen(text);
    ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
    close(fd);
    return path;
}

#endif
