/* normalizer.c - each step reads a character and passes none, one or more to the next step; the
 * last passes them to the receiver of the normalized text. Only normal forms and strip_end buffer
 * characters. The steps and their order are those of the reference's normalizers (BertNormalizer,
 * Sequence, NFD ... Strip); the reference passes a complete text through one step after another,
 * here one character after another passes through all steps.
 */
#include "model/tokenizer/normalizer.h"

#include "model/unicode/unicode.h"

#define NAME(constant, name) name,
static const char *const STEP_NAMES[] = {NORMALIZER_STEPS_AND_NAMES(NAME)};

enum { N_STEPS = sizeof STEP_NAMES / sizeof *STEP_NAMES };

/* An item is "lower", or "replace:FROM:TO". */
bool normalizer_parse(struct normalizer_plan *plan, struct text_view text)
{
    struct normalizer_plan parsed = {.n = 0};
    struct text_view item, name, rest;
    for (size_t at = 0; list_next(text, &at, &item); parsed.n++) {
        if (parsed.n == NORMALIZER_STEPS)
            return false;
        struct normalizer_rule *rule = &parsed.rules[parsed.n];
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
            is_valid = !has_rest && (parsed.steps & 1u << NORMALIZE_CHARSMAP) == 0;
            break;
        default: is_valid = !has_rest && rule->step < N_STEPS;
        }
        if (!is_valid)
            return false;
        parsed.steps |= 1u << rule->step;
    }
    *plan = parsed;
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

uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c)
{
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

static void pass_from(struct normalizer *normalizer, size_t step, struct normal_char c);

static void release_blanks(struct normalizer_stage *stage)
{
    const size_t n = stage->waiting->n;
    stage->waiting->n = 0;
    for (size_t i = 0; i < n; i++)
        pass_from(stage->normalizer, stage->next, stage->waiting->blanks[i]);
}

static void emit_between_blanks(struct normalizer_stage *stage, struct normal_char c)
{
    const struct normal_char blank = {' ', c.begin, c.end};
    pass_from(stage->normalizer, stage->next, blank);
    pass_from(stage->normalizer, stage->next, c);
    pass_from(stage->normalizer, stage->next, blank);
}

static void emit_lower(struct normalizer_stage *stage, struct normal_char c)
{
    uint32_t codes[UNICODE_LOWER_CODES];
    const size_t n = unicode_lower(c.code, codes);
    for (size_t i = 0; i < n; i++)
        pass_from(stage->normalizer, stage->next, (struct normal_char){codes[i], c.begin, c.end});
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

static void prepend(struct normalizer_stage *stage, const struct replacement *replacement,
                    struct normal_char first)
{
    if (stage->started)
        return;
    stage->started = true;
    for (size_t i = 0; i < replacement->n_to; i++)
        pass_from(stage->normalizer, stage->next,
                  (struct normal_char){replacement->to[i], first.begin, first.end});
}

static bool pass_strip_end(struct normalizer_stage *stage, struct normal_char c)
{
    struct waiting_blanks *waiting = stage->waiting;
    if (unicode_properties(c.code) & UNICODE_BLANK) {
        waiting->n -= waiting->n == NORMALIZER_BLANKS;
        waiting->blanks[waiting->n++] = c;
        return false;
    }
    release_blanks(stage);
    return true;
}

/* Applies a step. Returns true if the character, changed in *c, continues to the next step; false
 * if the step dropped it, buffers it or emitted others instead. */
static bool pass(struct normalizer_stage *stage, const struct normalizer_rule *rule,
                 struct normal_char *c)
{
    switch (rule->step) {
    case NORMALIZE_CLEAN: return clean(c);
    case NORMALIZE_SPACE_CJK:
        if (!is_cjk(c->code))
            return true;
        emit_between_blanks(stage, *c);
        return false;
    case NORMALIZE_DROP_NONSPACING: return !(unicode_properties(c->code) & UNICODE_NONSPACING);
    case NORMALIZE_DROP_MARKS: return !(unicode_properties(c->code) & UNICODE_MARK);
    case NORMALIZE_LOWER: emit_lower(stage, *c); return false;
    case NORMALIZE_STRIP_START:
        stage->started = stage->started || !(unicode_properties(c->code) & UNICODE_BLANK);
        return stage->started;
    case NORMALIZE_STRIP_END: return pass_strip_end(stage, *c);
    case NORMALIZE_NMT: c->code = nmt(c->code); return c->code != NMT_DROPPED;
    case NORMALIZE_CHARSMAP: charsmap_add(stage->charsmap, *c); return false;
    case NORMALIZE_PREPEND: prepend(stage, &rule->replacement, *c); return true;
    case NORMALIZE_REPLACE:
    case NORMALIZE_REPLACE_RUNS:
    case NORMALIZE_REPLACE_BLANKS: replace_add(stage->replace, *c); return false;
    default: /* a normal form */ normal_form_add(stage->form, *c); return false;
    }
}

static void pass_from(struct normalizer *normalizer, size_t step, struct normal_char c)
{
    if (!meter_take(normalizer->meter, 2 + (normalizer->plan->n - step) / 16))
        return;
    for (; step < normalizer->plan->n; step++)
        if (!pass(&normalizer->stages[step], &normalizer->plan->rules[step], &c))
            return;
    normalizer->emit(normalizer->user, c);
}

static void pass_from_stage(void *user, struct normal_char c)
{
    const struct normalizer_stage *stage = user;
    pass_from(stage->normalizer, stage->next, c);
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
        *stage = (struct normalizer_stage){.normalizer = normalizer, .next = i + 1};
        if (step >= NORMALIZE_NFD && step <= NORMALIZE_NFKC)
            stage->form = arena_cut(arena, 1, sizeof *stage->form);
        else if (step == NORMALIZE_STRIP_END)
            stage->waiting = arena_cut(arena, 1, sizeof *stage->waiting);
        else if (step == NORMALIZE_CHARSMAP)
            stage->charsmap = arena_cut(arena, 1, sizeof *stage->charsmap);
        else if (step >= NORMALIZE_REPLACE)
            stage->replace = arena_cut(arena, 1, sizeof *stage->replace);
        if (stage->form != NULL) {
            stage->form->emit = pass_from_stage;
            stage->form->user = stage;
            stage->form->compatible = step == NORMALIZE_NFKD || step == NORMALIZE_NFKC;
            stage->form->compose = step == NORMALIZE_NFC || step == NORMALIZE_NFKC;
        }
        if (stage->charsmap != NULL) {
            stage->charsmap->emit = pass_from_stage;
            stage->charsmap->user = stage;
            stage->charsmap->map = &plan->charsmap;
        }
        if (stage->replace != NULL)
            *stage->replace = (struct replace_stage){
                .emit = pass_from_stage, .user = stage, .replacement = &plan->rules[i].replacement};
    }
}

void normalizer_begin(struct normalizer *normalizer, size_t at)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        stage->started = false;
        if (stage->form != NULL)
            normal_form_begin(stage->form, at);
        if (stage->charsmap != NULL)
            charsmap_begin(stage->charsmap, at);
        if (stage->waiting != NULL)
            stage->waiting->n = 0;
    }
}

void normalizer_add(struct normalizer *normalizer, struct normal_char c)
{
    pass_from(normalizer, 0, c);
}

/* In order of the steps, as the next stage may buffer what one emits. */
bool normalizer_flush(struct normalizer *normalizer)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        if (normalizer->plan->rules[i].step == NORMALIZE_PREPEND && !stage->started)
            return false;
        stage->started = true;
        if (stage->charsmap != NULL && !charsmap_flush(stage->charsmap))
            return false;
        if (stage->form != NULL)
            normal_form_end(stage->form);
        if (stage->replace != NULL)
            replace_end(stage->replace);
        if (stage->waiting != NULL)
            release_blanks(stage);
    }
    return true;
}

/* Blanks that strip_end still buffers are at the end of the text, and dropped. */
void normalizer_end(struct normalizer *normalizer)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        if (stage->charsmap != NULL)
            charsmap_end(stage->charsmap);
        if (stage->form != NULL)
            normal_form_end(stage->form);
        if (stage->replace != NULL)
            replace_end(stage->replace);
    }
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
            pass_from(normalizer, i, (struct normal_char){has_code ? code : ' ', 0, 1});
        }
        normalizer_end(normalizer);
    }
    normalizer->meter = NULL;
    return meter.left > 0 && charsmap_longest(&normalizer->plan->charsmap) <= MOST_STEPS;
}
