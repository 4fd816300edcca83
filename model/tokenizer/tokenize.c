/* tokenize.c - see tokenize.h. Each text is split into words, which are looked up, by the kind of
 * tokenizer; the tokens are framed by the template; if they exceed the limit, it is divided among
 * the texts, and all runs once more.
 *
 * Kinds `wordpiece`, `words`, `unigram` and `bpe` take the steps of the reference, HuggingFace's:
 *
 *     raw added tokens are cut from the text                              added_tokens
 *     the text between them is normalized                                 normalizer
 *     normalized added tokens are cut from that                           added_tokens
 *     the rest is split into words                                        splitter
 *     a word becomes pieces, or the token of its text                     word, pieces/
 *
 * Everything runs character by character, so that memory does not grow with the text.
 */
#include "model/tokenizer/tokenize.h"

#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/pieces/unigram.h"
#include "model/tokenizer/simple_kinds.h"
#include "model/unicode/unicode.h"

/* ---- Memory ---- */

/* The steps of a text. Kinds blanks and keras need the splitter's word alone. */
struct pipeline {
    struct normalizer normalizer;
    struct added_window window; /* its set is NULL without normalized added tokens */
    struct splitter splitter;   /* with the word, of which one of these makes pieces: */
    struct unigram unigram;
    struct merge_work merging;
};

static void add_normalized(void *user, struct normal_char c)
{
    struct pipeline *pipeline = user;
    if (pipeline->window.set != NULL)
        added_window_add(&pipeline->window, c);
    else
        splitter_add(&pipeline->splitter, c);
}

/* Prepares the steps, and the word: how many bytes and characters are stored, and who makes tokens
 * of it. The bytes have space before and after them for the affixes of pieces. */
static void pipeline_carve(struct pipeline *pipeline, const struct tokenizer *tokenizer,
                           struct arena *arena)
{
    struct word *word = &pipeline->splitter.word;
    pipeline->splitter = (struct splitter){
        .rules = &tokenizer->splitter,
        .word = {.add = word_add, .byte_level = tokenizer->bpe.byte_level},
    };
    switch (tokenizer->kind) {
    case TOKENIZER_BLANKS:
    case TOKENIZER_KERAS:
    case TOKENIZER_WORDS: break;
    case TOKENIZER_WORDPIECE:
        word->cap_chars = (size_t)tokenizer->max_word_chars;
        word->add = word_add_pieces;
        word->work.hashes = arena_cut(arena, word->cap_chars, sizeof *word->work.hashes);
        break;
    case TOKENIZER_UNIGRAM:
        word->cap_chars = UNIGRAM_CHARS;
        word->add = unigram_add;
        word->add_part = unigram_add_part;
        word->work.unigram = &pipeline->unigram;
        unigram_carve(&pipeline->unigram, &tokenizer->unigram, arena);
        break;
    case TOKENIZER_BPE: /* a character becomes one symbol, or as many as it has bytes */
        word->cap_chars = bpe_cap_chars(tokenizer);
        word->add = bpe_add;
        word->add_part = bpe_add_part;
        word->work.merging = &pipeline->merging;
        merge_work_carve(&pipeline->merging,
                         (tokenizer->byte_fallback ? UTF8_BYTES : 1) * word->cap_chars, arena);
        break;
    }
    word->cap =
        word->cap_chars > 0 ? UTF8_BYTES * word->cap_chars : tokenizer->vocabulary.longest_bytes;
    word->chars = arena_cut(arena, word->cap_chars, sizeof *word->chars);
    word->bytes = arena_cut(arena, AFFIX_BYTES + word->cap + AFFIX_BYTES, 1);
    word->bytes += word->bytes != NULL ? AFFIX_BYTES : 0;
    normalizer_carve(&pipeline->normalizer, &tokenizer->normalizer, add_normalized, pipeline,
                     arena);
    pipeline->window.set = NULL;
    if (tokenizer->added.normalized.n > 0)
        added_window_carve(&pipeline->window, &tokenizer->added.normalized, &pipeline->splitter,
                           arena);
}

size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer)
{
    struct pipeline pipeline;
    struct arena arena = {0};
    pipeline_carve(&pipeline, tokenizer, &arena);
    return arena_bytes(&arena);
}

/* ---- Text between raw added tokens ---- */

/* A range of the text: text[begin .. end). */
struct text_part {
    const char *text;
    size_t begin, end;
    size_t ascii_end; /* of the last run of ASCII measured */
};

/* Returns the end of the ASCII characters from text[at] on that have ASCII on both sides, which no
 * step drops; `at` if the first one does not. */
