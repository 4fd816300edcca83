/* option_pages.h - what is told of a table of options: --help, the manual, the shell's completion.
 */
#ifndef TOOLS_OPTION_PAGES_H
#define TOOLS_OPTION_PAGES_H

#include "tools/common/options/option_table.h"

/* On stdout. */
void option_print_help(const struct option_table *table, size_t command);

/* The same for scripts, on stdout: tools/man/ makes the manual and the shell's completion of it.
 * Lines of fields between tabs: "program" NAME VERSION; for each line of usage "usage" COMMAND
 * TEXT; "group" TITLE; "option" --NAME -LETTER ARGUMENT COMMANDS IS-OF-SOME VALUES HELP, of an
 * option without argument "-". */
void option_print_table(const struct option_table *table);

#endif
