/*
 * agree_compute - compute models against measured kernels and other simulators.
 * Arguments and exit code: part_program_run(). A part is one file here, its run function declared in
 * compute_parts.h, and a row below.
 */
#include "tests/agree/compute/compute_parts.h"

static const struct part parts[] = {
    {"gemm", "published matrix products", agree_gemm, PART_NEEDS_DATA},
    {"systolic", "SCALE-Sim's reference runs", agree_systolic, PART_NEEDS_DATA},
    {"kernels", "published attention and memory-bound kernels", agree_kernels, PART_NEEDS_DATA},
    {"bandwidth", "memory bandwidth over size", agree_bandwidth, PART_NEEDS_DATA},
    {"profile", "kernels of a published training profile", agree_profile, PART_NEEDS_DATA},
    {0},
};

int main(int argc, char **argv)
{
    static const struct part_program program = {"agree_compute", "data/validation/gemm.csv", parts};
    return part_program_run(&program, argc, argv);
}
