/* origin.h - checks that VECTORS were made by the model that encodes the queries, from TEXTS. */
#ifndef TOOLS_SEARCH_ORIGIN_H
#define TOOLS_SEARCH_ORIGIN_H

#include "tools/search/collection.h"

/* Compares the origin of each file, which encode wrote, with the model, its options and the number
 * of rows, and the bytes of all files with TEXTS. If an origin is absent and TEXTS are given, three
 * rows of that file are encoded again. Ends the program at a difference. */
void origin_check(const struct collection *collection, struct encoder *encoder);

/* Returns the precision with which a file was encoded, exact if that is not known. */
engine_precision origin_precision(const struct vector_file *file);

#endif
