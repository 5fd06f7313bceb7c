/* file: reading plain and gzip files of every kind of damage; output that appears whole or not. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static char folder[TEMP_PATH];
static char path[TEMP_PATH + 8];

static void set_up(void)
{
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/data", folder);
}

static void tear_down(void)
{
    temp_folder_remove(folder);
}

static void put(const void *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(bytes, 1, length, out), length);
    fclose(out);
}

/* Packs `text` as one gzip member; returns its length. */
static size_t pack(const void *text, size_t length, unsigned char *to, size_t size)
{
    z_stream z = {0};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)text;
    z.avail_in = (uInt)length;
    z.next_out = to;
    z.avail_out = (uInt)size;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t used = size - z.avail_out;
    deflateEnd(&z);
    return used;
}

START_TEST(plain)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    put("hello", 5);
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_uint_eq(file.length, 5);
    ck_assert(!file.was_gzip);
    ck_assert_mem_eq(file.bytes, "hello", 5);
    file_release(&file);
    ck_assert_int_eq(file_load(&file, path, 5, &diag), STATUS_OK);
    file_release(&file);
    ck_assert_int_eq(file_load(&file, path, 4, &diag), STATUS_BAD_INPUT);
    ck_assert(file_exists(path));
    ck_assert(!file_exists(folder));
}
END_TEST

START_TEST(empty)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    put("", 0);
    ck_assert_int_eq(file_load(&file, path, 0, &diag), STATUS_OK);
    ck_assert_uint_eq(file.length, 0);
    file_release(&file);
}
END_TEST

START_TEST(large_is_mapped)
{
    enum { LENGTH = 3 << 20 };
    char *bytes = malloc(LENGTH);
    memset(bytes, 'x', LENGTH);
    put(bytes, LENGTH);
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_uint_eq(file.length, LENGTH);
    ck_assert_ptr_nonnull(file.map);
    ck_assert_mem_eq(file.bytes, bytes, LENGTH);
    file_release(&file);
    ck_assert_int_eq(file_load(&file, path, LENGTH - 1, &diag), STATUS_BAD_INPUT);
    free(bytes);
}
END_TEST

START_TEST(unreadable)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diag.message, "No such file"));
    ck_assert_str_eq(diag.file, path);
    diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, folder, FILE_NO_LIMIT, &diag), STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diag.message, "folder"));
    diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, "/dev/zero", FILE_NO_LIMIT, &diag), STATUS_IO);
}
END_TEST

START_TEST(gzip_members)
{
    unsigned char packed[512];
    size_t length = pack("abc", 3, packed, sizeof packed);
    length += pack("defg", 4, packed + length, sizeof packed - length);
    memset(packed + length, 0, 7); /* padding, as tapes leave it */
    put(packed, length + 7);
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, 7, &diag), STATUS_OK);
    ck_assert(file.was_gzip);
    ck_assert_uint_eq(file.length, 7);
    ck_assert_mem_eq(file.bytes, "abcdefg", 7);
    file_release(&file);
    ck_assert_int_eq(file_load(&file, path, 6, &diag), STATUS_BAD_INPUT);
}
END_TEST

/* 80 MB that were packed are kept in a temporary file, whole. */
START_TEST(gzip_large)
{
    enum { LENGTH = 80000000 };
    char *bytes = calloc(1, LENGTH);
    unsigned char *packed = malloc(1 << 20);
    bytes[0] = 'a';
    bytes[70000000] = 'b';
    bytes[LENGTH - 1] = 'c';
    put(packed, pack(bytes, LENGTH, packed, 1 << 20));
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_uint_eq(file.length, LENGTH);
    ck_assert_ptr_nonnull(file.map);
    ck_assert_int_eq(memcmp(file.bytes, bytes, LENGTH), 0);
    file_release(&file);
    free(bytes);
    free(packed);
}
END_TEST

/* 64 MiB of zeros packed in 64 KiB stop at the limit. */
START_TEST(gzip_bomb)
{
    enum { LENGTH = 64 << 20 };
    char *zeros = calloc(1, LENGTH);
    unsigned char *packed = malloc(1 << 20);
    put(packed, pack(zeros, LENGTH, packed, 1 << 20));
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, 1000000, &diag), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.message, "1000000"));
    free(zeros);
    free(packed);
}
END_TEST

