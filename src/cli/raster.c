#include "cli/raster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"

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

static enum status convert(FILE *from, FILE *to, const char *format, double dpi, struct diag *diag)
{
    int code;
    char path[4096], dpi_text[32];
    const char *paths = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", paths ? paths : "/usr/bin:/bin");
    snprintf(dpi_text, sizeof dpi_text, "%g", dpi);
    char *const environment[] = {path, epoch, NULL};
    const char *const words[] = {"rsvg-convert", "--format", format,   "--dpi-x",
                                 dpi_text,       "--dpi-y",  dpi_text, NULL};
    enum status status = program_filter(words, environment, from, to, &code, diag);
    if (status != STATUS_OK)
        diag_hint(diag, "it makes %s: install Debian's librsvg2-bin, or write FILE.svg", format);
    else if (code != 0)
        status = diag_fail(diag, STATUS_IO, "rsvg-convert failed to make %s", format);
    return status;
}

enum status raster_write(const char *svg, size_t length, const char *format, double dpi, FILE *out,
                         struct diag *diag)
{
    FILE *from = tmpfile();
    if (!from || fwrite(svg, 1, length, from) != length || fflush(from) != 0) {
        if (from)
            fclose(from);
        return diag_fail(diag, STATUS_IO, "cannot write a temporary file: %s", strerror(errno));
    }
    rewind(from);
    enum status status = convert(from, out, format, dpi, diag);
    fclose(from);
    return status;
}
