/* sha256.h - the SHA-256 of a file (FIPS 180-4). */
#ifndef TOOLS_IMPORT_SHA256_H
#define TOOLS_IMPORT_SHA256_H

#include <stdbool.h>
#include <stdio.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

/* Of what the stream has up to its end; the progress goes on by its bytes. False: it cannot be
 * read, see errno. */
bool sha256_of(FILE *stream, char text[SHA256_TEXT]);

#endif
