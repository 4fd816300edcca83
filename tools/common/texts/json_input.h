/* json_input.h - a JSON line as an input: "text", ["text", "pair"], {"text": …, "pair": …}, or
 * {"ids": […], "types": […], "mask": […]}. Other members of an object are kept as they are. An
 * object with "_id" and a "title" is a document of BEIR: its text is title, blank, text. */
#ifndef TOOLS_JSON_INPUT_H
#define TOOLS_JSON_INPUT_H

#include "tools/common/texts/item.h"

#include <jansson.h>
#include <stdbool.h>

/* Reads the line. On failure the record owns nothing and the message says what was found and what
 * is expected. Bytes that are not UTF-8 and lone surrogate escapes become U+FFFD. */
enum { JSON_MESSAGE_BYTES = 384 };
bool json_input_read(const char *line, size_t len, struct record *record,
                     char message[JSON_MESSAGE_BYTES]);

/* The value of a line that is UTF-8; NULL after a message. A number that no 64 bits hold is another
 * one: its characters are those of the line. */
json_t *json_input_parse(const char *line, size_t len, char message[JSON_MESSAGE_BYTES]);

/* Keeps the members of a JSON line whose keys are not `taken` in the record, as they were written:
 * a parser's numbers would have other digits. The object is that of the text, which ends with a
 * NUL byte. The id is "_id", else "id". */
void json_members_keep(json_t *object, const char *text, bool (*taken)(const char *key),
                       struct record *record);

#endif
