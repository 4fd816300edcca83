/* heading.h - above results for reading: the model and what is in force, the inputs. */
#ifndef TOOLS_HEADING_H
#define TOOLS_HEADING_H

#include "tools/common/texts/encoder.h"

#include <stdio.h>

/* Prints two lines: the model, its shape and what is in force. */
void print_heading(FILE *stream, const struct encoder *encoder);

/* Prints a text, "text | pair", or "(token ids)", each text in at most so many columns. */
void print_input(FILE *stream, const engine_input *input, size_t columns);

/* Prints what the i-th token stands for, where its own text does not show it: " (zoo)" of the token
 * for unknown words, " (ïve)" of a token of bytes. */
void print_meaning(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i);

#endif
