/*
 * replay - runs a fuzz target over files: the kept corpus is a test without libFuzzer too, under
 * every compiler and sanitizer. Linked with one fuzz_*.c; arguments are folders or files.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replayed;

static void replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    rewind(in);
    /* Exactly `size` bytes, so that a sanitizer sees a read past the end. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, in) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(in);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    replayed++;
}

static void replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        struct stat info;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
            replay_file(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1];
    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) == 0 && S_ISREG(info.st_mode))
            replay_file(argv[i]);
        else
            replay_folder(argv[i]);
    }
    printf("replay: 1 passed, 0 failed, 0 skipped\n");
    fprintf(stderr, "%u files\n", replayed);
    return EXIT_SUCCESS;
}
