/* normalizer.c - each step reads a character and passes none, one or more to the next step; the
 * last passes them to the receiver of the normalized text. The steps and their order are those of
 * the reference's normalizers (BertNormalizer, Sequence, NFD ... Strip); the reference passes a
 * complete text through one step after another, here one character after another passes through all
 * steps.
 */
#include "model/tokenizer/normalizer.h"

#include "model/unicode/unicode.h"

#include <string.h>

#define NAME(constant, name) name,
static const char *const STEP_NAMES[] = {NORMALIZER_STEPS_AND_NAMES(NAME)};

enum { N_STEPS = sizeof STEP_NAMES / sizeof *STEP_NAMES };

/* ---- Texts that are replaced ---- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *digit = memchr(digits, c, sizeof digits - 1);
    return digit != NULL ? (int)(digit - digits) : -1;
}

/* Reads a text of at most REPLACE_CHARS characters, in which %XX is a byte. */
static bool replacement_text(struct text_view text, uint32_t codes[REPLACE_CHARS], uint8_t *n)
{
    char bytes[REPLACE_CHARS * UTF8_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_hex = text.text[i] == '%';
        const int high = is_hex && i + 2 < text.len ? hex_digit(text.text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text.text[i + 2]) : -1;
        if (len == sizeof bytes || (is_hex && low < 0))
            return false;
        bytes[len++] = is_hex ? (char)(16 * high + low) : text.text[i];
        i += is_hex ? 2 : 0;
    }
    *n = 0;
    for (size_t at = 0; at < len; ++*n) {
        const struct utf8_char c = utf8_decode(bytes + at, len - at);
        if (*n == REPLACE_CHARS)
            return false;
        codes[*n] = c.code;
        at += c.len;
    }
    return utf8_valid(bytes, len);
}

/* Reads "FROM:TO", "LEAST:CHARACTER:TO" for runs, "LEAST:TO" for blanks. */
static bool replacement_parse(struct replacement *replacement, struct text_view text, bool runs,
                              bool of_blanks)
{
    struct text_view first, rest, from = text;
    *replacement = (struct replacement){.of_blanks = of_blanks};
    if (runs) {
        const bool has_rest = list_split(text, &first, &from);
        const int32_t least = list_number(first);
        if (!has_rest || least < 1 || least >= REPLACE_CHARS)
            return false;
        replacement->least = (uint8_t)least;
    }
    if (of_blanks)
        return replacement_text(from, replacement->to, &replacement->n_to);
    return list_split(from, &first, &rest) &&
           replacement_text(first, replacement->from, &replacement->n_from) &&
           replacement_text(rest, replacement->to, &replacement->n_to) &&
           (runs ? replacement->n_from == 1 : replacement->n_from > 0);
}

/* Returns whether the character may be a part of a replaced text. */
static bool replacement_has(const struct replacement *replacement, uint32_t code)
{
    if (replacement->of_blanks)
        return unicode_properties(code) & UNICODE_BLANK;
    for (size_t i = 0; i < replacement->n_from; i++)
        if (replacement->from[i] == code)
            return true;
    return false;
}

/* ---- Sentencepiece's map ---- */

enum { TRIE_AT = 4 };

const char *charsmap_view(struct charsmap *map, const void *section, size_t len)
{
    uint32_t n_bytes;
    if (len < TRIE_AT)
        return "the section is shorter than its header of 4 bytes";
    memcpy(&n_bytes, section, sizeof n_bytes);
    if (n_bytes % 4 != 0 || n_bytes > len - TRIE_AT)
        return "the trie exceeds the section";
    const char *trie = (const char *)section + TRIE_AT;
    *map = (struct charsmap){
        .trie = {(const uint32_t *)(const void *)trie, n_bytes / 4},
        .strings = trie + n_bytes,
        .n_strings = len - TRIE_AT - n_bytes,
    };
    return NULL;
}

