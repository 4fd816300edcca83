/* tokenize.c - the way of a text to its tokens: split it into words and look them up, as its kind
 * of tokenizer does (blanks.c, keras.c, pipeline.c); frame the tokens with the special ones of the
 * template; where there are more than the limit, share it out among the texts and do so once more.
 */
#include "model/tokenizer/tokenizer.h"

#include "model/tokenizer/list.h"
#include "model/tokenizer/words.h"

/* Kinds blanks and keras: room for the longest word of the vocabulary; never 0, so that there is
 * memory to point to. */
size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer)
{
    return tokenizer_has_pipeline(tokenizer) ? pipeline_scratch_bytes(tokenizer)
                                             : (size_t)tokenizer->vocabulary.longest_bytes + 1;
}

/* A text or a pair on its way. */
struct encoding {
    const struct tokenizer *tokenizer;
    const struct token_template *template;
    struct text_view texts[2]; /* the second is empty where there is no pair */
    bool special;              /* with special tokens */
    void *scratch;
    struct text_count counts[2];
};

/* The tokens of a text that the answer has: all but the first `skipped`, at most `kept`. */
struct text_cut {
    size_t skipped, kept;
};

static void split(struct word_sink *sink, struct text_view text, void *scratch)
{
    if (text.len == 0)
        return;
    switch (sink->tokenizer->kind) {
    case TOKENIZER_BLANKS: blanks_split(sink, text.text, text.len, scratch); break;
    case TOKENIZER_KERAS: keras_split(sink, text.text, text.len, scratch); break;
    case TOKENIZER_WORDPIECE:
    case TOKENIZER_WORDS:
    case TOKENIZER_UNIGRAM:
    case TOKENIZER_BPE: pipeline_split(sink, text.text, text.len, scratch); break;
    }
}

/* The tokens of one text, cut, to out [cap]; returns how many the answer has. */
static size_t add_text(struct encoding *encoding, struct template_piece piece,
                       const struct text_cut cuts[2], struct token *out, size_t cap)
{
    const size_t which = piece.id == TEMPLATE_B;
    const struct text_cut cut = cuts[which];
    struct text_count *count = &encoding->counts[which];
    struct word_sink sink = {
        .tokenizer = encoding->tokenizer,
        .out = out,
        .cap = cap < cut.kept ? cap : cut.kept,
        .skip = cut.skipped,
        .count = count,
        .text = encoding->texts[which].text,
        .type = piece.type,
        .in_pair = which == 1,
    };
    count->reached = SIZE_MAX;
    count->before = 0;
    split(&sink, encoding->texts[which], encoding->scratch);
    count->n = sink.n;
    const size_t left = sink.n > cut.skipped ? sink.n - cut.skipped : 0;
    return left < cut.kept ? left : cut.kept;
}

/* The pieces of the template in their order; returns how many tokens the answer has. */
static size_t frame(struct encoding *encoding, const struct text_cut cuts[2], struct token *out,
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
                out[n] = (struct token){.id = piece.id, .type = piece.type, .special = true};
            n++;
        }
    }
    return n;
}

/* Tokens of each text as far as the reference counts them: it reads a text (from its end, if that
 * is kept) up to the end of the word that brings it to the limit; where only the second is to be
 * cut, it reads all of the first. */
static void count_read(struct encoding *encoding, const struct token_limit *limit, size_t read[2])
{
    static const struct text_cut NOTHING[2] = {{0, 0}, {0, 0}};
    struct text_count *counts = encoding->counts;
    if (limit->left) {
        for (size_t i = 0; i < 2; i++)
            counts[i].most_before = counts[i].n > limit->most ? counts[i].n - limit->most : 0;
        frame(encoding, NOTHING, NULL, 0);
    }
    for (size_t i = 0; i < 2; i++)
        read[i] = limit->left                    ? counts[i].n - counts[i].before
                  : counts[i].reached < SIZE_MAX ? counts[i].reached
                                                 : counts[i].n;
    if (limit->truncation == TRUNCATE_ONLY_SECOND)
        read[0] = counts[0].n;
}

struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special,
                                    const struct token_limit *limit, struct token *out, size_t cap,
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
        .counts = {{.enough = limit->most}, {.enough = limit->most}},
    };
    const struct text_count *counts = encoding.counts;
    const size_t n_special = special ? encoding.template->n_special : 0;
    const size_t room = limit->most == SIZE_MAX   ? SIZE_MAX
                        : limit->most > n_special ? limit->most - n_special
                                                  : 0;
    struct text_cut cuts[2] = {{0, room}, {0, room}};
    size_t n = frame(&encoding, cuts, out, cap), read[2], kept[2];
    if (counts[0].n <= room && counts[1].n <= room - counts[0].n)
        return (struct token_count){.n = n};
    const size_t n_all = counts[0].n + counts[1].n + n_special;
    count_read(&encoding, limit, read);
    const char *wrong = limit->most < n_special
                            ? NULL
                            : template_truncate(limit->truncation, two, read, room, kept);
    if (wrong != NULL)
        return (struct token_count){.n = n_all, .wrong = wrong};
    if (limit->most < n_special)
        memcpy(kept, read, sizeof kept);
    for (size_t i = 0; i < 2; i++)
        cuts[i] = (struct text_cut){limit->left ? counts[i].n - kept[i] : 0, kept[i]};
    n = frame(&encoding, cuts, out, cap);
    return (struct token_count){.n = n, .n_dropped = n_all - n};
}
