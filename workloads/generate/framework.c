#include "workloads/generate/framework.h"

#include <string.h>

#include "base/fields.h"
#include "config/places.h"
#include "workloads/generate/preset_files.h"

enum { MOST_LIKES = 8 };

#define FLAG(member, name)   FIELD(struct framework, member, name, FIELD_FLAG)
#define NUMBER(member, name) FIELD(struct framework, member, name, FIELD_NUMBER)
#define TYPE(member, name)                                                                         \
    FIELD(struct framework, member, name, FIELD_WORD, .words = data_type_names)

static const struct field framework_fields[] = {
    FIELD(struct framework, about, "about", FIELD_TEXT),
    FIELD(struct framework, source, "source", FIELD_TEXT),
    FLAG(fused_attention, "fused-attention"),
    FIELD(struct framework, attention_kernel, "attention-kernel", FIELD_WORD,
          .words = attention_kernel_names),
    FLAG(fused_norm, "fused-norm"),
    FLAG(fused_activation, "fused-activation"),
    FLAG(fused_rotary, "fused-rotary"),
    FLAG(fused_loss, "fused-loss"),
    FLAG(one_graph, "one-graph"),
    FIELD(struct framework, launch_ns, "launch", FIELD_NS),
    FIELD(struct framework, collective_launch_ns, "collective-launch", FIELD_NS),
    FIELD(struct framework, expert_host_ns, "expert-host", FIELD_NS),
    FIELD(struct framework, step_ns, "step", FIELD_NS),
    FLAG(overlap_gradients, "overlap-gradients"),
    FLAG(overlap_weights, "overlap-weights"),
    FLAG(overlap_tp, "overlap-tp"),
    FLAG(overlap_pp, "overlap-pp"),
    NUMBER(hidden_tp, "hidden-tp"),
    NUMBER(hidden_pp, "hidden-pp"),
    NUMBER(hidden_ep, "hidden-ep"),
    FIELD(struct framework, prefetch, "prefetch", FIELD_U32, .most = 1024),
    NUMBER(fp8_cast_bytes, "fp8-cast-bytes"),
    FLAG(fp8_gather, "fp8-gather"),
    FLAG(gathers_again, "gathers-again"),
    FLAG(fused_router, "fused-router"),
    FLAG(fused_groups, "fused-groups"),
    FLAG(balanced_stages, "balanced-stages"),
    FLAG(expert_once, "expert-once"),
    NUMBER(matrix_ratio, "matrix-ratio"),
    NUMBER(attention_ratio, "attention-ratio"),
    NUMBER(memory_ratio, "memory-ratio"),
    NUMBER(network_ratio, "network-ratio"),
    TYPE(weight_type, "weight-type"),
    TYPE(gradient_type, "gradient-type"),
    TYPE(optimizer_type, "optimizer-type"),
    FLAG(master_weights, "master-weights"),
    FIELD(struct framework, reserve_bytes, "reserve", FIELD_BYTES),
    {.key = NULL},
};

static const char *const other_keys[] = {"like", "reasons", NULL};

static void defaults(struct framework *framework)
{
    *framework = (struct framework){.fused_attention = true,
                                    .fused_norm = true,
                                    .fused_activation = true,
                                    .fused_rotary = true,
                                    .fused_loss = true,
                                    .gathers_again = true,
                                    .overlap_gradients = true,
                                    .matrix_ratio = 1,
                                    .attention_ratio = 1,
                                    .memory_ratio = 1,
                                    .network_ratio = 1,
                                    .weight_type = TYPE_BF16,
                                    .gradient_type = TYPE_FP32,
                                    .optimizer_type = TYPE_FP32,
                                    .master_weights = true};
}

static enum status check(const struct framework *framework, const struct doc *doc,
                         struct diag *diag)
{
    const struct {
        const char *field;
        double value;
        bool is_share;
    } bounded[] = {{"hidden-tp", framework->hidden_tp, true},
                   {"hidden-pp", framework->hidden_pp, true},
                   {"hidden-ep", framework->hidden_ep, true},
                   {"matrix-ratio", framework->matrix_ratio, false},
                   {"attention-ratio", framework->attention_ratio, false},
                   {"memory-ratio", framework->memory_ratio, false},
                   {"network-ratio", framework->network_ratio, false}};
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++) {
        bool fits = bounded[i].is_share ? bounded[i].value <= 1
                                        : bounded[i].value >= 0.01 && bounded[i].value <= 100;
        if (fits)
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found %g",
                  bounded[i].is_share ? "at most 1" : "0.01 to 100", bounded[i].value);
        diag_in(diag, doc->path);
        diag_field(diag, "%s", bounded[i].field);
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}

/* Reads `name` over what it is like, which is read first. */
static enum status read_line(struct framework *framework, const char *name, struct arena *arena,
                             struct diag *diag)
{
    struct doc doc[MOST_LIKES];
    uint32_t count = 0;
    enum status status = STATUS_OK;
    while (name && status == STATUS_OK && count < MOST_LIKES) {
        status = embedded_open(&doc[count], framework_files, "framework", name, diag);
        if (status != STATUS_OK)
            break;
        const struct doc_node *like = doc_find(doc[count].root, "like");
        name = NULL;
        if (like)
            status = doc_get_text(&doc[count], like, "like", &name, diag);
        if (name && embedded_is_path(name))
            name = path_beside(arena, &doc[count], name);
        count++;
    }
    if (status == STATUS_OK && name) {
        status = diag_fail(diag, STATUS_BAD_CONFIG,
                           "more than %d files in a line: is one like itself?", MOST_LIKES);
        diag_in(diag, doc[0].path);
        diag_field(diag, "like");
    }
    for (uint32_t i = count; i-- > 0 && status == STATUS_OK;) {
        struct field_reader reader = {.doc = &doc[i], .arena = arena, .diag = diag, .path = ""};
        status = fields_read(&reader, doc[i].root, framework_fields, other_keys, framework);
    }
    if (status == STATUS_OK)
        status = check(framework, &doc[0], diag);
    for (uint32_t i = 0; i < count; i++)
        doc_release(&doc[i]);
    return status;
}

enum status framework_load(struct framework *framework, const char *name, struct arena *arena,
                           struct notices *notices, struct diag *diag)
{
    (void)notices;
    defaults(framework);
    framework->name = arena_text(arena, name, strlen(name));
    return read_line(framework, name, arena, diag);
}

void framework_plan(const struct framework *framework, struct train_plan *plan)
{
    plan->weight_type = framework->weight_type;
    plan->gradient_type = framework->gradient_type;
    plan->optimizer_type = framework->optimizer_type;
    plan->master_weights = framework->master_weights;
    plan->overlap_gradients = framework->overlap_gradients;
    plan->overlap_weights = framework->overlap_weights;
    plan->overlap_tp = framework->overlap_tp;
    plan->overlap_pp = framework->overlap_pp;
}
