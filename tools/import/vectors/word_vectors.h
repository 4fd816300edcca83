/* word_vectors.h - word vectors as a static embedding: the tokenizer, the sizes and the table that
 * import.c writes, from a file of word vectors instead of a directory.
 *
 *     all words       ids are their positions in the file, from 1; row 0, of zeros, is for unknown
 *                     words. Texts are split at blanks and punctuation, and put into lower case if
 *                     no word has a capital.
 *     only_words_of   ids are as Keras numbers the words of these texts: the most frequent
 *                     first, from 1; row 0, of zeros, is padding. Words without a vector have rows
 *                     of zeros; other words are dropped from texts, as Keras does.
 *
 * The file is text, as GloVe, word2vec and fastText write it: each line is a word and as many
 * numbers as every other line has, separated by blanks or tabs ("the 0.418 0.24968 -0.41242 …"). A
 * first line of two whole numbers is word2vec's and fastText's header: how many lines follow, and
 * how many numbers each has. Any other line is refused with its number. */
#ifndef TOOLS_IMPORT_VECTORS_H
#define TOOLS_IMPORT_VECTORS_H

#include "tools/common/line_reader.h"
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/import_options.h"

#include <locale.h>

/* Reads and checks the file, and plans its table. Notes on stderr say how texts are split and which
 * words have no vector. */
void vectors_read(struct checkpoint *checkpoint, const struct import_options *options);

/* ---- The file, line by line, in the memory of the longest line ---- */

struct vectors_file {
    const char *path; /* borrowed; "-" is stdin */
    struct line_reader reader;
    locale_t c_locale; /* of the file's numbers, for any locale of the program */
    size_t width;      /* numbers in a line */
    bool has_header;
    uint64_t n_promised; /* lines after the header, as it says */
    size_t n, limit;     /* lines read, without the header; at most this many, 0: all */
};

/* Opens the file, reads the width and begins the progress of reading. */
void vectors_file_open(struct vectors_file *file, const char *path, size_t limit);
void vectors_file_close(struct vectors_file *file);

/* Reads the next word, [len] bytes of UTF-8, borrowed until the next call, and its numbers into
 * values [width]. Returns false at the end. */
bool vectors_file_next(struct vectors_file *file, const char **word, size_t *len, float *values);

#endif