const char *charsmap_find(const struct charsmap *map, const char *text, size_t len, size_t *n)
{
    struct trie_state state = trie_root(&map->trie);
    for (size_t i = 0; i < len && text[i] != '\0'; i++) {
        if (!trie_step(&map->trie, &state, (uint8_t)text[i]))
            return NULL;
        if (!state.is_end)
            continue;
        const size_t at = trie_value(&map->trie, state);
        if (at >= map->n_strings)
            return NULL;
        const char *end = memchr(map->strings + at, '\0', map->n_strings - at);
        *n = (end != NULL ? (size_t)(end - map->strings) : map->n_strings) - at;
        return map->strings + at;
    }
    return NULL;
}

/* ---- The list ---- */

/* An item is "lower", or "replace:FROM:TO". */
bool normalizer_parse(struct normalizer_plan *plan, struct text_view text)
{
    struct text_view item, name, rest;
    *plan = (struct normalizer_plan){.n = 0};
    for (size_t at = 0; list_next(text, &at, &item); plan->n++) {
        if (plan->n == NORMALIZER_STEPS)
            return false;
        struct normalizer_rule *rule = &plan->rules[plan->n];
        struct replacement *replacement = &rule->replacement;
        const bool has_rest = list_split(item, &name, &rest);
        bool is_valid;
        while (rule->step < N_STEPS && !list_item_is(name, STEP_NAMES[rule->step]))
            rule->step++;
        switch (rule->step) {
        case NORMALIZE_REPLACE:
        case NORMALIZE_REPLACE_RUNS:
        case NORMALIZE_REPLACE_BLANKS:
            is_valid = replacement_parse(replacement, rest, rule->step != NORMALIZE_REPLACE,
                                         rule->step == NORMALIZE_REPLACE_BLANKS);
            break;
        case NORMALIZE_PREPEND:
            is_valid = replacement_text(rest, replacement->to, &replacement->n_to);
            break;
        case NORMALIZE_CHARSMAP:
            is_valid = !has_rest && (plan->steps & 1u << NORMALIZE_CHARSMAP) == 0;
            break;
        default: is_valid = !has_rest && rule->step < N_STEPS;
        }
        if (!is_valid)
            return false;
        plan->steps |= 1u << rule->step;
    }
    return true;
}

enum { NMT_DROPPED = 0x100 * 0x110000 }; /* neither a code point, nor a byte but 0 */

/* Applies sentencepiece's rules `nmt` to a character: NUL stays. */
static uint32_t nmt(uint32_t code)
{
    if ((code >= 1 && code <= 8) || code == 0xB || (code >= 0xE && code <= 0x1F) || code == 0x7F ||
        code == 0x8F || code == 0x9F)
        return NMT_DROPPED;
    const bool is_blank = code == 9 || code == 0xA || code == 0xC || code == 0xD ||
                          code == 0x1680 || (code >= 0x200B && code <= 0x200F) || code == 0x2028 ||
                          code == 0x2029 || code == 0x2581 || code == 0xFEFF || code == 0xFFFD;
    return is_blank ? ' ' : code;
}

/* CR and LF may be one cluster. */
static uint8_t charsmap_ascii(const struct charsmap *map, uint8_t c)
{
    size_t n = 1;
    const char text = (char)c, *becomes = charsmap_find(map, &text, 1, &n);
    if (c == '\r' || c == '\n' || n != 1 || (becomes != NULL && (uint8_t)*becomes >= 0x80))
        return 0;
    return becomes != NULL ? (uint8_t)*becomes : c;
}

uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c, bool *drops)
{
    *drops = c == 0;
    if (c >= 0x80)
        return 0;
    for (size_t i = 0; i < plan->n && c != 0; i++) {
        const struct normalizer_rule *rule = &plan->rules[i];
        const unsigned properties = unicode_properties(c);
        switch (rule->step) {
        case NORMALIZE_CLEAN:
            c = properties & UNICODE_CONTROL ? 0 : properties & UNICODE_BLANK ? ' ' : c;
            break;
        case NORMALIZE_LOWER: c = c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c; break;
        case NORMALIZE_STRIP_START:
        case NORMALIZE_STRIP_END: c = properties & UNICODE_BLANK ? 0 : c; break;
        case NORMALIZE_NMT: c = (uint8_t)nmt(c); break;
        case NORMALIZE_CHARSMAP: c = charsmap_ascii(&plan->charsmap, c); break;
        case NORMALIZE_REPLACE:
        case NORMALIZE_REPLACE_RUNS:
        case NORMALIZE_REPLACE_BLANKS: c = replacement_has(&rule->replacement, c) ? 0 : c; break;
        default: break;
        }
        const uint32_t keeps =
            1u << NORMALIZE_STRIP_START | 1u << NORMALIZE_STRIP_END | 1u << NORMALIZE_CHARSMAP;
        int32_t breaks = 0;
        const bool is_apart = rule->replacement.n_to > 0 &&
                              unicode_breaks_cluster('a', rule->replacement.to[0], &breaks);
        *drops = c == 0 && !is_apart && (keeps >> rule->step & 1) == 0;
    }
    return c;
}

/* ---- The steps ---- */

