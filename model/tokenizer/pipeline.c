/* pipeline.c - kinds `wordpiece`, `words`, `unigram` and `bpe`, in the order of the reference,
 * HuggingFace's:
 *
 *     raw added tokens are cut from the text                              added_tokens
 *     the text between them is normalized                                 normalizer
 *     normalized added tokens are cut from that                           added_window
 *     the rest is split into words                                        pretokenizer, split/
 *     a word becomes pieces, or the token of its text                     pieces/, words
 *
 * Everything runs character by character, so that memory does not grow with the text.
 */
#include "model/tokenizer/added_window.h"
#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/pieces/wordpiece.h"
#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

struct pipeline {
    struct pretokenizer pretokenizer;
    struct normalizer normalizer;
    struct added_window window;
    bool has_window, looks_around;
};

/* Limits of a word, and of the work space of its kind of pieces. */
struct word_room {
    size_t bytes, chars, hashes, symbols;
};

static struct word_room room_of(const struct tokenizer *tokenizer)
{
    const size_t most = (size_t)tokenizer->max_word_chars;
    size_t bpe;
    switch (tokenizer->kind) {
    case TOKENIZER_WORDPIECE: return (struct word_room){UTF8_BYTES * most, most, most, 0};
    case TOKENIZER_UNIGRAM:
        return (struct word_room){UTF8_BYTES * UNIGRAM_CHARS, UNIGRAM_CHARS, 0, 0};
    case TOKENIZER_BPE: /* a character becomes one symbol, or as many as it has bytes */
        bpe = bpe_cap_chars(tokenizer);
        return (struct word_room){UTF8_BYTES * bpe, bpe, 0,
                                  tokenizer->byte_fallback ? UTF8_BYTES * bpe : bpe};
    default: return (struct word_room){.bytes = tokenizer->vocabulary.longest_bytes};
    }
}

static void add_normalized(void *user, struct normal_char c)
{
    struct pipeline *pipeline = user;
    if (pipeline->has_window)
        added_window_add(&pipeline->window, c);
    else
        pretokenizer_add(&pipeline->pretokenizer, c);
}

enum { SCRATCH_ALIGN = 16 };

/* A word's bytes have space before and after them for the affixes of pieces. */
static void pipeline_carve(struct pipeline *pipeline, const struct tokenizer *tokenizer,
                           struct arena *arena)
{
    const struct word_room room = room_of(tokenizer);
    const struct pattern_set *normalized = &tokenizer->added.normalized;
    struct pretokenizer *pretokenizer = &pipeline->pretokenizer;
    struct pretoken *word = &pretokenizer->word;
    char *bytes = arena_cut(arena, WORDPIECE_PREFIX_BYTES + room.bytes + AFFIX_BYTES, 1);
    *pretokenizer = (struct pretokenizer){.pattern = {.kind = tokenizer->pattern}};
    *word = (struct pretoken){
        .bytes = bytes != NULL ? bytes + WORDPIECE_PREFIX_BYTES : NULL,
        .chars = arena_cut(arena, room.chars, sizeof *word->chars),
        .cap = room.bytes,
        .cap_chars = room.chars,
        .hashes = arena_cut(arena, room.hashes, sizeof *word->hashes),
    };
    merge_work_carve(&word->merging, room.symbols, arena);
    if (tokenizer->kind == TOKENIZER_UNIGRAM)
        unigram_carve(&word->unigram, &tokenizer->pieces, arena);
    pipeline->looks_around = (tokenizer->normalizer.steps & NORMALIZER_LOOKS_AROUND) != 0;
    normalizer_carve(&pipeline->normalizer, &tokenizer->normalizer, add_normalized, pipeline,
                     arena);
    pipeline->has_window = normalized->n > 0;
    if (pipeline->has_window)
        added_window_carve(&pipeline->window, normalized, pretokenizer, arena);
}

