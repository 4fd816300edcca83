/* added_tokens.c - the tables of added tokens, built once when a file is opened, and the search in
 * them. Patterns are sorted by their bytes; at an offset of the text, the range of patterns that
 * match so far is narrowed byte by byte, at most once per byte of the longest pattern.
 */
#include "model/tokenizer/added_tokens.h"

#include "model/unicode/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list ---- */

struct added_entry {
    int32_t id;
    uint8_t flags;
};

static bool parse_flags(struct added_entry *entry, struct text_view item)
{
    static const char letters[] = "nlrwx"; /* in the order of enum added_flag */
    entry->flags = 0;
    for (size_t i = 0; i < item.len; i++) {
        const char *letter = memchr(letters, item.text[i], sizeof letters - 1);
        if (letter == NULL)
            return false;
        entry->flags |= (uint8_t)(1 << (letter - letters));
    }
    return true;
}

/* Reads the entry at list.text[*at], advances *at, returns 1; 0 at the end, -1 if it is invalid. */
static int next_entry(struct text_view list, size_t *at, struct added_entry *entry)
{
    struct text_view item, id, flags;
    if (!list_next(list, at, &item))
        return 0;
    list_split(item, &id, &flags);
    entry->id = list_number(id);
    return entry->id >= 0 && parse_flags(entry, flags) ? 1 : -1;
}

/* Returns the number of entries; SIZE_MAX if one is invalid. */
static size_t count_entries(struct text_view list)
{
    struct added_entry entry;
    size_t n = 0, at = 0;
    int found;
    while ((found = next_entry(list, &at, &entry)) > 0)
        n++;
    return found == 0 ? n : SIZE_MAX;
}

