/* option_pages.c - --help, the manual and the shell's completion from a table; see option_table.h.
 */
#include "tools/common/options/option_table.h"

#include "engine/engine.h"
#include "tools/common/options.h"

#include <stdio.h>
#include <string.h>

static const struct option_group *group_at(const struct option_table *table, size_t i)
{
    return i < table->n_groups ? &table->groups[i] : i == table->n_groups ? &OPTION_GENERAL : NULL;
}

/* ---- Help ---- */

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

void option_print_help(const struct option_table *table, size_t command)
{
    const struct option_group *group;
    const struct option_command *of = &table->commands[command];
    const char *before = "Usage: ";
    for (const char *usage = of->usage; *usage != '\0'; before = "       ") {
        const size_t len = strcspn(usage, "\n");
        printf("%s%s%s%s %.*s\n", before, program_name(), of->name ? " " : "",
               of->name ? of->name : "", (int)len, usage);
        usage += len + (usage[len] == '\n');
    }
    fputs(of->about, stdout);
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++) {
        if (group == &OPTION_GENERAL && table->notes)
            printf("\n%s", table->notes);
        if (group->title) /* each has rows for every command */
            printf("\n%s%s", group->title, group->title[0] ? "\n" : "");
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help && option_is_of(group, &group->rows[r], command))
                print_row(&group->rows[r], (size_t)table->column);
    }
    printf("\n%s\n", table->end);
}

/* ---- The table ---- */

static void print_option(const struct option_table *table, const struct option_group *group,
                         const struct option_row *row)
{
    struct option_choice choice = OPTION_CHOICES(row);
    const char *before = "";
    char letter[] = "-x";
    letter[1] = row->letter;
    printf("option\t--%s\t%s\t%s\t", row->name, row->letter ? letter : "",
           row->argument ? row->argument : "-");
    for (size_t c = 0; c < table->n_commands; c++)
        if (table->commands[c].name && option_is_of(group, row, c)) {
            printf("%s%s", before, table->commands[c].name);
            before = " ";
        }
    printf("\t%d\t", row->commands != 0);
    for (before = ""; option_next_choice(&choice); before = " ")
        printf("%s%s", before, choice.name);
    putchar('\t');
    for (const char *c = row->help; *c != '\0'; c++)
        putchar(*c == '\n' ? ' ' : *c);
    putchar('\n');
}

void option_print_table(const struct option_table *table)
{
    const struct option_group *group;
    printf("program\t%s\t%s\n", program_name(), engine_version());
    for (size_t c = 0; c < table->n_commands; c++) {
        const struct option_command *command = &table->commands[c];
        for (const char *usage = command->usage; *usage != '\0';) {
            const size_t len = strcspn(usage, "\n");
            printf("usage\t%s\t%.*s\n", command->name ? command->name : "", (int)len, usage);
            usage += len + (usage[len] == '\n');
        }
    }
    for (size_t i = 0; (group = group_at(table, i)) != NULL; i++) {
        if (group->title)
            printf("group\t%s\n", group->title);
        for (size_t r = 0; r < group->n_rows; r++)
            if (group->rows[r].help)
                print_option(table, group, &group->rows[r]);
    }
}