size_t pipeline_scratch_bytes(const struct tokenizer *tokenizer)
{
    struct pipeline pipeline;
    struct arena arena = {.used = SCRATCH_ALIGN};
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

static bool is_ascii(char byte)
{
    return (uint8_t)byte < 0x80;
}

/* Returns the end of the ASCII characters from text[at] on that have ASCII on both sides; `at` if
 * the first one does not. */
static size_t inner_ascii_end(struct text_part *part, size_t at)
{
    if (at == part->begin || !is_ascii(part->text[at - 1]))
        return at;
    if (part->ascii_end <= at)
        for (part->ascii_end = at; part->ascii_end < part->end; part->ascii_end++)
            if (!is_ascii(part->text[part->ascii_end]))
                break;
    return part->ascii_end == part->end || part->ascii_end == at ? part->ascii_end
                                                                 : part->ascii_end - 1;
}

/* Passes ASCII characters from text[at] on that each become one character, bypassing the
 * normalizer. Returns the offset of their end, `at` if the next character must not bypass it. */
static size_t pass_ascii(struct pipeline *pipeline, struct text_part *part, size_t at)
{
    const struct tokenizer *tokenizer = pipeline->pretokenizer.word.sink->tokenizer;
    const size_t most = part->end - at > METER_BYTES ? at + METER_BYTES : part->end;
    size_t end = most;
    if (tokenizer->ascii.value[(uint8_t)part->text[at]] == 0)
        return at;
    if (pipeline->looks_around)
        end = inner_ascii_end(part, at);
    end = end < most ? end : most;
    if (end == at || !normalizer_flush(&pipeline->normalizer))
        return at;
    if (pipeline->has_window)
        return added_window_add_ascii(&pipeline->window, &tokenizer->ascii, part->text, at, end);
    return pretokenizer_add_ascii(&pipeline->pretokenizer, part->text, at, end);
}

/* Normalizes and splits text[begin .. end). */
static void split_once(struct pipeline *pipeline, const char *text, size_t begin, size_t end)
{
    struct normalizer *normalizer = &pipeline->normalizer;
    struct text_part part = {.text = text, .begin = begin, .end = end};
    struct meter *meter = pipeline->pretokenizer.word.sink->meter;
    normalizer_begin(normalizer, begin);
    pipeline->pretokenizer.last = 0;
    if (pipeline->has_window)
        added_window_begin(&pipeline->window);
    for (size_t at = begin; at < end && meter_goes_on(meter, at);) {
        const size_t passed = pass_ascii(pipeline, &part, at);
        if (passed > at) {
            at = passed;
            continue;
        }
        const struct utf8_char c = utf8_decode(text + at, end - at);
        normalizer_add(normalizer, (struct normal_char){c.code, at, at + c.len});
        at += c.len;
    }
    normalizer_end(normalizer);
    if (pipeline->has_window)
        added_window_end(&pipeline->window);
    pretokenizer_cut(&pipeline->pretokenizer);
}

/* The same, twice if a very long word could not be decided before its end. */
static void split_part(struct pipeline *pipeline, const char *text, size_t begin, size_t end)
{
    struct unigram *unigram = &pipeline->pretokenizer.word.unigram;
    struct word_sink *sink = pipeline->pretokenizer.word.sink;
    const size_t n = sink->n;
    const bool is_unigram = sink->tokenizer->kind == TOKENIZER_UNIGRAM;
    if (is_unigram)
        unigram_begin(unigram, false);
    split_once(pipeline, text, begin, end);
    if (!is_unigram || unigram->n_turns == 0)
        return;
    sink->n = n;
    sink->meter->next = begin;
    unigram_begin(unigram, true);
    split_once(pipeline, text, begin, end);
}

/* ---- Raw added tokens ---- */

static bool starts_with(const char *text, size_t len, unsigned property)
{
    return len > 0 && (unicode_properties(utf8_decode(text, len).code) & property);
}

static bool ends_with(const char *text, size_t len, unsigned property)
{
    return len > 0 && (unicode_properties(utf8_decode_last(text, len).code) & property);
}

/* Returns the end of the blanks from text[at] on. */
static size_t after_blanks(const char *text, size_t len, size_t at)
{
    while (starts_with(text + at, len - at, UNICODE_BLANK))
        at += utf8_decode(text + at, len - at).len;
    return at;
}

/* Returns the start of the blanks before text[at], at least `least`. */
static size_t before_blanks(const char *text, size_t least, size_t at)
{
    while (at > least && ends_with(text, at, UNICODE_BLANK))
        at -= utf8_decode_last(text, at).len;
    return at;
}

/* Returns whether no word character is next to text[begin .. end). */
static bool is_single_word(const char *text, size_t len, size_t begin, size_t end)
{
    return !ends_with(text, begin, UNICODE_WORD) &&
           !starts_with(text + end, len - end, UNICODE_WORD);
}

/* Raw added tokens are found from left to right; the text between two of them is split. A run of
 * blanks is measured once for all tokens, so that the time is linear. */
void pipeline_split(struct word_sink *sink, const char *text, size_t len, char *buffer)
{
    const struct pattern_set *set = &sink->tokenizer->added.raw;
    const struct added_pattern *pattern;
    struct meter search = *sink->meter; /* it runs ahead of the other */
    struct pipeline pipeline;
    size_t part = 0;            /* start of the text not yet processed */
    size_t measured_blanks = 0; /* end of the last measured run of blanks */
    struct arena arena = {.base = buffer + (-(uintptr_t)buffer % SCRATCH_ALIGN)};
    pipeline_carve(&pipeline, sink->tokenizer, &arena);
    pipeline.pretokenizer.word.sink = sink;
    pipeline.normalizer.meter = sink->meter;
    for (size_t at = 0; (at = pattern_find(set, text, len, at, &pattern, &search)) < len;) {
        size_t begin = at, end = at + pattern->len;
        at = end;
        if ((pattern->flags & ADDED_SINGLE_WORD) && !is_single_word(text, len, begin, end))
            continue;
        if (pattern->flags & ADDED_STRIP_LEFT)
            begin = begin > part ? before_blanks(text, part, begin) : part;
        if (pattern->flags & ADDED_STRIP_RIGHT) {
            if (end >= measured_blanks)
                measured_blanks = after_blanks(text, len, end);
            end = measured_blanks;
        }
        if (part < begin)
            split_part(&pipeline, text, part, begin);
        if (begin < end) /* else the token before includes these blanks */
            word_sink_added(sink, pattern->id, begin, end);
        part = end;
    }
    if (search.is_exceeded || search.is_interrupted)
        *sink->meter = search;
    if (part < len)
        split_part(&pipeline, text, part, len);
}
