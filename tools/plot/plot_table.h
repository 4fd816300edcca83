/* plot_table.h - the command line of encode-plot. */
#ifndef TOOLS_PLOT_PLOT_TABLE_H
#define TOOLS_PLOT_PLOT_TABLE_H

#include "tools/common/options/option_table.h"
#include "tools/plot/plot_options.h"

/* Reads the command line after the command's name. The help, the version or a mistake ends the
 * program. */
void plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv);

/* By enum plot_command. */
extern const struct option_command PLOT_COMMANDS[]; /* [N_PLOT_COMMANDS] */

/* encode-plot --help; the exit code. */
int plot_print_help(void);

#endif
