/* charsmap.h - the step `charsmap` of a normalizer: sentencepiece's table of characters and their
 * replacements (section CMAP of weights/FORMAT.md), applied as in the reference: a grapheme cluster
 * of fewer than 6 bytes is looked up as one string, a longer one character by character. Internal
 * to the normalizer.
 */
#ifndef MODEL_CHARSMAP_H
#define MODEL_CHARSMAP_H

#include "model/tokenizer/vocabulary.h"
#include "model/unicode/normal_form.h"

enum { CHARSMAP_CLUSTER = 6 /* bytes */ };

struct charsmap {
    struct trie trie;    /* the number of a string: offset of its replacement in `strings` */
    const char *strings; /* [n_strings], each ended by a NUL byte */
    size_t n_strings;
};

/* Views a section of len bytes, aligned to 4. Returns NULL on success, else a static string that
 * says what is wrong. Checks sizes only: indices are checked where they are used. */
const char *charsmap_view(struct charsmap *map, const void *section, size_t len);

/* Returns the bytes of the longest replacement. */
size_t charsmap_longest(const struct charsmap *map);

/* Returns the replacement of the shortest string that text[0 .. len) starts with: *n bytes,
 * possibly 0. Returns NULL if the map has no such string. */
const char *charsmap_find(const struct charsmap *map, const char *text, size_t len, size_t *n);

/* The state of the map in a text. */
struct charsmap_stage {
    void (*emit)(void *user, struct normal_char c);
    void *user;
    const struct charsmap *map;
    /* The cluster being read: its bytes while they are fewer than CHARSMAP_CLUSTER; of a longer
     * cluster only the end is tracked. */
    char cluster[CHARSMAP_CLUSTER];
    size_t n_bytes, n_chars;
    bool is_long;
    uint32_t last; /* its last character */
    int32_t breaks;
    bool in_text;
    /* The last character of the result, which inherits the spans of dropped characters after it. */
    struct normal_char waiting;
    bool is_waiting, is_added, has_result;
    struct span_ring spans;
};

void charsmap_begin(struct charsmap_stage *stage, size_t at);
void charsmap_add(struct charsmap_stage *stage, struct normal_char c);

void charsmap_end(struct charsmap_stage *stage);

/* Ends the cluster, before characters that bypass the stage. Returns false if they must not bypass
 * it: spans lag behind the characters, because the text started with dropped characters. */
bool charsmap_flush(struct charsmap_stage *stage);

#endif
