/* inspect_options.c - the command line of encode-inspect as a table; see inspect_options.h. */
#include "tools/inspect/inspect_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"

#include <string.h>

/* Other programs have -o, and a user may try it here. */
static void refuse_output(void *options, const struct option_use *use)
{
    (void)options;
    (void)use;
    program_die_misused("-o is not an option of encode-inspect: its output goes to stdout");
}

static const struct option_row ROWS[] = {
    {"format", 'f', "F", "print text (default) or json",
     CHOICE_AT(struct inspect_options, is_json, false, "text json")},
    {"verify", 0, NULL, "read all data and compare every checksum",
     FLAG_AT(struct inspect_options, verify)},
    {"output", 'o', "FILE", NULL, SET_BY(refuse_output)},
};

static const struct option_group GROUPS[] = {{OPTION_GROUP("", ROWS)}, OPTION_GENERAL};

static const struct option_command COMMAND = {
    .usage = "[OPTION ...] FILE\n",
    .about = "Shows the sections, settings, tokenizer, metadata and tensors of a weight file.\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 27),
    .end = "Exit codes: 0 done, 1 the file cannot be read or is damaged, 2 misused. "
           "Manual: man encode-inspect.",
};

void inspect_options_read(struct inspect_options *options, int argc, char **argv)
{
    struct option_reading reading;
    *options = (struct inspect_options){0};
    options_read(&reading, &TABLE, 0, options, argc, argv);
    size_t n = reading.n_arguments;
    if (n != 1)
        program_die_misused(n == 0 ? "a weight file is needed" : "one file at a time");
    options->path = reading.arguments[0];
    if (strcmp(options->path, "-") == 0)
        program_die_misused("a weight file is mapped into memory, so it cannot be read from stdin");
}
