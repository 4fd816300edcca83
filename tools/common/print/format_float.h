/* format_float.h - float32 numbers as text. */
#ifndef TOOLS_FORMAT_FLOAT_H
#define TOOLS_FORMAT_FLOAT_H

#include <stddef.h>

enum { FORMAT_FLOAT_MAX = 32 };

/* The shortest decimal that reads back as exactly this float32 (one halfway between two
 * floats is never used, with any rounding), NUL-terminated, always with a point or an exponent:
 * "0.1", "-0.0", "3.4028235e+38"; "nan", "inf" and "-inf" for the others. Returns its length. */
size_t format_float(float value, char out[FORMAT_FLOAT_MAX]);

#endif
