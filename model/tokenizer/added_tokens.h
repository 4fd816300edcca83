/* added_tokens.h - tokens that are cut from a text verbatim, before anything else is done to it
 * (added_find), or before the normalized text is split into words (added_window). Settings: `added`
 * in section TOKN of weights/FORMAT.md. Leftmost, then longest match, as in the reference.
 */
#ifndef MODEL_ADDED_TOKENS_H
#define MODEL_ADDED_TOKENS_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/splitter.h"
#include "model/tokenizer/vocabulary.h"

enum added_flag {
    ADDED_NORMALIZED = 1 << 0,
    ADDED_STRIP_LEFT = 1 << 1,  /* includes the blanks before it */
    ADDED_STRIP_RIGHT = 1 << 2, /* includes the blanks after it */
    ADDED_SINGLE_WORD = 1 << 3, /* matches only without word characters next to it */
    ADDED_OUTSIDE = 1 << 4      /* words of a text never become this token */
};

struct added_pattern {
    const char *text;
    uint32_t len, order;
    int32_t id;
    uint8_t flags;
};

/* Patterns sorted by their bytes, without duplicates. */
struct added_set {
    const struct added_pattern *patterns; /* [n] */
    size_t n, longest;                    /* longest: bytes */
    int only_first;                       /* the only byte that patterns start with, or -1 */
    uint32_t *pairs;    /* bit set [256, 256]: their first two bytes, or the first and 0 */
    bool strips_blanks; /* some patterns include blanks next to them */
};

struct added_tokens {
    struct text_view list; /* setting `added` */
    struct added_set raw, normalized;
};

/* Reads ids with flags, like "101 103:l 30522:nx". Returns false for any other text. */
bool added_tokens_parse(struct added_tokens *added, struct text_view text);

/* Builds the tables of that list in the arena, whose base is aligned to 16, or measures them.
 * Sets vocabulary->outside. Returns NULL on success, else a static error string. */
const char *added_tokens_build(struct added_tokens *added, struct vocabulary *vocabulary,
                               const struct normalizer_plan *plan, struct arena *arena);

/* Returns the longest pattern that text[0 .. len) starts with, or NULL. Sets *goes_on if a longer
 * pattern starts with all of the text. */
const struct added_pattern *added_look(const struct added_set *set, const char *text, size_t len,
                                       bool *goes_on, struct meter *meter);

/* Returns the first offset from `at` on where a pattern starts, or len, also if the meter ends the
 * text. *pattern: the longest. */
size_t added_find(const struct added_set *set, const char *text, size_t len, size_t at,
                  const struct added_pattern **pattern, struct meter *meter);

/* ---- Normalized text ----
 *
 * Cuts the normalized added tokens from a stream of normalized characters, and passes the other
 * characters to the splitter. Buffers as many characters as the longest of these tokens has. */

struct added_window {
    const struct added_set *set;
    struct splitter *splitter;
    struct normal_char *chars; /* [cap], n of them buffered */
    char *bytes;               /* [4 * cap], n_bytes: their UTF-8 */
    size_t n, n_bytes, cap;
    bool after_word;        /* there was a character before, and it was a word character */
    bool in_blanks;         /* so were blanks, in which case: */
    size_t blanks_begin;    /* offset of the first blank in the text */
    struct word before;     /* the word before them, */
    struct pattern_run run; /* the pattern's state before them, */
    bool has_ended;         /* a word has ended since */
    size_t n_tokens;        /* tokens up to the end of the word before the blanks */
    struct word copy;       /* its bytes and characters, if blanks belong to words; else NULL */
    bool stripping;         /* of a token that includes blanks to its right */
    bool is_open;           /* the last token is such a token: its span grows with further blanks */
    size_t open;            /* its index in the sink */
};

/* Prepares a window. */
void added_window_carve(struct added_window *window, const struct added_set *set,
                        struct splitter *splitter, struct arena *arena);

/* For each text: begin, add its characters, drain at its end: processes the characters that are
 * followed by enough others to decide, or all. */
void added_window_begin(struct added_window *window);
void added_window_add(struct added_window *window, struct normal_char c);
void added_window_drain(struct added_window *window, bool at_end);

/* Reads ASCII from text[at .. end) up to a character that must pass through the normalizer, or
 * until characters are buffered. Returns the offset reached. */
size_t added_window_add_ascii(struct added_window *window, const char *text, size_t at, size_t end);

#endif
