/* json_output.h - strings, float32 numbers and inputs as JSON (RFC 8259), straight to a stream. */
#ifndef TOOLS_JSON_OUTPUT_H
#define TOOLS_JSON_OUTPUT_H

#include "engine/engine.h"

#include <stddef.h>
#include <stdio.h>

/* A string with its quotes; always valid UTF-8: each invalid part becomes U+FFFD. */
void json_put_string(FILE *stream, const char *text, size_t len);

/* The shortest number that reads back as the same float32; null where it is not finite. */
void json_put_float(FILE *stream, float value);

/* [v0, v1, …] */
void json_put_floats(FILE *stream, const float *values, size_t n);

/* "text", ["text", "pair"], or null for ids. */
void json_put_input(FILE *stream, const engine_input *input);

#endif
