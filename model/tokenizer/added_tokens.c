/* added_tokens.c - the tables of added tokens, built once when a file is opened, and the search in
 * them. Patterns are sorted by their bytes; at an offset of the text, the range of patterns that
 * match so far is narrowed byte by byte, at most once per byte of the longest pattern.
 */
#include "model/tokenizer/added_tokens.h"

#include "model/unicode/unicode.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list ---- */

/* Reads the id and flags of the entry at list.text[*at], advances *at, returns 1; 0 at the end, -1
 * if it is invalid. */
static int next_entry(struct text_view list, size_t *at, struct added_pattern *entry)
{
    static const char letters[] = "nlrwx"; /* in the order of enum added_flag */
    struct text_view item, id, flags;
    if (!list_next(list, at, &item))
        return 0;
    list_split(item, &id, &flags);
    *entry = (struct added_pattern){.id = list_number(id)};
    for (size_t i = 0; i < flags.len; i++) {
        const char *letter = memchr(letters, flags.text[i], sizeof letters - 1);
        if (letter == NULL)
            return -1;
        entry->flags |= (uint8_t)(1 << (letter - letters));
    }
    return entry->id >= 0 ? 1 : -1;
}

/* Refuses also lists so long that a 32-bit size_t could not count the bytes of their tables. */
bool added_tokens_parse(struct added_tokens *added, struct text_view text)
{
    struct added_pattern entry;
    size_t n = 0, at = 0;
    int found;
    added->list = text;
    while ((found = next_entry(text, &at, &entry)) > 0)
        n++;
    return (found == 0 ? n : SIZE_MAX) < SIZE_MAX / 128;
}

/* ---- Normalized patterns ---- */

struct pattern_bytes {
    char *bytes;   /* [cap] */
    size_t n, cap; /* n also counts bytes that do not fit */
};

static void append_normalized(void *user, struct normal_char c)
{
    struct pattern_bytes *out = user;
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (out->n + n <= out->cap)
        memcpy(out->bytes + out->n, bytes, n);
    out->n += n;
}

/* ---- Sorting ---- */

enum { PAIRS = 1 << 16 };

/* Returns false only if no pattern starts with these bytes; second: 0 if it is not known. */
static inline bool may_start(const struct added_set *set, uint8_t first, uint8_t second)
{
    return set->pairs[first * 8 + second / 32] >> second % 32 & 1;
}

