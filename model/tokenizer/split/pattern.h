/* pattern.h - the regular expressions that published tokenizers split words by, as a machine that
 * reads one character after the other. All of them are of one kind: a few literal texts, runs of
 * letters, of numbers, of other characters, each with one character before it that may go along,
 * and runs of blanks. Which there are: `pattern` in section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_PATTERN_H
#define MODEL_PATTERN_H

#include "model/tokenizer/list.h"
#include "model/tokenizer/split/pretoken.h"
#include "model/unicode/normal_form.h"

enum pattern_kind {
    PATTERN_NONE,        /* a text is one word */
    PATTERN_GPT2,        /* GPT-2, RoBERTa, ModernBERT */
    PATTERN_CLIP,        /* drops blanks */
    PATTERN_CL100K,      /* GPT-4, Llama 3 */
    PATTERN_QWEN2,       /* the same with single digits */
    PATTERN_AFTER_BLANKS /* a word ends with a blank: Gemma */
};

bool pattern_parse(enum pattern_kind *kind, struct text_view name);

enum pattern_place {
    PATTERN_START,      /* a word begins with the next character */
    PATTERN_IN_LITERAL, /* what waits is the beginning of a literal text */
    PATTERN_IN_LETTERS,
    PATTERN_IN_NUMBERS,
    PATTERN_IN_OTHERS,
    PATTERN_IN_LINE_ENDS, /* that follow others */
    PATTERN_IN_BLANKS     /* what waits is the last of them */
};

enum { PATTERN_LITERAL = 16 };

/* The run that the word ends with. */
struct pattern_run {
    enum pattern_place place;
    size_t n;        /* characters of it in the word */
    size_t line_end; /* in blanks: of the word, to the last line end */
};

/* Where the machine is in a text. */
struct pattern_state {
    enum pattern_kind kind;
    struct pattern_run run;
    struct normal_char waiting[PATTERN_LITERAL]; /* [n_waiting] */
    size_t n_waiting;
};

/* Takes a character of a text; ends words where the pattern does. */
void pattern_put(struct pattern_state *state, struct pretoken *word, struct normal_char c,
                 unsigned properties);

/* The text ends. */
void pattern_end(struct pattern_state *state, struct pretoken *word);

#endif
