/* option_table.c - see option_table.h: reading a command line, for which getopt_long finds the
 * options, its rules, --help, and the table for the manual and the shell's completion. */
#include "tools/common/options/option_table.h"

#include "engine/engine.h"
#include "tools/common/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { LONG_OPTION = 256 /* and the number of its slot */ };

/* ---- What all tables share ---- */

const struct option_row OPTION_GENERAL_ROWS[3] = {
    {"quiet", 'q', NULL, "print no notes on stderr, only errors", .kind = OPTION_QUIET,
     .keeps_output = true},
    {"help", 'h', NULL, "this text", .kind = OPTION_HELP},
    {"version", 0, NULL, "version and build", .kind = OPTION_VERSION},
};

/* One of the choices of a row; before the first it is CHOICES_OF(row). */
struct option_choice {
    const char *rest;
    int value;
    char name[32];
};

#define CHOICES_OF(row)                                                                            \
    {                                                                                              \
        .rest = (row)->choices ? (row)->choices : "", .value = (int)(row)->least - 1               \
    }

/* Reads the next choice. Returns false after the last. */
static bool next_choice(struct option_choice *choice)
{
    const char *name = choice->rest;
    size_t len = strcspn(name, " ,\n="), word_len = strcspn(name, " ,\n");
    snprintf(choice->name, sizeof choice->name, "%.*s", (int)len, name);
    choice->value = name[len] == '=' ? 0 : choice->value + 1;
    choice->rest = name + word_len + strspn(name + word_len, " ,\n");
    return len > 0;
}

/* Returns whether a command takes an option. */
static bool is_of_command(const struct option_group *group, const struct option_row *row,
                          size_t command)
{
    unsigned bit = 1u << command;
    return (group->commands == 0 || group->commands & bit) &&
           (row->commands == 0 || row->commands & bit);
}

/* ---- Pages ---- */

/* "  -o, --output FILE    the first line", and the others below it. */
static void print_row(const struct option_row *row, size_t column)
{
    char letter[] = "-x, ";
    letter[1] = row->letter;
    size_t width = (size_t)printf("  %s--%s%s%s", row->letter ? letter : "    ", row->name,
                                  row->argument && row->argument[0] ? " " : "",
                                  row->argument ? row->argument : "");
    if (width > column + 1) {
        putchar('\n');
        width = 0;
    }
    for (const char *help = row->help; *help != '\0'; width = 0) {
        const size_t len = strcspn(help, "\n");
        printf("%*s%.*s\n", width < column ? (int)(column - width) : 1, "", (int)len, help);
        help += len + (help[len] == '\n');
    }
}

/* Prints --help on stdout. */
static void print_help(const struct option_table *table, size_t command)
{
    const struct option_group *end = table->groups + table->n_groups;
    const struct option_command *of = &table->commands[command];
    const char *before = "Usage: ";
    for (const char *usage = of->usage; *usage != '\0'; before = "       ") {
        const size_t len = strcspn(usage, "\n");
        printf("%s%s%s%s %.*s\n", before, program_name(), of->name ? " " : "",
               of->name ? of->name : "", (int)len, usage);
        usage += len + (usage[len] == '\n');
    }
    fputs(of->about, stdout);
    for (const struct option_group *group = table->groups; group < end; group++) {
        if (group + 1 == end && table->notes)
            printf("\n%s", table->notes);
        if (group->title) /* each has rows for every command */
            printf("\n%s%s", group->title, group->title[0] ? "\n" : "");
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help && is_of_command(group, &group->rows[r], command))
                print_row(&group->rows[r], (size_t)table->column);
    }
    printf("\n%s\n", table->end);
}

