/* device: every preset loads and says where its numbers are from; inheritance, names, refusals. */
#include <string.h>

#include "base/doc.h"
#include "compute/device.h"
#include "compute/device_files.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static struct arena arena;
static struct notices notices;

static void set_up(void)
{
    arena_init(&arena);
    notices_init(&notices);
}

static void tear_down(void)
{
    notices_release(&notices);
    arena_release(&arena);
}

static struct device loaded(const char *name)
{
    struct device device;
    struct diag diag = DIAG_NONE;
    enum status status = device_load(&device, name, &arena, &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s: %s", name, diag.field, diag.message);
    return device;
}

/* Is `path` ("measured.gemm.start") named by a fact, or a map that it is in? */
static bool has_fact(const struct doc_node *facts, const char *path)
{
    for (uint32_t i = 0; facts && i < facts->count; i++) {
        const struct doc_node *of = doc_find(&facts->child[i], "of");
        for (uint32_t k = 0; of && k < of->count; k++) {
            size_t length = strlen(of->child[k].text);
            if (strncmp(of->child[k].text, path, length) == 0 &&
                (path[length] == '\0' || path[length] == '.'))
                return true;
        }
    }
    return false;
}

static void check_facts(const struct embedded_file *file)
{
    static const char *const words[] = {"about",      "vendor", "also", "like", "kind",
                                        "generation", "facts",  "year", NULL};
    struct doc doc;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, file->name, file->text, file->length, DOC_YAML, &diag), 0);
    const struct doc_node *facts = doc_find(doc.root, "facts");
    for (uint32_t i = 0; i < doc.root->count; i++) {
        const struct doc_node *node = &doc.root->child[i];
        if (doc_is_one_of(node->key, words))
            continue;
        bool is_measured = strcmp(node->key, "measured") == 0;
        for (uint32_t k = 0; is_measured && k < node->count; k++) {
            char path[96];
            snprintf(path, sizeof path, "measured.%s", node->child[k].key);
            ck_assert_msg(has_fact(facts, path), "%s: %s has no fact", file->name, path);
        }
        ck_assert_msg(is_measured || has_fact(facts, node->key), "%s: %s has no fact", file->name,
                      node->key);
    }
    doc_release(&doc);
}

START_TEST(presets_load_and_name_sources)
{
    size_t count = 0;
    for (const struct embedded_file *file = device_files; file->name; file++, count++) {
        struct device device = loaded(file->name);
        ck_assert_str_eq(device.name, file->name);
        check_facts(file);
        double matrix = device.peak_flops[TYPE_BF16] + device.peak_flops[TYPE_FP16];
        ck_assert_msg(matrix > 2e13 && matrix < 1e16, "%s: peak", file->name);
        ck_assert_msg(device.memory_Bps > 3e11 && device.memory_Bps < 2e13, "%s: memory",
                      file->name);
        ck_assert_msg(device.launch_ns < 1e5 && device.power_watts > 100, "%s", file->name);
        ck_assert_msg(device.gemm.efficiency[TYPE_BF16] <= 1.05, "%s", file->name);
        ck_assert_msg(device.generation != GENERATION_OTHER, "%s", file->name);
    }
    ck_assert_uint_ge(count, 30);
}
END_TEST

/* A peak is what the cores do in a clock: rows x columns x units, or a power of two of flop per
 * SM. */
START_TEST(peaks_follow_from_clocks)
{
    for (const struct embedded_file *file = device_files; file->name; file++) {
        struct device device = loaded(file->name);
        double bf16 = device.peak_flops[TYPE_BF16] > 0 ? device.peak_flops[TYPE_BF16]
                                                       : device.peak_flops[TYPE_FP16];
        double each = bf16 / (device.cores * device.matrix_clock_hz);
        if (device.kind == DEVICE_SYSTOLIC)
            each /= 2.0 * device.matrix_rows * device.matrix_columns * device.matrix_units;
        double power = 1;
        while (power * 1.5 < each)
            power *= 2;
        ck_assert_msg(each > power * 0.98 && each < power * 1.02, "%s: %g flop a clock and core",
                      file->name, each);
    }
}
END_TEST

static const struct {
    const char *words, *name;
} names[] = {
    {"h100-sxm", "h100-sxm"},
    {"NVIDIA H100-SXM5-80GB", "h100-sxm"},
    {"H100-80GB SXM (DGX/HGX)", "h100-sxm"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"H100-96GB HBM2e 2.4TB/s 500W (Grand Teton)", "h100-grand-teton"},
    {"H100-80GB SXM (Azure ND H100 v5)", "h100-sxm"},
    {"A100-40GB SXM", "a100-sxm-40gb"},
    {"a100", "a100-sxm-80gb"},
    {"NVIDIA Blackwell GPU (GB200)", "gb200"},
    {"NVIDIA Blackwell GPU (B200-SXM-180GB)", "b200"},
    {"NVIDIA Blackwell Ultra GPU (GB300)", "gb300"},
    {"GB200 185GB (Azure ND GB200 v6, 4 GPUs per VM)", "gb200"},
    {"TPU-trillium", "tpu-v6e"},
    {"TPU7x Ironwood (one of 2 TensorCores = device, peak 1153.5)", "tpu-v7"},
    {"MI325X-256GB (8 per node)", "mi325x"},
    {"V100-32GB SXM3 (DGX-2)", "v100-sxm3"},
};