/* Returns whether code is a CJK ideograph by BERT's definition, without Hangul and kana. */
static bool is_cjk(uint32_t code)
{
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
           (code >= 0x20000 && code <= 0x2A6DF) || (code >= 0x2A700 && code <= 0x2B73F) ||
           (code >= 0x2B740 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

/* Passes a character to the next step. */
static void pass_on(void *user, struct normal_char c)
{
    const struct normalizer_stage *stage = user;
    normalizer_add(stage->normalizer, stage->next, c);
}

/* Passes n characters with the span of c. */
static void emit_codes(struct normalizer_stage *stage, const uint32_t *codes, size_t n,
                       struct normal_char c)
{
    for (size_t i = 0; i < n; i++)
        pass_on(stage, (struct normal_char){codes[i], c.begin, c.end});
}

static bool clean(struct normal_char *c)
{
    const unsigned properties = unicode_properties(c->code);
    if ((properties & UNICODE_CONTROL) || c->code == UTF8_REPLACEMENT)
        return false;
    if (properties & UNICODE_BLANK)
        c->code = ' ';
    return true;
}

/* ---- Step `charsmap` ----
 *
 * As in the reference, a grapheme cluster of fewer than 6 bytes is looked up as one string, a
 * longer one character by character. Spans follow the reference (its `transform` of a string with
 * alignments): if a cluster of k characters becomes m, the first min(k, m) get the spans of the
 * cluster's characters in order, added ones share the span before them, and the spans of removed
 * ones are skipped after the last. If a text starts with characters that are dropped, the reference
 * skips nothing, and all later spans lag by as many. */

static void release_mapped(struct normalizer_stage *stage)
{
    struct charsmap_stage *map = stage->charsmap;
    if (map->is_waiting)
        pass_on(stage, map->waiting);
    map->is_waiting = false;
}

/* Emits a character. is_added: it replaces no character of the text. */
static void emit_mapped(struct normalizer_stage *stage, uint32_t code, bool is_added)
{
    struct charsmap_stage *map = stage->charsmap;
    release_mapped(stage);
    const struct text_span span = is_added ? map->spans.last : span_ring_next(&map->spans);
    map->waiting = (struct normal_char){code, span.begin, span.end};
    map->is_waiting = map->has_result = true;
    map->is_added = is_added;
}

/* Skips the spans of n removed characters. An added last character replaces the first of them. */
static void skip_spans(struct normalizer_stage *stage, size_t n)
{
    struct charsmap_stage *map = stage->charsmap;
    for (size_t i = 0; i < n && map->has_result; i++) {
        const struct text_span span = span_ring_next(&map->spans);
        if (map->is_waiting && map->is_added) {
            map->waiting.begin = span.begin;
            map->waiting.end = span.end;
            map->is_added = false;
        }
    }
}

/* Replaces k characters by `text`. */
static void replace_mapped(struct normalizer_stage *stage, size_t k, const char *text, size_t len)
{
    size_t m = 0;
    for (size_t at = 0; at < len; m++) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        emit_mapped(stage, c.code, m >= k);
        at += c.len;
    }
    if (m < k)
        skip_spans(stage, k - m);
}

static void add_each(struct normalizer_stage *stage, const char *text, size_t len)
{
    for (size_t at = 0, n = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        const char *becomes =
            charsmap_find(&stage->normalizer->plan->charsmap, text + at, c.len, &n);
        if (becomes != NULL)
            replace_mapped(stage, 1, becomes, n);
        else
            emit_mapped(stage, c.code, false);
        at += c.len;
    }
}

static void end_cluster(struct normalizer_stage *stage)
{
    struct charsmap_stage *map = stage->charsmap;
    size_t n = 0;
    const char *becomes =
        map->is_long || map->n_bytes == 0
            ? NULL
            : charsmap_find(&stage->normalizer->plan->charsmap, map->cluster, map->n_bytes, &n);
    if (becomes != NULL)
        replace_mapped(stage, map->n_chars, becomes, n);
    else
        add_each(stage, map->cluster, map->n_bytes);
    map->n_bytes = map->n_chars = 0;
    map->is_long = false;
}

static void charsmap_add(struct normalizer_stage *stage, struct normal_char c)
{
    struct charsmap_stage *map = stage->charsmap;
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (!map->in_text)
        map->breaks = 0;
    else if (unicode_breaks_cluster(map->last, c.code, &map->breaks))
        end_cluster(stage);
    map->in_text = true;
    map->last = c.code;
    span_ring_add(&map->spans, c);
    if (map->n_bytes + n >= CHARSMAP_CLUSTER && !map->is_long) {
        add_each(stage, map->cluster, map->n_bytes);
        map->n_bytes = map->n_chars = 0;
        map->is_long = true;
    }
    if (map->is_long) {
        add_each(stage, bytes, n);
    } else {
        memcpy(map->cluster + map->n_bytes, bytes, n);
        map->n_bytes += n;
        map->n_chars++;
    }
}

/* Ends the cluster: at the end of a text, or before characters that bypass the stage. Returns false
 * if they must not: spans lag behind the characters, because the text started with dropped ones. */
static bool charsmap_end(struct normalizer_stage *stage, bool at_end)
{
    struct charsmap_stage *map = stage->charsmap;
    end_cluster(stage);
    if (map->spans.n > 0 && !at_end)
        return false;
    release_mapped(stage);
    map->in_text = false;
    map->has_result = true;
    return true;
}

/* ---- Steps that replace a text, by one with the span of its last character; strip_end ---- */

static void emit_replacement(struct normalizer_stage *stage)
{
    struct held_chars *held = stage->held;
    const struct normal_char last = held->chars[held->n - 1];
    held->n = 0;
    held->is_run = false;
    emit_codes(stage, stage->rule->replacement.to, stage->rule->replacement.n_to, last);
}

/* Emits the first n held characters. */
static void emit_held(struct normalizer_stage *stage, size_t n)
{
    struct held_chars *held = stage->held;
    for (size_t i = 0; i < n; i++)
        pass_on(stage, held->chars[i]);
    held->n -= n;
    memmove(held->chars, held->chars + n, held->n * sizeof *held->chars);
}

static void emit_all_held(struct normalizer_stage *stage)
{
    if (stage->held->is_run)
        emit_replacement(stage);
    else
        emit_held(stage, stage->held->n);
}

static bool pass_strip_end(struct normalizer_stage *stage, struct normal_char c)
{
    struct held_chars *held = stage->held;
    if (unicode_properties(c.code) & UNICODE_BLANK) {
        held->n -= held->n == NORMALIZER_BLANKS;
        held->chars[held->n++] = c;
        return false;
    }
    if (held->n > 0)
        emit_all_held(stage);
    return true;
}

static void add_to_run(struct normalizer_stage *stage, struct normal_char c)
{
    struct held_chars *held = stage->held;
    if (!replacement_has(&stage->rule->replacement, c.code)) {
        emit_all_held(stage);
        pass_on(stage, c);
        return;
    }
    held->n -= held->is_run;
    held->chars[held->n++] = c;
    held->is_run = held->n == stage->rule->replacement.least;
}

/* Returns how many of the held characters cannot start the searched text. */
static size_t count_passed(const struct normalizer_stage *stage)
{
    const struct held_chars *held = stage->held;
    size_t passed = 0, same = 0;
    for (; passed < held->n; passed++) {
        for (same = 0; passed + same < held->n; same++)
            if (held->chars[passed + same].code != stage->rule->replacement.from[same])
                break;
        if (passed + same == held->n)
            break;
    }
    return passed;
}

static void replace_add(struct normalizer_stage *stage, struct normal_char c)
{
    struct held_chars *held = stage->held;
    if (stage->rule->replacement.least > 0) {
        add_to_run(stage, c);
        return;
    }
    held->chars[held->n++] = c;
    emit_held(stage, count_passed(stage));
    if (held->n == stage->rule->replacement.n_from)
        emit_replacement(stage);
}

/* ---- All steps ---- */

/* Applies a step. Returns true if the character, changed in *c, continues to the next step; false
 * if the step dropped it, buffers it or emitted others instead. */
static bool pass(struct normalizer_stage *stage, struct normal_char *c)
{
    const struct replacement *replacement = &stage->rule->replacement;
    uint32_t lower[UNICODE_LOWER_CODES];
    switch (stage->rule->step) {
    case NORMALIZE_CLEAN: return clean(c);
    case NORMALIZE_SPACE_CJK:
        if (!is_cjk(c->code))
            return true;
        emit_codes(stage, (const uint32_t[]){' ', c->code, ' '}, 3, *c);
        return false;
    case NORMALIZE_DROP_NONSPACING: return !(unicode_properties(c->code) & UNICODE_NONSPACING);
    case NORMALIZE_DROP_MARKS: return !(unicode_properties(c->code) & UNICODE_MARK);
    case NORMALIZE_LOWER: emit_codes(stage, lower, unicode_lower(c->code, lower), *c); return false;
    case NORMALIZE_STRIP_START:
        stage->started = stage->started || !(unicode_properties(c->code) & UNICODE_BLANK);
        return stage->started;
    case NORMALIZE_STRIP_END: return pass_strip_end(stage, *c);
    case NORMALIZE_NMT: c->code = nmt(c->code); return c->code != NMT_DROPPED;
    case NORMALIZE_CHARSMAP: charsmap_add(stage, *c); return false;
    case NORMALIZE_PREPEND:
        emit_codes(stage, replacement->to, stage->started ? 0 : replacement->n_to, *c);
        stage->started = true;
        return true;
    case NORMALIZE_REPLACE:
    case NORMALIZE_REPLACE_RUNS:
    case NORMALIZE_REPLACE_BLANKS: replace_add(stage, *c); return false;
    default: /* a normal form */ normal_form_add(stage->form, *c); return false;
    }
}

void normalizer_add(struct normalizer *normalizer, size_t step, struct normal_char c)
{
    if (!meter_take(normalizer->meter, 2 + (normalizer->plan->n - step) / 16))
        return;
    for (; step < normalizer->plan->n; step++)
        if (!pass(&normalizer->stages[step], &c))
            return;
    normalizer->emit(normalizer->user, c);
}

/* ---- A text ---- */

void normalizer_carve(struct normalizer *normalizer, const struct normalizer_plan *plan,
                      void (*emit)(void *user, struct normal_char c), void *user,
                      struct arena *arena)
{
    normalizer->plan = plan;
    normalizer->emit = emit;
    normalizer->user = user;
    for (size_t i = 0; i < plan->n; i++) {
        const unsigned step = plan->rules[i].step;
        struct normalizer_stage *stage = &normalizer->stages[i];
        *stage = (struct normalizer_stage){
            .normalizer = normalizer, .rule = &plan->rules[i], .next = i + 1};
        if (step >= NORMALIZE_NFD && step <= NORMALIZE_NFKC)
            stage->form = arena_cut(arena, 1, sizeof *stage->form);
        else if (step == NORMALIZE_CHARSMAP)
            stage->charsmap = arena_cut(arena, 1, sizeof *stage->charsmap);
        else if (step == NORMALIZE_STRIP_END || step >= NORMALIZE_REPLACE)
            stage->held = arena_cut(arena, 1, sizeof *stage->held);
        if (stage->form != NULL) {
            stage->form->emit = pass_on;
            stage->form->user = stage;
            stage->form->compatible = step == NORMALIZE_NFKD || step == NORMALIZE_NFKC;
            stage->form->compose = step == NORMALIZE_NFC || step == NORMALIZE_NFKC;
        }
    }
}

void normalizer_begin(struct normalizer *normalizer, size_t at)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        stage->started = false;
        if (stage->form != NULL) {
            stage->form->n_marks = stage->form->n_blocked = 0;
            stage->form->has_starter = false;
            span_ring_begin(&stage->form->spans, at);
        }
        if (stage->charsmap != NULL) {
            memset(stage->charsmap, 0, offsetof(struct charsmap_stage, spans));
            span_ring_begin(&stage->charsmap->spans, at);
        }
        if (stage->held != NULL) {
            stage->held->n = 0;
            stage->held->is_run = false;
        }
    }
}