static void print_option(const struct option_table *table, const struct option_group *group,
                         const struct option_row *row)
{
    struct option_choice choice = CHOICES_OF(row);
    const char *before = "";
    char letter[] = "-x";
    letter[1] = row->letter;
    printf("option\t--%s\t%s\t%s\t", row->name, row->letter ? letter : "",
           row->argument ? row->argument : "-");
    for (size_t c = 0; c < table->n_commands; c++)
        if (table->commands[c].name && is_of_command(group, row, c)) {
            printf("%s%s", before, table->commands[c].name);
            before = " ";
        }
    printf("\t%d\t", row->commands != 0);
    for (before = ""; next_choice(&choice); before = " ")
        printf("%s%s", before, choice.name);
    putchar('\t');
    for (const char *c = row->help; *c != '\0'; c++)
        putchar(*c == '\n' ? ' ' : *c);
    putchar('\n');
}

/* Prints the same for scripts: tools/build/man/ makes the manual and the shell's completion of it.
 * Lines of fields between tabs: "program" NAME VERSION; for each line of usage "usage" COMMAND
 * TEXT; "group" TITLE; "option" --NAME -LETTER ARGUMENT COMMANDS IS-OF-SOME VALUES HELP, of an
 * option without argument "-". */
static void print_table(const struct option_table *table)
{
    const struct option_group *end = table->groups + table->n_groups;
    printf("program\t%s\t%s\n", program_name(), engine_version());
    for (size_t c = 0; c < table->n_commands; c++) {
        const struct option_command *command = &table->commands[c];
        for (const char *usage = command->usage; *usage != '\0';) {
            const size_t len = strcspn(usage, "\n");
            printf("usage\t%s\t%.*s\n", command->name ? command->name : "", (int)len, usage);
            usage += len + (usage[len] == '\n');
        }
    }
    for (const struct option_group *group = table->groups; group < end; group++) {
        if (group->title)
            printf("group\t%s\n", group->title);
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help)
                print_option(table, group, &group->rows[r]);
    }
}

/* ---- What may have been meant ---- */

enum { NAME_MOST = 32 };

/* The name that is nearest to what was typed, [len]; "": none is near. */
struct nearest {
    const char *typed;
    char name[NAME_MOST + 1], hint[NAME_MOST + 32];
    size_t len, distance;
};

static void nearest_begin(struct nearest *nearest, const char *typed, size_t len)
{
    *nearest = (struct nearest){.typed = typed, .len = len, .distance = len < 6 ? 2 : 3};
}

/* Other programs write _ where this one writes -. */
static bool is_same_letter(char a, char b)
{
    return a == b || (a == '_' && b == '-') || (a == '-' && b == '_');
}

/* Counts letters that are missing, added, changed, or exchanged with their neighbour; the last of
 * three rows of the usual table is that of all that was typed. */
static void nearest_try(struct nearest *nearest, const char *name)
{
    const size_t len = strlen(name), n = nearest->len;
    const char *typed = nearest->typed;
    size_t rows[NAME_MOST + 1][NAME_MOST + 1];
    if (len > NAME_MOST || n > NAME_MOST)
        return;
    for (size_t i = 0; i <= n; i++)
        for (size_t k = 0; k <= len; k++) {
            size_t *least = &rows[i][k];
            *least = i + k;
            if (i == 0 || k == 0)
                continue;
            const bool differ = !is_same_letter(typed[i - 1], name[k - 1]);
            const size_t others[] = {
                rows[i - 1][k] + 1, rows[i][k - 1] + 1, rows[i - 1][k - 1] + differ,
                i > 1 && k > 1 && typed[i - 1] == name[k - 2] && typed[i - 2] == name[k - 1]
                    ? rows[i - 2][k - 2] + 1
                    : SIZE_MAX};
            for (size_t o = 0; o < 4; o++)
                *least = others[o] < *least ? others[o] : *least;
        }
    size_t *distance = &rows[n][len];
    if (len > 2 && len < n && is_same_letter(typed[len], '-') && strncmp(typed, name, len) == 0)
        *distance = 1; /* "max_pool" for max, "model-path" for model */
    if (*distance < nearest->distance && *distance < len) {
        nearest->distance = *distance;
        strcpy(nearest->name, name);
    }
}

