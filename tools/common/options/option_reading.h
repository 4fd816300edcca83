/* option_reading.h - reading a command line by a table of options. */
#ifndef TOOLS_OPTION_READING_H
#define TOOLS_OPTION_READING_H

#include "tools/common/options/option_table.h"

enum { OPTIONS_MOST = 96 };

/* What a command line has. */
struct option_reading {
    const struct option_table *table;
    void *options;
    size_t command;
    struct option_slot {
        const struct option_row *row;
        const struct option_group *group;
        const char *text; /* "" of a flag; NULL: it was not there */
    } slots[OPTIONS_MOST];
    size_t n_slots;
    char **arguments; /* those that are no options */
    size_t n_arguments;
};

/* Reads the options behind argv[0] into `options`. Where one is wrong, or asks for the help or the
 * version, the program ends.
 *
 * A word is served that no help tells: --help-table, alone, prints the table for scripts. */
void options_read(struct option_reading *reading, const struct option_table *table, size_t command,
                  void *options, int argc, char **argv);

/* Where a rule is broken the program ends with the message of the first. */
void options_check(const struct option_reading *reading);

/* The value of one of the row's choices, by its name. */
int option_chosen(const struct option_use *use, const char *name);

#endif