static size_t inner_ascii_end(const bool stands[256], struct text_part *part, size_t at)
{
    if (at == part->begin || !stands[(uint8_t)part->text[at - 1]])
        return at;
    if (part->ascii_end <= at)
        for (part->ascii_end = at; part->ascii_end < part->end; part->ascii_end++)
            if (!stands[(uint8_t)part->text[part->ascii_end]])
                break;
    return part->ascii_end == part->end || part->ascii_end == at ? part->ascii_end
                                                                 : part->ascii_end - 1;
}

/* Passes ASCII characters from text[at] on that each become one character, bypassing the
 * normalizer. Returns the offset of their end, `at` if the next character must not bypass it. */
static size_t pass_ascii(struct pipeline *pipeline, struct text_part *part, size_t at)
{
    const struct ascii_table *table = &pipeline->splitter.rules->ascii;
    const size_t most = part->end - at > METER_BYTES ? at + METER_BYTES : part->end;
    size_t end = most;
    if (table->value[(uint8_t)part->text[at]] == 0)
        return at;
    if (pipeline->normalizer.plan->steps & NORMALIZER_LOOKS_AROUND)
        end = inner_ascii_end(table->stands, part, at);
    end = end < most ? end : most;
    if (end == at || !normalizer_empty(&pipeline->normalizer, false))
        return at;
    return pipeline->window.set != NULL
               ? added_window_add_ascii(&pipeline->window, part->text, at, end)
               : splitter_add_ascii(&pipeline->splitter, part->text, at, end);
}

/* Normalizes and splits text[begin .. end); twice if a very long word of kind unigram could not be
 * decided before its end. */
static void split_part(struct pipeline *pipeline, const char *text, size_t begin, size_t end)
{
    struct normalizer *normalizer = &pipeline->normalizer;
    struct word_sink *sink = pipeline->splitter.word.sink;
    const bool is_unigram = sink->tokenizer->kind == TOKENIZER_UNIGRAM;
    const size_t n = sink->n;
    bool again = false;
    do {
        struct text_part part = {.text = text, .begin = begin, .end = end};
        if (is_unigram)
            unigram_begin(&pipeline->unigram, again);
        normalizer_begin(normalizer, begin);
        pipeline->splitter.last = 0;
        if (pipeline->window.set != NULL)
            added_window_begin(&pipeline->window);
        for (size_t at = begin; at < end && meter_goes_on(sink->meter, at);) {
            const size_t passed = pass_ascii(pipeline, &part, at);
            if (passed > at) {
                at = passed;
                continue;
            }
            const struct utf8_char c = utf8_decode(text + at, end - at);
            normalizer_add(normalizer, 0, (struct normal_char){c.code, at, at + c.len});
            at += c.len;
        }
        normalizer_empty(normalizer, true);
        if (pipeline->window.set != NULL)
            added_window_drain(&pipeline->window, true);
        splitter_cut(&pipeline->splitter);
        again = is_unigram && !again && pipeline->unigram.n_turns > 0;
        if (again) {
            sink->n = n;
            sink->meter->next = begin;
        }
    } while (again);
}

/* ---- Raw added tokens ---- */

/* Returns the bytes of the blanks at the start of a text, or at its end. */
static size_t blanks_len(const char *text, size_t len, bool at_end)
{
    size_t left = len;
    while (left > 0) {
        const size_t before = left;
        if (!(unicode_properties(utf8_cut(&text, &left, at_end).code) & UNICODE_BLANK))
            return len - before;
    }
    return len;
}

/* Returns whether no word character is next to text[begin .. end). */
static bool is_single_word(struct text_view text, size_t begin, size_t end)
{
    const uint32_t before = begin > 0 ? utf8_decode_last(text.text, begin).code : ' ';
    const uint32_t after = end < text.len ? utf8_decode(text.text + end, text.len - end).code : ' ';
    return !((unicode_properties(before) | unicode_properties(after)) & UNICODE_WORD);
}

/* Raw added tokens are found from left to right; the text between two of them is split. A run of
 * blanks is measured once for all tokens, so that the time is linear. */