/* Orders patterns by their texts, equal ones by their position in the list. */
static int compare_patterns(const void *left, const void *right)
{
    const struct added_pattern *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    if (order == 0)
        order = (a->len > b->len) - (a->len < b->len);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* Sorts patterns, drops all but the first of equal ones, and sets the tables of their bytes. */
static void build_set(struct added_set *set, struct added_pattern *patterns, size_t n,
                      uint32_t *pairs)
{
    *set = (struct added_set){.patterns = patterns, .only_first = -1, .pairs = pairs};
    memset(pairs, 0, PAIRS / 8);
    if (n > 0)
        qsort(patterns, n, sizeof *patterns, compare_patterns);
    for (size_t i = 0; i < n; i++) {
        const struct added_pattern pattern = patterns[i];
        const struct added_pattern *last = set->n > 0 ? &patterns[set->n - 1] : NULL;
        if (last != NULL && last->len == pattern.len &&
            memcmp(last->text, pattern.text, pattern.len) == 0)
            continue;
        patterns[set->n++] = pattern;
        set->longest = pattern.len > set->longest ? pattern.len : set->longest;
        set->strips_blanks |= (pattern.flags & (ADDED_STRIP_LEFT | ADDED_STRIP_RIGHT)) != 0;
        for (unsigned second = 0; second < 256; second++)
            if (second == 0 || pattern.len == 1 || (uint8_t)pattern.text[1] == second)
                pairs[(uint8_t)pattern.text[0] * 8 + second / 32] |= UINT32_C(1) << second % 32;
    }
    if (set->n > 0 && patterns[0].text[0] == patterns[set->n - 1].text[0])
        set->only_first = (uint8_t)patterns[0].text[0];
}

/* ---- Building ---- */

/* The tables, and the memory needed to build them. */
struct added_memory {
    struct added_pattern *raw, *normalized; /* [n] each, n entries in the list */
    uint32_t *pairs[2];                     /* [PAIRS] bits each */
    uint8_t *outside;                       /* [vocabulary->n / 8 + 1] */
    struct normalizer normalizer;
    struct pattern_bytes texts; /* remaining space for normalized texts */
};

/* Some characters grow, but no added token may by more than MOST_GROWTH times. */
enum { MOST_GROWTH = 32, MOST_WINDOW = 64, MOST_STEPS = 1 << 16, LONGEST_ADDED = 4096 };

/* Cuts nothing if the list and the normalizer are empty. There is no space for normalized texts if
 * 32 bits could not count the bytes of a window of such long texts: they are refused. */
static void added_carve(struct added_memory *parts, struct text_view list,
                        const struct vocabulary *vocabulary, const struct normalizer_plan *plan,
                        struct arena *arena)
{
    struct added_pattern entry;
    size_t n = 0, total = 0, text_len = 0;
    for (size_t at = 0; next_entry(list, &at, &entry) > 0; n++)
        if ((entry.flags & ADDED_NORMALIZED) &&
            vocabulary_text(vocabulary, entry.id, &text_len) != NULL &&
            text_len <= vocabulary->strings_bytes - total)
            total += text_len;
    if (n == 0 && plan->n == 0)
        return;
    const size_t room = total < SIZE_MAX / MOST_GROWTH / MOST_WINDOW ? total * MOST_GROWTH : 0;
    parts->raw = arena_cut(arena, n, sizeof *parts->raw);
    parts->normalized = arena_cut(arena, n, sizeof *parts->normalized);
    parts->pairs[0] = arena_cut(arena, PAIRS / 8, 1);
    parts->pairs[1] = arena_cut(arena, PAIRS / 8, 1);
    parts->outside = arena_cut(arena, vocabulary->n / 8 + 1, 1);
    parts->texts = (struct pattern_bytes){.bytes = arena_cut(arena, room, 1), .cap = room};
    normalizer_carve(&parts->normalizer, plan, append_normalized, &parts->texts, arena);
}

/* Replaces the pattern's text by its normalized text. */
static const char *normalize(struct added_pattern *pattern, struct added_memory *parts)
{
    struct pattern_bytes *out = &parts->texts;
    struct meter meter = {.left = MOST_STEPS + (size_t)METER_STEPS * pattern->len};
    out->n = 0;
    parts->normalizer.meter = &meter;
    normalizer_begin(&parts->normalizer, 0);
    for (size_t at = 0; at < pattern->len && meter.left > 0;) {
        const struct utf8_char c = utf8_decode(pattern->text + at, pattern->len - at);
        normalizer_add(&parts->normalizer, 0, (struct normal_char){c.code, at, at + c.len});
        at += c.len;
    }
    normalizer_empty(&parts->normalizer, true);
    if (out->n == 0)
        return "an added token is empty after normalization";
    if (out->n > out->cap || meter.is_exceeded)
        return "an added token is far longer after normalization";
    pattern->text = out->bytes;
    pattern->len = (uint32_t)out->n;
    out->bytes += out->n;
    out->cap -= out->n;
    return NULL;
}

const char *added_tokens_build(struct added_tokens *added, struct vocabulary *vocabulary,
                               const struct normalizer_plan *plan, struct arena *arena)
{
    struct added_memory parts;
    struct added_pattern entry;
    added_carve(&parts, added->list, vocabulary, plan, arena);
    if (arena->used == 0 || arena->base == NULL)
        return NULL;
    if (plan->steps >> NORMALIZE_CHARSMAP != 0 && /* a step that may grow texts */
        !normalizer_is_bounded(&parts.normalizer))
        return "the steps of the normalizer make thousands of characters of one";
    memset(parts.outside, 0, vocabulary->n / 8 + 1);
    size_t n_raw = 0, n_normalized = 0, total = 0, text_len = 0;
    for (size_t at = 0; next_entry(added->list, &at, &entry) > 0;) {
        entry.text = vocabulary_text(vocabulary, entry.id, &text_len);
        if (entry.text == NULL)
            return "an added token is not in the vocabulary";
        if (text_len > vocabulary->strings_bytes - total)
            return "a token is in the list of added tokens twice";
        total += text_len;
        if (entry.flags & ADDED_OUTSIDE) {
            parts.outside[entry.id / 8] |= (uint8_t)(1 << entry.id % 8);
            vocabulary->outside = parts.outside;
        }
        if (text_len > LONGEST_ADDED)
            return "an added token has more than 4096 bytes";
        entry.len = (uint32_t)text_len;
        entry.order = (uint32_t)(n_raw + n_normalized);
        if (!(entry.flags & ADDED_NORMALIZED)) {
            parts.raw[n_raw++] = entry;
            continue;
        }
        const char *wrong = normalize(&entry, &parts);
        if (wrong != NULL)
            return wrong;
        parts.normalized[n_normalized++] = entry;
    }
    build_set(&added->raw, parts.raw, n_raw, parts.pairs[0]);
    build_set(&added->normalized, parts.normalized, n_normalized, parts.pairs[1]);
    return NULL;
}

/* ---- Searching ---- */

/* Returns the first pattern of [low, high) whose byte at depth is not below `byte`; all are longer
 * than depth. */
static size_t lower_bound(const struct added_pattern *patterns, size_t low, size_t high,
                          size_t depth, unsigned byte)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uint8_t)patterns[middle].text[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct added_pattern *added_look(const struct added_set *set, const char *text, size_t len,
                                       bool *goes_on, struct meter *meter)
{
    const struct added_pattern *longest = NULL;
    size_t low = 0, high = set->n, steps = 0;
    *goes_on = false;
    for (size_t depth = 0; low < high; depth++) {
        steps += high - low > 1 ? 8 : 2;
        if (set->patterns[low].len == depth)
            longest = &set->patterns[low++];
        if (depth == len) {
            *goes_on = low < high;
            break;
        }
        const unsigned byte = (uint8_t)text[depth];
        low = lower_bound(set->patterns, low, high, depth, byte);
        high = lower_bound(set->patterns, low, high, depth, byte + 1);
    }
    meter_take(meter, steps);
    return longest;
}

size_t added_find(const struct added_set *set, const char *text, size_t len, size_t at,
                  const struct added_pattern **pattern, struct meter *meter)
{
    bool goes_on;
    *pattern = NULL;
    if (set->n == 0)
        return len;
    for (; at < len; at++) {
        if (set->only_first >= 0) {
            const char *next = memchr(text + at, set->only_first, len - at);
            at = next != NULL ? (size_t)(next - text) : len;
        } else {
            while (at + 1 < len && !may_start(set, (uint8_t)text[at], (uint8_t)text[at + 1]))
                at++;
        }
        if (at == len || !meter_goes_on(meter, at))
            return len;
        *pattern = added_look(set, text + at, len - at, &goes_on, meter);
        if (*pattern != NULL)
            return at;
    }
    return len;
}

/* ---- Normalized text ----
 *
 * The same rules as for raw added tokens (tokenize.c), but only a window of the text is known.
 * Blanks to the left of a token have already reached the splitter when the token turns out to
 * include them, so the state of the word before them is saved; the span of a token that includes
 * blanks to its right grows as they arrive. */

void added_window_carve(struct added_window *window, const struct added_set *set,
                        struct splitter *splitter, struct arena *arena)
{
    const size_t cap = 2 * (set->longest + UTF8_BYTES) + 64;
    *window = (struct added_window){.set = set, .splitter = splitter, .cap = cap};
    window->chars = arena_cut(arena, cap, sizeof *window->chars);
    window->bytes = arena_cut(arena, cap, UTF8_BYTES);
    if (set->strips_blanks && splitter->rules->pattern == PATTERN_AFTER_BLANKS) {
        const struct word *word = &splitter->word;
        window->copy.bytes = arena_cut(arena, word->cap, 1);
        window->copy.chars = arena_cut(arena, word->cap_chars, sizeof *word->chars);
    }
}

void added_window_begin(struct added_window *window)
{
    window->n = window->n_bytes = 0;
    window->after_word = window->in_blanks = window->stripping = window->is_open = false;
}

/* Copies the word before blanks, or writes it back. */
static void copy_word(struct added_window *window, struct word *to, const struct word *from)
{
    const size_t most = window->before.cap_chars, n = window->before.n_chars;
    memcpy(to->bytes, from->bytes, window->before.len);
    memcpy(to->chars, from->chars, (n < most ? n : most) * sizeof *to->chars);
}

static void pass_on(struct added_window *window, struct normal_char c, unsigned properties)
{
    struct splitter *splitter = window->splitter;
    const struct word_sink *sink = splitter->word.sink;
    if (!(properties & UNICODE_BLANK)) {
        window->in_blanks = false;
        splitter_add(splitter, c);
        return;
    }
    if (!window->in_blanks) {
        window->in_blanks = true;
        window->blanks_begin = c.begin;
        window->before = splitter->word;
        window->run = splitter->run;
        window->has_ended = false;
        window->n_tokens = sink->n;
        if (window->copy.bytes != NULL)
            copy_word(window, &window->copy, &window->before);
    }
    splitter_add(splitter, c);
    if (window->copy.bytes != NULL)
        return;
    if (splitter->word.n_parts != window->before.n_parts) {
        window->in_blanks = false; /* earlier characters cannot be undone */
        return;
    }
    if (!window->has_ended && splitter->word.n_ended != window->before.n_ended) {
        window->has_ended = true;
        if (window->before.n_chars > 0 || window->run.phase == PATTERN_IN_LITERAL)
            window->n_tokens = sink->n;
    }
}

static void add_char(struct added_window *window, struct normal_char c)
{
    const unsigned properties = unicode_properties(c.code);
    const bool is_blank = (properties & UNICODE_BLANK) != 0;
    window->after_word = (properties & UNICODE_WORD) != 0;
    window->is_open = window->is_open && is_blank;
    window->stripping = window->stripping && is_blank;
    if (window->is_open)
        word_sink_extend(window->splitter->word.sink, window->open, c.end);
    if (!window->stripping)
        pass_on(window, c, properties);
}

static size_t count_blanks(const struct normal_char *chars, size_t n)
{
    size_t blanks = 0;
    while (blanks < n && (unicode_properties(chars[blanks].code) & UNICODE_BLANK))
        blanks++;
    return blanks;
}

/* Restores the word as it was before the blanks, unless a blank has ended it, and removes tokens
 * made of the blanks. */
static void forget_blanks(struct added_window *window)
{
    struct splitter *splitter = window->splitter;
    const bool is_ended =
        window->copy.bytes == NULL && splitter->word.n_ended != window->before.n_ended;
    splitter_forget(splitter);
    splitter->word.sink->n = window->n_tokens;
    if (!is_ended) {
        splitter->word = window->before;
        if (window->copy.bytes != NULL)
            copy_word(window, &splitter->word, &window->copy);
        splitter->run = window->run;
    }
}

/* Adds the token of a pattern, chars[0 .. n). If the token before included blanks, the pattern's
 * own leading blanks belong to it if this one would include them, too; the pattern may become
 * empty. */
static void add_token(struct added_window *window, const struct added_pattern *pattern,
                      const struct normal_char *chars, size_t n)
{
    struct word_sink *sink = window->splitter->word.sink;
    const bool left = (pattern->flags & ADDED_STRIP_LEFT) != 0;
    const size_t blanks = count_blanks(chars, n), taken = left && window->stripping ? blanks : 0;
    if (window->is_open && blanks > 0)
        word_sink_extend(sink, window->open, chars[blanks - 1].end);
    if (left && window->in_blanks)
        forget_blanks(window);
    splitter_cut(window->splitter);
    window->is_open = window->is_open && blanks == n;
    window->stripping = (pattern->flags & ADDED_STRIP_RIGHT) != 0;
    if (taken < n) {
        if (window->stripping) {
            window->is_open = sink->trim == TRIM_NONE;
            window->open = sink->n;
        }
        word_sink_added(sink, pattern->id,
                        left && window->in_blanks ? window->blanks_begin : chars[taken].begin,
                        chars[n - 1].end);
    }
    window->in_blanks = false;
    window->after_word = (unicode_properties(chars[n - 1].code) & UNICODE_WORD) != 0;
}

/* Returns whether no word character is next to the pattern of n characters at chars[i]. */
static bool is_single_word(const struct added_window *window, size_t i, size_t n)
{
    return !window->after_word &&
           (i + n == window->n || !(unicode_properties(window->chars[i + n].code) & UNICODE_WORD));
}

void added_window_drain(struct added_window *window, bool at_end)
{
    size_t i = 0, at = 0;
    while (i < window->n) {
        char bytes[UTF8_BYTES];
        bool goes_on = false;
        const struct added_pattern *pattern =
            may_start(window->set, (uint8_t)window->bytes[at],
                      at + 1 < window->n_bytes ? (uint8_t)window->bytes[at + 1] : 0)
                ? added_look(window->set, window->bytes + at, window->n_bytes - at, &goes_on,
                             window->splitter->word.sink->meter)
                : NULL;
        const size_t len =
            pattern != NULL ? pattern->len : utf8_encode(window->chars[i].code, bytes);
        const size_t n = pattern != NULL ? utf8_count(pattern->text, len) : 1;
        const bool is_word = pattern != NULL && (pattern->flags & ADDED_SINGLE_WORD);
        if (!at_end && (goes_on || (is_word && i + n == window->n)))
            break;
        if (pattern == NULL || (is_word && !is_single_word(window, i, n)))
            for (size_t k = 0; k < n; k++)
                add_char(window, window->chars[i + k]);
        else
            add_token(window, pattern, &window->chars[i], n);
        i += n;
        at += len;
    }
    if (i == 0)
        return;
    window->n -= i;
    window->n_bytes -= at;
    memmove(window->chars, window->chars + i, window->n * sizeof *window->chars);
    memmove(window->bytes, window->bytes + at, window->n_bytes);
}

void added_window_add(struct added_window *window, struct normal_char c)
{
    window->chars[window->n++] = c;
    window->n_bytes += utf8_encode(c.code, window->bytes + window->n_bytes);
    added_window_drain(window, false);
}

/* Returns whether a pattern may start at the ASCII character text[at], as far as its replacement
 * and that of the next one tell. */
static inline bool may_start_at(const struct added_window *window, const char *text, size_t at,
                                size_t end)
{
    const uint8_t *value = window->splitter->rules->ascii.value;
    const uint8_t next = at + 1 < end ? value[(uint8_t)text[at + 1]] : 0;
    return may_start(window->set, value[(uint8_t)text[at]], next);
}

size_t added_window_add_ascii(struct added_window *window, const char *text, size_t at, size_t end)
{
    const struct ascii_table *table = &window->splitter->rules->ascii;
    const bool strips = window->set->strips_blanks;
    while (window->n == 0 && at < end && table->value[(uint8_t)text[at]] != 0) {
        size_t stop = at;
        while (stop < end && table->value[(uint8_t)text[stop]] != 0 &&
               !(strips && (table->properties[(uint8_t)text[stop]] & UNICODE_BLANK)) &&
               !may_start_at(window, text, stop, end))
            stop++;
        if (stop > at) {
            const uint8_t last = (uint8_t)text[stop - 1];
            window->in_blanks = window->is_open = window->stripping = false;
            window->after_word = (table->properties[last] & UNICODE_WORD) != 0;
            splitter_add_ascii(window->splitter, text, at, stop);
            at = stop;
            continue;
        }
        const struct normal_char c = {table->value[(uint8_t)text[at]], at, at + 1};
        if (may_start_at(window, text, at, end))
            added_window_add(window, c);
        else
            add_char(window, c);
        at++;
    }
    return at;
}
