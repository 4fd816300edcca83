/* dear_texts.h - texts that are dear to tokenize, and tokenizers of every kind and step to give
 * them to: for the suite that holds all work to be linear, and for the bench that tells what a byte
 * takes. */
#ifndef TESTS_MODEL_DEAR_TEXTS_H
#define TESTS_MODEL_DEAR_TEXTS_H

#include "model/tokenizer/tokenizer.h"

/* Of a text, from 0; NULL past the last. The first is usual English. */
const char *dear_text_name(size_t index);

/* Fills text [len] with the text of that number, which is repeated; the last may break off. */
void dear_text(size_t index, char *text, size_t len);

struct dear_tokenizer {
    const char *name;
    struct tokenizer tokenizer;
    void *section, *pieces, *merges, *tables, *scratch;
};

/* False past the last one. Ends the program where it cannot be made. */
bool dear_tokenizer_open(struct dear_tokenizer *dear, size_t index);
void dear_tokenizer_close(struct dear_tokenizer *dear);

/* How many tokens it makes of the text; none of them is kept. */
size_t dear_tokenizer_count(const struct dear_tokenizer *dear, const char *text, size_t len);

#endif
