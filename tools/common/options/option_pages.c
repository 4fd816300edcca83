/* option_pages.c - --help, the manual and the shell's completion from a table; see option_pages.h.
 */
#include "tools/common/options/option_pages.h"

#include "engine/engine.h"
#include "tools/common/options.h"

#include <ctype.h>
#include <string.h>

static const struct option_group *group_at(const struct option_table *table, size_t i)
{
    return i < table->n_groups ? &table->groups[i] : i == table->n_groups ? &OPTION_GENERAL : NULL;
}

/* ---- Help ---- */

static void print_usage(const struct option_command *command)
{
    const char *line = command->usage, *before = "Usage: ";
    while (*line != '\0') {
        size_t len = strcspn(line, "\n");
        printf("%s%s%s%s %.*s\n", before, program_name(), command->name ? " " : "",
               command->name ? command->name : "", (int)len, line);
        line += len + (line[len] == '\n');
        before = "       ";
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
    const char *line = row->help;
    if (width > column + 1) {
        putchar('\n');
        width = 0;
    }
    while (line != NULL) {
        const char *end = strchr(line, '\n');
        printf("%*s%.*s\n", width < column ? (int)(column - width) : 1, "",
               end ? (int)(end - line) : (int)strlen(line), line);
        line = end ? end + 1 : NULL;
        width = 0;
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

static const char ROMAN[] = "\\fR";

/* One character as roff takes it. */
static void print_roff(char c, bool is_option)
{
    if (c == '\\')
        fputs("\\e", stdout);
    else if (c == '-' && is_option)
        fputs("\\-", stdout);
    else
        putchar(c);
}

static bool is_option(const char *word)
{
    return word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '-');
}

/* FILE, N, F,F,...: what stands for something else. */
static bool is_placeholder(const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (islower((unsigned char)word[i]))
            return false;
    return isupper((unsigned char)word[0]);
}

/* A word and what stands around it, "(--rank,": options are bold and, in usage, placeholders
 * italic. */
static void print_word(const char *word, size_t len, bool is_usage)
{
    size_t begin = 0, end;
    while (begin < len && strchr("([\"", word[begin]))
        putchar(word[begin++]);
    bool is_bold = is_option(word + begin);
    for (end = begin; end < len && !strchr(is_usage ? " ]" : ",;:.)\"|=", word[end]);)
        end++;
    bool is_italic = is_usage && is_placeholder(word + begin, end - begin);
    fputs(is_bold ? "\\fB" : is_italic ? "\\fI" : "", stdout);
    for (size_t i = begin; i < len; i++) {
        if (i == end && (is_bold || is_italic))
            fputs(ROMAN, stdout);
        print_roff(word[i], is_bold && i < end);
    }
    if (end >= len && (is_bold || is_italic))
        fputs(ROMAN, stdout);
}

/* Words that roff fills; "\n\n" begins a paragraph. */
static void print_text(const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, " \n");
        if (len && strchr(".'", text[0]))
            fputs("\\&", stdout);
        print_word(text, len, false);
        text += len;
        if (strncmp(text, "\n\n", 2) == 0)
            fputs("\n.IP\n", stdout);
        else if (*text != '\0')
            putchar(text[-1] == '.' ? '\n' : ' ');
        text += strspn(text, " \n");
    }
}

static void print_choices(const struct option_choice *choices)
{
    if (choices == NULL || choices->about == NULL)
        return;
    puts(".RS");
    for (; choices->name != NULL; choices++) {
        printf(".TP\n.B %s\n", choices->name);
        print_text(choices->about);
        putchar('\n');
    }
    puts(".RE");
}

/* The help as a sentence: its first letter is a capital, unless it begins with a value's name. */
static void print_sentence(const struct option_row *row)
{
    char text[512];
    size_t first = strcspn(row->help, " ,:");
    bool is_value = false;
    for (const struct option_choice *choice = row->choices; choice && choice->name; choice++)
        is_value = is_value ||
                   (strlen(choice->name) == first && strncmp(choice->name, row->help, first) == 0);
    snprintf(text, sizeof text, "%s.", row->help);
    if (!is_value)
        text[0] = (char)toupper((unsigned char)text[0]);
    print_text(text);
}

static void print_manual_row(const struct option_table *table, const struct option_group *group,
                             const struct option_row *row)
{
    const char *comma = "";
    if (row->letter)
        printf(".TP\n\\fB\\-%c\\fR, ", row->letter);
    else
        puts(".TP");
    char name[64];
    snprintf(name, sizeof name, "--%s", row->name);
    print_word(name, strlen(name), false);
    printf(row->argument && row->argument[0] ? " \\fI%s\\fR\n" : "\n", row->argument);
    for (size_t c = 0; row->commands && c < table->n_commands; c++)
        if (option_is_of(group, row, c)) {
            printf("%s%s", comma, table->commands[c].name);
            comma = ", ";
        }
    if (row->commands)
        fputs(": ", stdout);
    print_sentence(row);
    if (row->more) {
        putchar('\n');
        print_text(row->more);
    }
    putchar('\n');
    print_choices(row->choices);
}

static void print_manual_options(const struct option_table *table)
{
    const struct option_group *group;
    puts(".SH OPTIONS");
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++) {
        if (group->title && (group->title[0] || i > 0))
            printf(".SS \"%s\"\n", group->title[0] ? group->title : "General");
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help)
                print_manual_row(table, group, &group->rows[r]);
    }
}

static void print_synopsis(const struct option_table *table)
{
    puts(".SH SYNOPSIS\n.nf");
    for (size_t c = 0; c < table->n_commands; c++) {
        const struct option_command *command = &table->commands[c];
        const char *text = command->usage;
        for (bool begins = true; *text != '\0';) {
            size_t len = strcspn(text, " \n");
            if (begins)
                printf("\\fB%s%s%s\\fR ", program_name(), command->name ? " " : "",
                       command->name ? command->name : "");
            print_word(text, len, true);
            begins = text[len] == '\n';
            putchar(text[len] == ' ' ? ' ' : '\n');
            text += len + (text[len] != '\0');
        }
    }
    puts(".fi");
}

void option_print_manual(const struct option_table *table, FILE *template)
{
    char line[1024];
    fputs(".TH ", stdout);
    for (const char *c = program_name(); *c != '\0'; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"encode %s\" \"User commands\"\n", engine_version());
    while (fgets(line, sizeof line, template) != NULL)
        if (strcmp(line, "@SYNOPSIS@\n") == 0)
            print_synopsis(table);
        else if (strcmp(line, "@OPTIONS@\n") == 0)
            print_manual_options(table);
        else
            fputs(line, stdout);
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