/* Returns the end of a message about what was typed: "; did you mean 'NAME'?", or "". */
static const char *nearest_hint(struct nearest *nearest, const char *before, const char *after)
{
    if (nearest->name[0])
        snprintf(nearest->hint, sizeof nearest->hint, "; did you mean %s%s%s?", before,
                 nearest->name, after);
    return nearest->hint;
}

/* Options that others have for the same: the option here, of the programs that have it, and words
 * instead of one. */
static const struct {
    const char *name, *option, *words;
} OF_OTHERS[] = {
    {"batch-size", NULL, "texts are read together as they come, and memory is bounded by itself"},
    {"device", NULL, "the CPU is the device; -t N sets its threads"},
    {"gpu", NULL, "the CPU is the device; -t N sets its threads"},
    {"n-gpu-layers", NULL, "the CPU is the device; -t N sets its threads"},
    {"verbose", NULL, "notes are printed unless -q is given"},
    {"silent", "quiet", NULL},
    {"json", "format", "-f json"},
    {"csv", "format", "-f csv"},
    {"output-format", "format", NULL},
    {"embd-output-format", "format", NULL},
    {"max-length", "max-tokens", NULL},
    {"max-seq-length", "max-tokens", NULL},
    {"ctx-size", "max-tokens", NULL},
    {"truncate-dim", "dimensions", NULL},
    {"embd-normalize", "normalize", NULL},
    {"prompt-name", "prompt", NULL},
    {"pooling-strategy", "pooling", NULL},
    {"dtype", "type", NULL},
    {"weights", "model", NULL},
    {"model-path", "model", NULL},
    {"model-id", "model", NULL},
    {"workers", "threads", NULL},
    {"port", "listen", "--listen HOST:PORT"},
    {"host", "listen", "--listen HOST:PORT"},
    {"api-key", "api-keys", NULL},
    {"top-k", "top", NULL},
    {"file", "input", "< FILE"},
    {"file", "query", "< FILE"},
};

static struct option_slot *find_slot(struct option_reading *reading, const char *name)
{
    for (size_t i = 0; name && i < reading->n_slots; i++)
        if (strcmp(reading->slots[i].row->name, name) == 0)
            return &reading->slots[i];
    return NULL;
}

/* Ends the program if the option [len] is one of others. */
static void refuse_of_others(struct option_reading *reading, const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof OF_OTHERS / sizeof OF_OTHERS[0]; i++) {
        const char *option = OF_OTHERS[i].option, *words = OF_OTHERS[i].words;
        size_t n = 0;
        while (n < len && is_same_letter(name[n], OF_OTHERS[i].name[n]))
            n++;
        if (n < len || OF_OTHERS[i].name[n] || (option && !find_slot(reading, option)))
            continue;
        if (!option)
            program_die_misused("'--%.*s' is not an option here: %s", (int)len, name, words);
        program_die_misused("'--%.*s' is not an option here: %s%s does that", (int)len, name,
                            words ? "" : "--", words ? words : option);
    }
}

/* ---- Values ---- */

int option_chosen(const struct option_use *use, const char *name)
{
    struct option_choice choice = CHOICES_OF(use->row);
    struct nearest nearest;
    char list[256] = "";
    nearest_begin(&nearest, name, strlen(name));
    for (size_t len = 0; next_choice(&choice); len = strlen(list)) {
        if (strcmp(name, choice.name) == 0)
            return use->row->named ? use->row->named(name) : choice.value;
        snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", choice.name);
        nearest_try(&nearest, choice.name);
    }
    program_die_misused("%s takes one of %s, not '%s'%s", use->option, list, name,
                        nearest_hint(&nearest, "'", "'"));
}

