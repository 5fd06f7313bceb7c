/* op_shape: formulas by hand, the text form there and back, refusals. */
#include <string.h>

#include "model/op_shape.h"
#include "tests/unit/unit.h"

static struct op_shape parsed(const char *text)
{
    struct op_shape shape;
    struct diag diag = DIAG_NONE;
    enum status status = op_shape_parse(&shape, text, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", text, diag.message);
    return shape;
}

static const struct {
    const char *text;
    uint64_t flops, read, write;
} works[] = {
    {"gemm 4096x8192x1024 bf16", 68719476736, 25165824, 67108864},
    {"gemm 2x3x5 fp32 batch=7", 420, 4 * 7 * (10 + 15), 4 * 7 * 6},
    {"gemm 2x3x5 fp8", 60, 25, 12},       /* bf16 out */
    {"gemm 1x1x3 fp4 out=fp32", 6, 3, 4}, /* 6 numbers of 4 bits */
    {"conv 2x3x5 fp16", 60, 50, 12},
    {"grouped-gemm 10x3x5 bf16 groups=4", 300, 2 * (50 + 60), 2 * 30},
    /* P = 16, 10, 4 + 3 + 3 + 3.. */
    {"attention 1x4 heads=1 dim=8", 4 * 8 * 16, 2 * 8 * (4 + 8), 2 * 8 * 4 + 16},
    {"attention 1x4 heads=1 dim=8 causal", 320, 2 * 8 * (4 + 8), 2 * 8 * 4 + 16},
    {"attention 1x4 heads=1 dim=8 causal window=2", 4 * 8 * 7, 2 * 8 * (4 + 8), 2 * 8 * 4 + 16},
    {"attention 1x4 heads=1 dim=8 window=2", 4 * 8 * 8, 2 * 8 * (4 + 8), 2 * 8 * 4 + 16},
    /* one query of a decoder sees all keys, or its window */
    {"attention 1x1x9 heads=4/2 dim=1 causal", 4 * 4 * 9, 2 * (4 + 36), 2 * 4 + 16},
    {"attention 1x1x9 heads=4/2 dim=1 causal window=3", 4 * 4 * 3, 2 * (4 + 12), 2 * 4 + 16},
    /* more queries than keys: the first two see nothing */
    {"attention 1x4x2 heads=1 dim=1 causal", 4 * 3, 2 * (4 + 4), 2 * 4 + 16},
    {"attention-backward 2x4 heads=2/1 dim=8 causal", 10 * 2 * 2 * 10 * 8,
     2 * 2 * 8 * (3 * 8 + 8) + 4 * 2 * 8, 2 * 2 * 8 * (8 + 8)},
    {"norm 3x5 bf16", 120, 30, 30},
    {"softmax 3x5 fp32", 75, 60, 60},
    {"elementwise 7 bf16 read=28", 7, 28, 14},
    {"embedding 3x5 bf16", 0, 30, 30},
    {"permute 3x5 fp8 out=fp8", 0, 15, 15},
    {"optimizer 10 bf16", 120, 140, 140},
    {"loss 3x5 fp32", 90, 60, 60},
    {"none fp32 flops=9 read=4", 9, 4, 0},
    {"gemm 281474976710656x281474976710656x2", UINT64_MAX, 2251799813685248, UINT64_MAX},
};

START_TEST(formulas)
{
    struct op_shape shape = parsed(works[_i].text);
    ck_assert_uint_eq(shape.flops, works[_i].flops);
    ck_assert_uint_eq(shape.read_bytes, works[_i].read);
    ck_assert_uint_eq(shape.write_bytes, works[_i].write);
}
END_TEST

/* What is printed is read back to the same bytes, and fits. */
START_TEST(there_and_back)
{
    struct op_shape shape = parsed(works[_i].text);
    char text[OP_SHAPE_TEXT];
    op_shape_print(&shape, text, sizeof text);
    ck_assert_uint_lt(strlen(text), sizeof text - 1);
    struct op_shape again = parsed(text);
    ck_assert_msg(memcmp(&shape, &again, sizeof shape) == 0, "%s", text);
}
END_TEST

START_TEST(printed_as_documented)
{
    char text[OP_SHAPE_TEXT];
    struct op_shape shape = parsed("  attention 2x8192  causal dim=128 heads=64/8 bfloat16 ");
    ck_assert_str_eq(op_shape_print(&shape, text, sizeof text),
                     "attention 2x8192 heads=64/8 dim=128 causal bf16");
    shape = parsed("gemm 4096x8192x1024 e4m3 out=bf16 batch=1");
    ck_assert_str_eq(op_shape_print(&shape, text, sizeof text), "gemm 4096x8192x1024 fp8");
    ck_assert_str_eq(op_shape_print(&shape, text, 6), "gemm ");
}
END_TEST

/* The pairs of a causal mask with a window, one by one. */
START_TEST(pairs_by_counting)
{
    for (uint64_t q = 1; q < 7; q++) {
        for (uint64_t kv = 1; kv < 7; kv++) {
            for (uint64_t window = 0; window < 8; window++) {
                struct op_shape shape = {.class = OP_CLASS_ATTENTION,
                                         .type = TYPE_BF16,
                                         .out_type = TYPE_BF16,
                                         .is_causal = true,
                                         .heads = 1,
                                         .head_dim = 1,
                                         .batch = 1,
                                         .q_len = q,
                                         .kv_len = kv,
                                         .window = window};
                uint64_t pairs = 0;
                for (uint64_t i = 0; i < q; i++) {
                    for (uint64_t j = 0; j < kv; j++) {
                        bool is_before = j + q <= i + kv;
                        bool is_near = window == 0 || j + q + window > i + kv;
                        pairs += is_before && is_near;
                    }
                }
                op_shape_finish(&shape);
                ck_assert_msg(shape.flops == 4 * pairs, "q %d kv %d window %d", (int)q, (int)kv,
                              (int)window);
            }
        }
    }
}
END_TEST

static const struct {
    const char *text, *says, *hint;
} refused[] = {
    {"", "a class and its sizes", ""},
    {"gemm", "a class and its sizes", ""},
    {"gem 1x2x3", "no class of operations \"gem\"", "gemm"},
    {"gemm 1x2", "MxNxK", ""},
    {"gemm 1x2x0", "MxNxK", ""},
    {"gemm 1x2x3x4", "MxNxK", ""},
    {"gemm 1x-2x3", "MxNxK", ""},
    {"gemm 1x2x281474976710657", "MxNxK", ""},
    {"gemm 1x2x3 bf17", "a number type", "bf16"},
    {"gemm 1x2x3 bf16 fp8", "one number type", ""},
    {"gemm 1x2x3 out=fp99", "out=TYPE", ""},
    {"gemm 1x2x3 causal", "gemm takes no \"causal\"", ""},
    {"gemm 1x2x3 bach=2", "gemm takes no \"bach=2\"", "batch"},
    {"gemm 1x2x3 batch=0", "whole number", ""},
    {"gemm 1x2x3 batch=99999999999999999999", "whole number", ""},
    {"norm 3", "MxN", ""},
    {"attention 2x8", "needs heads=N and dim=N", "heads=64/8"},
    {"attention 2x8 heads=8/3 dim=1", "a divisor", ""},
    {"attention 2x8 heads=8 dim=65537", "whole number", ""},
};

START_TEST(refusals)
{
    struct op_shape shape;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(op_shape_parse(&shape, refused[_i].text, &diag), STATUS_BAD_INPUT);
    ck_assert_msg(strstr(diag.message, refused[_i].says) != NULL, "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint) != NULL, "%s", diag.hint);
}
END_TEST

START_TEST(names_of_types)
{
    ck_assert_int_eq(data_type_find("BFloat16"), TYPE_BF16);
    ck_assert_int_eq(data_type_find("e4m3"), TYPE_FP8);
    ck_assert_int_eq(data_type_find("nvfp4"), TYPE_FP4);
    ck_assert_int_eq(data_type_find("fp33"), DATA_TYPE_COUNT);
    ck_assert_uint_eq(data_type_bytes(TYPE_FP6, 3), 3); /* 18 bits */
    ck_assert_uint_eq(data_type_bytes(TYPE_FP6, 16), 12);
    ck_assert_uint_eq(data_type_bytes(TYPE_FP4, UINT64_MAX), UINT64_C(1) << 63);
}
END_TEST

static Suite *op_shape_suite(void)
{
    Suite *suite = suite_create("op_shape");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, formulas, 0, sizeof works / sizeof works[0]);
    tcase_add_loop_test(tests, there_and_back, 0, sizeof works / sizeof works[0]);
    tcase_add_test(tests, printed_as_documented);
    tcase_add_test(tests, pairs_by_counting);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, names_of_types);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(op_shape_suite())
