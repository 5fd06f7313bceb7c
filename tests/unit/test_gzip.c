/* gzip: what is packed reads back through file_load(), and what does not shrink is left alone. */
#include "base/gzip.h"

#include <string.h>

#include "base/file.h"
#include "base/mix.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

START_TEST(reads_back)
{
    enum { SIZE = 100000 };
    char *text = malloc(SIZE);
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 7 * (i % 7) % 7);
    size_t length, again;
    unsigned char *packed = gzip_bytes(text, SIZE, &length);
    unsigned char *twice = gzip_bytes(text, SIZE, &again);
    ck_assert_ptr_nonnull(packed);
    ck_assert_uint_lt(length, SIZE / 10);
    ck_assert_uint_eq(length, again);
    ck_assert_mem_eq(packed, twice, length);

    const char *path = temp_file("");
    FILE *out = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(packed, 1, length, out), length);
    fclose(out);
    struct diag diag = DIAG_NONE;
    struct file file;
    ck_assert_int_eq(file_load(&file, path, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert(file.was_gzip);
    ck_assert_uint_eq(file.length, SIZE);
    ck_assert_mem_eq(file.bytes, text, SIZE);
    file_release(&file);
    unlink(path);
    free(twice);
    free(packed);
    free(text);
}
END_TEST

START_TEST(leaves_what_does_not_shrink)
{
    unsigned char noise[4096];
    uint64_t state = 1;
    size_t length = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)random_next(&state);
    ck_assert_ptr_null(gzip_bytes(noise, sizeof noise, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_ptr_null(gzip_bytes(noise, 0, &length));
    ck_assert_ptr_null(gzip_bytes("a", 1, &length));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("gzip");
    TCase *all = tcase_create("all");
    tcase_add_test(all, reads_back);
    tcase_add_test(all, leaves_what_does_not_shrink);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
