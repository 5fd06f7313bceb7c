#include "page/page_shell.h"

#include <string.h>

#include "base/status.h"
#include "page/page_files.h"
#include "report/svg_text.h"

static void put_part(const char *name, FILE *out)
{
    const struct embedded_file *file = embedded_find(page_files, name);
    promise(file != NULL);
    fwrite(file->text, 1, file->length, out);
}

static void put_head(const char *title, const char *more_policy, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
          "data:; base-uri 'none'; form-action 'none'; ",
          out);
    put_part("policy", out);
    fprintf(out,
            "%s\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"orrery\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            more_policy);
    svg_text(out, title);
    fputs("</title>\n<style>", out);
    put_part("style", out);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
          "<header id=\"top\"></header>\n<nav id=\"contents\" aria-label=\"Sections\"></nav>\n"
          "<main id=\"main\" tabindex=\"-1\">\n<noscript><p>This page draws its tables and charts "
          "with a script, which is switched off. Its figures are in the JSON at the end of the "
          "file.</p></noscript>\n</main>\n<footer id=\"end\"></footer>\n",
          out);
}

static void put_tail(FILE *out)
{
    fputs("<script>", out);
    put_part("script", out);
    fputs("</script>\n</body>\n</html>\n", out);
}

void page_shell_write(const char *title, const char *data, size_t length, FILE *out)
{
    put_head(title, "", out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    const char *end = data + length;
    while (data < end) {
        const char *mark = memchr(data, '<', (size_t)(end - data));
        fwrite(data, 1, (size_t)((mark ? mark : end) - data), out);
        if (mark)
            fputs("\\u003c", out);
        data = mark ? mark + 1 : end;
    }
    fputs("</script>\n", out);
    put_tail(out);
}

void page_shell_live(const char *title, FILE *out)
{
    put_head(title, "; connect-src 'self'", out);
    fputs("<script type=\"application/json\" id=\"data\" data-from=\"data.json\" "
          "data-events=\"events\" data-points=\"point/\"></script>\n",
          out);
    put_tail(out);
}
