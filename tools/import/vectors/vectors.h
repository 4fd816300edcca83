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

#include "engine/file/weight_writer.h"
#include "tools/common/position_options.h"

#include <stdbool.h>
#include <stddef.h>

struct vectors_options {
    const char *path;          /* NULL: no vectors are imported */
    const char *only_words_of; /* file of texts, one per line; NULL: all words */
    size_t limit;              /* the first so many words of the file; 0: all */
    const char *lower;         /* "yes", "no"; NULL: as the words tell */
    bool splits_at_blanks;     /* texts are split into words already: at blanks alone */
    struct position_options positions;
    struct model_config model; /* the longest text; sizes and positions are open */
};

struct import_options;

/* What the options are where they are not given. */
void vectors_defaults(struct vectors_options *options);
void vectors_options_free(struct vectors_options *options);

/* Carries it out; an exit code, after a message unless it is PROGRAM_DONE. */
int import_vectors(const struct import_options *options);

#endif
