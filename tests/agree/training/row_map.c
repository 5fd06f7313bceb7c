/*
 * What the texts of a row mean: hardware to device and system, framework to a file of
 * configs/frameworks. The first rule whose words are all there is taken, so that rows never seen
 * fall to the nearest family.
 */
#include <string.h>
#include <strings.h>

#include "tests/agree/training/training.h"

bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text; text++) {
        if (strncasecmp(text, word, length) == 0)
            return true;
    }
    return length == 0;
}

/* -- hardware --------------------------------------------------------------------------------- */

struct hardware_rule {
    const char *word, *also; /* both in the hardware's text */
    const char *device, *system;
};

static const struct hardware_rule hardware_rules[] = {
    {"v100", "sxm3", "v100-sxm3", "v100-dgx2"},
    {"v100", "", "v100", "v100-dgx1"},
    {"a100", "pcie", "a100-pcie-80gb", "a100-pcie-pairs"},
    {"a100", "40gb", "a100-sxm-40gb", "a100-dgx"},
    {"a100", "", "a100-sxm-80gb", "a100-dgx"},
    {"h100", "hbm2e", "h100-grand-teton", "h100-dgx"},
    {"h100", "pcie", "h100-pcie", "h100-pcie-pairs"},
    {"h100", "", "h100-sxm", "h100-dgx"},
    {"h200", "", "h200", "h200-dgx"},
    {"h800", "", "h800", "h800"},
    {"gh200", "", "gh200", "gh200-alps"},
    {"gb300", "", "gb300", "gb300-nvl72"},
    {"gb200", "", "gb200", "gb200-nvl72"},
    {"b300", "", "b300", "b300-dgx"},
    {"b200", "", "b200", "b200-dgx"},
    {"mi300", "", "mi300x", "mi300x"},
    {"mi325", "", "mi325x", "mi325x"},
    {"mi350", "", "mi350x", "mi355x"},
    {"mi355", "", "mi355x", "mi355x"},
    {"tpu7x", "", "tpu-v7", "tpu7x"},
    {"ironwood", "", "tpu-v7", "tpu7x"},
    {"tpu", "v5e", "tpu-v5e", "tpu-v5e"},
    {"tpu", "v5p", "tpu-v5p", "tpu-v5p"},
    {"tpu", "v6e", "tpu-v6e", "tpu-v6e"},
    {"tpu", "trillium", "tpu-v6e", "tpu-v6e"},
    {"tpu", "v4", "tpu-v4", "tpu-v4"},
    {"a800", "", "a100-sxm-80gb", "a100-dgx"},
    {"", "", "unknown", ""}, /* refused: no device of this name */
};

/* Networks that are not the system's usual one. */
static const char *system_of(const struct train_row *row, const char *usual)
{
    const char *network = row->cell.inter_node;
    if (strcmp(usual, "a100-dgx") == 0 && has_word(network, "4x200"))
        return "a100-4x200";
    if (has_word(row->cell.note, "nvls disabled") && strcmp(usual, "h100-dgx") == 0)
        return "h100-oci";
    return usual;
}

/* -- frameworks ------------------------------------------------------------------------------- */

struct framework_rule {
    const char *word, *also, *on; /* in the framework's text, in it too, in the hardware's text */
    const char *note;             /* in the note */
    const char *framework;
};

static const struct framework_rule framework_rules[] = {
    {"maxtext", "", "tpu", "", "maxtext-tpu"},
    {"", "", "tpu", "", "maxtext-tpu"},
    {"maxtext", "", "", "", "jax-gpu"},
    {"pax", "", "", "", "jax-gpu"},
    {"jax", "", "", "", "jax-gpu"},
    {"vtrain", "", "", "", "megatron-deepspeed"},
    {"deepspeed", "", "", "", "megatron-deepspeed"},
    {"megatron", "2020", "", "", "megatron-2020"},
    {"megatron-lm", "", "v100", "", "megatron-2020"},
    {"megatron-lm", "", "a100", "", "megatron-2021"},
    {"megascale", "", "", "", "megascale"},
    {"foundry", "", "h100", "", "composer-hopper"},
    {"foundry", "", "", "", "composer"},
    {"composer", "", "", "", "composer"},
    {"torchtitan", "", "", "compile", "torchtitan-compile"},
    {"torchtitan", "", "", "tp", "torchtitan-compile"},
    {"torchtitan", "", "", "fp8", "torchtitan-compile"},
    {"torchtitan", "", "", "2d", "torchtitan-compile"},
    {"torchtitan", "", "", "3d", "torchtitan-compile"},
    {"torchtitan", "", "", "4d", "torchtitan-compile"},
    {"torchtitan", "", "", "", "torchtitan"},
    {"fsdp", "", "", "", "torchtitan"},
    {"bridge", "", "h100", "", "megatron-bridge"},
    {"bridge", "26.06", "", "", "megatron-bridge-26.06"},
    {"bridge", "26.08", "", "", "megatron-bridge-26.06"},
    {"bridge", "26.1", "", "", "megatron-bridge-26.06"},
    {"bridge", "nemo 27", "", "", "megatron-bridge-26.06"},
    {"bridge", "", "", "", "megatron-bridge"},
    {"megatron-core", "moe", "", "overlap", "megatron-bridge-overlap"},
    {"megatron-core", "moe", "", "", "megatron-bridge"},
    {"megatron-lm te", "", "", "", "megatron-core"},
    {"megatron-core", "", "h100", "", "nemo-24"},
    {"megatron-core", "", "", "", "megatron-core"},
    {"megatron-lm/nemo", "", "", "", "nemo-25"},
    {"nemo 25", "", "", "", "nemo-25"},
    {"nemo 26", "", "", "", "nemo-25"},
    {"nemo", "", "", "", "nemo-24"},
    {"megatron", "", "", "", "megatron-core"},
    {"", "", "", "", "megatron-core"},
};

static const char *framework_of(const struct train_row *row)
{
    if (row->is_tpu && has_word(row->cell.precision, "int8"))
        return "maxtext-tpu-int8";
    if (row->is_mlperf && !row->is_tpu)
        return "nemo-mlperf";
    const struct framework_rule *rule = framework_rules;
    while (!(has_word(row->cell.framework, rule->word) &&
             has_word(row->cell.framework, rule->also) && has_word(row->cell.hardware, rule->on) &&
             has_word(row->cell.note, rule->note)))
        rule++;
    if (has_word(rule->framework, "torchtitan") && has_word(row->cell.precision, "rowwise"))
        return "torchtitan-rowwise";
    /* Pax without Transformer Engine: XLA's own attention, scores in memory. */
    bool has_te = strncasecmp(row->cell.precision, "te-", 3) == 0;
    if (has_word(row->cell.framework, "pax") && !has_te)
        return "jax-gpu-xla";
    return rule->framework;
}

void row_map(struct train_row *row)
{
    const struct hardware_rule *rule = hardware_rules;
    while (!(has_word(row->cell.hardware, rule->word) && has_word(row->cell.hardware, rule->also)))
        rule++;
    row->is_tpu = strncmp(rule->device, "tpu", 3) == 0;
    row->device_name = rule->device;
    row->system_name = system_of(row, rule->system);
    row->framework_name = framework_of(row);
    row->is_frozen = has_word(row->cell.framework, "lora") || has_word(row->cell.family, "lora") ||
                     has_word(row->cell.note, "lora");
}
