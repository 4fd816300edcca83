/* option_reading.h - reading a command line by a table of options. */
#ifndef TOOLS_OPTION_READING_H
#define TOOLS_OPTION_READING_H

#include "tools/common/options/option_table.h"

enum { OPTIONS_MOST = 96 };

/* A command line, as it was read. */
struct option_reading {
    const struct option_table *table;
    void *options;
    size_t command;
    struct option_slot {
        const struct option_row *row;
        const struct option_group *group;
        const char *text; /* "" of a flag; NULL: not given */
    } slots[OPTIONS_MOST];
    size_t n_slots;
    char **arguments; /* words that are no options */
    size_t n_arguments;
};

/* Reads the options after argv[0] into `options`. A wrong one, --help or --version ends the
 * program. --help-table alone, which no help names, prints the table for scripts. */
void options_read(struct option_reading *reading, const struct option_table *table, size_t command,
                  void *options, int argc, char **argv);

/* Ends the program with the message of the first broken rule, if any. */
void options_check(const struct option_reading *reading);

/* Returns the value of one of the row's choices, by its name. */
int option_chosen(const struct option_use *use, const char *name);

#endif
