/* sha256.h - the SHA-256 of a file (FIPS 180-4). */
#ifndef TOOLS_IMPORT_SHA256_H
#define TOOLS_IMPORT_SHA256_H

#include "tools/import/progress.h"

#include <stdio.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

/* Of what the stream has up to its end. False: it cannot be read, see errno. progress: NULL, or is
 * told of the bytes. */
bool sha256_of(FILE *stream, char text[SHA256_TEXT], struct progress *progress);

#endif
