/* utf8.h - reading bytes as characters the way WHATWG decoding does: each maximal invalid part is
 * one U+FFFD. */
#ifndef TOOLS_UTF8_H
#define TOOLS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/* The first character of text[0..len), len >= 1, and how many bytes it takes. An invalid part gives
 * UTF8_REPLACEMENT and its own length, 1 to 3. */
size_t utf8_next(const char *text, size_t len, uint32_t *character);

/* The length of the byte order mark that some editors begin a file with, no part of its text; 0
 * if it is absent. */
size_t utf8_mark_len(const char *text, size_t len);

/* Writes a character as 1 to 4 bytes; returns how many. */
size_t utf8_put(uint32_t character, char out[4]);

bool utf8_is_valid(const char *text, size_t len);

/* The characters of a valid text. */
size_t utf8_count(const char *text, size_t len);

/* If a file whose first line this is has been compressed, or is UTF-16 or UTF-32, stores the name
 * of its format and returns the command that converts it; else returns NULL. */
const char *utf8_converter(const char *line, size_t len, const char **format);

#endif
