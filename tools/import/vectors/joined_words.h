/* joined_words.h - the tokenizer of word vectors: kind `words` of weights/FORMAT.md. */
#ifndef TOOLS_IMPORT_JOINED_WORDS_H
#define TOOLS_IMPORT_JOINED_WORDS_H

#include "tools/common/weights/tokenizer_draft.h"

/* Settings for the words of the draft, whose `lower` and `unknown` are settled: texts are split at
 * blanks and at punctuation, unless at_blanks says at blanks alone. Words with punctuation between
 * letters or digits ("well-known", "1,000", "u.s.") are then kept whole, as added tokens. */
void joined_words_set(struct tokenizer_draft *draft, bool at_blanks);

#endif
