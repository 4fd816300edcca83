/* option_pages.c - --help, the manual and the shell's completion from a table; see option_pages.h.
 */
#include "tools/common/options/option_pages.h"

#include "engine/engine.h"
#include "tools/common/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct option_group *group_at(const struct option_table *table, size_t i)
{
    return i < table->n_groups ? &table->groups[i] : i == table->n_groups ? &OPTION_GENERAL : NULL;
}

enum { LINE_BYTES = 1024 };

/* Copies a line without its end; returns where the next one begins. */
static const char *next_line(const char *at, char line[LINE_BYTES])
{
    size_t len = strcspn(at, "\n");
    snprintf(line, LINE_BYTES, "%.*s", (int)len, at);
    return at + len + (at[len] == '\n');
}

/* ---- Help ---- */

static void print_usage(const struct option_command *command)
{
    const char *before = "Usage: ";
    for (const char *usage = command->usage; *usage != '\0'; before = "       ") {
        char line[LINE_BYTES];
        usage = next_line(usage, line);
        printf("%s%s%s%s %s\n", before, program_name(), command->name ? " " : "",
               command->name ? command->name : "", line);
    }
}

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
        char line[LINE_BYTES];
        help = next_line(help, line);
        printf("%*s%s\n", width < column ? (int)(column - width) : 1, "", line);
    }
}

static bool has_rows(const struct option_group *group, size_t command)
{
    for (size_t i = 0; i < group->n_rows; i++)
        if (group->rows[i].help && option_is_of(group, &group->rows[i], command))
            return true;
    return false;
}

void option_print_help(const struct option_table *table, size_t command)
{
    const struct option_group *group;
    print_usage(&table->commands[command]);
    fputs(table->commands[command].about, stdout);
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++) {
        if (group == &OPTION_GENERAL && table->notes)
            printf("\n%s", table->notes);
        if (group->title && has_rows(group, command))
            printf("\n%s%s", group->title, group->title[0] ? "\n" : "");
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help && option_is_of(group, &group->rows[r], command))
                print_row(&group->rows[r], (size_t)table->column);
    }
    printf("\n%s\n", table->end);
}

/* ---- Manual ---- */

/* One character as roff takes it; a dash that is no hyphen has a backslash. */
static void print_roff(char c, bool is_dash)
{
    if (c == '\\')
        fputs("\\e", stdout);
    else if (c == '-' && is_dash)
        fputs("\\-", stdout);
    else
        putchar(c);
}

static bool begins_option(const char *text)
{
    return text[0] == '-' && (isalpha((unsigned char)text[1]) || text[1] == '-');
}

/* A line of text: what stands `so` is bold, and so are options. */
static void print_text(const char *text)
{
    bool is_quoted = false, is_option = false;
    char before = ' ';
    if (text[0] == '.' || text[0] == '\'') /* else roff would obey it */
        fputs("\\&", stdout);
    for (; *text != '\0'; before = *text++) {
        bool begins = strchr(" ([\"", before) != NULL;
        if (is_option && strchr(" ,;:.)\"|=", *text)) {
            is_option = false;
            fputs("\\fR", stdout);
        }
        if (!is_quoted && begins && begins_option(text)) {
            is_option = true;
            fputs("\\fB", stdout);
        }
        if (*text == '`') {
            is_quoted = !is_quoted;
            fputs(is_quoted ? "\\fB" : "\\fR", stdout);
        } else {
            print_roff(*text, is_option || is_quoted || (begins && text[1] == ' '));
        }
    }
    fputs(is_option ? "\\fR\n" : "\n", stdout);
}

/* A line of a page: requests of roff stay, and texts that are shown as they are. */
static void print_line(const char *line, bool *is_raw)
{
    *is_raw = *is_raw ? strcmp(line, ".fi") != 0 : strcmp(line, ".nf") == 0;
    if (line[0] == '.') {
        puts(line);
    } else if (*is_raw) {
        for (; *line != '\0'; line++)
            print_roff(*line, true);
        putchar('\n');
    } else {
        print_text(line);
    }
}

/* Whether the first word is one that is typed. */
static bool begins_with_value(const struct option_row *row)
{
    if (row->argument && !row->argument[0])
        return true; /* the help begins with the values in place of their name */
    size_t len = strcspn(row->help, " ,:");
    for (const struct option_choice *choice = row->choices; choice && choice->name; choice++)
        if (strlen(choice->name) == len && strncmp(choice->name, row->help, len) == 0)
            return true;
    return false;
}

/* The help as a sentence, behind the commands that take the option if not all do. Values keep their
 * small letters. */
static void print_sentence(const struct option_table *table, const struct option_group *group,
                           const struct option_row *row)
{
    char text[LINE_BYTES];
    const char *before = "";
    for (size_t c = 0; row->commands && c < table->n_commands; c++)
        if (option_is_of(group, row, c)) {
            printf("%s\\fB%s\\fR", before, table->commands[c].name);
            before = ", ";
        }
    fputs(row->commands ? ": " : "", stdout);
    snprintf(text, sizeof text, "%s.", row->kind == OPTION_HELP ? "a summary" : row->help);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    if (!row->commands && !begins_with_value(row))
        text[0] = (char)toupper((unsigned char)text[0]);
    print_text(text);
}

