/* display.h - bytes as characters, the way WHATWG decoding reads them: each maximal invalid part is
 * one U+FFFD. And text in the cells of a table on a terminal: control characters are escaped, long
 * text is shortened, and widths are those of the columns on the screen. */
#ifndef TOOLS_DISPLAY_H
#define TOOLS_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Bytes as characters ---- */

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

/* ---- Cells ---- */

/* Whether a character would move the cursor or hide: controls, formats, line separators; not the
 * joiners U+200C and U+200D, which words of many scripts are written with. */
bool display_hides(uint32_t character);

/* Prints the text in at most `most` columns (its start and "…" where it is longer); returns how
 * many it took. Characters that would hide are printed as escapes (\n, \x1b, \u202e), invalid
 * parts as U+FFFD. display_width only measures. */
size_t display_text(FILE *stream, const char *text, size_t len, size_t most);
#define display_width(text, len, most) display_text(NULL, text, len, most)

/* The same as a string of less than `cap` bytes, "…" at the end of one that is cut. */
void display_copy(const char *text, char *out, size_t cap);

/* The same, then blanks up to `columns` columns. */
void display_cell(FILE *stream, const char *text, size_t len, size_t columns);

/* Prints a sentence, lines broken at blanks where they would be longer than `columns`, then a line
 * end. */
void display_sentence(FILE *stream, const char *text, size_t len, size_t columns);

/* A number in a cell of DISPLAY_NUMBER columns: four decimals, two, or an exponent, as it
 * has room for. */
enum { DISPLAY_NUMBER = 8 };
void display_number(FILE *stream, double value);

#endif
