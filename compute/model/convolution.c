#include "compute/model/convolution.h"

#include <inttypes.h>

static uint64_t or_one(uint64_t value)
{
    return value > 0 ? value : 1;
}

/* Positions of a filter along one side; 0 if it does not fit. */
static uint64_t positions(uint64_t input, uint64_t filter, uint64_t stride, uint64_t pad,
                          uint64_t dilation, enum convolution_counting counting)
{
    if (counting == CONVOLUTION_SCALESIM)
        return filter > input ? 0 : systolic_ceil_div(input - filter + stride, stride);
    uint64_t reach = dilation * (filter - 1) + 1;
    return reach > input + 2 * pad ? 0 : (input + 2 * pad - reach) / stride + 1;
}

static enum status check(const struct convolution *conv, struct diag *diag)
{
    const uint64_t sides[] = {conv->input_height,  conv->input_width,  conv->channels,
                              conv->filter_height, conv->filter_width, conv->filters};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (sides[i] == 0 || sides[i] > UINT32_MAX)
            return diag_fail(diag, STATUS_BAD_INPUT,
                             "expected sizes of a convolution from 1 to %" PRIu32
                             ", found %" PRIu64,
                             UINT32_MAX, sides[i]);
    }
    uint64_t groups = or_one(conv->groups);
    if (conv->channels % groups != 0 || conv->filters % groups != 0)
        return diag_fail(diag, STATUS_BAD_INPUT,
                         "%" PRIu64 " groups do not divide %" PRIu64 " channels and %" PRIu64
                         " filters",
                         groups, conv->channels, conv->filters);
    return STATUS_OK;
}

enum status convolution_gemm(struct convolution_gemm *result, const struct convolution *conv,
                             enum convolution_counting counting, struct diag *diag)
{
    enum status status = check(conv, diag);
    if (status != STATUS_OK)
        return status;
    uint64_t dilation = or_one(conv->dilation), groups = or_one(conv->groups);
    result->output_height =
        positions(conv->input_height, conv->filter_height, or_one(conv->stride_height),
                  conv->pad_height, dilation, counting);
    result->output_width =
        positions(conv->input_width, conv->filter_width, or_one(conv->stride_width),
                  conv->pad_width, dilation, counting);
    if (result->output_height == 0 || result->output_width == 0)
        return diag_fail(
            diag, STATUS_BAD_INPUT,
            "a filter of %" PRIu64 "x%" PRIu64 " is larger than its input, %" PRIu64 "x%" PRIu64,
            conv->filter_height, conv->filter_width, conv->input_height, conv->input_width);
    result->count = groups;
    result->gemm.m = systolic_times(or_one(conv->batch),
                                    systolic_times(result->output_height, result->output_width));
    result->gemm.n = conv->filters / groups;
    result->gemm.k = systolic_times(systolic_times(conv->filter_height, conv->filter_width),
                                    conv->channels / groups);
    return STATUS_OK;
}
