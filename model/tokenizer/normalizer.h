/* normalizer.h - the steps that change a text before it is split into words: a list of steps,
 * applied to a stream of characters with their spans in the text. Definition of each step:
 * `normalizer` in section TOKN of weights/FORMAT.md.
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
    NORMALIZE_REPLACE, /* from here on, all replace */
    NORMALIZE_REPLACE_RUNS,
    NORMALIZE_REPLACE_BLANKS
};

enum { NORMALIZER_STEPS = 64, NORMALIZER_BLANKS = 64 };

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

/* Returns what one ASCII character becomes; 0 if it is dropped or depends on its neighbours. */
uint8_t normalizer_ascii(const struct normalizer_plan *plan, uint8_t c);

/* Bit set of the steps with which that is only valid for ASCII between two ASCII characters of the
 * same text. */
enum {
    NORMALIZER_LOOKS_AROUND =
        1 << NORMALIZE_NFC | 1 << NORMALIZE_NFKC | 1 << NORMALIZE_CHARSMAP | 1 << NORMALIZE_PREPEND
};

/* Blanks that are dropped at the end of a text. Of more than NORMALIZER_BLANKS the first ones and
 * the last one are stored. */
struct waiting_blanks {
    struct normal_char blanks[NORMALIZER_BLANKS];
    size_t n;
};

struct normalizer;

struct normalizer_stage {
    struct normalizer *normalizer;
    size_t next; /* index of the step after this one */
    struct normal_form *form;
    struct waiting_blanks *waiting;
    struct charsmap_stage *charsmap;
    struct replace_stage *replace;
    bool started; /* strip_start: a character but a blank was read; prepend: any character was */
};

struct normalizer {
    const struct normalizer_plan *plan;
    struct normalizer_stage stages[NORMALIZER_STEPS];
    void (*emit)(void *user, struct normal_char c); /* receives the normalized text */
    void *user;
};

/* Returns the next array of a block of memory, aligned to 16 like the block, or NULL if memory is
 * NULL (to measure). Advances *at past the array. */
static inline void *cut_array(char *memory, size_t *at, size_t bytes)
{
    void *part = memory != NULL ? memory + *at : NULL;
    *at += (bytes + 15) / 16 * 16;
    return part;
}

/* Prepares a normalizer, which must not be moved afterwards, in memory (aligned to 16; NULL: only
 * measures). Returns the bytes of memory. */
size_t normalizer_start(struct normalizer *normalizer, const struct normalizer_plan *plan,
                        void (*emit)(void *user, struct normal_char c), void *user, char *memory);

/* For each text: begin, add its characters, end. at: offset where the text starts. */
void normalizer_begin(struct normalizer *normalizer, size_t at);
void normalizer_add(struct normalizer *normalizer, struct normal_char c);
void normalizer_end(struct normalizer *normalizer);

/* Emits buffered characters before ASCII characters that bypass the normalizer (normalizer_ascii is
 * not 0). Returns false if these must not bypass it. */
bool normalizer_flush(struct normalizer *normalizer);

#endif
