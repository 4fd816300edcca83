/* json_members.h - the members of a JSON line that are no part of the input, as they were written:
 * a parser's numbers would have other digits. */
#ifndef TOOLS_JSON_MEMBERS_H
#define TOOLS_JSON_MEMBERS_H

#include "tools/common/texts/item.h"

#include <jansson.h>
#include <stdbool.h>

/* Keeps those in the record whose keys are not `taken`. The object is that of the text, which ends
 * with a NUL byte. The id is "_id", else "id". */
void json_members_keep(json_t *object, const char *text, bool (*taken)(const char *key),
                       struct record *record);

#endif