/* Every proper prefix of a gzip file, and every changed byte, is an error or the right text. */
START_TEST(gzip_damage)
{
    unsigned char packed[256];
    const char *text = "the quick brown fox jumps over the lazy dog";
    size_t length = pack(text, strlen(text), packed, sizeof packed);
    for (size_t cut = 2; cut < length; cut++) {
        struct file file;
        struct diag diag = DIAG_NONE;
        put(packed, cut);
        ck_assert_int_eq(file_load(&file, path, 4096, &diag), STATUS_BAD_INPUT);
        ck_assert_int_eq(diag.place, DIAG_BYTE);
    }
    for (size_t at = 2; at < length; at++) {
        struct file file;
        struct diag diag = DIAG_NONE;
        packed[at] ^= 0x55;
        put(packed, length);
        packed[at] ^= 0x55;
        if (file_load(&file, path, 4096, &diag) != STATUS_OK)
            continue;
        ck_assert_uint_eq(file.length, strlen(text));
        ck_assert_mem_eq(file.bytes, text, file.length);
        file_release(&file);
    }
    memcpy(packed + length, "junk", 4);
    put(packed, length + 4);
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, 4096, &diag), STATUS_BAD_INPUT);
}
END_TEST

static void expect_content(const char *text)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_uint_eq(file.length, strlen(text));
    ck_assert_mem_eq(file.bytes, text, file.length);
    file_release(&file);
}

START_TEST(output_appears_whole)
{
    struct out_file out;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(out_file_open(&out, path, &diag), STATUS_OK);
    fputs("half", out.stream);
    fflush(out.stream);
    ck_assert(!file_exists(path));
    fputs("full", out.stream);
    ck_assert_int_eq(out_file_commit(&out, &diag), STATUS_OK);
    expect_content("halffull");

    ck_assert_int_eq(out_file_open(&out, path, &diag), STATUS_OK);
    fputs("other", out.stream);
    out_file_abandon(&out);
    expect_content("halffull");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left */
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}
END_TEST

START_TEST(output_through_link)
{
    char link[TEMP_PATH + 96];
    snprintf(link, sizeof link, "%s.link", path);
    put("old", 3);
    ck_assert_int_eq(symlink(path, link), 0);
    struct out_file out;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(out_file_open(&out, link, &diag), STATUS_OK);
    fputs("new", out.stream);
    ck_assert_int_eq(out_file_commit(&out, &diag), STATUS_OK);
    expect_content("new");
    struct stat info;
    ck_assert_int_eq(lstat(link, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
}
END_TEST

START_TEST(output_refused)
{
    struct out_file out;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(out_file_open(&out, folder, &diag), STATUS_IO);
    diag = DIAG_NONE;
    ck_assert_int_eq(out_file_open(&out, "/no/such/folder/x", &diag), STATUS_IO);
    ck_assert_str_eq(diag.file, "/no/such/folder/x");
}
END_TEST

/* A device is written, not replaced; a full one fails at commit. */
START_TEST(output_device)
{
    struct out_file out;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(out_file_open(&out, "/dev/null", &diag), STATUS_OK);
    fputs("x", out.stream);
    ck_assert_int_eq(out_file_commit(&out, &diag), STATUS_OK);
    struct stat info;
    ck_assert_int_eq(stat("/dev/null", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
    ck_assert_int_eq(out_file_open(&out, "/dev/full", &diag), STATUS_OK);
    fputs("x", out.stream);
    ck_assert_int_eq(out_file_commit(&out, &diag), STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diag.message, "No space"));
}
END_TEST

static Suite *suite_of_file(void)
{
    TCase *rows = tcase_create("file");
    tcase_add_checked_fixture(rows, set_up, tear_down);
    tcase_set_timeout(rows, 60);
    tcase_add_test(rows, plain);
    tcase_add_test(rows, empty);
    tcase_add_test(rows, large_is_mapped);
    tcase_add_test(rows, unreadable);
    tcase_add_test(rows, gzip_members);
    tcase_add_test(rows, gzip_large);
    tcase_add_test(rows, gzip_bomb);
    tcase_add_test(rows, gzip_damage);
    tcase_add_test(rows, output_appears_whole);
    tcase_add_test(rows, output_through_link);
    tcase_add_test(rows, output_refused);
    tcase_add_test(rows, output_device);
    Suite *suite = suite_create("file");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_file())
