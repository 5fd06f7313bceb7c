#include "report/columns.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"

enum { INDENT = 2, GAP = 2, LEAST_TEXT = 12 };

void columns_init(struct columns *columns, const char *align)
{
    memset(columns, 0, sizeof *columns);
    arena_init(&columns->arena);
    columns->align = align;
    columns->width = (uint32_t)strlen(align);
    promise(columns->width > 0 && columns->width <= COLUMNS_MOST);
}

void columns_release(struct columns *columns)
{
    arena_release(&columns->arena);
}

static void make_room(struct columns *columns)
{
    if (columns->count < columns->capacity)
        return;
    uint32_t capacity = columns->capacity == 0 ? 64 : 2 * columns->capacity;
    char **cell = arena_array(&columns->arena, capacity, sizeof *cell);
    if (columns->count > 0)
        memcpy(cell, columns->cell, columns->count * sizeof *cell);
    columns->cell = cell;
    columns->capacity = capacity;
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

void columns_add(struct columns *columns, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c != '\0'; c++) {
        if (is_control((unsigned char)*c))
            *c = '?';
    }
    make_room(columns);
    columns->cell[columns->count++] = arena_text(&columns->arena, text, strlen(text));
}

/* Columns on the screen: UTF-8 continuation bytes take none. */
static uint32_t shown_width(const char *text)
{
    uint32_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static uint32_t page_width(const struct columns *columns, const uint32_t *width)
{
    uint32_t total = INDENT + GAP * (columns->width - 1);
    for (uint32_t c = 0; c < columns->width; c++)
        total += width[c];
    return total;
}

/* Takes from the widest text column until the page is wide enough or nothing can give way. */
static void fit_page(const struct columns *columns, uint32_t *width)
{
    while (page_width(columns, width) > COLUMNS_PAGE) {
        uint32_t widest = columns->width;
        for (uint32_t c = 0; c < columns->width; c++) {
            if (columns->align[c] != 'l' || width[c] <= LEAST_TEXT)
                continue;
            if (widest == columns->width || width[c] > width[widest])
                widest = c;
        }
        if (widest == columns->width)
            return;
        width[widest]--;
    }
}

/* The start of `text` that is `shown` columns wide, in bytes. */
static size_t bytes_of(const char *text, uint32_t shown)
{
    size_t bytes = 0;
    while (text[bytes] != '\0') {
        if (((unsigned char)text[bytes] & 0xc0) != 0x80 && shown-- == 0)
            break;
        bytes++;
    }
    return bytes;
}

static void print_cell(FILE *out, const char *text, uint32_t width, bool right, bool last)
{
    uint32_t shown = shown_width(text);
    if (shown > width) { /* only text columns: keep both ends, names often differ at the end */
        uint32_t tail = (width - 2) / 2;
        uint32_t head = width - 2 - tail;
        fwrite(text, 1, bytes_of(text, head), out);
        fprintf(out, "..%s", text + bytes_of(text, shown - tail));
        return;
    }
    if (right)
        fprintf(out, "%*s", (int)(width - shown), "");
    fputs(text, out);
    if (!right && !last)
        fprintf(out, "%*s", (int)(width - shown), "");
}

void columns_print(const struct columns *columns, FILE *out)
{
    uint32_t width[COLUMNS_MOST] = {0};
    promise(columns->count % columns->width == 0);
    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t shown = shown_width(columns->cell[i]);
        uint32_t c = i % columns->width;
        width[c] = shown > width[c] ? shown : width[c];
    }
    fit_page(columns, width);
    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t c = i % columns->width;
        bool last = c == columns->width - 1;
        fprintf(out, "%*s", c == 0 ? INDENT : GAP, "");
        print_cell(out, columns->cell[i], width[c], columns->align[c] == 'r', last);
        if (last)
            fputc('\n', out);
    }
}

void columns_wrap(FILE *out, uint32_t first_indent, uint32_t indent, const char *text)
{
    uint32_t at = first_indent;
    bool fresh = true; /* nothing on this line yet */
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (length == 0) {
            text++;
            continue;
        }
        uint32_t shown = 0;
        for (size_t i = 0; i < length; i++)
            shown += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (!fresh && at + 1 + shown > COLUMNS_PAGE) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            fresh = true;
        }
        if (!fresh) {
            fputc(' ', out);
            at++;
        }
        for (size_t i = 0; i < length; i++)
            fputc(is_control((unsigned char)text[i]) ? '?' : text[i], out);
        at += shown;
        fresh = false;
        text += length;
    }
    fputc('\n', out);
}
