/* decimal.h - decimal text to float, to the last bit what strtof gives in the C locale. */
#ifndef TOOLS_IMPORT_DECIMAL_H
#define TOOLS_IMPORT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* The number that is text[0..len), whole: a sign or none, digits with a point or without, an
 * exponent or none ("-1.5e-3"). False: it is something else ("nan", "0x1p3", "1,5"), or too large
 * for a float; a number too small for one is 0. */
bool decimal_parse(const char *text, size_t len, float *value);

/* The end of the number that begins at text[0], where the text ends or a byte that no number has
 * stands; 0: there is none. *value is as above, and 0 is returned for what that refuses. */
size_t decimal_read(const char *text, size_t len, float *value);

#endif