/* The lines behind the marker, up to the next one or a section. */
static void print_more(const char *page, const char *marker)
{
    const char *at = strstr(page, marker);
    char line[LINE_BYTES];
    bool is_raw = false;
    for (at = at ? at + strlen(marker) : ""; *at != '\0';) {
        at = next_line(at, line);
        if (line[0] == '@' || strncmp(line, ".SH", 3) == 0)
            return;
        print_line(line, &is_raw);
    }
}

static void print_manual_row(const struct option_table *table, const struct option_group *group,
                             const struct option_row *row, const char *page)
{
    char head[128], marker[80];
    char letter[] = "-x, ";
    letter[1] = row->letter;
    bool has_argument = row->argument && row->argument[0];
    snprintf(head, sizeof head, "%s--%s%s%s", row->letter ? letter : "", row->name,
             has_argument ? " " : "", has_argument ? row->argument : "");
    puts(".TP");
    print_text(head);
    print_sentence(table, group, row);
    snprintf(marker, sizeof marker, "\n@--%s@\n", row->name);
    print_more(page, marker);
}

static void print_manual_options(const struct option_table *table, const char *page)
{
    const struct option_group *group;
    puts(".SH OPTIONS");
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++) {
        if (group->title && (group->title[0] || i > 0))
            printf(".SS \"%s\"\n", group->title[0] ? group->title : "General");
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help)
                print_manual_row(table, group, &group->rows[r], page);
    }
}

static void print_synopsis(const struct option_table *table)
{
    puts(".SH SYNOPSIS\n.nf");
    for (size_t c = 0; c < table->n_commands; c++) {
        const struct option_command *command = &table->commands[c];
        for (const char *usage = command->usage; *usage != '\0';) {
            char line[LINE_BYTES];
            usage = next_line(usage, line);
            printf("\\fB%s%s%s\\fR ", program_name(), command->name ? " " : "",
                   command->name ? command->name : "");
            print_text(line);
        }
    }
    puts(".fi");
}

void option_print_manual(const struct option_table *table, FILE *template)
{
    char *page = NULL, line[LINE_BYTES];
    size_t cap = 0;
    bool is_raw = false, is_more = false;
    bool has_page = getdelim(&page, &cap, '\0', template) > 0;
    fputs(".TH ", stdout);
    for (const char *c = program_name(); *c != '\0'; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"encode %s\" \"User commands\"\n", engine_version());
    for (const char *at = has_page ? page : ""; *at != '\0';) {
        at = next_line(at, line);
        is_more = line[0] == '@' || (is_more && strncmp(line, ".SH", 3) != 0);
        if (strcmp(line, "@SYNOPSIS@") == 0)
            print_synopsis(table);
        else if (strcmp(line, "@OPTIONS@") == 0)
            print_manual_options(table, page);
        else if (!is_more)
            print_line(line, &is_raw);
    }
    free(page);
}

/* ---- Completion ---- */

/* Options whose values have names: "    -f | --format) values='text json' ;;". */
static void print_values(const struct option_row *row)
{
    if (row->help == NULL || row->argument == NULL)
        return;
    fputs("    ", stdout);
    if (row->letter)
        printf("-%c | ", row->letter);
    printf("--%s) values='", row->name);
    for (const struct option_choice *choice = row->choices; choice && choice->name; choice++)
        printf("%s%s", choice == row->choices ? "" : " ", choice->name);
    puts("' ;;");
}

static void print_names(const struct option_table *table, size_t command)
{
    const struct option_group *group;
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++)
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help && option_is_of(group, &group->rows[r], command))
                printf(" --%s", group->rows[r].name);
}

void option_print_completion(const struct option_table *table)
{
    const struct option_group *group;
    bool has_commands = table->commands[0].name != NULL;
    char function[64];
    snprintf(function, sizeof function, "_%s", program_name());
    for (char *c = function; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    printf("# Completion for bash, made by %s --help-completion.\n", program_name());
    printf("%s() {\n", function);
    puts("    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values= "
         "options\n"
         "    [ \"$word\" != = ] || word=\n"
         "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    case ${COMP_WORDS[1]} in");
    for (size_t c = 0; c < table->n_commands; c++) {
        printf("    %s) options='", has_commands ? table->commands[c].name : "*");
        print_names(table, c);
        puts("' ;;");
    }
    puts("    esac\n"
         "    [[ $word != -* ]] || values=$options\n"
         "    case $before in");
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++)
        for (size_t r = 0; r < group->n_rows; r++)
            print_values(&group->rows[r]);
    puts("    esac");
    if (has_commands) {
        fputs("    [ \"$COMP_CWORD\" != 1 ] || values='", stdout);
        for (size_t c = 0; c < table->n_commands; c++)
            printf("%s ", table->commands[c].name);
        puts("--help --version'");
    }
    printf("    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F %s %s\n",
           function, program_name());
}
