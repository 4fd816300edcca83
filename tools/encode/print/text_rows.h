/* text_rows.h - the end of a line in a table for reading: of a vector its first values, or all, and
 * its norm; or labels and scores, best first. */
#ifndef TOOLS_TEXT_ROWS_H
#define TOOLS_TEXT_ROWS_H

#include "tools/encode/print/printer.h"

enum { LABEL_COLUMNS = 24 }; /* of the longest label shown whole */

size_t widest_label(const struct encoder *encoder);

void print_row_title(FILE *stream, const struct printer *printer);
/* row NULL: a text without tokens, which has no label. */
void print_row(FILE *stream, const struct printer *printer, const float *row);

#endif
