/* unicode.c - UTF-8, characters, texts in lower case, and normal forms.
 *
 * Of characters utf8proc's data, corrected. Most properties are general categories; an exception
 * flips the bits in which the reference differs. Most blocks of 256 code points have no exceptions,
 * which is marked by a bit per block.
 */
#include "model/unicode/unicode.h"

#include "model/unicode/unicode_exceptions.h"

#include <utf8proc.h>

/* ---- UTF-8 ----
 *
 * By the table of well-formed byte sequences (Unicode standard, table 3-7): after the lead bytes
 * E0, ED, F0 and F4 the second byte has a narrower range than 80..BF, which excludes overlong
 * forms, surrogates and numbers above U+10FFFF. An incomplete sequence is replaced as one, up to
 * the byte that does not fit; that byte starts the next character. Plain twin: the standard's own
 * decoder in tests/model/unicode/test_utf8.c. */

struct utf8_char utf8_decode(const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned lead = bytes[0];
    if (lead < 0x80)
        return (struct utf8_char){lead, 1};
    if (lead < 0xC2 || lead > 0xF4)
        return (struct utf8_char){UTF8_REPLACEMENT, 1};

    const size_t n = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    uint32_t code = lead & (0x7Fu >> n);
    for (uint32_t i = 1; i < n; i++) {
        if (i >= len || bytes[i] < low || bytes[i] > high)
            return (struct utf8_char){UTF8_REPLACEMENT, i};
        code = code << 6 | (bytes[i] & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    return (struct utf8_char){code, (uint32_t)n};
}

/* Decoding restarts at every byte that is not a continuation byte, so the last such byte is where
 * the last character starts, unless that character ends before the text does. */
struct utf8_char utf8_decode_last(const char *text, size_t len)
{
    for (size_t back = 1; back <= len && back <= UTF8_BYTES; back++) {
        const char *start = text + (len - back);
        if (((unsigned char)*start & 0xC0) == 0x80)
            continue;
        const struct utf8_char last = utf8_decode(start, back);
        if (last.len == back)
            return last;
        break;
    }
    return (struct utf8_char){UTF8_REPLACEMENT, 1};
}

size_t utf8_encode(uint32_t code, char out[UTF8_BYTES])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)out);
}

bool utf8_valid(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        /* U+FFFD itself is EF BF BD; no invalid part has three bytes and starts with EF. */
        if (c.code == UTF8_REPLACEMENT && !(c.len == 3 && (unsigned char)text[at] == 0xEF))
            return false;
        at += c.len;
    }
    return true;
}

/* ---- Characters ---- */

/* Properties by general category. */
static const uint16_t CATEGORIES[] = {
    [UTF8PROC_CATEGORY_LU] = UNICODE_WORD | UNICODE_LETTER | UNICODE_CAPITAL,
    [UTF8PROC_CATEGORY_LL] = UNICODE_WORD | UNICODE_LETTER | UNICODE_SMALL,
    [UTF8PROC_CATEGORY_LT] = UNICODE_WORD | UNICODE_LETTER | UNICODE_CAPITAL,
    [UTF8PROC_CATEGORY_LM] = UNICODE_WORD | UNICODE_LETTER,
    [UTF8PROC_CATEGORY_LO] = UNICODE_WORD | UNICODE_LETTER,
    [UTF8PROC_CATEGORY_MN] = UNICODE_WORD | UNICODE_MARK | UNICODE_JOINED | UNICODE_NONSPACING,
    [UTF8PROC_CATEGORY_MC] = UNICODE_WORD | UNICODE_MARK | UNICODE_JOINED,
    [UTF8PROC_CATEGORY_ME] = UNICODE_WORD | UNICODE_MARK | UNICODE_JOINED,
    [UTF8PROC_CATEGORY_ND] = UNICODE_WORD | UNICODE_NUMBER,
    [UTF8PROC_CATEGORY_NL] = UNICODE_WORD | UNICODE_NUMBER,
    [UTF8PROC_CATEGORY_NO] = UNICODE_NUMBER,
    [UTF8PROC_CATEGORY_PC] = UNICODE_WORD | UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PD] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PS] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PE] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PI] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PF] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_PO] = UNICODE_PUNCTUATION,
    [UTF8PROC_CATEGORY_ZS] = UNICODE_BLANK,
    [UTF8PROC_CATEGORY_ZL] = UNICODE_BLANK,
    [UTF8PROC_CATEGORY_ZP] = UNICODE_BLANK,
    [UTF8PROC_CATEGORY_CC] = UNICODE_CONTROL,
    [UTF8PROC_CATEGORY_CF] = UNICODE_CONTROL,
    [UTF8PROC_CATEGORY_CO] = UNICODE_CONTROL,
};

static bool may_be_exception(uint32_t code)
{
    return UNICODE_EXCEPTION_BLOCKS[code >> 14] >> (code >> 8 & 63) & 1;
}

