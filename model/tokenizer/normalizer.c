/* normalizer.c - each step takes a character and hands none, one or more to the next; the last
 * hands them to the function that takes the normalized text. Only normal forms and strip_end hold
 * characters back. The steps and their order are those of the reference's normalizers
 * (BertNormalizer, Sequence, NFD ... Strip); it takes a whole text through one step after the
 * other, here one character after the other goes through all steps.
 */
#include "model/tokenizer/normalizer.h"

#include "model/unicode/unicode.h"
#include "model/unicode/utf8.h"

static const char *const STEP_NAMES[] = {
    [NORMALIZE_CLEAN] = "clean",
    [NORMALIZE_SPACE_CJK] = "space_cjk",
    [NORMALIZE_NFD] = "nfd",
    [NORMALIZE_NFC] = "nfc",
    [NORMALIZE_NFKD] = "nfkd",
    [NORMALIZE_NFKC] = "nfkc",
    [NORMALIZE_DROP_NONSPACING] = "drop_nonspacing",
    [NORMALIZE_DROP_MARKS] = "drop_marks",
    [NORMALIZE_LOWER] = "lower",
    [NORMALIZE_STRIP_START] = "strip_start",
    [NORMALIZE_STRIP_END] = "strip_end",
};

enum { N_STEPS = sizeof STEP_NAMES / sizeof *STEP_NAMES };

bool normalizer_parse(struct normalizer_plan *plan, struct text_view text)
{
    struct normalizer_plan parsed = {.n = 0};
    struct text_view item;
    for (size_t at = 0; list_next(text, &at, &item);) {
        uint8_t step = 0;
        while (step < N_STEPS && !list_item_is(item, STEP_NAMES[step]))
            step++;
        if (step == N_STEPS || parsed.n == NORMALIZER_STEPS)
            return false;
        parsed.steps[parsed.n++] = step;
    }
    *plan = parsed;
    return true;
}

static bool is_form(unsigned step)
{
    return step >= NORMALIZE_NFD && step <= NORMALIZE_NFKC;
}

uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c)
{
    if (c == 0 || c >= 0x80)
        return 0;
    for (size_t i = 0; i < plan->n; i++) {
        switch (plan->steps[i]) {
        case NORMALIZE_CLEAN:
            if (unicode_properties(c) & UNICODE_CONTROL)
                return 0;
            c = unicode_properties(c) & UNICODE_BLANK ? ' ' : c;
            break;
        case NORMALIZE_LOWER: c = c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c; break;
        case NORMALIZE_NFC: /* may compose with what follows */
        case NORMALIZE_NFKC:
        case NORMALIZE_STRIP_START:
        case NORMALIZE_STRIP_END: return 0;
        default: break;
        }
    }
    return c;
}

/* ---- The steps ---- */

