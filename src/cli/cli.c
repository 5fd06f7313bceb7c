#include "cli/cli.h"

#include <signal.h>
#include <string.h>

#include "base/suggest.h"
#include "base/watch.h"

const struct command *const commands[] = {
    &command_run,      &command_explain,
    &command_diff,     &command_collective,
    &command_traffic,  &command_vary,
    &command_goodput,  &command_scale,
    &command_generate, &command_plan,
    &command_sweep,    &command_results,
    &command_serve,    &command_plot,
    &command_compare,  &command_op,
    &command_topo,     &command_check,
    &command_info,     &command_list,
    &command_help,     NULL,
};

static const struct command *find_command(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0)
            return *command;
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    struct diag diag = DIAG_NONE;
    const char *names[sizeof commands / sizeof *commands] = {0};
    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    usage_error(&diag, NULL, "unknown command \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, names);
    if (nearest)
        diag_hint(&diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(&diag, "see orrery help");
    return command_failed(&diag);
}

static void print_overview(FILE *out)
{
    fputs("orrery simulates distributed training: Chakra traces on networks of accelerators.\n\n"
          "Usage: orrery COMMAND [OPTIONS]\n\n",
          out);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(out, "  %-8s %s\n", (*command)->name, (*command)->summary);
    fputs("\n`orrery COMMAND --help` shows the options and examples of a command.\n"
          "ASTRA-sim's command line works as it is: orrery --workload-configuration=.. runs it\n"
          "and prints ASTRA-sim's result lines.\n",
          out);
}

static int run_help(int argc, char **argv)
{
    const char *topic = NULL;
    enum asked asked;
    struct diag diag = DIAG_NONE;
    if (options_parse(&command_help, argc, argv, &topic, take_word, &asked, &diag) != STATUS_OK)
        return command_failed(&diag);
    if (asked == ASKED_NOTHING && !topic) {
        print_overview(stdout);
        return 0;
    }
    const struct command *command = asked == ASKED_HELP ? &command_help : find_command(topic);
    if (!command)
        return unknown_command(topic);
    options_help(command, stdout);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .summary = "this overview, or the help of a command",
    .usage = "[COMMAND]",
    .about = "Shows the commands, or the options and examples of one.\n",
    .examples = "  orrery help run\n",
    .options = no_options,
    .run = run_help,
};

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        struct diag diag = DIAG_NONE;
        usage_error(&diag, NULL, "no command was given");
        diag_hint(&diag, "see orrery help");
        return command_failed(&diag);
    }
    const char *first = argv[1];
    if (strcmp(first, "--version") == 0) {
        puts("orrery " ORRERY_VERSION);
        return 0;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        print_overview(stdout);
        return 0;
    }
    if (strncmp(first, "--", 2) == 0)
        return run_as_astra(argc - 1, argv + 1);
    const struct command *command = find_command(first);
    return command ? command->run(argc - 2, argv + 2) : unknown_command(first);
}

int cli_main(int argc, char **argv)
{
    /* A reader that goes away is an error of writing, not the end by a signal. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* so is the limit on a file's size */
    watch_signals();
    int code = dispatch(argc, argv);
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (!lost || code != 0)
        return code;
    fputs("orrery: io: standard output cannot be written\n", stderr);
    return status_exit_code(STATUS_IO);
}
