/* option_table.c - what all tables share; see option_table.h. */
#include "tools/common/options/option_table.h"

static const struct option_row GENERAL_ROWS[] = {
    {"help", 'h', NULL, "this text", .kind = OPTION_HELP},
    {"version", 0, NULL, "version and build", .kind = OPTION_VERSION},
};
const struct option_group OPTION_GENERAL = {OPTION_GROUP("", GENERAL_ROWS)};

const struct option_choice OPTION_YES_OR_NO[] = {
    {"yes", true},
    {"no", false},
    {0},
};

bool option_is_of(const struct option_group *group, const struct option_row *row, size_t command)
{
    unsigned bit = 1u << command;
    return (group->commands == 0 || group->commands & bit) &&
           (row->commands == 0 || row->commands & bit);
}