/* Stores the value of an option in its member. */
static void store(const struct option_use *use, char *options)
{
    const struct option_row *row = use->row;
    void *value = options + row->offset;
    size_t *n = (void *)(options + row->n);
    int chosen = 1;
    switch (row->kind) {
    case OPTION_CHOICE: chosen = option_chosen(use, use->text); /* fall through */
    case OPTION_FLAG:
        if (row->bytes == sizeof(int))
            memcpy(value, &chosen, sizeof chosen);
        else
            *(bool *)value = chosen != 0;
        break;
    case OPTION_OUTPUT:
        *(const char **)value = strcmp(use->text, "-") == 0 ? NULL : use->text;
        break;
    case OPTION_TEXTS:
        if (*n == row->most)
            program_die_misused("%s can be given at most %zu times", use->option, *n);
        ((const char **)value)[(*n)++] = use->text;
        break;
    case OPTION_COUNT:
        *(size_t *)value =
            option_count(use->option, use->text, (size_t)row->least, (size_t)row->most);
        break;
    case OPTION_NUMBER:
        *(uint64_t *)value = option_number(use->option, use->text, row->least, row->most);
        break;
    case OPTION_REAL:
        *(double *)value = option_between(use->option, use->text, row->real_least, row->real_most);
        break;
    case OPTION_TEXT:
        if (row->choices)
            option_chosen(use, use->text);
        *(const char **)value = use->text;
        break;
    case OPTION_QUIET: program_is_quiet = true; break;
    case OPTION_SETTER:
    case OPTION_HELP:
    case OPTION_VERSION: break;
    }
}

static void read_option(struct option_reading *reading, struct option_slot *slot, bool is_long,
                        const char *text)
{
    const struct option_row *row = slot->row;
    char *options = (char *)reading->options + slot->group->base, name[64];
    struct option_use use = {row, name, row->argument ? text : NULL};
    if (is_long)
        snprintf(name, sizeof name, "--%s", row->name);
    else
        snprintf(name, sizeof name, "-%c", row->letter);
    if (row->kind == OPTION_HELP) {
        print_help(reading->table, reading->command);
        program_exit(program_end(PROGRAM_DONE));
    }
    if (row->kind == OPTION_VERSION)
        program_exit(program_version());
    if (!is_of_command(slot->group, row, reading->command))
        program_die_misused("%s is not an option of %s", name,
                            reading->table->commands[reading->command].name);
    if (slot->text && (row->letter == 'o' || (row->kind == OPTION_TEXT && row->most == 1)))
        program_die_misused("%s is given twice, and has one value", name);
    slot->text = use.text ? use.text : "";
    if (row->given)
        *(bool *)(options + row->given) = true;
    store(&use, options);
    if (row->set != NULL)
        row->set(options, &use);
}

/* ---- The command line ---- */

/* Ends the program with what getopt found wrong. It leaves in optopt a letter, the number of a long
 * option that it knows, or 0: then the name is that of no option, or the beginning of several. */
_Noreturn static void refuse(struct option_reading *reading, int found, const char *argument)
{
    const bool is_letter = optopt != 0 && optopt < LONG_OPTION;
    const char letter[] = {'-', (char)optopt, '\0'}, *option = is_letter ? letter : argument;
    char several[OPTIONS_MOST * 32] = "";
    size_t used = 0;
    if (found == ':')
        program_die_misused("option '%s' requires an argument", option);
    if (!is_letter && optopt != 0)
        program_die_misused("option '%s' doesn't allow an argument", option);
    for (size_t i = 0; !is_letter && i < reading->n_slots; i++) {
        const char *name = reading->slots[i].row->name;
        if (strncmp(name, argument + 2, strcspn(argument + 2, "=")) == 0 && used < sizeof several)
            used += (size_t)snprintf(several + used, sizeof several - used, " '--%s'", name);
    }
    if (used > 0)
        program_die_misused("option '%s' is ambiguous:%s", option, several);
    const char *elsewhere = reading->table->elsewhere;
    const size_t len = strcspn(option, "=");
    const char *other = elsewhere ? memmem(elsewhere, strlen(elsewhere), option, len) : NULL;
    if (other && other[len] == ' ')
        program_die_misused("'%.*s' is not an option here: %.*s does that", (int)len, option,
                            (int)strcspn(other + len + 1, "\n"), other + len + 1);
    if (is_letter)
        program_die_misused("unrecognized option '%s'", option);
    struct nearest nearest;
    nearest_begin(&nearest, option + 2, len - 2);
    refuse_of_others(reading, nearest.typed, nearest.len);
    for (size_t i = 0; i < reading->n_slots; i++)
        if (reading->slots[i].row->help)
            nearest_try(&nearest, reading->slots[i].row->name);
    for (other = elsewhere; other && *other; other += strcspn(other, "\n") + 1) {
        char one[NAME_MOST];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(other + 2, " "), other + 2);
        nearest_try(&nearest, one);
    }
    program_die_misused("unrecognized option '%s'%s", option, nearest_hint(&nearest, "--", ""));
}

