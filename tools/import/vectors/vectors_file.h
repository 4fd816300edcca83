/* vectors_file.h - a text file of word vectors, line by line, as GloVe, word2vec and fastText write
 * it: each line is a word and as many numbers as every other line has, separated by blanks or tabs
 * ("the 0.418 0.24968 -0.41242 …"). A first line of two whole numbers is word2vec's and fastText's
 * header: how many lines follow, and how many numbers each has. Any other line is refused with its
 * number. Memory: the longest line.
 */
#ifndef TOOLS_IMPORT_VECTORS_FILE_H
#define TOOLS_IMPORT_VECTORS_FILE_H

#include "tools/common/line_reader.h"
#include "tools/common/options.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

struct vectors_file {
    const char *path; /* borrowed; "-" is stdin */
    struct line_reader reader;
    locale_t c_locale; /* whose numbers the file has, whatever the locale of the program */
    size_t width;      /* numbers in a line */
    bool has_header;
    uint64_t n_promised; /* lines after the header, as it says */
    size_t n, limit;     /* lines that were read, without the header; at most this many, 0: all */
};

/* Opens the file, reads the width and begins the progress of reading. */
void vectors_file_open(struct vectors_file *file, const char *path, size_t limit);
void vectors_file_close(struct vectors_file *file);

/* Reads the next word, [len] bytes of UTF-8, borrowed until the next call, and its numbers into
 * values [width]. Returns false at the end. */
bool vectors_file_next(struct vectors_file *file, const char **word, size_t *len, float *values);

#endif
