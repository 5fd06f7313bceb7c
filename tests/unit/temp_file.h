/*
 * temp_file - temporary files and folders in $TMPDIR (default /tmp), for tests of what takes a
 * path.
 */
#ifndef ORRERY_TESTS_UNIT_TEMP_FILE_H
#define ORRERY_TESTS_UNIT_TEMP_FILE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMP_PATH = 256 };

int mkstemp(char *template); /* not in the strict C library view */
char *mkdtemp(char *template);

static inline void temp_name(char name[TEMP_PATH])
{
    const char *folder = getenv("TMPDIR");
    int length =
        snprintf(name, TEMP_PATH, "%s/orrery-test-XXXXXX", folder && folder[0] ? folder : "/tmp");
    ck_assert_int_lt(length, TEMP_PATH);
}

/* A new folder of one's own. */
static inline void temp_folder(char folder[TEMP_PATH])
{
    temp_name(folder);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void temp_folder_remove(const char *folder)
{
    char command[TEMP_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Writes `text` to a new file; its path, valid until the next call. Remove it with unlink(). */
static inline const char *temp_file(const char *text)
{
    static char path[TEMP_PATH];
    temp_name(path);
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    size_t length = strlen(text);
    ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
    close(fd);
    return path;
}

#endif
