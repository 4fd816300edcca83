/* csv_output.h - fields of RFC 4180, straight to a stream. */
#ifndef TOOLS_CSV_OUTPUT_H
#define TOOLS_CSV_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/* In quotes where it needs them; always valid UTF-8: each invalid part becomes U+FFFD. */
void csv_put_field(FILE *stream, const char *text, size_t len);

/* The shortest number that reads back as the same float32. */
void csv_put_float(FILE *stream, float value);

void csv_end_row(FILE *stream);

#endif