static unsigned flips_of(uint32_t code)
{
    const size_t n = sizeof UNICODE_EXCEPTIONS / sizeof *UNICODE_EXCEPTIONS;
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code >= UNICODE_EXCEPTIONS[middle].first + UNICODE_EXCEPTIONS[middle].n)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < n && code >= UNICODE_EXCEPTIONS[low].first;
    return found ? UNICODE_EXCEPTIONS[low].flips : 0;
}

/* Exceptions are those to Unicode 15, so characters that utf8proc 2.9 or later assigns are
 * unassigned here. The reference's regular expressions have older data than its other parts:
 * numbers that are new in the latter are no word characters. */
static unsigned exceptional_properties(uint32_t code, unsigned category, unsigned properties)
{
    const unsigned flips = flips_of(code);
    if (flips & UNICODE_LATER)
        category = UTF8PROC_CATEGORY_CN, properties = 0;
    const unsigned flipped = properties ^ flips;
    const bool is_late =
        category == UTF8PROC_CATEGORY_CN && (flipped & UNICODE_NUMBER) && !(flipped & UNICODE_WORD);
    return is_late ? flipped | UNICODE_LATE_NUMBER : flipped;
}

/* In ASCII and Latin-1, category Cc includes blanks, and three characters that count as text; ASCII
 * symbols of category S count as punctuation. */
unsigned unicode_properties(uint32_t code)
{
    const unsigned category = (unsigned)utf8proc_category((utf8proc_int32_t)code);
    unsigned properties = CATEGORIES[category];
    if (code < 0x100) {
        if ((code >= '\t' && code <= '\r') || code == 0x85)
            properties |= UNICODE_BLANK;
        if (code == '\t' || code == '\n' || code == '\r')
            properties &= ~(unsigned)UNICODE_CONTROL;
        if (code > ' ' && code < 0x7F && (properties & UNICODE_WORD) == 0)
            properties |= UNICODE_PUNCTUATION;
        return properties;
    }
    return may_be_exception(code) ? exceptional_properties(code, category, properties) : properties;
}

size_t unicode_lower(uint32_t code, uint32_t out[UNICODE_LOWER_CODES])
{
    const size_t n = sizeof UNICODE_LOWER / sizeof *UNICODE_LOWER;
    for (size_t i = 0; may_be_exception(code) && i < n && UNICODE_LOWER[i].first <= code; i++)
        if (code <= UNICODE_LOWER[i].last) {
            out[0] = UNICODE_LOWER[i].to[0] + (code - UNICODE_LOWER[i].first);
            out[1] = UNICODE_LOWER[i].to[1];
            return out[1] != 0 ? 2 : 1;
        }
    out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    return 1;
}

size_t unicode_decompose(uint32_t code, bool compatible, uint32_t out[UNICODE_DECOMPOSED])
{
    const unsigned whole = UNICODE_LATER | (compatible ? UNICODE_WHOLE_COMPATIBLE : UNICODE_WHOLE);
    utf8proc_int32_t codes[UNICODE_DECOMPOSED];
    int last_class = 0;
    out[0] = code;
    if (code < 0x80 || (may_be_exception(code) && (flips_of(code) & whole)))
        return 1;
    const utf8proc_option_t options =
        UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
    const utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, codes,
                                                       UNICODE_DECOMPOSED, options, &last_class);
    if ((size_t)n - 1 >= UNICODE_DECOMPOSED) /* none, an error, or more */
        return 1;
    for (utf8proc_ssize_t i = 0; i < n; i++)
        out[i] = (uint32_t)codes[i];
    return (size_t)n;
}

uint8_t unicode_combining_class(uint32_t code)
{
    if (may_be_exception(code) && (flips_of(code) & (UNICODE_STARTER | UNICODE_LATER)))
        return 0;
    return (uint8_t)utf8proc_get_property((utf8proc_int32_t)code)->combining_class;
}

