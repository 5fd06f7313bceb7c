#include "tests/agree/command.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "tests/tools/trace_spec.h"

static void add(struct command *command, const char *word)
{
    promise(command->argc < COMMAND_WORDS - 1);
    command->argv[command->argc++] = (char *)word; /* execv does not write */
    command->argv[command->argc] = NULL;
}

static void add_pair(struct command *command, const char *option, const char *value)
{
    add(command, option);
    add(command, value);
}

static enum status write_text(const char *path, const char *text, struct diag *diag)
{
    struct out_file out;
    enum status status = out_file_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    fputs(text, out.stream);
    return out_file_commit(&out, diag);
}

static void join(char *to, const char *folder, const char *name)
{
    promise(snprintf(to, COMMAND_PATH, "%s/%s", folder, name) < COMMAND_PATH);
}

/* Writes the row's files into the scratch folder unless an earlier run of the row did. */
static enum status make_files(const struct row *row, const char *folder, struct diag *diag)
{
    char path[COMMAND_PATH];
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return diag_fail(diag, STATUS_IO, "%s cannot be made", folder);
    join(path, folder, "done");
    if (file_exists(path))
        return STATUS_OK;
    const struct {
        const char *name, *text;
    } files[] = {{"network.yml", row->network_yml},
                 {"system.json", row->system_json},
                 {"memory.json", row->memory_json}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        join(path, folder, files[i].name);
        enum status status = write_text(path, files[i].text, diag);
        if (status != STATUS_OK)
            return status;
    }
    join(path, folder, "workload");
    enum status status = trace_spec_write(row->workload, path, diag);
    if (status != STATUS_OK)
        return status;
    join(path, folder, "done");
    return write_text(path, "", diag);
}

/* Where the row's files are: its case folder if that holds a trace, else the scratch folder. */
static enum status find_files(char *folder, const struct row *row,
                              const struct command_place *place, struct diag *diag)
{
    char path[COMMAND_PATH];
    snprintf(path, sizeof path, "%s/cases/%s/workload.all.et", place->data, row->name);
    bool stored = file_exists(path);
    snprintf(path, sizeof path, "%s/cases/%s/workload.0.et", place->data, row->name);
    stored = stored || file_exists(path);
    if (stored) {
        snprintf(folder, COMMAND_PATH, "%s/cases/%s", place->data, row->name);
        return STATUS_OK;
    }
    join(folder, place->scratch, row->name);
    return make_files(row, folder, diag);
}

enum status command_make(struct command *command, const struct row *row,
                         const struct command_place *place, bool fold, struct diag *diag)
{
    char folder[COMMAND_PATH], path[COMMAND_PATH];
    enum status status = find_files(folder, row, place, diag);
    if (status != STATUS_OK)
        return status;
    command->argc = 0;
    join(command->workload, folder, "workload");
    join(command->system, folder, "system.json");
    join(command->network, folder, "network.yml");
    join(command->memory, folder, "memory.json");
    join(command->groups, folder, "comm_group.json");
    snprintf(command->backend, sizeof command->backend, "--network-backend=%s",
             strcmp(row->backend, "congestion_aware") == 0 ? "congestion-aware"
                                                           : "congestion-unaware");
    add(command, place->orrery);
    add(command, "run");
    add_pair(command, "--format", "astra");
    add_pair(command, "--workload", command->workload);
    add_pair(command, "--system", command->system);
    add_pair(command, "--network", command->network);
    add_pair(command, "--remote-memory", command->memory);
    if (file_exists(command->groups))
        add_pair(command, "--comm-group", command->groups);
    add(command, command->backend);
    join(path, folder, "workload.all.et");
    if (file_exists(path))
        add(command, "--replicate");
    if (!fold)
        add(command, "--no-fold");
    for (uint32_t i = 0; row->extra_args != NULL && i < row->extra_args->count; i++)
        add(command, row->extra_args->child[i].text);
    return STATUS_OK;
}

void command_print(const struct command *command, FILE *out)
{
    for (int i = 0; i < command->argc; i++)
        fprintf(out, "%s%s", i == 0 ? "" : " ", command->argv[i]);
    fputc('\n', out);
}
