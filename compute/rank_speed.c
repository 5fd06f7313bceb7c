#include "compute/rank_speed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_FACTOR 1e6

struct rank_speed {
    struct jitter of_op;
    double *factor;    /* [ranks], or NULL: all 1 */
    struct pace *pace; /* [ranks], or NULL: none is slow for a time */
    uint32_t rank_count;
    bool whole_ns;
};

/* -- slow ranks -------------------------------------------------------------------------------- */

static enum status read_factor(const char *text, double *factor, struct diag *diag)
{
    char *end;
    *factor = strtod(text, &end);
    bool is_number = end != text && strcmp(end, "x") == 0 &&
                     strspn(text, "0123456789.eE+-") == (size_t)(end - text);
    if (is_number && *factor > 0 && *factor <= MOST_FACTOR)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "expected a factor such as 1.3x, found \"%s\"", text);
    diag_hint(diag, "1.3x: its compute takes 1.3 times as long; the time window is \"from 10ms to "
                    "30ms\"");
    return diag->status;
}

static enum status read_number(const struct rank_speed *speed, char **text, uint32_t *rank,
                               struct diag *diag)
{
    char *end;
    unsigned long number = isdigit((unsigned char)**text) ? strtoul(*text, &end, 10) : 0;
    if (!isdigit((unsigned char)**text))
        return diag_fail(diag, STATUS_BAD_CONFIG, "expected the number of a rank, found \"%s\"",
                         *text);
    if (number >= speed->rank_count)
        return diag_fail(diag, STATUS_BAD_CONFIG, "there is no rank %lu: the job has %u", number,
                         speed->rank_count);
    *rank = (uint32_t)number;
    *text = end;
    return STATUS_OK;
}

static char *after_word(char *text)
{
    size_t length = strncmp(text, "ranks", 5) == 0 ? 5 : strncmp(text, "rank", 4) == 0 ? 4 : 0;
    if (!length || !isspace((unsigned char)text[length]))
        return NULL;
    text += length;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* "rank 17", "ranks 0-7,9". */
static enum status take_line(void *context, struct slow_line *line, struct diag *diag)
{
    struct rank_speed *speed = context;
    double factor;
    enum status status = read_factor(line->action, &factor, diag);
    char *text = after_word(line->what);
    if (status == STATUS_OK && !text)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "expected \"rank 17\" or \"ranks 0-7,9\", found \"%s\"", line->what);
    while (status == STATUS_OK) {
        uint32_t first, last;
        status = read_number(speed, &text, &first, diag);
        last = first;
        if (status == STATUS_OK && *text == '-') {
            text++;
            status = read_number(speed, &text, &last, diag);
        }
        if (status == STATUS_OK && (last < first || (*text && *text != ',')))
            status = diag_fail(diag, STATUS_BAD_CONFIG,
                               "expected ranks such as 0-7,9, found \"%s\"", line->what);
        for (uint32_t r = first; status == STATUS_OK && r <= last; r++)
            pace_multiply(&speed->pace[r], line->from, line->to, factor);
        if (status != STATUS_OK || !*text)
            break;
        text++;
    }
    return status;
}

/* -- the whole --------------------------------------------------------------------------------- */

double rank_speed_factor(const struct variation_config *config, uint32_t rank)
{
    struct jitter jitter;
    jitter_init(&jitter, config, JITTER_OF_RANK, config->rank_ratio);
    return jitter_factor(&jitter, rank, 0);
}

static void draw_ranks(struct rank_speed *speed, const struct variation_config *config)
{
    speed->factor = calloc(speed->rank_count, sizeof *speed->factor);
    need_memory(speed->factor != NULL);
    for (uint32_t r = 0; r < speed->rank_count; r++)
        speed->factor[r] = rank_speed_factor(config, r);
}

enum status rank_speed_create(struct rank_speed **made, const struct config *config,
                              struct diag *diag)
{
    const struct variation_config *variation = &config->variation;
    *made = NULL;
    bool jitters =
        variation->form != JITTER_NONE && (variation->op_ratio > 0 || variation->rank_ratio > 0);
    if (!jitters && !variation->slow_ranks)
        return STATUS_OK;
    struct rank_speed *speed = calloc(1, sizeof *speed);
    need_memory(speed != NULL);
    speed->rank_count = config->network.npu_count;
    speed->whole_ns = config->system.whole_ns;
    jitter_init(&speed->of_op, variation, JITTER_OF_OP, variation->op_ratio);
    if (jitters && variation->rank_ratio > 0)
        draw_ranks(speed, variation);
    enum status status = STATUS_OK;
    if (variation->slow_ranks) {
        speed->pace = calloc(speed->rank_count, sizeof *speed->pace);
        need_memory(speed->pace != NULL);
        status =
            slow_list_read(variation->slow_ranks, "variation.slow-ranks", take_line, speed, diag);
    }
    if (status != STATUS_OK)
        rank_speed_destroy(speed);
    else
        *made = speed;
    return status;
}

void rank_speed_destroy(struct rank_speed *speed)
{
    if (!speed)
        return;
    for (uint32_t r = 0; speed->pace && r < speed->rank_count; r++)
        pace_release(&speed->pace[r]);
    free(speed->pace);
    free(speed->factor);
    free(speed);
}

time_ps rank_speed_work(const struct rank_speed *speed, uint32_t rank, uint32_t node,
                        time_ps duration)
{
    double factor = speed->factor ? speed->factor[rank] : 1;
    if (jitter_is_on(&speed->of_op))
        factor *= jitter_factor(&speed->of_op, rank, node);
    return factor == 1 ? duration : time_rounded((double)duration / 1000 * factor, speed->whole_ns);
}

const struct pace *rank_speed_pace(const struct rank_speed *speed, uint32_t rank)
{
    return speed->pace && speed->pace[rank].count ? &speed->pace[rank] : NULL;
}
