/* tokenizer_json.h - a tokenizer from a tokenizer.json, of HuggingFace tokenizers or Keras. */
#ifndef TOOLS_IMPORT_TOKENIZER_JSON_H
#define TOOLS_IMPORT_TOKENIZER_JSON_H

#include "tools/import/tokenizer/tokenizer_parts.h"

/* Into an empty tokenizer. Of a file of Keras with num_words, words with ids from there on are left
 * away: texts never give them. */
bool tokenizer_json_read(struct import_tokenizer *tokenizer, const char *text, size_t len);

#endif