/* In the order of the steps, as the next one may buffer what one emits. Blanks that strip_end
 * buffers are dropped at the end of a text. */
bool normalizer_empty(struct normalizer *normalizer, bool at_end)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        if (!at_end && stage->rule->step == NORMALIZE_PREPEND && !stage->started)
            return false;
        stage->started = stage->started || !at_end;
        if (stage->charsmap != NULL && !charsmap_end(stage, at_end))
            return false;
        if (stage->form != NULL && (stage->form->n_marks > 0 || stage->form->has_starter))
            normal_form_end(stage->form);
        if (stage->held != NULL && !(at_end && stage->rule->step == NORMALIZE_STRIP_END))
            emit_all_held(stage);
    }
    return true;
}

/* ---- Growth ---- */

bool normalizer_is_bounded(struct normalizer *normalizer)
{
    enum { MOST_STEPS = 4096 };
    struct meter meter = {.left = MOST_STEPS};
    normalizer->meter = &meter;
    for (size_t i = 0; i < normalizer->plan->n && meter.left > 0; i++) {
        const struct normalizer_rule *rule = &normalizer->plan->rules[i];
        const struct replacement *replacement = &rule->replacement;
        const size_t n = replacement->n_from > 1  ? replacement->n_from
                         : replacement->least > 0 ? replacement->least
                                                  : 1;
        meter.left = MOST_STEPS;
        normalizer_begin(normalizer, 0);
        for (size_t k = 0; k < n && rule->step >= NORMALIZE_PREPEND; k++) {
            const uint32_t code = replacement->from[replacement->n_from > 1 ? k : 0];
            const bool has_code = replacement->n_from > 0;
            normalizer_add(normalizer, i, (struct normal_char){has_code ? code : ' ', 0, 1});
        }
        normalizer_empty(normalizer, true);
    }
    normalizer->meter = NULL;
    const struct charsmap *map = &normalizer->plan->charsmap;
    for (size_t at = 0, len; at < map->n_strings; at += len + 1)
        if ((len = strnlen(map->strings + at, map->n_strings - at)) > MOST_STEPS)
            return false;
    return meter.left > 0;
}
