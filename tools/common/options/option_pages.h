/* option_pages.h - what is told of a table of options: --help, the manual, the shell's completion.
 */
#ifndef TOOLS_OPTION_PAGES_H
#define TOOLS_OPTION_PAGES_H

#include "tools/common/options/option_table.h"

#include <stdio.h>

/* On stdout. */
void option_print_help(const struct option_table *table, size_t command);

/* The manual page, on stdout. The lines @SYNOPSIS@ and @OPTIONS@ of the template stand for what the
 * table has; behind the latter, lines below @--name@ are what the page adds to the help of an option.
 * In its texts, options and what stands in `backquotes` become bold. */
void option_print_manual(const struct option_table *table, FILE *template);

/* A function for bash that completes names of options and of their values; where there are none,
 * bash completes names of files. */
void option_print_completion(const struct option_table *table);

#endif
