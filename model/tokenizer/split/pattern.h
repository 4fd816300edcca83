/* pattern.h - the regular expressions by which published tokenizers split words, as a machine that
 * reads one character after the other. All have the same form: a few literal texts, runs of
 * letters, of numbers, of other characters, each with an optional character before it, and runs of
 * blanks. List: `pattern` in section TOKN of weights/FORMAT.md.
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

enum pattern_phase {
    PATTERN_START,      /* the next character starts a word */
    PATTERN_IN_LITERAL, /* the buffered characters may start a literal text */
    PATTERN_IN_LETTERS,
    PATTERN_IN_NUMBERS,
    PATTERN_IN_OTHERS,
    PATTERN_IN_LINE_ENDS, /* after others */
    PATTERN_IN_BLANKS     /* the last blank is buffered */
};

enum { PATTERN_LITERAL = 16 };

/* The run that the word ends with. */
struct pattern_run {
    enum pattern_phase phase;
    size_t n;        /* its characters in the word */
    size_t line_end; /* in blanks: characters of the word up to its last line end */
};

/* The machine's state in a text. */
struct pattern_state {
    enum pattern_kind kind;
    struct pattern_run run;
    struct normal_char waiting[PATTERN_LITERAL]; /* [n_waiting] */
    size_t n_waiting;
};

/* Reads a character of a text; ends words as the pattern says. */
void pattern_add(struct pattern_state *state, struct pretoken *word, struct normal_char c,
                 unsigned properties);

/* Ends the text. */
void pattern_end(struct pattern_state *state, struct pretoken *word);

#endif
