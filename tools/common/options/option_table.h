/* option_table.h - the options of a program, each written once: a row says where its value goes,
 * and its words in --help, the manual and the shell's completion; a rule, which options exclude or
 * need one another.
 *
 *     #define TEXT(member) TEXT_AT(struct paint, member)
 *     static const struct option_row ROWS[] = {
 *         {"output", 'o', "FILE", "the picture", TEXT(path)},
 *         {"width", 0, "N", "pixels (default 640)", COUNT_AT(struct paint, width, 1, 4096)},
 *     };
 *     static const struct option_rule RULES[] = {
 *         OPTION_NEEDS("width", "output", "--width is that of a file: it requires -o"),
 *     };
 *
 */
#ifndef TOOLS_OPTION_TABLE_H
#define TOOLS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_use;

enum option_kind {
    OPTION_FLAG, /* bool, or an int of 4 bytes */
    OPTION_TEXT,
    OPTION_TEXTS,  /* one more of an array */
    OPTION_OUTPUT, /* the path of a file; "-": NULL, stdout */
    OPTION_COUNT,  /* size_t */
    OPTION_NUMBER, /* uint64_t */
    OPTION_REAL,   /* double */
    OPTION_CHOICE, /* bool or an enum */
    OPTION_SETTER,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_VERSION
};

struct option_row {
    const char *name;     /* without its dashes */
    char letter;          /* or 0 */
    const char *argument; /* what help calls it; NULL: it takes none */
    const char *help;     /* lines for --help; NULL: the option is hidden */
    enum option_kind kind;
    size_t offset, bytes; /* of the value in the struct */
    size_t given;         /* of a bool that is set if the option was given; 0: none */
    size_t n;             /* of the number of texts; `most` fit. A text of most 1 is given once */
    uint64_t least, most;
    double real_least, real_most;
    /* Names of values between blanks or commas. Their values count up from `least`; that of
     * "left=0" is 0. */
    const char *choices;
    int (*named)(const char *name); /* gives a name its value instead of counting; or NULL */
    /* For OPTION_SETTER, or after the value was stored. */
    void (*set)(void *options, const struct option_use *use);
    int value;         /* for the setter */
    unsigned commands; /* bits of the commands that take it; 0: all */
    const char *needs; /* names as in a rule's `others`; NULL: it stands alone */
    bool keeps_output; /* it says where results go or how the work is done, and changes none */
};

/* One option on the command line. */
struct option_use {
    const struct option_row *row;
    const char *option; /* as it was typed: "-o" or "--output" */
    const char *text;   /* NULL: it takes none */
};

/* A member's offset; the compiler warns where it is not of that type. */
#define OPTION_AT(type, member, of_type)                                                           \
    (offsetof(type, member) + 0 * sizeof(1 ? &((type *)0)->member : (of_type *)0))

#define FLAG_AT(type, member)                                                                      \
    .kind = OPTION_FLAG, .offset = offsetof(type, member),                                         \
    .bytes = _Generic(((type *)0)->member, bool                                                    \
                      : sizeof(bool), int                                                          \
                      : sizeof(int))
#define TEXT_AT(type, member) .kind = OPTION_TEXT, .offset = OPTION_AT(type, member, const char *)
#define OUTPUT_AT(type, member)                                                                    \
    .kind = OPTION_OUTPUT, .offset = OPTION_AT(type, member, const char *)
#define TEXTS_AT(type, array, n_texts)                                                             \
    .kind = OPTION_TEXTS, .offset = OPTION_AT(type, array[0], const char *),                       \
    .n = OPTION_AT(type, n_texts, size_t), .most = sizeof((type *)0)->array / sizeof(const char *)
#define COUNT_AT(type, member, from, to)                                                           \
    .kind = OPTION_COUNT, .offset = OPTION_AT(type, member, size_t), .least = (from), .most = (to)
#define NUMBER_AT(type, member)                                                                    \
    .kind = OPTION_NUMBER, .offset = OPTION_AT(type, member, uint64_t), .most = UINT64_MAX