/* CJK ideographs as BERT has them; Hangul and kana are not. */
static bool is_cjk(uint32_t code)
{
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
           (code >= 0x20000 && code <= 0x2A6DF) || (code >= 0x2A700 && code <= 0x2B73F) ||
           (code >= 0x2B740 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

static void hold_blank(struct waiting_blanks *waiting, struct normal_char c)
{
    if (waiting->n == NORMALIZER_BLANKS)
        waiting->n--;
    waiting->blanks[waiting->n++] = c;
}

static void put_from(struct normalizer *normalizer, size_t step, struct normal_char c);

static void release_blanks(struct normalizer_stage *stage)
{
    const size_t n = stage->waiting->n;
    stage->waiting->n = 0;
    for (size_t i = 0; i < n; i++)
        put_from(stage->normalizer, stage->next, stage->waiting->blanks[i]);
}

static void put_between_blanks(struct normalizer_stage *stage, struct normal_char c)
{
    const struct normal_char blank = {' ', c.begin, c.end};
    put_from(stage->normalizer, stage->next, blank);
    put_from(stage->normalizer, stage->next, c);
    put_from(stage->normalizer, stage->next, blank);
}

static void put_lower(struct normalizer_stage *stage, struct normal_char c)
{
    uint32_t codes[UNICODE_LOWER_CODES];
    const size_t n = unicode_lower(c.code, codes);
    for (size_t i = 0; i < n; i++)
        put_from(stage->normalizer, stage->next, (struct normal_char){codes[i], c.begin, c.end});
}

static bool has(uint32_t code, unsigned property)
{
    return (unicode_properties(code) & property) != 0;
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

static bool pass_strip_end(struct normalizer_stage *stage, struct normal_char c)
{
    if (has(c.code, UNICODE_BLANK)) {
        hold_blank(stage->waiting, c);
        return false;
    }
    release_blanks(stage);
    return true;
}

/* True where the character goes on, as it then is in *c; else the step dropped it, keeps it or
 * passed on others in its place. */
static bool pass(struct normalizer_stage *stage, unsigned step, struct normal_char *c)
{
    switch (step) {
    case NORMALIZE_CLEAN: return clean(c);
    case NORMALIZE_SPACE_CJK:
        if (!is_cjk(c->code))
            return true;
        put_between_blanks(stage, *c);
        return false;
    case NORMALIZE_DROP_NONSPACING: return !has(c->code, UNICODE_NONSPACING);
    case NORMALIZE_DROP_MARKS: return !has(c->code, UNICODE_MARK);
    case NORMALIZE_LOWER: put_lower(stage, *c); return false;
    case NORMALIZE_STRIP_START:
        stage->started = stage->started || !has(c->code, UNICODE_BLANK);
        return stage->started;
    case NORMALIZE_STRIP_END: return pass_strip_end(stage, *c);
    default: /* a normal form */ normal_form_put(stage->form, *c); return false;
    }
}

static void put_from(struct normalizer *normalizer, size_t step, struct normal_char c)
{
    for (; step < normalizer->plan->n; step++)
        if (!pass(&normalizer->stages[step], normalizer->plan->steps[step], &c))
            return;
    normalizer->take(normalizer->user, c);
}

static void take_from_form(void *user, struct normal_char c)
{
    const struct normalizer_stage *stage = user;
    put_from(stage->normalizer, stage->next, c);
}

/* ---- A text ---- */

static size_t stage_bytes(unsigned step)
{
    const size_t bytes = is_form(step)                 ? sizeof(struct normal_form)
                         : step == NORMALIZE_STRIP_END ? sizeof(struct waiting_blanks)
                                                       : 0;
    return (bytes + 15) / 16 * 16;
}

size_t normalizer_bytes(const struct normalizer_plan *plan)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->n; i++)
        bytes += stage_bytes(plan->steps[i]);
    return bytes;
}

void normalizer_start(struct normalizer *normalizer, const struct normalizer_plan *plan,
                      void (*take)(void *user, struct normal_char c), void *user, void *memory)
{
    char *at = memory;
    normalizer->plan = plan;
    normalizer->take = take;
    normalizer->user = user;
    for (size_t i = 0; i < plan->n; i++) {
        const unsigned step = plan->steps[i];
        struct normalizer_stage *stage = &normalizer->stages[i];
        *stage = (struct normalizer_stage){.normalizer = normalizer, .next = i + 1};
        if (is_form(step)) {
            stage->form = (struct normal_form *)(void *)at;
            stage->form->take = take_from_form;
            stage->form->user = stage;
            stage->form->compatible = step == NORMALIZE_NFKD || step == NORMALIZE_NFKC;
            stage->form->compose = step == NORMALIZE_NFC || step == NORMALIZE_NFKC;
        } else if (step == NORMALIZE_STRIP_END) {
            stage->waiting = (struct waiting_blanks *)(void *)at;
        }
        at += stage_bytes(step);
    }
}

void normalizer_begin(struct normalizer *normalizer, size_t at)
{
    for (size_t i = 0; i < normalizer->plan->n; i++) {
        struct normalizer_stage *stage = &normalizer->stages[i];
        stage->started = false;
        if (stage->form != NULL)
            normal_form_begin(stage->form, at);
        if (stage->waiting != NULL)
            stage->waiting->n = 0;
    }
}

void normalizer_put(struct normalizer *normalizer, struct normal_char c)
{
    put_from(normalizer, 0, c);
}

void normalizer_flush(struct normalizer *normalizer)
{
    for (size_t i = 0; i < normalizer->plan->n; i++)
        if (normalizer->stages[i].form != NULL)
            normal_form_end(normalizer->stages[i].form);
}

/* Step by step, for what one hands on, the next may hold back. Blanks that strip_end still holds
 * are at the end of the text, and dropped. */
void normalizer_end(struct normalizer *normalizer)
{
    normalizer_flush(normalizer);
}