/* Refuses also lists so long that a 32-bit size_t could not count the bytes of their tables. */
bool added_tokens_valid(struct text_view list)
{
    return count_entries(list) < SIZE_MAX / 128;
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

static size_t normalize_pattern(const struct normalizer_plan *plan, void *memory, const char *text,
                                size_t len, struct pattern_bytes out)
{
    struct normalizer normalizer;
    normalizer_start(&normalizer, plan, append_normalized, &out, memory);
    normalizer_begin(&normalizer, 0);
    for (size_t at = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        normalizer_add(&normalizer, (struct normal_char){c.code, at, at + c.len});
        at += c.len;
    }
    normalizer_end(&normalizer);
    return out.n;
}

/* ---- Sorting ---- */

static int compare_texts(const struct added_pattern *a, const struct added_pattern *b)
{
    const int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

/* Orders patterns by their texts, equal ones by their position in the list. */
static int compare_patterns(const void *left, const void *right)
{
    const struct added_pattern *a = left, *b = right;
    const int order = compare_texts(a, b);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* Drops all but the first of equal patterns. */
static size_t drop_equals(struct added_pattern *patterns, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || compare_texts(&patterns[kept - 1], &patterns[i]) != 0)
            patterns[kept++] = patterns[i];
    return kept;
}

static void build_set(struct pattern_set *set, struct added_pattern *patterns, size_t n)
{
    if (n > 0)
        qsort(patterns, n, sizeof *patterns, compare_patterns);
    *set =
        (struct pattern_set){.patterns = patterns, .n = drop_equals(patterns, n), .only_first = -1};
    for (size_t i = 0; i < set->n; i++) {
        const uint8_t byte = (uint8_t)patterns[i].text[0];
        set->first_bytes[byte / 32] |= UINT32_C(1) << byte % 32;
        set->longest = patterns[i].len > set->longest ? patterns[i].len : set->longest;
        set->strips_blanks |= (patterns[i].flags & (ADDED_STRIP_LEFT | ADDED_STRIP_RIGHT)) != 0;
        for (unsigned second = 0; second < 256; second++)
            if (patterns[i].len == 1 || (uint8_t)patterns[i].text[1] == second) {
                const unsigned pair = pattern_pair(byte, (uint8_t)second);
                set->first_pairs[pair / 32] |= UINT32_C(1) << pair % 32;
            }
    }
    if (set->n > 0 && patterns[0].text[0] == patterns[set->n - 1].text[0])
        set->only_first = (uint8_t)patterns[0].text[0];
}

/* ---- Building ---- */

/* Space for the normalized texts. Some characters grow, but no text by more than MOST_GROWTH times.
 * 0 if 32 bits could not count the bytes of a window of such long texts: they are refused. */
enum { MOST_GROWTH = 32, MOST_WINDOW = 64 };

static size_t text_room(struct text_view list, const struct vocabulary *vocabulary)
{
    struct added_entry entry;
    size_t total = 0, text_len = 0;
    for (size_t at = 0; next_entry(list, &at, &entry) > 0;)
        if ((entry.flags & ADDED_NORMALIZED) &&
            vocabulary_text(vocabulary, entry.id, &text_len) != NULL &&
            text_len <= vocabulary->strings_bytes - total)
            total += text_len;
    return total < SIZE_MAX / MOST_GROWTH / MOST_WINDOW ? total * MOST_GROWTH : 0;
}

/* The tables, and the memory needed to build them. */
struct added_memory {
    struct added_pattern *raw, *normalized; /* [n] each */
    uint8_t *outside;                       /* [vocabulary->n / 8 + 1] */
    void *normalizer;
    struct pattern_bytes texts; /* remaining space for normalized texts */
};

/* Returns the bytes of all arrays; if memory is NULL, only measures. */
static size_t carve(struct added_memory *parts, char *memory, size_t n, size_t room,
                    const struct vocabulary *vocabulary, const struct normalizer_plan *plan)
{
    size_t at = 0;
    parts->raw = cut_array(memory, &at, n * sizeof *parts->raw);
    parts->normalized = cut_array(memory, &at, n * sizeof *parts->normalized);
    parts->outside = cut_array(memory, &at, vocabulary->n / 8 + 1);
    parts->normalizer = cut_array(memory, &at, normalizer_bytes(plan));
    parts->texts = (struct pattern_bytes){.bytes = cut_array(memory, &at, room), .cap = room};
    return at;
}

size_t added_tokens_bytes(struct text_view list, const struct vocabulary *vocabulary,
                          const struct normalizer_plan *plan)
{
    struct added_memory parts;
    const size_t n = count_entries(list), room = text_room(list, vocabulary);
    return n == 0 ? 0 : carve(&parts, NULL, n, room, vocabulary, plan);
}

/* Replaces the pattern's text by its normalized text. */
static const char *normalize(struct added_pattern *pattern, const struct normalizer_plan *plan,
                             struct added_memory *parts)
{
    const size_t n =
        normalize_pattern(plan, parts->normalizer, pattern->text, pattern->len, parts->texts);
    if (n == 0)
        return "an added token is empty after normalization";
    if (n > parts->texts.cap)
        return "an added token is far longer after normalization";
    pattern->text = parts->texts.bytes;
    pattern->len = (uint32_t)n;
    parts->texts.bytes += n;
    parts->texts.cap -= n;
    return NULL;
}

const char *added_tokens_build(struct added_tokens *added, struct text_view list,
                               const struct vocabulary *vocabulary,
                               const struct normalizer_plan *plan, void *memory)
{
    const size_t n = count_entries(list);
    *added = (struct added_tokens){.outside = NULL};
    if (n == 0)
        return NULL;
    struct added_memory parts;
    struct added_entry entry;
    carve(&parts, memory, n, text_room(list, vocabulary), vocabulary, plan);
    memset(parts.outside, 0, vocabulary->n / 8 + 1);
    size_t n_raw = 0, n_normalized = 0, total = 0, text_len = 0;
    for (size_t at = 0; next_entry(list, &at, &entry) > 0;) {
        const char *text = vocabulary_text(vocabulary, entry.id, &text_len), *wrong = NULL;
        if (text == NULL)
            return "an added token is not in the vocabulary";
        if (text_len > vocabulary->strings_bytes - total)
            return "a token is in the list of added tokens twice";
        total += text_len;
        if (entry.flags & ADDED_OUTSIDE) {
            parts.outside[entry.id / 8] |= (uint8_t)(1 << entry.id % 8);
            added->outside = parts.outside;
        }
        struct added_pattern pattern = {.text = text,
                                        .len = (uint32_t)text_len,
                                        .id = entry.id,
                                        .order = (uint32_t)(n_raw + n_normalized),
                                        .flags = entry.flags};
        if (!(entry.flags & ADDED_NORMALIZED)) {
            parts.raw[n_raw++] = pattern;
            continue;
        }
        wrong = normalize(&pattern, plan, &parts);
        if (wrong != NULL)
            return wrong;
        parts.normalized[n_normalized++] = pattern;
    }
    build_set(&added->raw, parts.raw, n_raw);
    build_set(&added->normalized, parts.normalized, n_normalized);
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

const struct added_pattern *pattern_look(const struct pattern_set *set, const char *text,
                                         size_t len, bool *goes_on)
{
    const struct added_pattern *longest = NULL;
    size_t low = 0, high = set->n;
    *goes_on = false;
    for (size_t depth = 0; low < high; depth++) {
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
    return longest;
}

size_t pattern_find(const struct pattern_set *set, const char *text, size_t len, size_t at,
                    const struct added_pattern **pattern)
{
    bool goes_on;
    *pattern = NULL;
    if (set->n == 0)
        return len;
    for (; at < len; at++) {
        if (set->only_first >= 0) {
            const char *next = memchr(text + at, set->only_first, len - at);
            if (next == NULL)
                return len;
            at = (size_t)(next - text);
        } else if (!pattern_may_start(set, (uint8_t)text[at])) {
            continue;
        }
        *pattern = pattern_look(set, text + at, len - at, &goes_on);
        if (*pattern != NULL)
            return at;
    }
    return len;
}
