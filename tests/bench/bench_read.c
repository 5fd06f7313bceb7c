/*
 * bench_read FOLDER - how fast a trace of a million nodes is read and linked, and what it holds.
 *
 * The trace is a data-parallel run written by our own generator: three nodes per layer and
 * iteration, with names, sizes and up to two parents. It is written to FOLDER and removed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "workloads/chakra/chakra.h"
#include "workloads/synth/synth.h"

enum { ROUNDS = 3 };

static const struct synth_spec million_nodes = {
    .kind = SYNTH_DP,
    .ranks = 1,
    .layers = 1000,
    .iterations = 334,
    .forward_ops = 200000000000,
    .forward_bytes = 400000000,
    .backward_ops = 400000000000,
    .backward_bytes = 800000000,
    .gradient_bytes = 100000000,
};

static enum status read_once(const char *path, enum chakra_reader_id reader, const char *name,
                             struct diag *diag)
{
    struct notices notices;
    struct trace *trace;
    struct stat info;
    struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
    options.reader = reader;
    notices_init(&notices);
    double begin = bench_user_s();
    enum status status = chakra_load(&trace, path, &options, &notices, diag);
    double seconds = bench_user_s() - begin;
    if (status == STATUS_OK && stat(path, &info) == 0) {
        printf("%-10s %9" PRIu32 " nodes  %6.1f MB  %6.3f s  %6.2f Mnode/s  %6.1f B/node held\n",
               name, trace->count, (double)info.st_size / 1e6, seconds,
               trace->count / seconds / 1e6, (double)trace->resident_bytes / trace->count);
        trace->destroy(trace);
    }
    notices_release(&notices);
    return status;
}

int main(int argc, char **argv)
{
    char path[512];
    struct diag diag = DIAG_NONE;
    snprintf(path, sizeof path, "%s/bench_read.et", argc > 1 ? argv[1] : "/tmp");
    enum status status = synth_write_rank(&million_nodes, 0, path, &diag);
    for (int round = 0; round < ROUNDS && status == STATUS_OK; round++)
        status = read_once(path, CHAKRA_READER_FAST, "fast", &diag);
    printf("%-10s %.1f MB peak memory of the process, names and file pages included\n", "",
           (double)bench_peak_rss_bytes() / 1e6);
    if (status == STATUS_OK)
        status = read_once(path, CHAKRA_READER_REFERENCE, "protobuf-c", &diag);
    unlink(path);
    if (status != STATUS_OK)
        diag_print(&diag, stderr);
    return status_exit_code(status);
}
