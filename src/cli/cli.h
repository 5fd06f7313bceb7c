/*
 * cli - the command line: a table of subcommands.
 *
 * Rules:
 *  1. Results go to standard output or --output, everything else to standard error.
 *  2. The exit code is that of base/status.h, whatever happened.
 */
#ifndef ORRERY_CLI_CLI_H
#define ORRERY_CLI_CLI_H

#include "cli/options.h"

#define ORRERY_VERSION "0.1.0"

/* All subcommands, NULL-terminated. */
extern const struct command *const commands[];

extern const struct command command_run;
extern const struct command command_explain;
extern const struct command command_diff;
extern const struct command command_vary;
extern const struct command command_goodput;
extern const struct command command_check;
extern const struct command command_info;
extern const struct command command_collective;
extern const struct command command_traffic;
extern const struct command command_topo;
extern const struct command command_scale;
extern const struct command command_generate;
extern const struct command command_plan;
extern const struct command command_op;
extern const struct command command_sweep;
extern const struct command command_results;
extern const struct command command_compare;
extern const struct command command_serve;
extern const struct command command_plot;
extern const struct command command_list;
extern const struct command command_help;

/* `run` with the format that ASTRA-sim prints as default. */
int run_as_astra(int argc, char **argv);

int cli_main(int argc, char **argv);

#endif
