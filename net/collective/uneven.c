#include "net/collective/uneven.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/mix.h"

enum { MOST_POSITIONS = 4096, MOST_TEXT = 1 << 30 };

static enum status bad_text(const char *text, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG,
              "expected zipf:S (S from 0 to 16), zipf:S,seed=N or the path of a matrix, "
              "found \"%.100s\"",
              text);
    diag_hint(diag, "for example zipf:1.0,seed=7");
    return STATUS_BAD_CONFIG;
}

static void scale(const double *weight, uint32_t n, uint64_t bytes, uint64_t *sizes)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)n * n; i++)
        sum += weight[i];
    double unit = (double)bytes * n / sum;
    for (size_t i = 0; i < (size_t)n * n; i++)
        sizes[i] = (uint64_t)(weight[i] * unit + 0.5);
}

/* -- Zipf ----------------------------------------------------------------------------------- */

static enum status read_zipf(const char *text, double *power, uint64_t *seed, struct diag *diag)
{
    const char *at = text + strlen("zipf:");
    char *end;
    *power = strtod(at, &end);
    *seed = 0;
    bool is_number = end != at && isfinite(*power) && *power >= 0 && *power <= 16;
    if (!is_number)
        return bad_text(text, diag);
    if (*end == '\0')
        return STATUS_OK;
    const char *option = ",seed=";
    if (strncmp(end, option, strlen(option)) != 0 ||
        !decimal_u64(end + strlen(option), strlen(end) - strlen(option), seed))
        return bad_text(text, diag);
    return STATUS_OK;
}

static enum status zipf_weights(const char *text, uint32_t n, struct arena *arena, double *weight,
                                struct diag *diag)
{
    double power;
    uint64_t seed;
    enum status status = read_zipf(text, &power, &seed, diag);
    if (status != STATUS_OK)
        return status;
    uint32_t *place = arena_array(arena, n, sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) { /* Fisher-Yates */
        uint32_t j = random_below(&seed, i + 1), kept = place[i];
        place[i] = place[j];
        place[j] = kept;
    }
    for (size_t i = 0; i < (size_t)n * n; i++)
        weight[i] = pow(1.0 + place[i % n], -power);
    return STATUS_OK;
}

/* -- a matrix in a file ----------------------------------------------------------------------- */

struct matrix_text {
    const char *path, *at, *end;
    uint32_t line;
};

static enum status bad_matrix(const struct matrix_text *text, const char *what, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "%s", what);
    diag_in(diag, text->path);
    diag_at(diag, DIAG_LINE, text->line);
    return STATUS_BAD_CONFIG;
}

static void skip_blanks(struct matrix_text *text)
{
    while (text->at < text->end) {
        if (*text->at == '#') {
            while (text->at < text->end && *text->at != '\n')
                text->at++;
            continue;
        }
        if (!strchr(" \t\r,\n", *text->at))
            return;
        text->line += *text->at++ == '\n';
    }
}

/* A number is copied out before it is read: the file's text has no end mark. */
static bool next_number(struct matrix_text *text, double *value)
{
    char copy[64];
    size_t length = 0;
    while (text->at + length < text->end && length + 1 < sizeof copy &&
           !strchr(" \t\r,\n#", text->at[length])) {
        copy[length] = text->at[length];
        length++;
    }
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    text->at += length;
    return length > 0 && *end == '\0' && isfinite(*value) && *value >= 0;
}

static enum status parse_matrix(struct matrix_text *text, uint32_t n, double *weight,
                                struct diag *diag)
{
    char what[128];
    double sum = 0;
    for (size_t i = 0; i < (size_t)n * n; i++) {
        skip_blanks(text);
        if (text->at == text->end) {
            snprintf(what, sizeof what,
                     "expected %" PRIu32 " x %" PRIu32 " weights for that many ranks, found %zu", n,
                     n, i);
            return bad_matrix(text, what, diag);
        }
        if (!next_number(text, &weight[i]))
            return bad_matrix(text, "expected a weight of 0 or more", diag);
        sum += weight[i];
    }
    skip_blanks(text);
    if (text->at != text->end) {
        snprintf(what, sizeof what, "more than %" PRIu32 " x %" PRIu32 " weights", n, n);
        return bad_matrix(text, what, diag);
    }
    return sum > 0 && isfinite(sum) ? STATUS_OK : bad_matrix(text, "all weights are 0", diag);
}

static enum status matrix_weights(const char *path, uint32_t n, double *weight, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, MOST_TEXT, diag);
    if (status != STATUS_OK)
        return status;
    const char *start = (const char *)file.bytes;
    struct matrix_text text = {path, start, start + file.length, 1};
    status = parse_matrix(&text, n, weight, diag);
    file_release(&file);
    return status;
}

enum status uneven_sizes(const char *text, uint32_t n, uint64_t bytes, struct arena *arena,
                         const uint64_t **sizes, struct diag *diag)
{
    if (n > MOST_POSITIONS)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "uneven all-to-all takes up to %d ranks, the group has %" PRIu32,
                         MOST_POSITIONS, n);
    double *weight = calloc((size_t)n * n, sizeof *weight);
    need_memory(weight != NULL);
    uint64_t *filled = arena_array(arena, (size_t)n * n, sizeof *filled);
    enum status status = strncmp(text, "zipf:", 5) == 0 ? zipf_weights(text, n, arena, weight, diag)
                                                        : matrix_weights(text, n, weight, diag);
    if (status == STATUS_OK)
        scale(weight, n, bytes, filled);
    free(weight);
    *sizes = filled;
    return status;
}

enum status uneven_give(const char *text, struct schedule_request *request, struct arena *arena,
                        struct diag *diag)
{
    if (!text || request->kind != COLL_ALL_TO_ALL)
        return STATUS_OK;
    return uneven_sizes(text, request->n, request->bytes, arena, &request->sizes, diag);
}

double uneven_sent_bytes(const uint64_t *sizes, uint32_t n)
{
    double sent = 0;
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t q = 0; q < n; q++)
            sent += q == p ? 0 : (double)sizes[(size_t)p * n + q];
    }
    return sent / n;
}
