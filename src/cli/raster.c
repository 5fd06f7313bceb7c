#include "cli/raster.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* PDF and EPS would hold the time at which they were made. */
static char epoch[] = "SOURCE_DATE_EPOCH=0";

const char *raster_format(const char *path)
{
    static const char *const known[] = {"svg", "png", "pdf", "eps"};
    const char *end = path ? strrchr(path, '.') : NULL;
    if (!path || strcmp(path, "-") == 0)
        return known[0];
    for (size_t i = 0; end && i < sizeof known / sizeof *known; i++) {
        if (strcmp(end + 1, known[i]) == 0)
            return known[i];
    }
    return NULL;
}

static enum status start(pid_t *child, FILE *from, FILE *to, const char *format, const char *dpi,
                         struct diag *diag)
{
    char *const words[] = {
        (char[]){"rsvg-convert"}, (char[]){"--format"}, (char *)(size_t)format, (char[]){"--dpi-x"},
        (char *)(size_t)dpi,      (char[]){"--dpi-y"},  (char *)(size_t)dpi,    NULL};
    char path[4096];
    const char *paths = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", paths ? paths : "/usr/bin:/bin");
    char *const environment[] = {path, epoch, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(from), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(to), 1);
    int failed = posix_spawnp(child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed)
        return STATUS_OK;
    diag_fail(diag, STATUS_IO, "cannot run rsvg-convert, which makes %s: %s", format,
              strerror(failed));
    diag_hint(diag, "install Debian's librsvg2-bin, or write FILE.svg");
    return STATUS_IO;
}

enum status raster_write(const char *svg, size_t length, const char *format, double dpi, FILE *out,
                         struct diag *diag)
{
    pid_t child;
    int code = 0;
    char dpi_text[32];
    FILE *from = tmpfile();
    if (!from || fwrite(svg, 1, length, from) != length || fflush(from) != 0 || fflush(out) != 0) {
        if (from)
            fclose(from);
        return diag_fail(diag, STATUS_IO, "cannot write a temporary file: %s", strerror(errno));
    }
    rewind(from);
    snprintf(dpi_text, sizeof dpi_text, "%g", dpi);
    enum status status = start(&child, from, out, format, dpi_text, diag);
    if (status == STATUS_OK) {
        while (waitpid(child, &code, 0) < 0 && errno == EINTR)
            ;
        if (code != 0)
            status = diag_fail(diag, STATUS_IO, "rsvg-convert failed to make %s", format);
    }
    fclose(from);
    return status;
}