static void pipeline_split(struct pipeline *pipeline, struct text_view text)
{
    struct word_sink *sink = pipeline->splitter.word.sink;
    const struct added_set *set = &sink->tokenizer->added.raw;
    const struct added_pattern *pattern;
    struct meter search = *sink->meter; /* it runs ahead of the other */
    size_t part = 0;                    /* start of the text not yet processed */
    size_t measured_blanks = 0;         /* end of the last measured run of blanks */
    pipeline->normalizer.meter = sink->meter;
    for (size_t at = 0;
         (at = added_find(set, text.text, text.len, at, &pattern, &search)) < text.len;) {
        size_t begin = at, end = at + pattern->len;
        at = end;
        if ((pattern->flags & ADDED_SINGLE_WORD) && !is_single_word(text, begin, end))
            continue;
        if ((pattern->flags & ADDED_STRIP_LEFT) && begin > part)
            begin -= blanks_len(text.text + part, begin - part, true);
        else if (pattern->flags & ADDED_STRIP_LEFT)
            begin = part;
        if (pattern->flags & ADDED_STRIP_RIGHT) {
            if (end >= measured_blanks)
                measured_blanks = end + blanks_len(text.text + end, text.len - end, false);
            end = measured_blanks;
        }
        if (part < begin)
            split_part(pipeline, text.text, part, begin);
        if (begin < end) /* else the token before includes these blanks */
            word_sink_added(sink, pattern->id, begin, end);
        part = end;
    }
    if (search.is_exceeded || search.is_interrupted)
        *sink->meter = search;
    if (part < text.len)
        split_part(pipeline, text.text, part, text.len);
}

/* ---- Limits ----
 *
 * Texts of a and b tokens, a + b > r, keep
 *
 *     n1 = min(a, b);  n2 = max(n1, r - n1);  if n1 + n2 > r: n1 = floor(r / 2), n2 = n1 + r mod 2
 *
 * tokens: n1 of the shorter (the first, if they are equal), n2 of the other. If only one of them is
 * cut, it must keep at least one token. */

static void cut_longest_first(const size_t counts[2], size_t room, size_t kept[2])
{
    const size_t shorter = counts[0] <= counts[1] ? 0 : 1;
    size_t n1 = counts[shorter];
    size_t n2 = room > n1 && room - n1 > n1 ? room - n1 : n1;
    if (n1 > room || n2 > room - n1) {
        n1 = room / 2;
        n2 = n1 + room % 2;
    }
    kept[shorter] = n1;
    kept[1 - shorter] = n2;
}

const char *template_truncate(engine_truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2])
{
    const size_t only = truncation == ENGINE_TRUNCATE_ONLY_SECOND;
    kept[0] = counts[0];
    kept[1] = counts[1];
    if (counts[0] <= room && counts[1] <= room - counts[0])
        return NULL;
    if (room == 0) {
        kept[0] = kept[1] = 0;
    } else if (truncation != ENGINE_TRUNCATE_LONGEST_FIRST) {
        if (only == 1 && !has_pair)
            return "only the second text may be cut, but there is only one text";
        if (counts[1 - only] >= room)
            return "the text that may be cut would become empty";
        kept[only] = room - counts[1 - only];
    } else if (has_pair) {
        cut_longest_first(counts, room, kept);
    } else {
        kept[0] = room;
    }
    return NULL;
}

/* ---- Texts ---- */

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

/* Writes the tokens of one text, cut, to out [cap]. Returns their number in the answer. The one
 * place that chooses how a text of a kind is split. */
static size_t add_text(struct encoding *encoding, struct template_piece piece,
                       const struct text_cut cuts[2], engine_token *out, size_t cap)
{
    const size_t which = piece.id == TEMPLATE_B;
    const struct text_cut cut = cuts[which];
    const struct tokenizer *tokenizer = encoding->tokenizer;
    struct pipeline pipeline;
    struct word_sink sink = {
        .tokenizer = tokenizer,
        .out = out,
        .cap = cap < cut.kept ? cap : cut.kept,
        .skip = cut.skipped,
        .most = encoding->most,
        .text = encoding->texts[which],
        .meter = &encoding->meter,
        .type = piece.type,
        .dropped = tokenizer->dropped,
        .trim = tokenizer->trim,
        .in_pair = which == 1,
    };
    encoding->meter.left = encoding->meter.next = 0;
    pipeline_carve(&pipeline, tokenizer, &(struct arena){.base = encoding->scratch});
    pipeline.splitter.word.sink = &sink;
    switch (tokenizer->kind) {
    case TOKENIZER_BLANKS: blanks_split(&pipeline.splitter.word, sink.text); break;
    case TOKENIZER_KERAS: keras_split(&pipeline.splitter.word, sink.text); break;
    case TOKENIZER_WORDPIECE:
    case TOKENIZER_WORDS:
    case TOKENIZER_UNIGRAM:
    case TOKENIZER_BPE: pipeline_split(&pipeline, sink.text); break;
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
