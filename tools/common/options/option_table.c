/* option_table.c - what all tables share; see option_table.h. */
#include "tools/common/options/option_table.h"

#include <stdio.h>
#include <string.h>

static const struct option_row GENERAL_ROWS[] = {
    {"help", 'h', NULL, "this text", .kind = OPTION_HELP},
    {"version", 0, NULL, "version and build", .kind = OPTION_VERSION},
};
const struct option_group OPTION_GENERAL = {OPTION_GROUP("", GENERAL_ROWS)};

bool option_next_choice(struct option_choice *choice)
{
    const char *name = choice->behind;
    size_t len = strcspn(name, " ,\n="), word_len = strcspn(name, " ,\n");
    snprintf(choice->name, sizeof choice->name, "%.*s", (int)len, name);
    choice->value = name[len] == '=' ? 0 : choice->value + 1;
    choice->behind = name + word_len + strspn(name + word_len, " ,\n");
    return len > 0;
}

bool option_is_of(const struct option_group *group, const struct option_row *row, size_t command)
{
    unsigned bit = 1u << command;
    return (group->commands == 0 || group->commands & bit) &&
           (row->commands == 0 || row->commands & bit);
}
