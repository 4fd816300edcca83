/* sentencepiece.h - a tokenizer from a sentencepiece model and what stands beside it, as the
 * conversion of the transformers package makes it (convert_slow_tokenizer.py).
 */
#ifndef TOOLS_IMPORT_SENTENCEPIECE_H
#define TOOLS_IMPORT_SENTENCEPIECE_H

#include "tools/import/tokenizer/tokenizer_vocab.h"

/* Into an empty tokenizer. The family is that of tokenizer_config.json's class, else of
 * config.json's model_type (NULL: it says none), else the one whose file has that name. */
void sentencepiece_read(struct import_tokenizer *tokenizer, const char *data, size_t len,
                        const struct tokenizer_config *config, const char *model_type);

#endif
