/* words.h - what the word splitters have in common: the word being read, and the place where read
 * words become tokens. Internal to the tokenizer.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "model/tokenizer/tokenizer.h"

/* How many tokens a text has, and two counts of whole words and added tokens. */
struct text_count {
    size_t n;
    size_t enough;      /* asked for: tokens that are enough */
    size_t reached;     /* tokens up to the first word that ends with so many; or SIZE_MAX */
    size_t most_before; /* asked for: a place, in tokens */
    size_t before;      /* tokens before the last word that does not start after that place; or 0 */
};

/* Takes the tokens of one text. Those after the first `skip` go to out[0 .. cap), as many as are
 * kept; all are counted. */
struct word_sink {
    const struct tokenizer *tokenizer;
    struct token *out;
    size_t cap, skip;
    size_t n; /* tokens so far */
    struct text_count *count;
    const char *text; /* the whole one; of kinds with a pipeline */
    int32_t type;
    bool in_pair;
};

/* The id, or -1 of an added token that is outside of the model's vocabulary. */
static inline int32_t tokenizer_own_id(const struct tokenizer *tokenizer, int32_t id)
{
    return added_is_outside(&tokenizer->added, id) ? -1 : id;
}

/* Whether the index-th token goes to out. */
static inline bool word_sink_keeps(const struct word_sink *sink, size_t index)
{
    return index >= sink->skip && index - sink->skip < sink->cap;
}

/* The token that was the index-th ends later. */
static inline void word_sink_extend(struct word_sink *sink, size_t index, size_t end)
{
    if (word_sink_keeps(sink, index))
        sink->out[index - sink->skip].end = end;
}

/* After the tokens of a word: n_before is the number of tokens before them. */
static inline void word_sink_end_word(struct word_sink *sink, size_t n_before)
{
    struct text_count *count = sink->count;
    if (sink->n >= count->enough && count->reached == SIZE_MAX)
        count->reached = sink->n;
    if (n_before <= count->most_before)
        count->before = n_before;
}

static inline void word_sink_token(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    if (id == sink->tokenizer->dropped)
        return;
    if (word_sink_keeps(sink, sink->n))
        sink->out[sink->n - sink->skip] = (struct token){
            .id = id, .type = sink->type, .begin = begin, .end = end, .in_pair = sink->in_pair};
    sink->n++;
}

/* The same with spans trimmed as the tokenizer says: of a piece of a word, by the blanks in its own
 * text; of an added token, by those that it took along. */
void word_sink_piece(struct word_sink *sink, int32_t id, size_t begin, size_t end);
void word_sink_added(struct word_sink *sink, int32_t id, size_t begin, size_t end);

/* Looks a word up and takes its token, unless it is unknown and unknown words are dropped. The span
 * is that of the bytes in the text that the word was read from. */
void word_sink_add(struct word_sink *sink, const char *word, size_t len, size_t begin, size_t end);

/* The bytes of the word being read. Bytes beyond cap are counted and not kept: such a word is
 * longer than any in the vocabulary. */
struct word {
    char *bytes; /* [cap] */
    size_t cap, len;
    size_t begin; /* where its first character starts in the text */
};

/* Adds one byte that was read from a character starting at text[begin]. */
static inline void word_put(struct word *word, char byte, size_t begin)
{
    if (word->len == 0)
        word->begin = begin;
    if (word->len < word->cap)
        word->bytes[word->len] = byte;
    word->len++;
}

/* The fast path for ASCII: each byte's (lower case) value, or 0 where the run stops and the
 * character must be looked at: NUL, beyond ASCII, or a `stop`. */
struct ascii_run {
    uint8_t value[256];
};

void ascii_run_start(struct ascii_run *run, bool lower);
void ascii_run_stop_at(struct ascii_run *run, char stop);

/* Adds the bytes from text[at] on to the word, up to one that stops the run; returns its place. */
size_t word_put_run(struct word *word, const struct ascii_run *run, const char *text, size_t len,
                    size_t at);

/* Kinds wordpiece, words, unigram and bpe: as checkpoints have them. */
static inline bool tokenizer_has_pipeline(const struct tokenizer *tokenizer)
{
    return tokenizer->kind >= TOKENIZER_WORDPIECE;
}

/* One file for each kind, or for two. buffer: the tokenizer's scratch. */
void blanks_split(struct word_sink *sink, const char *text, size_t len, char *buffer);
void keras_split(struct word_sink *sink, const char *text, size_t len, char *buffer);
void pipeline_split(struct word_sink *sink, const char *text, size_t len, char *buffer);

/* Bytes of the scratch that pipeline_split needs. */
size_t pipeline_scratch_bytes(const struct tokenizer *tokenizer);

#endif
