/* tokenize.c - from a text to its tokens: split it into words and look them up, by its kind of
 * tokenizer (blanks.c, keras.c, pipeline.c); frame the tokens with the special tokens of the
 * template; if they exceed the limit, divide the limit among the texts and run once more.
 */
#include "model/tokenizer/tokenizer.h"

#include "model/tokenizer/list.h"
#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

bool meter_look(struct meter *meter, size_t at)
{
    meter->is_interrupted = meter->is_interrupted || (meter->next > 0 && meter->is_over != NULL &&
                                                      meter->is_over(meter->user));
    const bool goes_on = !meter->is_interrupted && !meter->is_exceeded;
    meter->left = goes_on ? (size_t)METER_BYTES * METER_STEPS : 0;
    meter->next = goes_on ? at + METER_BYTES : 0;
    return goes_on;
}

/* Kinds blanks and keras: space for the longest word of the vocabulary; never 0, so that there is
 * memory to point to. */
size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer)
{
    return tokenizer_has_pipeline(tokenizer) ? pipeline_scratch_bytes(tokenizer)
                                             : (size_t)tokenizer->vocabulary.longest_bytes + 1;
}

/* A text or a pair being encoded. */
struct encoding {
    const struct tokenizer *tokenizer;
    const struct token_template *template;
    struct text_view texts[2]; /* the second is empty without a pair */
    bool special;              /* with special tokens */
    void *scratch;
    size_t most;      /* tokens of a text with the dropped ones */
    size_t counts[2]; /* tokens of each text */
    size_t n_beyond;  /* tokens after `most` */
    struct meter meter;
};

/* Range of a text's tokens that the answer has: all but the first `skipped`, at most `kept`. */
struct text_cut {
    size_t skipped, kept;
};

/* Writes the tokens of one text, cut, to out [cap]. Returns their number in the answer. */
static size_t add_text(struct encoding *encoding, struct template_piece piece,
                       const struct text_cut cuts[2], engine_token *out, size_t cap)
{
    const size_t which = piece.id == TEMPLATE_B;
    const struct text_cut cut = cuts[which];
    const struct text_view text = encoding->texts[which];
    struct word_sink sink = {
        .tokenizer = encoding->tokenizer,
        .out = out,
        .cap = cap < cut.kept ? cap : cut.kept,
        .skip = cut.skipped,
        .most = encoding->most,
        .text = text.text,
        .type = piece.type,
        .in_pair = which == 1,
    };
    encoding->meter.left = encoding->meter.next = 0;
    sink.meter = &encoding->meter;
    if (text.len > 0)
        switch (encoding->tokenizer->kind) {
        case TOKENIZER_BLANKS: blanks_split(&sink, text.text, text.len, encoding->scratch); break;
        case TOKENIZER_KERAS: keras_split(&sink, text.text, text.len, encoding->scratch); break;
        case TOKENIZER_WORDPIECE:
        case TOKENIZER_WORDS:
        case TOKENIZER_UNIGRAM:
        case TOKENIZER_BPE: pipeline_split(&sink, text.text, text.len, encoding->scratch); break;
        }
    encoding->counts[which] = sink.n;
    encoding->n_beyond += sink.n_beyond;
    const size_t left = sink.n > cut.skipped ? sink.n - cut.skipped : 0;
    return left < cut.kept ? left : cut.kept;
}

/* Writes the pieces of the template in their order. Returns the number of tokens in the answer. */
static size_t frame(struct encoding *encoding, const struct text_cut cuts[2], engine_token *out,
                    size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < encoding->template->n_pieces; i++) {
        const struct template_piece piece = encoding->template->pieces[i];
        const size_t space = n < cap ? cap - n : 0;
        if (piece.id < 0) {
            n += add_text(encoding, piece, cuts, space > 0 ? out + n : NULL, space);
        } else if (encoding->special) {
            if (space > 0)
                out[n] = (engine_token){.id = piece.id, .type = piece.type, .special = true};
            n++;
        }
    }
    return n;
}

/* Cuts a text to its first characters. Returns whether it was longer. */
static bool cut_characters(struct text_view *text, size_t most)
{
    size_t at = 0;
    for (size_t n = 0; n < most && at < text->len; n++)
        at += utf8_decode(text->text + at, text->len - at).len;
    const bool is_longer = at < text->len;
    text->len = at;
    return is_longer;
}

struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special,
                                    const struct token_limit *limit, engine_token *out, size_t cap,
                                    void *scratch)
{
    static const struct token_limit NO_LIMIT = {.most = SIZE_MAX};
    const bool two = input->pair != NULL;
    if (limit == NULL)
        limit = &NO_LIMIT;
    struct encoding encoding = {
        .tokenizer = tokenizer,
        .template = two ? &tokenizer->pair : &tokenizer->single,
        .texts = {{input->text, input->text_len}, {input->pair, input->pair_len}},
        .special = special,
        .scratch = scratch,
        .meter = {.is_over = input->is_over, .user = input->user},
    };
    const size_t *counts = encoding.counts;
    const size_t n_special = special ? encoding.template->n_special : 0;
    const bool is_cut = limit->most != SIZE_MAX && limit->most >= n_special;
    const size_t room = is_cut ? limit->most - n_special : SIZE_MAX;
    struct text_cut cuts[2] = {{0, room}, {0, room}};
    bool is_shorter = false;
    encoding.most = is_cut && !limit->left && tokenizer->dropped >= 0 ? room : SIZE_MAX;
    for (size_t i = 0; i < 2 && is_cut && !limit->left && tokenizer->max_chars > 0; i++)
        is_shorter |= cut_characters(&encoding.texts[i], (size_t)tokenizer->max_chars);
    size_t n = frame(&encoding, cuts, out, cap), kept[2];
    const struct meter *meter = &encoding.meter;
    if (meter->is_interrupted || meter->is_exceeded)
        return (struct token_count){.is_interrupted = meter->is_interrupted,
                                    .is_exceeded = meter->is_exceeded};
    if (counts[0] <= room && counts[1] <= room - counts[0])
        return (struct token_count){.n = n, .n_dropped = encoding.n_beyond + is_shorter};
    const size_t n_all = counts[0] + counts[1] + n_special;
    const char *wrong = template_truncate(limit->truncation, two, counts, room, kept);
    if (wrong != NULL)
        return (struct token_count){.n = n_all, .wrong = wrong};
    for (size_t i = 0; i < 2; i++)
        cuts[i] = (struct text_cut){limit->left ? counts[i] - kept[i] : 0, kept[i]};
    if (two || limit->left) /* else the first run has already cut it correctly */
        n = frame(&encoding, cuts, out, cap);
    return (struct token_count){
        .n = n, .n_dropped = n_all - n, .is_interrupted = encoding.meter.is_interrupted};
}
