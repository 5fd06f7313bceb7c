/* A model and, behind a line of "%%%", a plan: refused with words, or its lists and memory are
 * sound. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "workloads/generate/memory_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LAYERS = 512, MOST_STAGES = 1024 }; /* more only take longer */

static void look_at(const struct item_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        promise(item->name && item->repeat > 0 && item->waits < list->count);
        promise(item->waits == 0 || (item->overlaps && item->waits > i));
    }
}

static void make_lists(const struct model_spec *model, const struct train_plan *plan,
                       struct arena *arena)
{
    static const struct framework plain = {.fused_attention = true, .gathers_again = true};
    struct layer_book book;
    layer_book_make(&book, model, plan, &plain, arena);
    for (enum piece_kind kind = 0; kind < PIECE_KIND_COUNT; kind++) {
        look_at(&book.piece[kind].forward);
        look_at(&book.piece[kind].backward);
    }
    struct memory_input input = {model, plan, &plain, &book};
    struct stage_memory memory;
    if (plan->pp * plan->interleave <= MOST_STAGES)
        promise(memory_worst_stage(&memory, &input) < plan->pp);
    promise(model_spec_train_flops(model, plan->seq) > 0);
    promise(model_spec_active_parameters(model) <= model_spec_parameters(model));
}

static enum status read_plan(struct train_plan *plan, const char *text, struct arena *arena,
                             struct diag *diag)
{
    struct doc doc;
    train_plan_defaults(plan);
    enum status status = doc_parse(&doc, "plan", text, strlen(text), DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    struct field_reader reader = {.doc = &doc, .arena = arena, .diag = diag, .path = "plan"};
    status = train_plan_read(plan, &reader, doc.root);
    doc_release(&doc);
    return status;
}

static enum status try_job(char *text, struct arena *arena, struct notices *notices,
                           struct diag *diag)
{
    struct model_spec model;
    struct train_plan plan;
    char *parted = strstr(text, "%%%\n");
    if (parted)
        *parted = '\0';
    enum status status =
        model_spec_parse(&model, "model", text, strlen(text), arena, notices, diag);
    if (status == STATUS_OK)
        status = read_plan(&plan, parted ? parted + 4 : "{}", arena, diag);
    if (status == STATUS_OK)
        status = train_plan_check(&plan, &model, notices, diag);
    if (status == STATUS_OK && model.layers <= MOST_LAYERS)
        make_lists(&model, &plan, arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    /* A path would be opened. */
    if (!strstr(text, "like: /") && !strchr(text, '/')) {
        struct arena arena;
        struct notices notices;
        struct diag diag = DIAG_NONE;
        arena_init(&arena);
        notices_init(&notices);
        enum status status = try_job(text, &arena, &notices, &diag);
        promise(diag.status == status && (status == STATUS_OK || diag.message[0] != '\0'));
        notices_release(&notices);
        arena_release(&arena);
    }
    free(text);
    return 0;
}
