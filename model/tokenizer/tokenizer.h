/* tokenizer.h - a tokenizer as the weight file describes it: its kind, settings and tables. Kinds
 * and settings: section TOKN of weights/FORMAT.md. Read only, shared by any number of threads.
 *
 * tokenize.c makes tokens of a text; tokens.c is what can be told from tokens: their text, words,
 * windows. Kinds blanks and keras are simple_kinds.c; the others, which come from checkpoints, go
 * through added_tokens, normalizer, splitter and word, to pieces/.
 */
#ifndef MODEL_TOKENIZER_H
#define MODEL_TOKENIZER_H

#include "engine/engine_types.h"
#include "model/tokenizer/added_tokens.h"
#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/splitter.h"

/* ---- Templates ---- */

enum { TEMPLATE_PIECES = 16 };
enum { TEMPLATE_A = -2, TEMPLATE_B = -3 }; /* instead of ids: the pieces that are the texts */

struct template_piece {
    int32_t id; /* a special token, or TEMPLATE_A, TEMPLATE_B */
    int32_t type;
};

/* The frame around texts: special tokens, the order and the types of the texts. */
struct token_template {
    struct template_piece pieces[TEMPLATE_PIECES];
    size_t n_pieces, n_special;
};

/* ---- Tokenizers ---- */

enum tokenizer_kind {
    TOKENIZER_BLANKS,
    TOKENIZER_KERAS,
    TOKENIZER_WORDPIECE,
    TOKENIZER_WORDS,
    TOKENIZER_UNIGRAM,
    TOKENIZER_BPE
};

/* Bytes of Keras' split string, of a token of kind bpe; characters of a word of kind wordpiece. */
enum { SPLIT_BYTES = 32, BPE_LONGEST = 1 << 16, WORDPIECE_CHARS = 10000 };

/* Kinds blanks (lower) and keras. */
struct keras_settings {
    bool lower, char_level;
    struct text_view filters, split; /* UTF-8 */
    int64_t num_words;
};

/* Kind bpe; whole_words: a word that is a token needs no merges. */
struct bpe_settings {
    struct text_view suffix; /* of the last piece of a word */
    bool byte_level, fuse_unknown, whole_words;
    struct merges merges;
};

/* Not a union, although one kind uses only its own rules: settings come in any order, the kind may
 * be the last, and tokenizer_check refuses those of other kinds that would be missed. */
struct tokenizer {
    enum tokenizer_kind kind;
    /* All kinds: */
    struct vocabulary vocabulary;
    int32_t unknown;       /* id, or -1: unknown words are dropped */
    int32_t mask_token;    /* id, or -1 */
    int32_t dropped;       /* id of a token that is dropped from every text, or -1 */
    int32_t padding;       /* id of the token that pads texts, or -1 */
    int64_t padded_tokens; /* texts are padded to so many; 0: they are not */
    struct token_template single, pair;
    bool truncate;
    int64_t max_chars;                         /* of a text that is cut at its end, or 0 */
    struct id_list skip_weights, skip_vectors; /* tokens without a weight, without a vector */
    struct keras_settings keras;
    /* Kinds wordpiece, words, unigram, bpe: the steps before the pieces. */
    struct added_tokens added;
    struct normalizer_plan normalizer;
    struct splitter_rules splitter;
    enum span_trim trim; /* bpe */
    /* Their pieces. */
    struct text_view prefix;         /* wordpiece, bpe: of pieces that continue a word */
    int64_t max_word_chars;          /* wordpiece */
    bool byte_fallback;              /* unigram, bpe: unknown characters become their bytes */
    int32_t codes[BYTE_LEVEL_CODES]; /* bpe: ids of single characters, to save looking them up */
    int32_t bytes[256];              /* unigram, bpe: ids of <0x00> to <0xFF>; -1: absent */
    struct unigram_pieces unigram;
    struct bpe_settings bpe;
};

/* Sets the defaults of weights/FORMAT.md, and kind to -1. n_types: rows of the token-type table. */
void tokenizer_defaults(struct tokenizer *tokenizer, size_t n_types);

/* Sets one key from its text, which must outlive the tokenizer (texts are borrowed). Returns NULL
 * on success, else a static string that says what was expected, or TOKENIZER_UNKNOWN_KEY; then the
 * key's value is undefined. */
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

/* The same, then builds the tables in the arena, whose block must outlive the tokenizer, or
 * measures them. */
const char *tokenizer_build(struct tokenizer *tokenizer, size_t n_types, struct arena *arena);

/* Returns whether the kind is wordpiece, words, unigram or bpe, which come from checkpoints. */
static inline bool tokenizer_has_pipeline(const struct tokenizer *tokenizer)
{
    return tokenizer->kind >= TOKENIZER_WORDPIECE;
}

#endif
