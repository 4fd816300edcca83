/* tokenizer_cases.h - tokenizers as the importer reads them, without a weight file, and the cases
 * that the reference answered (../shared/tokenizers). Failures of the surroundings end the running
 * test. */
#ifndef TESTS_TOKENIZER_CASES_H
#define TESTS_TOKENIZER_CASES_H

#include "model/tokenizer/tokenize.h"
#include "tools/import/tokenizer/tokenizer_file.h"

#include <jansson.h>

struct case_tokenizer {
    struct import_tokenizer source;
    struct tokenizer tokenizer;
    void *section, *tables, *scratch;
    engine_token *tokens; /* [cap], the last answer */
    size_t cap;
};

/* From the text of a tokenizer.json. NULL, or (until the next call) why it is refused: there is
 * then nothing to close. */
const char *case_tokenizer_make(struct case_tokenizer *made, const char *text, size_t len);
/* From tokenizers/definitions/NAME.json; false where it is absent. */
bool case_tokenizer_open(struct case_tokenizer *opened, const char *name);
void case_tokenizer_close(struct case_tokenizer *opened);

/* Encodes into tokens, which grows as it has to. */
struct token_count case_encode(struct case_tokenizer *tokenizer, const struct token_input *input,
                               bool special, const struct token_limit *limit);

/* Runs every line of tokenizers/cases/BELOW (gzip); how many there were, and how many were not
 * answered rightly. The first few of those are printed. */
struct case_result {
    size_t n, n_wrong;
};
struct case_result case_run(struct case_tokenizer *tokenizer, const char *below,
                            bool (*is_right)(struct case_tokenizer *tokenizer, const char *line));

/* A line of cases/texts, cases/pairs or cases/invalid-utf8; of cases/codepoints. */
bool case_is_right(struct case_tokenizer *tokenizer, const char *line);
bool case_code_point_is_right(struct case_tokenizer *tokenizer, const char *line);

#endif
