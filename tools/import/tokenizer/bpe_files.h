/* bpe_files.h - a BPE tokenizer from a vocab.json, a merges.txt and what stands beside them, as the
 * tokenizer.json that transformers makes of them.
 */
#ifndef TOOLS_IMPORT_BPE_FILES_H
#define TOOLS_IMPORT_BPE_FILES_H

#include "tools/import/tokenizer/tokenizer_vocab.h"

/* Into an empty tokenizer, from the text of vocab.json. */
void bpe_files_read(struct import_tokenizer *tokenizer, const char *vocabulary, size_t len,
                    const struct tokenizer_beside *beside);

#endif
