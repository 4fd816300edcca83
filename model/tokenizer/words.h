/* words.h - shared by the word splitters: the word being read, and the sink in which words become
 * tokens. Internal to the tokenizer.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "model/tokenizer/tokenizer.h"

/* Collects the tokens of one text. Tokens after the first `skip` are stored in out[0 .. cap), as
 * many as fit; all are counted. */
struct word_sink {
    const struct tokenizer *tokenizer;
    engine_token *out;
    size_t cap, skip;
    size_t n;    /* tokens so far */
    size_t most; /* of these and the dropped ones: others are only counted */
    size_t n_dropped, n_beyond;
    const char *text; /* the complete text; set for kinds with a pipeline */
    struct meter *meter;
    int32_t type;
    bool in_pair;
};

/* Returns the id, or -1 for an added token that is outside of the model's vocabulary. */
static inline int32_t tokenizer_own_id(const struct tokenizer *tokenizer, int32_t id)
{
    const uint8_t *outside = tokenizer->added.outside;
    return outside != NULL && id >= 0 && (outside[id / 8] >> id % 8 & 1) ? -1 : id;
}

/* Returns whether the index-th token is stored in out. */
static inline bool word_sink_keeps(const struct word_sink *sink, size_t index)
{
    return index >= sink->skip && index - sink->skip < sink->cap;
}

/* Moves the end of the index-th token. */
static inline void word_sink_extend(struct word_sink *sink, size_t index, size_t end)
{
    if (word_sink_keeps(sink, index))
        sink->out[index - sink->skip].end = end;
}

static inline void word_sink_token(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    if (id == sink->tokenizer->dropped) {
        sink->n_dropped++;
        return;
    }
    if (sink->n + sink->n_dropped >= sink->most) {
        sink->n_beyond++;
        return;
    }
    if (word_sink_keeps(sink, sink->n))
        sink->out[sink->n - sink->skip] = (engine_token){
            .id = id, .type = sink->type, .begin = begin, .end = end, .in_pair = sink->in_pair};
    sink->n++;
}

/* The same with spans trimmed by the tokenizer's setting: a piece of a word by the blanks in its
 * own text, an added token by the blanks that it includes. */
void word_sink_piece(struct word_sink *sink, int32_t id, size_t begin, size_t end);
void word_sink_added(struct word_sink *sink, int32_t id, size_t begin, size_t end);

/* Looks a word up and adds its token, unless it is unknown and unknown words are dropped. The span
 * covers the bytes of the text that the word was read from. */
void word_sink_add(struct word_sink *sink, const char *word, size_t len, size_t begin, size_t end);

/* The bytes of the word being read. Bytes beyond cap are counted but not stored: such a word is
 * longer than any in the vocabulary. */
struct word {
    char *bytes; /* [cap] */
    size_t cap, len;
    size_t begin; /* offset of its first character in the text */
};

/* Adds one byte that was read from a character starting at text[begin]. */
static inline void word_append(struct word *word, char byte, size_t begin)
{
    if (word->len == 0)
        word->begin = begin;
    if (word->len < word->cap)
        word->bytes[word->len] = byte;
    word->len++;
}

/* The fast path for ASCII: each byte's (lower case) value, or 0 for characters that end the run and
 * need a closer look: NUL, characters beyond ASCII, or a `stop`. */
struct ascii_run {
    uint8_t value[256];
};

void ascii_run_start(struct ascii_run *run, bool lower);
void ascii_run_stop_at(struct ascii_run *run, char stop);

/* Appends the values of the bytes text[at .. end), up to one that is 0, to bytes [cap], of which
 * len are used; what is beyond cap is not stored. Updates *hash, unless hash is NULL. Returns the
 * index reached. */
static inline size_t append_mapped(const uint8_t value[256], const char *text, size_t at,
                                   size_t end, char *bytes, size_t len, size_t cap, uint64_t *hash)
{
    const size_t space = cap > len ? cap - len : 0, kept = end - at < space ? end : at + space;
    uint64_t new_hash = hash != NULL ? *hash : 0;
    uint8_t byte;
    for (bytes += cap - space; at < kept && (byte = value[(uint8_t)text[at]]) != 0; at++) {
        *bytes++ = (char)byte;
        new_hash = vocabulary_hash_byte(new_hash, (char)byte);
    }
    if (at == kept)
        while (at < end && value[(uint8_t)text[at]] != 0)
            at++;
    if (hash != NULL)
        *hash = new_hash;
    return at;
}

/* Appends the bytes from text[at] on to the word, up to one that ends the run. Returns its
 * index. */
size_t word_append_run(struct word *word, const struct ascii_run *run, const char *text, size_t len,
                       size_t at);

/* Returns whether the kind is wordpiece, words, unigram or bpe, which come from checkpoints. */
static inline bool tokenizer_has_pipeline(const struct tokenizer *tokenizer)
{
    return tokenizer->kind >= TOKENIZER_WORDPIECE;
}

/* One file for each kind, or for two. buffer: the tokenizer's scratch. */
void blanks_split(struct word_sink *sink, const char *text, size_t len, char *buffer);
void keras_split(struct word_sink *sink, const char *text, size_t len, char *buffer);
void pipeline_split(struct word_sink *sink, const char *text, size_t len, char *buffer);

/* Returns the bytes of scratch of pipeline_split. */
size_t pipeline_scratch_bytes(const struct tokenizer *tokenizer);

#endif
