#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

extern char **environ;

/* Rule 1. `in` and `err` may be NULL: nothing to read, and the standard error of this one. */
static int start(pid_t *pid, const char *const *argv, char *const *environment, FILE *in, FILE *out,
                 FILE *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t ignored, none;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    if (in)
        posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
    if (err)
        posix_spawn_file_actions_adddup2(&files, fileno(err), STDERR_FILENO);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv,
                             environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static enum status fail_start(const char *name, int error, struct diag *diag)
{
    return diag_fail(diag, STATUS_IO, "%.80s cannot be started: %s", name, strerror(error));
}

/* Waits for its end; the code of `struct program_said`. */
static int end_code(pid_t pid)
{
    int how = 0;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

static char *read_back(FILE *file)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (length < 0 || length > PROGRAM_SAID_MOST)
        length = length < 0 ? 0 : PROGRAM_SAID_MOST;
    char *text = malloc((size_t)length + 1);
    need_memory(text != NULL);
    rewind(file);
    text[fread(text, 1, (size_t)length, file)] = '\0';
    return text;
}

enum status program_run(const char *const *argv, struct program_said *said, struct diag *diag)
{
    *said = (struct program_said){.code = -1};
    FILE *out = tmpfile(), *err = tmpfile();
    pid_t pid = 0;
    int error = out && err ? start(&pid, argv, environ, NULL, out, err) : errno;
    if (error) {
        fail_start(argv[0], error, diag);
    } else {
        said->code = end_code(pid);
        said->out = read_back(out);
        said->err = read_back(err);
    }
    if (out)
        fclose(out);
    if (err)
        fclose(err);
    return error ? STATUS_IO : STATUS_OK;
}

enum status program_filter(const char *const *argv, char *const *environment, FILE *from, FILE *to,
                           int *code, struct diag *diag)
{
    pid_t pid = 0;
    *code = -1;
    int error = fflush(to) == 0 ? start(&pid, argv, environment, from, to, NULL) : errno;
    if (error)
        return fail_start(argv[0], error, diag);
    *code = end_code(pid);
    return STATUS_OK;
}

void program_said_release(struct program_said *said)
{
    free(said->out);
    free(said->err);
    *said = (struct program_said){.code = -1};
}

const char *program_last_line(char *text)
{
    size_t length = text ? strlen(text) : 0;
    while (length && strchr("\n\r \t", text[length - 1]))
        text[--length] = '\0';
    const char *newline = length ? strrchr(text, '\n') : NULL;
    return newline ? newline + 1 : text ? text : "";
}

bool program_exists(const char *name)
{
    const char *at = getenv("PATH");
    char path[4096];
    while (at && *at) {
        size_t length = strcspn(at, ":");
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (n < (int)sizeof path && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
