/* vectors.h - word vectors as a static embedding: the tokenizer, the sizes and the table that
 * import.c writes, made of a file of word vectors instead of a directory.
 *
 *     all words       ids are their positions in the file, from 1; row 0, of zeros, stands for
 *                     words that are not there. Texts are split at blanks and punctuation, and put
 *                     into lower case if no word has a capital.
 *     only_words_of   ids are those that Keras gives the words of these texts: the most frequent
 *                     first, from 1; row 0, of zeros, is padding. Words without a vector have rows
 *                     of zeros; other words are left out of texts, as Keras does.
 */
#ifndef TOOLS_IMPORT_VECTORS_H
#define TOOLS_IMPORT_VECTORS_H

#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/import_options.h"

/* Reads and checks the file, and plans its table. Says on stderr what became of the words. */
void vectors_read(struct checkpoint *checkpoint, const struct import_options *options);

#endif
