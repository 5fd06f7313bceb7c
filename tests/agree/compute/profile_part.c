/*
 * A published training profile (data/validation/deepseek_v3_dualpipe_train_kernels.csv:
 * DeepSeek-V3, H800, two pipeline chunks that overlap): kernels whose sizes its grids and names
 * tell, the models beside their median. 20 of 132 cores carry traffic all the while, so attention,
 * which fills the others, is given 112. Information, not a criterion: it is the only source here of
 * attention backward by kernel, and of element-wise kernels inside a training step.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/model/attention.h"
#include "compute/model/memory_bound.h"
#include "tests/agree/compute/compute_parts.h"
#include "tests/agree/published/csv.h"

enum { NAME, DURATION, GRID, PROFILE_COLUMNS };
enum { MOST_NAMES = 3, CORES_LEFT = 112 };

static const char *const columns[PROFILE_COLUMNS] = {"name", "dur_us", "grid"};

/* 4096 tokens, hidden size 7168, 128 heads of 192 (scores) and 128 (values). */
static const struct kernel {
    const char *label;
    const char *name[MOST_NAMES]; /* parts of kernels' names: their medians are added */
    const char *grid;             /* of the first */
    struct op_shape shape;
    bool is_on_free_cores;
} kernels[] = {
    {.label = "attention forward",
     .name = {"flash::compute_attn_ws"},
     .grid = "32x128x1",
     .shape = {.class = OP_CLASS_ATTENTION,
               .is_causal = true,
               .heads = 128,
               .head_dim = 160,
               .batch = 1,
               .q_len = 4096},
     .is_on_free_cores = true},
    {.label = "attention backward, with its passes",
     .name = {"flash::FlashAttnBwd<", "FlashAttnBwdPreprocess", "FlashAttnBwdPostprocess"},
     .grid = "32x128x1",
     .shape = {.class = OP_CLASS_ATTENTION_BACKWARD,
               .is_causal = true,
               .heads = 128,
               .head_dim = 160,
               .batch = 1,
               .q_len = 4096},
     .is_on_free_cores = true},
    {.label = "addition",
     .name = {"CUDAFunctor_add<c10::BFloat16>"},
     .grid = "57344x1x1",
     .shape = {.class = OP_CLASS_ELEMENTWISE, .m = 4096 * 7168, .read_bytes = 4ULL * 4096 * 7168}},
    {.label = "scaling",
     .name = {"AUnaryFunctor<c10::BFloat16"},
     .grid = "57344x1x1",
     .shape = {.class = OP_CLASS_ELEMENTWISE, .m = 4096 * 7168}},
};

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Median duration of the kernels with `part` in their name, 0 if there are none. */
static double median_us(const struct csv *csv, const char *part, const char *grid,
                        struct arena *arena)
{
    double *duration = arena_array(arena, csv->rows + 1, sizeof *duration);
    uint32_t count = 0;
    for (uint32_t i = 0; i < csv->rows; i++) {
        const char *const *cell = csv->cell + (size_t)i * PROFILE_COLUMNS;
        if (strstr(cell[NAME], part) && (!grid || strcmp(cell[GRID], grid) == 0))
            duration[count++] = strtod(cell[DURATION], NULL);
    }
    qsort(duration, count, sizeof *duration, by_size);
    return count ? (duration[(count - 1) / 2] + duration[count / 2]) / 2 : 0;
}

static double ours_us(const struct kernel *kernel, struct device device)
{
    struct op_shape shape = kernel->shape;
    shape.type = shape.out_type = TYPE_BF16;
    op_shape_finish(&shape);
    if (kernel->is_on_free_cores) {
        double share = (double)CORES_LEFT / device.cores;
        device.peak_flops[TYPE_BF16] *= share;
        device.special_flops *= share;
        device.cores = CORES_LEFT;
    }
    const struct op_model_ops *model = op_class_is_attention((enum op_class)shape.class)
                                           ? &op_model_attention
                                           : &op_model_memory_bound;
    struct op_time time = {0};
    const char *why;
    model->time(&device, &shape, &(struct op_time_options){0}, &time, &why);
    return time.ns / 1e3;
}

static void compare(const struct csv *csv, const struct device *device, FILE *out,
                    struct arena *arena)
{
    for (size_t k = 0; k < KERNELS; k++) {
        double measured = 0;
        for (int i = 0; i < MOST_NAMES && kernels[k].name[i]; i++)
            measured += median_us(csv, kernels[k].name[i], i ? NULL : kernels[k].grid, arena);
        double ours = ours_us(&kernels[k], *device);
        fprintf(out, "  %-38s measured %8.1f us, ours %8.1f us, %+6.1f %%  (not judged)\n",
                kernels[k].label, measured, ours, measured > 0 ? 100 * (ours / measured - 1) : 0);
    }
}

enum status agree_profile(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag)
{
    (void)count;
    if (brief)
        return STATUS_OK;
    struct arena arena;
    arena_init(&arena);
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/deepseek_v3_dualpipe_train_kernels.csv",
             shared);
    struct csv csv = {.names = columns, .columns = PROFILE_COLUMNS};
    struct device device;
    enum status status = csv_load(&csv, path, &arena, diag);
    if (status == STATUS_OK)
        status = device_load(&device, "h800", &arena, NULL, diag);
    if (status == STATUS_OK)
        compare(&csv, &device, out, &arena);
    arena_release(&arena);
    return status;
}