uint32_t unicode_compose(uint32_t first, uint32_t second)
{
    utf8proc_int32_t codes[2] = {(utf8proc_int32_t)first, (utf8proc_int32_t)second};
    if (second < 0x80 || second == 0x11A7) /* no composite ends with these */
        return 0;                          /* (utf8proc 2.8 drops U+11A7 after Hangul LV) */
    const utf8proc_ssize_t n =
        utf8proc_normalize_utf32(codes, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const uint32_t whole = (uint32_t)codes[0];
    if (n != 1 || (may_be_exception(whole) && (flips_of(whole) & (UNICODE_WHOLE | UNICODE_LATER))))
        return 0;
    return whole;
}

/* Returns whether the reference, whose Unicode is 17 here, joins a character to the one before it
 * although Unicode 15 does not assign it. */
static bool joins_since_unicode_16(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x897, 0x897},     {0x1ACF, 0x1ADD},   {0x1AE0, 0x1AEB},   {0x10D69, 0x10D6D},
        {0x10EFA, 0x10EFC}, {0x113B8, 0x113C0}, {0x113C2, 0x113C2}, {0x113C5, 0x113C5},
        {0x113C7, 0x113CA}, {0x113CC, 0x113D0}, {0x113D2, 0x113D2}, {0x113E1, 0x113E2},
        {0x11B60, 0x11B67}, {0x11F5A, 0x11F5A}, {0x1611E, 0x1612F}, {0x1E5EE, 0x1E5EF},
        {0x1E6E3, 0x1E6E3}, {0x1E6E6, 0x1E6E6}, {0x1E6EE, 0x1E6EF}, {0x1E6F5, 0x1E6F5},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

bool unicode_breaks_cluster(uint32_t first, uint32_t second, int32_t *state)
{
    if (!utf8proc_grapheme_break_stateful((utf8proc_int32_t)first, (utf8proc_int32_t)second, state))
        return false;
    const bool is_control = first < ' ' || (unicode_properties(first) & UNICODE_CONTROL) ||
                            first == 0x2028 || first == 0x2029;
    return is_control || !joins_since_unicode_16(second);
}

/* ---- Letters of a text ----
 *
 * Full lower case mapping of Unicode (chapter 3.13, SpecialCasing.txt), as in Python's str.lower():
 * every character maps to one character, except
 *
 *     U+0130 (I with dot above) becomes U+0069 U+0307, and
 *     U+03A3 (sigma) becomes U+03C2 at the end of a word, else U+03C3. The end of a word is
 *         Cased Case_Ignorable* U+03A3 not followed by (Case_Ignorable* Cased).
 *
 * Cased and Case_Ignorable are derived properties: general categories, from utf8proc, and short
 * lists of other characters (Other_Lowercase, Other_Uppercase, Word_Break), in this file. */

enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };
enum { CAPITAL_I_DOT = 0x130, COMBINING_DOT_ABOVE = 0x307 };

/* Returns whether Word_Break is MidLetter, MidNumLet or Single_Quote. */
static bool joins_words(uint32_t code)
{
    static const uint16_t joiners[] = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,
                                       0x5F4,  0x2018, 0x2019, 0x2024, 0x2027, 0xFE13,
                                       0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
    for (size_t i = 0; i < sizeof joiners / sizeof *joiners; i++)
        if (code == joiners[i])
            return true;
    return false;
}

/* Returns whether code is Other_Lowercase or Other_Uppercase and not Case_Ignorable: ordinal
 * indicators, Roman numerals, letters in circles and squares. */
static bool other_cased(uint32_t code)
{
    return code == 0xAA || code == 0xBA || (code >= 0x2160 && code <= 0x217F) ||
           (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
           (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
}

enum letter_context letter_context(uint32_t code)
{
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return LETTER_CASE_IGNORABLE;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return LETTER_CASED;
    default:
        if (joins_words(code))
            return LETTER_CASE_IGNORABLE;
        return other_cased(code) ? LETTER_CASED : LETTER_OTHER;
    }
}

/* Returns whether the first letter of a text that is not ignored is Cased; from_end: the last. */
static bool is_cased(const char *text, size_t len, bool from_end)
{
    while (len > 0) {
        const enum letter_context context = letter_context(utf8_cut(&text, &len, from_end).code);
        if (context != LETTER_CASE_IGNORABLE)
            return context == LETTER_CASED;
    }
    return false;
}

/* A sigma is not Case_Ignorable and stops both scans: all scans of a text together are linear. */
static uint32_t lower_sigma(const char *text, size_t len, size_t at, size_t code_len)
{
    const size_t next = at + code_len;
    const bool final = is_cased(text, at, true) && !is_cased(text + next, len - next, false);
    return final ? FINAL_SIGMA : SMALL_SIGMA;
}

struct letter letter_read(const char *text, size_t len, size_t at, bool lower)
{
    const struct utf8_char c = utf8_decode(text + at, len - at);
    struct letter letter = {.codes = {c.code}, .n_codes = 1, .len = c.len};
    if (!lower)
        return letter;
    if (c.code < 0x80) {
        letter.codes[0] += c.code >= 'A' && c.code <= 'Z' ? 'a' - 'A' : 0;
    } else if (c.code == CAPITAL_I_DOT) {
        letter.codes[0] = 'i';
        letter.codes[1] = COMBINING_DOT_ABOVE;
        letter.n_codes = 2;
    } else if (c.code == CAPITAL_SIGMA) {
        letter.codes[0] = lower_sigma(text, len, at, c.len);
    } else {
        letter.codes[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c.code);
    }
    return letter;
}

/* ---- Words, for search; keys: Fowler, Noll and Vo's hash ---- */

/* Chinese and Japanese have no blanks between words. */
static bool is_ideograph(uint32_t code)
{
    return (code >= 0x3400 && code <= 0x9FFF && (code < 0x4DC0 || code > 0x4DFF)) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3FFFF);
}

