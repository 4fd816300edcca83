/* vectors_file.h - a text file of word vectors, line by line: GloVe's, word2vec's and fastText's,
 * with the first line "count width" or without it.
 *
 * A line is a word, a blank and the numbers of its vector ("the 0.418 0.24968 -0.41242 …"). Fields
 * are separated by blanks or tabs; there may be some in front and behind. The last fields are the
 * numbers and what stands before them is the word, blanks in it included (". . .", a word of
 * glove.840B).
 *
 * The width is that of the first line where it is such a header, else the one that most of the
 * first lines have. Lines that are wrong are skipped, counted, and the first few of them
 * remembered. A file in which less than half of the lines are right, or of the first hundred, is
 * refused. Memory: the longest line and the first hundred.
 */
#ifndef TOOLS_IMPORT_VECTORS_FILE_H
#define TOOLS_IMPORT_VECTORS_FILE_H

#include "tools/common/line_reader.h"
#include "tools/common/weights/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { VECTOR_FAULT = 160, VECTOR_FAULTS_SHOWN = 5 };

/* A line, or a word in it. */
struct text_span {
    const char *text; /* borrowed, [len] */
    size_t len;
};

/* Lines that were skipped for one reason. */
struct vector_faults {
    size_t n;
    struct {
        size_t line; /* from 1 */
        char text[VECTOR_FAULT];
    } shown[VECTOR_FAULTS_SHOWN];
};

struct vectors_file {
    char name[600]; /* its path in quotes, for messages; "-" is stdin */
    struct line_reader reader;
    size_t width;
    bool has_header;
    uint64_t header_words; /* what the header says */
    size_t line;           /* number of the last line handed out */
    size_t n_right;
    struct vector_faults broken, repeated;
};

/* Settles the width, and begins the progress of reading. */
void vectors_file_open(struct vectors_file *file, const char *path);
void vectors_file_close(struct vectors_file *file);

/* The next right line, into values [width]; the word is borrowed until the next call. False: there
 * is none. */
bool vectors_file_next(struct vectors_file *file, struct text_span *word, float *values);

/* The word of the last line was there before: the line counts as skipped. */
void vectors_file_repeated(struct vectors_file *file, const struct text_span *word);

#endif
