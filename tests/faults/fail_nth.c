/*
 * fail_nth - a preloaded library that makes one call fail: the FAIL_MALLOC-th allocation returns
 * NULL, the FAIL_READ-th read fails with EIO, the FAIL_MMAP-th mapping with ENOMEM. 0 or absent:
 * none.
 *
 * Only calls of the program and its libraries count; the loader's own come before.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own names, so that nothing here needs to look a symbol up (which allocates). */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
long syscall(long number, ...);

static unsigned long left[3]; /* calls until the one that fails; 0: never */
enum { FAIL_MALLOC, FAIL_READ, FAIL_MMAP };

__attribute__((constructor)) static void read_orders(void)
{
    static const char *const names[] = {"FAIL_MALLOC", "FAIL_READ", "FAIL_MMAP"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        left[i] = value != NULL ? strtoul(value, NULL, 10) : 0;
    }
}

static int is_this_one(int which)
{
    return left[which] > 0 && --left[which] == 0;
}

void *malloc(size_t size)
{
    return is_this_one(FAIL_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_this_one(FAIL_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return is_this_one(FAIL_MALLOC) ? NULL : __libc_realloc(old, size);
}

ssize_t read(int fd, void *to, size_t size)
{
    if (is_this_one(FAIL_READ)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_read, fd, to, size);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (is_this_one(FAIL_MMAP)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}
