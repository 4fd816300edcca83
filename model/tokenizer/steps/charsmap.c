/* charsmap.c - see charsmap.h. Spans follow the reference (its `transform` of a string with
 * alignments): if a cluster of k characters becomes m, the first min(k, m) get the spans of the
 * cluster's characters in order, added ones share the span before them, and the spans of removed
 * ones are skipped after the last. If a text starts with characters that are dropped, the reference
 * skips nothing, and all later spans lag by as many.
 */
#include "model/tokenizer/steps/charsmap.h"

#include "model/unicode/unicode.h"

#include <string.h>

enum { TRIE_AT = 4 };

const char *charsmap_view(struct charsmap *map, const void *section, size_t len)
{
    uint32_t n_bytes;
    if (len < TRIE_AT)
        return "the section is shorter than its header of 4 bytes";
    if ((uintptr_t)section % 4 != 0)
        return "the section does not start at a multiple of 4 bytes";
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

size_t charsmap_longest(const struct charsmap *map)
{
    size_t longest = 0;
    for (size_t at = 0, end = 0; at < map->n_strings; at = end + 1) {
        const char *nul = memchr(map->strings + at, '\0', map->n_strings - at);
        end = nul != NULL ? (size_t)(nul - map->strings) : map->n_strings;
        longest = end - at > longest ? end - at : longest;
    }
    return longest;
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

/* ---- Spans ---- */

static void release(struct charsmap_stage *stage)
{
    if (stage->is_waiting)
        stage->emit(stage->user, stage->waiting);
    stage->is_waiting = false;
}

/* Emits a character. is_added: it replaces no character of the text. */
static void emit(struct charsmap_stage *stage, uint32_t code, bool is_added)
{
    release(stage);
    const struct text_span span = is_added ? stage->spans.last : span_ring_next(&stage->spans);
    stage->waiting = (struct normal_char){code, span.begin, span.end};
    stage->is_waiting = stage->has_result = true;
    stage->is_added = is_added;
}

/* Skips the spans of n removed characters. An added last character replaces the first of them. */
static void skip_spans(struct charsmap_stage *stage, size_t n)
{
    for (size_t i = 0; i < n && stage->has_result; i++) {
        const struct text_span span = span_ring_next(&stage->spans);
        if (stage->is_waiting && stage->is_added) {
            stage->waiting.begin = span.begin;
            stage->waiting.end = span.end;
            stage->is_added = false;
        }
    }
}

/* ---- Clusters ---- */

/* Replaces k characters by `text`. */
static void replace(struct charsmap_stage *stage, size_t k, const char *text, size_t len)
{
    size_t m = 0;
    for (size_t at = 0; at < len; m++) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        emit(stage, c.code, m >= k);
        at += c.len;
    }
    if (m < k)
        skip_spans(stage, k - m);
}

static void add_each(struct charsmap_stage *stage, const char *text, size_t len)
{
    for (size_t at = 0, n = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        const char *becomes = charsmap_find(stage->map, text + at, c.len, &n);
        if (becomes != NULL)
            replace(stage, 1, becomes, n);
        else
            emit(stage, c.code, false);
        at += c.len;
    }
}

static void end_cluster(struct charsmap_stage *stage)
{
    size_t n = 0;
    const char *becomes = stage->is_long || stage->n_bytes == 0
                              ? NULL
                              : charsmap_find(stage->map, stage->cluster, stage->n_bytes, &n);
    if (becomes != NULL)
        replace(stage, stage->n_chars, becomes, n);
    else
        add_each(stage, stage->cluster, stage->n_bytes);
    stage->n_bytes = stage->n_chars = 0;
    stage->is_long = false;
}

void charsmap_begin(struct charsmap_stage *stage, size_t at)
{
    stage->n_bytes = stage->n_chars = stage->spans.first = stage->spans.n = 0;
    stage->is_long = stage->in_text = stage->is_waiting = stage->has_result = false;
    stage->spans.last = (struct text_span){at, at};
}

void charsmap_add(struct charsmap_stage *stage, struct normal_char c)
{
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (!stage->in_text)
        stage->breaks = 0;
    else if (unicode_breaks_cluster(stage->last, c.code, &stage->breaks))
        end_cluster(stage);
    stage->in_text = true;
    stage->last = c.code;
    span_ring_add(&stage->spans, c);
    if (stage->n_bytes + n >= CHARSMAP_CLUSTER && !stage->is_long) {
        add_each(stage, stage->cluster, stage->n_bytes);
        stage->n_bytes = stage->n_chars = 0;
        stage->is_long = true;
    }
    if (stage->is_long) {
        add_each(stage, bytes, n);
    } else {
        memcpy(stage->cluster + stage->n_bytes, bytes, n);
        stage->n_bytes += n;
        stage->n_chars++;
    }
}

bool charsmap_flush(struct charsmap_stage *stage)
{
    end_cluster(stage);
    if (stage->spans.n > 0)
        return false;
    release(stage);
    stage->in_text = false;
    stage->has_result = true;
    return true;
}

void charsmap_end(struct charsmap_stage *stage)
{
    end_cluster(stage);
    release(stage);
}
