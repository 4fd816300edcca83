/* replace.h - the steps `replace`, `replace_runs` and `replace_blanks` of a normalizer: a text, or
 * a run of a character or of blanks, becomes another text. Internal to the normalizer.
 */
#ifndef MODEL_REPLACE_H
#define MODEL_REPLACE_H

#include "model/tokenizer/list.h"
#include "model/unicode/normal_form.h"

enum { REPLACE_CHARS = 8 };

/* A replaced text and its replacement. */
struct replacement {
    uint32_t from[REPLACE_CHARS], to[REPLACE_CHARS];
    uint8_t n_from, n_to;
    uint8_t least;  /* characters of a run; 0: no runs, but the text `from` */
    bool of_blanks; /* runs of White_Space, else of from[0] */
};

/* Reads "FROM:TO", "LEAST:CHARACTER:TO" for runs, "LEAST:TO" for blanks. In texts %XX is a byte.
 * Returns false if text has another form. */
bool replacement_parse(struct replacement *replacement, struct text_view text, bool runs,
                       bool of_blanks);

/* Reads a text of at most REPLACE_CHARS characters. */
bool replacement_text(struct text_view text, uint32_t codes[REPLACE_CHARS], uint8_t *n);

/* Returns whether the character may be a part of a replaced text. */
bool replacement_has(const struct replacement *replacement, uint32_t code);

/* The state of the step in a text; all but the first three members are zero at its start. */
struct replace_stage {
    void (*emit)(void *user, struct normal_char c);
    void *user;
    const struct replacement *replacement;
    struct normal_char held[REPLACE_CHARS]; /* [n] may start a match; of a long run the last */
    size_t n;
    bool is_run; /* the run is long enough */
};

void replace_add(struct replace_stage *stage, struct normal_char c);

/* Emits the held characters. */
void replace_end(struct replace_stage *stage);

#endif
