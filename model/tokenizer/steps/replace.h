/* replace.h - the steps `replace`, `replace_runs` and `replace_blanks` of a normalizer: a text, or
 * a run of a character or of blanks, becomes another text. Internal to the normalizer.
 */
#ifndef MODEL_REPLACE_H
#define MODEL_REPLACE_H

#include "model/tokenizer/list.h"
#include "model/unicode/normal_form.h"

enum { REPLACE_CHARS = 8 };

/* What is replaced by what. */
struct replacement {
    uint32_t from[REPLACE_CHARS], to[REPLACE_CHARS];
    uint8_t n_from, n_to;
    uint8_t least;  /* characters of a run; 0: not runs, but the text `from` */
    bool of_blanks; /* runs of White_Space, else of from[0] */
};

/* Reads "FROM:TO", "LEAST:CHARACTER:TO" of runs, "LEAST:TO" of blanks. In texts %XX stands for a
 * byte. False where it is none. */
bool replacement_parse(struct replacement *replacement, struct text_view text, bool runs,
                       bool of_blanks);

/* Reads a text of at most REPLACE_CHARS characters. */
bool replacement_text(struct text_view text, uint32_t codes[REPLACE_CHARS], uint8_t *n);

/* Whether the character may be a part of what is replaced. */
bool replacement_has(const struct replacement *replacement, uint32_t code);

/* A text on its way; all but the first three is zero at its start. */
struct replace_stage {
    void (*take)(void *user, struct normal_char c);
    void *user;
    const struct replacement *replacement;
    struct normal_char held[REPLACE_CHARS]; /* [n] they may begin it; of a long run the last */
    size_t n;
    bool is_run; /* they are as many as a run needs */
};

void replace_put(struct replace_stage *stage, struct normal_char c);

/* What is held back ends here. */
void replace_end(struct replace_stage *stage);

#endif
