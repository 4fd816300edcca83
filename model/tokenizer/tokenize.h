/* tokenize.h - from a text or a pair to its tokens: split into words, look each up, frame with
 * special tokens, cut. All functions are pure; scratch memory comes from the caller.
 */
#ifndef MODEL_TOKENIZE_H
#define MODEL_TOKENIZE_H

#include "model/tokenizer/tokenizer.h"

/* Returns the bytes of scratch of one call, which is aligned to 16. */
size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer);

/* A caller's text; pair is NULL for one text. is_over: NULL, or asked every few thousand bytes
 * whether to end. */
struct token_input {
    const char *text;
    size_t text_len;
    const char *pair;
    size_t pair_len;
    bool (*is_over)(void *user);
    void *user;
};

struct token_limit {
    size_t most; /* tokens of the answer, including special tokens; SIZE_MAX: no limit */
    engine_truncation truncation;
    bool left; /* texts lose their start, not their end */
};

/* Result of tokenizer_encode. */
struct token_count {
    size_t n;          /* tokens of the answer, even if they do not fit into cap */
    size_t n_dropped;  /* tokens cut to meet the limit; characters cut before count as one */
    const char *wrong; /* NULL, or (static) why the limit cannot be met; n is then uncut */
    bool is_interrupted, is_exceeded; /* by is_over; the text took too many steps (text.h) */
};

/* Writes at most cap tokens to out (may be NULL if cap is 0). limit NULL: no limit. Under a limit
 * below the number of special tokens the texts are not cut, and n exceeds the limit: the caller
 * checks. special false: no special tokens, texts A and B alone, with the types of the template.
 * Linear in the text's length. */
struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special,
                                    const struct token_limit *limit, engine_token *out, size_t cap,
                                    void *scratch);

/* Divides `room` tokens among the texts, which have counts[i] tokens (counts[1] is 0 without a
 * pair). Returns NULL on success, else a static string that says why it is impossible. */
const char *template_truncate(engine_truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2]);

#endif