#define REAL_AT(type, member, from, to)                                                            \
    .kind = OPTION_REAL, .offset = OPTION_AT(type, member, double), .real_least = (from),          \
    .real_most = (to)
#define CHOICE_AT(type, member, first, names)                                                      \
    .kind = OPTION_CHOICE, .offset = offsetof(type, member), .least = (first), .choices = (names), \
    .bytes =                                                                                       \
        sizeof(char[sizeof((type *)0)->member <= sizeof(int) ? sizeof((type *)0)->member : -1])
#define NAMED_AT(type, member, names, function)                                                    \
    CHOICE_AT(type, member, 0, names), .named = (function)
#define YES_NO_AT(type, member) TEXT_AT(type, member), .choices = "yes no"
#define GIVEN_AT(type, member)  .given = OPTION_AT(type, member, bool)
#define SET_BY(function)        .kind = OPTION_SETTER, .set = (function)

struct option_group {
    const char *title; /* NULL: continues the group before; "": an empty line, no title */
    const struct option_row *rows;
    size_t n_rows;
    size_t base;       /* of the struct that the rows fill, in the program's options */
    unsigned commands; /* as in a row */
};

#define OPTION_GROUP(group_title, array)                                                           \
    .title = (group_title), .rows = (array), .n_rows = sizeof(array) / sizeof(array)[0]

/* The last group of every program: --quiet, --help and --version. */
#define OPTION_GENERAL                                                                             \
    {                                                                                              \
        OPTION_GROUP("", OPTION_GENERAL_ROWS)                                                      \
    }
extern const struct option_row OPTION_GENERAL_ROWS[3];

/* options and others: names of options, separated by blanks; one of them was given. "format=csv":
 * with this value; "format!=csv": with another; "TEXT": arguments that are no options. If message
 * is NULL, it is "--A requires --B or --C", or "--A cannot be combined with --B". */
struct option_rule {
    const char *options;
    enum { RULE_NEEDS, RULE_EXCLUDES } relation;
    const char *others, *message;
    /* Instead of all these: returns a message, or NULL. */
    const char *(*check)(const void *options);
    size_t base; /* of the struct that is checked, in the program's options */
};

#define OPTION_NEEDS(options, others, message)                                                     \
    {                                                                                              \
        (options), RULE_NEEDS, (others), (message), NULL, 0                                        \
    }
#define OPTION_EXCLUDES(options, others, message)                                                  \
    {                                                                                              \
        (options), RULE_EXCLUDES, (others), (message), NULL, 0                                     \
    }

struct option_command {
    const char *name;    /* NULL: the program has no commands */
    const char *usage;   /* lines, each printed after the program's name */
    const char *about;   /* lines for --help */
    const char *summary; /* for a list of the commands, or NULL */
};

struct option_table {
    const struct option_command *commands;
    size_t n_commands;
    const struct option_group *groups;
    size_t n_groups;
    /* The last is all zero. */
    const struct option_rule *rules;
    int column;            /* at which the texts of --help begin */
    const char *notes;     /* lines of --help after the options, or NULL */
    const char *end;       /* the last line of --help */
    const char *elsewhere; /* "--name program" lines: options that another program has; or NULL */
    /* Of a program with commands: what messages call one, and --help around their list. */
    const char *what, *help[2];
};

#define OPTION_TABLE(of_commands, n, of_groups, text_column)                                       \
    .commands = (of_commands), .n_commands = (n), .groups = (of_groups),                           \
    .n_groups = sizeof(of_groups) / sizeof(of_groups)[0], .column = (text_column)

/* ---- Reading ---- */

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

/* Reads an option as if it was typed with this value, unless it was. Returns whether it did. */
bool option_default(struct option_reading *reading, const char *name, const char *text);

/* Ends the program with the message of the first broken rule, if any. */
void options_check(const struct option_reading *reading);

/* Returns the command that argv[1] names: options_read reads what follows it. --help, --version and
 * a wrong word end the program. */
size_t options_command(const struct option_table *table, int argc, char **argv);

/* Returns the value of one of the row's choices, by its name. */
int option_chosen(const struct option_use *use, const char *name);

#endif
