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

#include "tools/common/weights/problem.h"
#include "tools/import/import_options.h"

/* Carries it out; an exit code, after a message unless it is PROGRAM_DONE. */
int import_vectors(const struct import_options *options);

#endif