/* Ends the program, as the first word is no command. */
_Noreturn static void refuse_command(const struct option_table *table, const char *first)
{
    const struct option_command *commands = table->commands;
    const size_t n = table->n_commands;
    struct nearest nearest;
    char list[256] = "";
    nearest_begin(&nearest, first, strlen(first));
    for (size_t i = 0, len = 0; i < n; i++, len = strlen(list)) {
        snprintf(list + len, sizeof list - len, "%s%s",
                 i == 0       ? ""
                 : i + 1 == n ? " or "
                              : ", ",
                 commands[i].name);
        nearest_try(&nearest, commands[i].name);
    }
    if (first[0] == '-')
        program_die_misused("the %s comes first, before its options: %s %s %s ...", table->what,
                            program_name(), commands[1].name, first);
    if (first[0])
        program_die_misused("unknown %s '%s': choose %s%s", table->what, first, list,
                            nearest_hint(&nearest, "'", "'"));
    program_die_misused("no %s is named: choose %s", table->what, list);
}

size_t options_command(const struct option_table *table, int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < table->n_commands; i++)
        if (strcmp(first, table->commands[i].name) == 0)
            return i;
    if (strcmp(first, "--version") == 0)
        program_exit(program_version());
    if (strcmp(first, "--help-table") == 0) {
        print_table(table);
    } else if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        fputs(table->help[0], stdout);
        for (size_t i = 0; i < table->n_commands; i++)
            printf("  %-12s %s\n", table->commands[i].name, table->commands[i].summary);
        fputs(table->help[1], stdout);
    } else {
        refuse_command(table, first);
    }
    program_exit(program_end(PROGRAM_DONE));
}

/* Makes slots of the rows, and what getopt_long reads. Because of the colon it returns another
 * value for each mistake and prints nothing: it would print what was typed as it is. */
