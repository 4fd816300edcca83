/* tokenizer.h - text to tokens: split into words, look each up, frame with special tokens, cut.
 *
 * tokenize.c processes a text; settings.c reads and checks the settings. Kinds blanks and keras are
 * blanks.c and keras.c. The other kinds, which come from checkpoints, are pipeline.c: added_tokens,
 * normalizer, added_window, pretokenizer, split/, pieces/. Kinds and settings: section TOKN of
 * weights/FORMAT.md. All functions are pure; scratch memory comes from the caller.
 */
#ifndef MODEL_TOKENIZER_H
#define MODEL_TOKENIZER_H

#include "engine/engine_types.h"
#include "model/tokenizer/added_tokens.h"
#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/pieces/merges.h"
#include "model/tokenizer/pieces/unigram.h"
#include "model/tokenizer/pretokenizer.h"
#include "model/tokenizer/split/byte_level.h"
#include "model/tokenizer/template.h"
#include "model/tokenizer/vocabulary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tokenizer_kind {
    TOKENIZER_BLANKS,
    TOKENIZER_KERAS,
    TOKENIZER_WORDPIECE,
    TOKENIZER_WORDS,
    TOKENIZER_UNIGRAM,
    TOKENIZER_BPE
};
enum { SPLIT_BYTES = 32 };

/* Which blanks token spans exclude. */
enum span_trim {
    TRIM_NONE,
    TRIM_BLANKS,          /* blanks at both ends */
    TRIM_BLANKS_BUT_FIRST /* the same, except a single blank at the start of a text */
};

/* For kinds unigram and bpe: ids of single characters, and of the tokens <0x00> to <0xFF>, to save
 * looking them up; -1: absent. */
struct piece_ids {
    int32_t codes[BYTE_LEVEL_CODES], bytes[256];
};

struct tokenizer {
    enum tokenizer_kind kind;
    bool lower, char_level, truncate;
    struct text_view filters, split; /* UTF-8 */
    int64_t num_words;
    int32_t unknown;    /* id, or -1: unknown words are dropped */
    int32_t mask_token; /* id, or -1 */
    int32_t dropped;    /* id of a token that is dropped from every text, or -1 */
    int64_t max_chars;  /* of a text that is cut at its end, or 0 */
    struct id_list skip_weights, skip_vectors; /* tokens without a weight, without a vector */
    /* Kinds wordpiece and words: */
    struct normalizer_plan normalizer;
    struct splitter_rules splitter;
    struct text_view prefix; /* of pieces that continue a word */
    int64_t max_word_chars;
    struct text_view suffix;     /* bpe: of the last piece of a word */
    struct text_view added_list; /* setting `added` */
    struct token_template single, pair;
    struct vocabulary vocabulary;
    bool byte_fallback; /* unigram, bpe: unknown characters become tokens of their bytes */
    /* bpe: */
    enum pattern_kind pattern;
    bool byte_level, first_blank, fuse_unknown, whole_words;
    enum span_trim trim;
    struct merges merges;
    struct unigram_pieces pieces; /* unigram */
    /* Tables built by tokenizer_build: */
    struct added_tokens added;
    struct ascii_table ascii;
    struct piece_ids ids;
};

/* Sets the defaults of weights/FORMAT.md, and kind to -1. n_types: rows of the token-type table. */
void tokenizer_defaults(struct tokenizer *tokenizer, size_t n_types);

/* Sets one key from its text, which must outlive the tokenizer (texts are borrowed). Returns NULL
 * on success, else a static string that says what was expected, or TOKENIZER_UNKNOWN_KEY. */
const char *tokenizer_set(struct tokenizer *tokenizer, const char *key, const char *value,
                          size_t value_len);
extern const char TOKENIZER_UNKNOWN_KEY[];

/* Views a section of the weight file other than VOCB, by its tag; ignores tags that tokenizers do
 * not use. Returns NULL on success, else a static string that says what is wrong. */
const char *tokenizer_view(struct tokenizer *tokenizer, const char *tag, const void *section,
                           size_t len);

/* Call after settings, vocabulary and sections are set. Returns NULL on success, else a static
 * string that says what is wrong (an id outside the vocabulary, a type without a row, no kind). */
const char *tokenizer_check(const struct tokenizer *tokenizer, size_t n_types);

/* Call after tokenizer_check. Builds the tables in memory (aligned to 16) that must outlive the
 * tokenizer. Returns NULL on success, else a static string that says what is wrong. */
size_t tokenizer_table_bytes(const struct tokenizer *tokenizer);
const char *tokenizer_build(struct tokenizer *tokenizer, void *memory);

/* Returns whether the id's piece continues the word before it, judged by its text: "##ing"; with
 * metaspace, a text that does not start with a visible blank. */
bool tokenizer_continues_word(const struct tokenizer *tokenizer, int32_t id);

/* Returns the bytes of the text that an id, which has one, adds to that of the ids before it
 * (at_start: there is none yet; cleared unless the id is skipped), and writes them unless out is
 * NULL. */
size_t tokenizer_decode(const struct tokenizer *tokenizer, int32_t id, bool skip_special,
                        bool *at_start, char *out);

/* Returns the bytes of scratch of one call. */
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
    bool is_interrupted, is_exceeded; /* by is_over; the text took too many steps (meter.h) */
};

/* Writes at most cap tokens to out (may be NULL if cap is 0). limit NULL: no limit. Under a limit
 * below the number of special tokens the texts are not cut, and n exceeds the limit: the caller
 * checks. special false: no special tokens, texts A and B alone, with the types of the template.
 * Linear in the text's length. */
struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special,
                                    const struct token_limit *limit, engine_token *out, size_t cap,
                                    void *scratch);

#endif
