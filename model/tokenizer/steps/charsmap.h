/* charsmap.h - the step `charsmap` of a normalizer: sentencepiece's table of characters and of what
 * each becomes (section CMAP of weights/FORMAT.md), as the reference applies it: a grapheme cluster
 * of fewer than 6 bytes is looked up whole, the characters of a longer one each. Internal to the
 * normalizer.
 */
#ifndef MODEL_CHARSMAP_H
#define MODEL_CHARSMAP_H

#include "model/tokenizer/trie.h"
#include "model/unicode/normal_form.h"

enum { CHARSMAP_CLUSTER = 6 /* bytes */, CHARSMAP_SPANS = 1024 /* a power of two */ };

struct charsmap {
    struct trie trie;    /* the number of a string: where in `strings` it becomes what */
    const char *strings; /* [n_strings], each ended by a NUL byte */
    size_t n_strings;
};

/* Views a section of len bytes, aligned to 4. NULL when sound; else a static string that says what
 * is wrong. Sizes only: indices are checked where they are used. */
const char *charsmap_view(struct charsmap *map, const void *section, size_t len);

/* What the shortest string that text[0 .. len) starts with becomes: *n bytes, maybe none. NULL: no
 * string of the map begins so. */
const char *charsmap_find(const struct charsmap *map, const char *text, size_t len, size_t *n);

/* A text on its way through the map. */
struct charsmap_stage {
    void (*take)(void *user, struct normal_char c);
    void *user;
    const struct charsmap *map;
    /* The cluster that is being read: its bytes as long as they are fewer than CHARSMAP_CLUSTER,
     * and of a longer one only where it ends. */
    char cluster[CHARSMAP_CLUSTER];
    size_t n_bytes, n_chars;
    bool is_long;
    uint32_t last; /* its last character */
    int32_t breaks;
    bool in_text;
    /* The last character of the result, which takes over the spans of what is dropped behind it. */
    struct normal_char waiting;
    bool is_waiting, is_added, has_result;
    struct normal_span {
        size_t begin, end;
    } spans[CHARSMAP_SPANS],
        last_span; /* ring of those that are not given away; the last that is */
    size_t first_span, n_spans;
};

void charsmap_begin(struct charsmap_stage *stage, size_t at);
void charsmap_put(struct charsmap_stage *stage, struct normal_char c);

void charsmap_end(struct charsmap_stage *stage);

/* The cluster ends here, and characters follow that do not go through the stage. False: they must,
 * for spans lag behind the characters, because the text began with some that were dropped. */
bool charsmap_flush(struct charsmap_stage *stage);

#endif
