/* vectors.h - a weight file of word vectors: tokenizer, embedding table and positions, no layers.
 *
 *     all words       ids are their places in the file, from 1; row 0, of zeros, stands for words
 *                     that are not there. Texts are split at blanks and punctuation, and put into
 *                     lower case where no word has a capital.
 *     only_words_of   ids are those that Keras gives the words of these texts: the most frequent
 *                     first, from 1; row 0, of zeros, is padding. Words without a vector have rows
 *                     of zeros; other words are left out of texts, as Keras does.
 */
#ifndef TOOLS_IMPORT_VECTORS_H
#define TOOLS_IMPORT_VECTORS_H

#include "tools/import/import_options.h"
#include "tools/import/tokenizer/tokenizer_parts.h"
#include "tools/import/vectors/vectors_table.h"

/* Carries it out; an exit code, after a message unless it is PROGRAM_DONE. */
int import_vectors(const struct import_options *options);

/* ---- What became of the file, in words on stderr ---- */

/* An import, as far as it has come. */
struct vectors_import {
    const struct import_options *options;
    const char *name; /* of the model */
    struct vectors_file file;
    struct vectors_table table;
    struct import_tokenizer tokenizer;
    struct model_config model;
};

/* The lines that were skipped: how many, and the first few with their numbers. */
void vectors_report_skipped(const struct vectors_file *file);

/* Size, splitting, words that are absent, and, unless it is a dry run, words that no text can
 * have. */
void vectors_report_words(const struct vectors_import *import);

#endif
