/* normalizer.h - the steps that change a text before it is split into words: a list of steps,
 * applied to a stream of characters with their spans in the text. Definition of each step:
 * `normalizer` in section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_NORMALIZER_H
#define MODEL_NORMALIZER_H

#include "model/arena.h"
#include "model/tokenizer/text.h"
#include "model/tokenizer/vocabulary.h"
#include "model/unicode/unicode.h"

/* Steps and their names in weight files. From NORMALIZE_REPLACE on, all replace. */
#define NORMALIZER_STEPS_AND_NAMES(ROW)                                                            \
    ROW(NORMALIZE_CLEAN, "clean")                                                                  \
    ROW(NORMALIZE_SPACE_CJK, "space_cjk")                                                          \
    ROW(NORMALIZE_NFD, "nfd")                                                                      \
    ROW(NORMALIZE_NFC, "nfc")                                                                      \
    ROW(NORMALIZE_NFKD, "nfkd")                                                                    \
    ROW(NORMALIZE_NFKC, "nfkc")                                                                    \
    ROW(NORMALIZE_DROP_NONSPACING, "drop_nonspacing")                                              \
    ROW(NORMALIZE_DROP_MARKS, "drop_marks")                                                        \
    ROW(NORMALIZE_LOWER, "lower")                                                                  \
    ROW(NORMALIZE_STRIP_START, "strip_start")                                                      \
    ROW(NORMALIZE_STRIP_END, "strip_end")                                                          \
    ROW(NORMALIZE_NMT, "nmt")                                                                      \
    ROW(NORMALIZE_CHARSMAP, "charsmap")                                                            \
    ROW(NORMALIZE_PREPEND, "prepend")                                                              \
    ROW(NORMALIZE_REPLACE, "replace")                                                              \
    ROW(NORMALIZE_REPLACE_RUNS, "replace_runs")                                                    \
    ROW(NORMALIZE_REPLACE_BLANKS, "replace_blanks")
#define NORMALIZER_CONSTANT(constant, name) constant,
enum normalizer_step { NORMALIZER_STEPS_AND_NAMES(NORMALIZER_CONSTANT) };

enum { NORMALIZER_STEPS = 64, NORMALIZER_BLANKS = 64, CHARSMAP_CLUSTER = 6 /* bytes */ };

/* ---- What steps are given ---- */

enum { REPLACE_CHARS = 8 };

/* A replaced text and its replacement. */
struct replacement {
    uint32_t from[REPLACE_CHARS], to[REPLACE_CHARS];
    uint8_t n_from, n_to;
    uint8_t least;  /* characters of a run; 0: no runs, but the text `from` */
    bool of_blanks; /* runs of White_Space, else of from[0] */
};

/* Sentencepiece's table of characters and their replacements: section CMAP. */
struct charsmap {
    struct trie trie;    /* the number of a string: offset of its replacement in `strings` */
    const char *strings; /* [n_strings], each ended by a NUL byte */
    size_t n_strings;
};

/* Views a section of len bytes, aligned to 4. Returns NULL on success, else a static string that
 * says what is wrong. Checks sizes only: indices are checked where they are used. */
const char *charsmap_view(struct charsmap *map, const void *section, size_t len);

/* Returns the replacement of the shortest string that text[0 .. len) starts with: *n bytes,
 * possibly 0. Returns NULL if the map has no such string. */
const char *charsmap_find(const struct charsmap *map, const char *text, size_t len, size_t *n);

/* ---- The steps ---- */

struct normalizer_plan {
    struct normalizer_rule {
        uint8_t step;                   /* enum normalizer_step */
        struct replacement replacement; /* of the steps that replace; prepend: the text `to` */
    } rules[NORMALIZER_STEPS];          /* [n] */
    size_t n;
    uint32_t steps;           /* bit set of their steps */
    struct charsmap charsmap; /* of NORMALIZE_CHARSMAP, which occurs at most once */
};

/* Reads "clean nfd lower". Returns false if text is not such a list. */
bool normalizer_parse(struct normalizer_plan *plan, struct text_view text);

/* Returns what one ASCII character becomes; 0 if it is dropped or depends on its neighbours. Stores
 * whether it may be dropped between two others, which are neighbours then, or become what joins. */
uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c, bool *drops);

/* Bit set of the steps with which that is only valid for ASCII between two ASCII characters of the
 * same text. */
enum {
    NORMALIZER_LOOKS_AROUND =
        1 << NORMALIZE_NFC | 1 << NORMALIZE_NFKC | 1 << NORMALIZE_CHARSMAP | 1 << NORMALIZE_PREPEND
};

/* ---- A text ---- */

/* strip_end: blanks, which are dropped at the end of a text; of more than fit the first ones and
 * the last one. Steps that replace: characters that may start a match; of a long run the last. */
struct held_chars {
    struct normal_char chars[NORMALIZER_BLANKS]; /* [n]; more than REPLACE_CHARS */
    size_t n;
    bool is_run; /* the run is long enough to be replaced */
};

/* The state of step `charsmap`. */
struct charsmap_stage {
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

struct normalizer;

/* A step in a text, with the memory that it needs. */
struct normalizer_stage {
    struct normalizer *normalizer;
    const struct normalizer_rule *rule;
    size_t next; /* index of the step after this one */
    struct normal_form *form;
    struct charsmap_stage *charsmap;
    struct held_chars *held;
    bool started; /* strip_start: a character but a blank was read; prepend: any character was */
};

struct normalizer {
    const struct normalizer_plan *plan;
    struct normalizer_stage stages[NORMALIZER_STEPS];
    void (*emit)(void *user, struct normal_char c); /* receives the normalized text */
    void *user;
    struct meter *meter; /* to be set before a text */
};

/* Prepares a normalizer, which must not be moved afterwards. */
void normalizer_carve(struct normalizer *normalizer, const struct normalizer_plan *plan,
                      void (*emit)(void *user, struct normal_char c), void *user,
                      struct arena *arena);

/* For each text: begin, add its characters from step 0 on, empty. at: offset where the text starts.
 */
void normalizer_begin(struct normalizer *normalizer, size_t at);
void normalizer_add(struct normalizer *normalizer, size_t step, struct normal_char c);

/* Emits buffered characters: at the end of a text, or before ASCII characters that bypass the
 * normalizer (normalizer_ascii is not 0). Returns false if these must not bypass it. */
bool normalizer_empty(struct normalizer *normalizer, bool at_end);

/* Returns false if a text that a step replaces, or the character after `prepend`, becomes thousands
 * of characters by this step and the next ones, or if a text in the charsmap has so many. */
bool normalizer_is_bounded(struct normalizer *normalizer);

#endif
