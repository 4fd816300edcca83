/* display.h - text in the cells of a table on a terminal: control characters are escaped, long text
 * is shortened, and widths are those of the columns on the screen. */
#ifndef TOOLS_DISPLAY_H
#define TOOLS_DISPLAY_H

#include <stddef.h>
#include <stdio.h>

/* Columns that display_text prints for this text: at most `most`. */
size_t display_width(const char *text, size_t len, size_t most);

/* Prints the text in at most `most` columns (its start and "…" where it is longer); returns how
 * many it took. Characters that would move the cursor or hide (controls, formats, line separators)
 * are printed as escapes: \n, \x1b, \u202e; the joiners U+200C and U+200D, which words of many
 * scripts are written with, as they are. Invalid parts are printed as U+FFFD. */
size_t display_text(FILE *stream, const char *text, size_t len, size_t most);

/* The same, then blanks up to `columns` columns. */
void display_cell(FILE *stream, const char *text, size_t len, size_t columns);

/* Prints a sentence, lines broken at blanks where they would be longer than `columns`, then a line
 * end. */
void display_sentence(FILE *stream, const char *text, size_t len, size_t columns);

/* A number in a cell of DISPLAY_NUMBER columns: four decimals, or an exponent where it is too
 * large. */
enum { DISPLAY_NUMBER = 8 };
void display_number(FILE *stream, double value);

#endif