START_TEST(published_names)
{
    const char *found = device_find(names[_i].words);
    ck_assert_msg(found && strcmp(found, names[_i].name) == 0, "%s: %s", names[_i].words,
                  found ? found : "none");
}
END_TEST

START_TEST(names_that_are_none)
{
    ck_assert_ptr_null(device_find(""));
    ck_assert_ptr_null(device_find("()"));
    ck_assert_ptr_null(device_find("H100 of tomorrow"));
}
END_TEST

START_TEST(like_inherits_what_is_not_said)
{
    struct device h100 = loaded("h100-sxm"), h200 = loaded("h200"), h800 = loaded("h800");
    ck_assert_double_eq(h200.peak_flops[TYPE_BF16], h100.peak_flops[TYPE_BF16]);
    ck_assert_double_eq(h200.memory_Bps, 4.8e12);
    ck_assert_double_eq(h800.peak_flops[TYPE_FP64], 1e12); /* one type of the map */
    ck_assert_double_eq(h800.peak_flops[TYPE_FP8], h100.peak_flops[TYPE_FP8]);
    ck_assert_str_ne(h200.about, h100.about);
}
END_TEST

static enum status from_text(const char *text, struct device *device, struct diag *diag)
{
    *diag = DIAG_NONE;
    return device_parse(device, "mine.yaml", text, strlen(text), &arena, &notices, diag);
}

START_TEST(own_file)
{
    struct device device;
    struct diag diag;
    ck_assert_int_eq(
        from_text("like: h100-sxm\nbandwidth: 5TB/s\npeak: {bf16: 1PFLOPS}\n", &device, &diag),
        STATUS_OK);
    ck_assert_double_eq(device.memory_Bps, 5e12);
    ck_assert_double_eq(device.peak_flops[TYPE_BF16], 1e15);
    ck_assert_str_eq(device.measured_of, "h100-sxm");
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_int_eq(from_text("cores: 10\nclock: 1GHz\npeak: {fp16: 1TFLOPS}\nmemory: 1GB\n"
                               "bandwidth: 1GB/s\n",
                               &device, &diag),
                     STATUS_OK);
    ck_assert_ptr_null(device.measured_of);
    const char *path = temp_file("like: b200\n");
    diag = DIAG_NONE;
    ck_assert_int_eq(device_load(&device, path, &arena, &notices, &diag), STATUS_OK);
    ck_assert_double_eq(device.cores, 148);
    unlink(path);
    ck_assert_str_eq(loaded("H100-80GB SXM (DGX/HGX)").name, "h100-sxm"); /* no path */
    diag = DIAG_NONE;
    ck_assert_int_eq(device_load(&device, "./h100-sxn.yaml", &arena, &notices, &diag), STATUS_IO);
}
END_TEST

static const struct {
    const char *text, *field, *says, *hint;
} refused[] = {
    {"cores: 10\n", "clock", "missing", "like: NAME"},
    {"like: h100-sxm\nbandwith: 5TB/s\n", "bandwith", "unknown key", "bandwidth"},
    {"like: h100-sxm\nbandwidth: 5\n", "bandwidth", "no unit", "GB/s"},
    {"like: h100-sxm\nbandwidth: -5TB/s\n", "bandwidth", "above 0", ""},
    {"like: h100-sxm\npeak: {bf17: 1TFLOPS}\n", "peak.bf17", "unknown key", "bf16"},
    {"like: h100-sxm\npeak: 3\n", "peak", "expected a map", ""},
    {"like: h100-sxm\nmeasured: {gemm: {efficency: 1}}\n", "measured.gemm.efficency", "unknown key",
     "efficiency"},
    {"like: h100-sxm\nmeasured: {memory-bound: {ratio: {norm: 55}}}\n", /* percent */
     "measured.memory-bound.ratio.norm", "from 0 to 2", ""},
    {"like: h100-sxm\nmeasured: {attention: {fused: {backward: {bf16: 1e23}}}}\n",
     "measured.attention.fused.backward.bf16", "from 0 to 2", ""},
    {"like: h100-sxm\nclock: 1.9GB/s\n", "clock", "unknown unit", "GHz"},
    {"like: h100-sxn\n", "", "no device \"h100-sxn\"", "h100-sxm"},
    {"like: ./x.yaml\n", "like", "name of a preset", ""},
    {"like: h100-sxm\nfacts: [{of: [cores], source: here, checked: perhaps}]\n", "facts.checked",
     "one of", ""},
    {"- 1\n", "document", "expected a map", ""},
};

START_TEST(refusals)
{
    struct device device;
    struct diag diag;
    ck_assert_int_eq(from_text(refused[_i].text, &device, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, refused[_i].field);
    ck_assert_msg(strstr(diag.message, refused[_i].says) != NULL, "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint) != NULL, "%s", diag.hint);
}
END_TEST

START_TEST(names_are_sorted)
{
    const char *const *name = device_names(&arena);
    for (; name[0] && name[1]; name++)
        ck_assert_int_lt(strcmp(name[0], name[1]), 0);
}
END_TEST

static Suite *device_suite(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, presets_load_and_name_sources);
    tcase_add_test(tests, peaks_follow_from_clocks);
    tcase_add_loop_test(tests, published_names, 0, sizeof names / sizeof names[0]);
    tcase_add_test(tests, names_that_are_none);
    tcase_add_test(tests, like_inherits_what_is_not_said);
    tcase_add_test(tests, own_file);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, names_are_sorted);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(device_suite())
