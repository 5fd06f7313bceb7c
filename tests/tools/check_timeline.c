/*
 * check_timeline FILE.. - holds timelines to the rules of timeline_rules.h: what each has, or the
 * first rule that it breaks and exit code 1. Files that begin with '{' are JSON.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "tests/tools/timeline_rules.h"

static bool check(const char *path)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    struct timeline_counts counts;
    char why[256];
    if (file_load(&file, path, FILE_NO_LIMIT, &diag) != STATUS_OK) {
        fprintf(stderr, "check_timeline: %s: %s\n", path, diag.message);
        return false;
    }
    bool is_json = file.length && file.bytes[0] == '{';
    bool good = is_json ? timeline_json_rules((const char *)file.bytes, file.length, &counts, why)
                        : timeline_native_rules(file.bytes, file.length, &counts, why);
    file_release(&file);
    if (!good) {
        fprintf(stderr, "check_timeline: %s: %s\n", path, why);
        return false;
    }
    printf(
        "%s: processes %llu, tracks %llu, counters %llu, slices %llu, arrows %llu, values %llu\n",
        is_json ? "json" : "native", (unsigned long long)counts.processes,
        (unsigned long long)counts.tracks, (unsigned long long)counts.counters,
        (unsigned long long)counts.slices, (unsigned long long)counts.arrows,
        (unsigned long long)counts.values);
    return true;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = check(argv[i]) && good;
    return good ? 0 : 1;
}
