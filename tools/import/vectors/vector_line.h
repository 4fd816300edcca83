/* vector_line.h - one line of a file of word vectors: the word, a blank, the numbers of its vector,
 * as GloVe, word2vec and fastText write them ("the 0.418 0.24968 -0.41242 …").
 *
 * Fields are separated by blanks or tabs; there may be some in front and behind. The last fields
 * are the numbers and what stands before them is the word, blanks in it included (". . .", a word
 * of glove.840B).
 */
#ifndef TOOLS_IMPORT_VECTOR_LINE_H
#define TOOLS_IMPORT_VECTOR_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VECTOR_WIDTH_MOST = 1 << 16, VECTOR_WORD_BYTES = 1024, VECTOR_FAULT = 160 };

/* A line, or a word in it. */
struct text_span {
    const char *text; /* borrowed, [len] */
    size_t len;
};

/* "400000 100", the first line of word2vec's and fastText's files: exactly two whole numbers. */
bool vector_line_header(struct text_span line, uint64_t *count, uint64_t *width);

/* How many numbers the line seems to have: those at its end, but for the first field, which is the
 * word whatever it is. */
size_t vector_line_width(struct text_span line);

/* Reads a line of `width` numbers into values [width]. False: it is not one; `fault` says why. */
bool vector_line_read(struct text_span line, size_t width, struct text_span *word, float *values,
                      char fault[VECTOR_FAULT]);

#endif