void options_read(struct option_reading *reading, const struct option_table *table, size_t command,
                  void *options, int argc, char **argv)
{
    struct option longs[OPTIONS_MOST + 1] = {{0}};
    char letters[2 * OPTIONS_MOST + 2] = ":", *letter = letters + 1;
    int found;
    *reading = (struct option_reading){.table = table, .options = options, .command = command};
    if (argc == 2 && strcmp(argv[1], "--help-table") == 0) {
        print_table(table);
        program_exit(program_end(PROGRAM_DONE));
    }
    for (size_t g = 0; g < table->n_groups; g++) {
        const struct option_group *group = &table->groups[g];
        for (size_t i = 0; i < group->n_rows; i++) {
            const struct option_row *row = &group->rows[i];
            const size_t slot = reading->n_slots++;
            assert(slot < OPTIONS_MOST);
            reading->slots[slot] = (struct option_slot){row, group, NULL};
            longs[slot] =
                (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                LONG_OPTION + (int)slot};
            if (row->letter)
                *letter++ = row->letter;
            if (row->letter && row->argument)
                *letter++ = ':';
        }
    }
    while ((found = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const bool is_long = found >= LONG_OPTION;
        size_t i = is_long ? (size_t)(found - LONG_OPTION) : 0;
        while (!is_long && i < reading->n_slots && reading->slots[i].row->letter != found)
            i++;
        if (i == reading->n_slots)
            refuse(reading, found, argv[optind - 1]);
        read_option(reading, &reading->slots[i], is_long, optarg);
    }
    reading->arguments = argv + optind;
    reading->n_arguments = (size_t)(argc - optind);
}

bool option_default(struct option_reading *reading, const char *name, const char *text)
{
    struct option_slot *slot = find_slot(reading, name);
    const bool is_due = slot->text == NULL;
    if (is_due)
        read_option(reading, slot, true, text);
    return is_due;
}

/* ---- Rules ---- */

enum { NAMES_BYTES = 256 };

/* Writes the first n names of a rule as the user types them: "--pad-to, --input jsonl or TEXT". */
static const char *describe_names(const char *names, size_t n, char out[NAMES_BYTES])
{
    size_t used = 0;
    const char *before = "";
    for (size_t len; n > 0 && *names != '\0'; names += len + (names[len] == ' '), n--) {
        len = strcspn(names, " ");
        const size_t name_len = strcspn(names, "!= ");
        const bool has_value = names[name_len] == '=', is_text = strncmp(names, "TEXT", 4) == 0;
        used += (size_t)snprintf(out + used, NAMES_BYTES - used, "%s%s%.*s%s%.*s", before,
                                 is_text ? "" : "--", (int)name_len, names, has_value ? " " : "",
                                 has_value ? (int)(len - name_len - 1) : 0, names + name_len + 1);
        before = names[len] && strchr(names + len + 1, ' ') ? ", " : " or ";
    }
    return out;
}

/* Returns the first name of a rule that was given, or NULL: "rank", "format=csv", "format!=csv", or
 * "TEXT" for arguments. All names are looked up, so that any command line finds a misspelt one. */
static const char *find_given(const struct option_reading *reading, const char *names)
{
    const char *found = NULL;
    for (size_t len; *names != '\0'; names += len + (names[len] == ' ')) {
        const size_t name_len = strcspn(names, "!= ");
        bool is_given = reading->n_arguments > 0;
        len = strcspn(names, " ");
        if (len != strlen("TEXT") || strncmp(names, "TEXT", len) != 0) {
            size_t i = 0;
            while (i < reading->n_slots && (strncmp(reading->slots[i].row->name, names, name_len) ||
                                            reading->slots[i].row->name[name_len] != '\0'))
                i++;
            assert(i < reading->n_slots); /* else a rule names an option that is absent */
            const char *text = reading->slots[i].text;
            const bool is_other = names[name_len] == '!';
            const char *value = names + name_len + 1 + is_other;
            const size_t value_len = name_len < len ? (size_t)(names + len - value) : 0;
            is_given =
                text && (name_len == len || (strlen(text) == value_len &&
                                             strncmp(text, value, value_len) == 0) != is_other);
        }
        if (is_given && !found)
            found = names;
    }
    return found;
}

static void check_need(const struct option_reading *reading, const char *given, const char *needs)
{
    char names[NAMES_BYTES], others[NAMES_BYTES];
    if (!find_given(reading, needs))
        program_die_misused("%s requires %s", describe_names(given, 1, names),
                            describe_names(needs, SIZE_MAX, others));
}

void options_check(const struct option_reading *reading)
{
    for (size_t i = 0; i < reading->n_slots; i++)
        if (reading->slots[i].text && reading->slots[i].row->needs)
            check_need(reading, reading->slots[i].row->name, reading->slots[i].row->needs);
    for (const struct option_rule *rule = reading->table->rules; rule->options || rule->check;
         rule++) {
        char names[NAMES_BYTES], others[NAMES_BYTES];
        if (rule->check) {
            const char *message = rule->check((const char *)reading->options + rule->base);
            if (message)
                program_die_misused("%s", message);
            continue;
        }
        const bool excludes = rule->relation == RULE_EXCLUDES;
        const char *given = find_given(reading, rule->options);
        const char *other = find_given(reading, rule->others);
        if (!given || (other != NULL) != excludes)
            continue;
        if (rule->message)
            program_die_misused("%s", rule->message);
        if (!excludes)
            check_need(reading, given, rule->others);
        program_die_misused("%s cannot be combined with %s", describe_names(given, 1, names),
                            describe_names(other, 1, others));
    }
}
