/* normalizer.h - the steps that change a text before it is split into words: a list of them, run
 * over a stream of characters that keep their places in the text. What each does: `normalizer` in
 * section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_NORMALIZER_H
#define MODEL_NORMALIZER_H

#include "model/tokenizer/list.h"
#include "model/tokenizer/steps/charsmap.h"
#include "model/tokenizer/steps/replace.h"
#include "model/unicode/normal_form.h"

enum normalizer_step {
    NORMALIZE_CLEAN,
    NORMALIZE_SPACE_CJK,
    NORMALIZE_NFD,
    NORMALIZE_NFC,
    NORMALIZE_NFKD,
    NORMALIZE_NFKC,
    NORMALIZE_DROP_NONSPACING,
    NORMALIZE_DROP_MARKS,
    NORMALIZE_LOWER,
    NORMALIZE_STRIP_START,
    NORMALIZE_STRIP_END,
    NORMALIZE_NMT,
    NORMALIZE_CHARSMAP,
    NORMALIZE_PREPEND,
    NORMALIZE_REPLACE,
    NORMALIZE_REPLACE_RUNS,
    NORMALIZE_REPLACE_BLANKS
};

enum { NORMALIZER_STEPS = 64, NORMALIZER_BLANKS = 64 };

struct normalizer_plan {
    struct normalizer_rule {
        uint8_t step;                   /* enum normalizer_step */
        struct replacement replacement; /* of the steps that replace; prepend: what by `to` */
    } rules[NORMALIZER_STEPS];          /* [n] */
    size_t n;
    struct charsmap charsmap; /* of NORMALIZE_CHARSMAP, which is there at most once */
};

/* Reads "clean nfd lower"; false where it is no such list. */
bool normalizer_parse(struct normalizer_plan *plan, struct text_view text);

bool normalizer_has(const struct normalizer_plan *plan, enum normalizer_step step);

/* What one ASCII character becomes, or 0: nothing, or it depends on those around it. */
uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c);

/* Whether that holds of ASCII characters only between two of ASCII, in the same text. */
bool normalizer_looks_around(const struct normalizer_plan *plan);

/* Blanks that are dropped if nothing follows them. Of more than NORMALIZER_BLANKS the first ones
 * and the last one are kept. */
struct waiting_blanks {
    struct normal_char blanks[NORMALIZER_BLANKS];
    size_t n;
};

struct normalizer;

struct normalizer_stage {
    struct normalizer *normalizer;
    size_t next; /* the step that takes what this one gives */
    struct normal_form *form;
    struct waiting_blanks *waiting;
    struct charsmap_stage *charsmap;
    struct replace_stage *replace;
    bool started; /* strip_start: a character that is no blank was there; prepend: any was */
};

struct normalizer {
    const struct normalizer_plan *plan;
    struct normalizer_stage stages[NORMALIZER_STEPS];
    void (*take)(void *user, struct normal_char c); /* gets the normalized text */
    void *user;
};

/* The next part of a block of memory, aligned to 16 as the block is; memory NULL: parts are counted
 * and not given out. *at moves past it. */
static inline void *take_part(char *memory, size_t *at, size_t bytes)
{
    void *part = memory != NULL ? memory + *at : NULL;
    *at += (bytes + 15) / 16 * 16;
    return part;
}

/* Bytes of memory (aligned to 16) that a normalizer of this plan works in. */
size_t normalizer_bytes(const struct normalizer_plan *plan);

/* The normalizer must not move afterwards. */
void normalizer_start(struct normalizer *normalizer, const struct normalizer_plan *plan,
                      void (*take)(void *user, struct normal_char c), void *user, void *memory);

/* A text: begin, put its characters, end. at: where it starts. */
void normalizer_begin(struct normalizer *normalizer, size_t at);
void normalizer_put(struct normalizer *normalizer, struct normal_char c);
void normalizer_end(struct normalizer *normalizer);

/* Hands on the characters that are held back, because the next ones are of those for which
 * normalizer_ascii is not 0, and these do not go through the normalizer. False: they must. */
bool normalizer_flush(struct normalizer *normalizer);

#endif