static uint64_t add_letter(uint64_t key, const struct letter *letter)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    char bytes[UTF8_BYTES];
    for (size_t i = 0; i < letter->n_codes; i++) {
        const size_t n_codes = unicode_decompose(letter->codes[i], false, codes);
        for (size_t k = 0; k < n_codes; k++) {
            const size_t n = utf8_encode(codes[k], bytes);
            for (size_t b = 0; b < n; b++)
                key = (key ^ (unsigned char)bytes[b]) * UINT64_C(0x100000001B3);
        }
    }
    return key;
}

bool word_next(const char *text, size_t len, size_t *at, uint64_t *key)
{
    bool has_any = false, is_alone = false;
    *key = UINT64_C(0xCBF29CE484222325);
    while (*at < len && !is_alone) {
        const struct letter letter = letter_read(text, len, *at, true);
        const bool is_word = unicode_properties(letter.codes[0]) & UNICODE_WORD;
        is_alone = is_ideograph(letter.codes[0]);
        if (has_any && (!is_word || is_alone))
            break;
        *at += letter.len;
        has_any = is_word;
        if (is_word)
            *key = add_letter(*key, &letter);
    }
    return has_any;
}

/* ---- Normal forms ----
 *
 * The canonical ordering and composition algorithms (Unicode standard, chapter 3.11), with the
 * reference's rules for spans (its `transform` of a string with alignments): spans are not moved
 * with the characters when marks are reordered, but assigned in the order of the text. A composite
 * gets the span of its first character; the other characters of a decomposition share the span of
 * the character before them. */

static void emit(struct normal_form *form, struct form_char c)
{
    struct span_ring *spans = &form->spans;
    const struct text_span span = c.change > 0 ? spans->last : span_ring_next(spans);
    for (int n = c.change; n < 0; n++)
        span_ring_next(spans);
    form->emit(form->user, (struct normal_char){c.code, span.begin, span.end});
}

static void emit_starter(struct normal_form *form)
{
    if (form->has_starter)
        emit(form, form->starter);
    form->has_starter = false;
    for (size_t i = 0; i < form->n_blocked; i++)
        emit(form, form->blocked[i]);
    form->n_blocked = 0;
}

static bool compose(struct normal_form *form, struct form_char c)
{
    const uint32_t whole = unicode_compose(form->starter.code, c.code);
    if (whole == 0)
        return false;
    form->starter.code = whole;
    form->starter.change = (int16_t)(form->starter.change + c.change - 1);
    return true;
}

/* Appends a character in canonical order. */
static void append_ordered(struct normal_form *form, struct form_char c)
{
    const bool is_blocked = form->n_blocked > 0 &&
                            form->blocked[form->n_blocked - 1].combining_class >= c.combining_class;
    if (!form->compose || (!form->has_starter && c.combining_class != 0)) {
        emit(form, c);
        return;
    }
    if (form->has_starter && !is_blocked && compose(form, c))
        return;
    if (c.combining_class == 0 || form->n_blocked == FORM_MARKS)
        emit_starter(form);
    if (c.combining_class == 0) {
        form->starter = c;
        form->has_starter = true;
    } else if (form->has_starter) {
        form->blocked[form->n_blocked++] = c;
    } else {
        emit(form, c);
    }
}

/* Insertion keeps the order of equal classes; marks are nearly always in order already. */
static void append_marks(struct normal_form *form)
{
    struct form_char *marks = form->marks;
    for (size_t i = 1; i < form->n_marks; i++) {
        const struct form_char mark = marks[i];
        size_t to = i;
        for (; to > 0 && marks[to - 1].combining_class > mark.combining_class; to--)
            marks[to] = marks[to - 1];
        marks[to] = mark;
    }
    const size_t n = form->n_marks;
    form->n_marks = 0;
    for (size_t i = 0; i < n; i++)
        append_ordered(form, marks[i]);
}

void normal_form_add(struct normal_form *form, struct normal_char c)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    const size_t n = unicode_decompose(c.code, form->compatible, codes);
    span_ring_add(&form->spans, c);
    for (size_t i = 0; i < n; i++) {
        const struct form_char part = {.code = codes[i],
                                       .change = i > 0,
                                       .combining_class = unicode_combining_class(codes[i])};
        if (part.combining_class == 0 || form->n_marks == FORM_MARKS)
            append_marks(form);
        if (part.combining_class == 0)
            append_ordered(form, part);
        else
            form->marks[form->n_marks++] = part;
    }
}

void normal_form_end(struct normal_form *form)
{
    append_marks(form);
    emit_starter(form);
}
