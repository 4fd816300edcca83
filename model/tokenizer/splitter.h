/* splitter.h - normalized characters to words: which characters are dropped, which are words of
 * their own, and where a word ends. Rules: `splitter` and `pattern` in section TOKN of
 * weights/FORMAT.md.
 */
#ifndef MODEL_SPLITTER_H
#define MODEL_SPLITTER_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/word.h"

/* ---- Rules ---- */

/* Sets of enum unicode_property bits. */
struct cut_rules {
    uint8_t drop;  /* such characters separate words and are dropped */
    uint8_t alone; /* each is a word of its own */
    uint8_t runs;  /* words end where one of these properties starts or stops */
};

/* Metaspace: blanks become visible, and words start with one, added if necessary. */
enum metaspace { METASPACE_NONE, METASPACE_ALWAYS, METASPACE_FIRST, METASPACE_NEVER };
enum { METASPACE = 0x2581 };

/* The regular expressions by which published tokenizers split words. */
enum pattern_kind {
    PATTERN_NONE,        /* a text is one word */
    PATTERN_GPT2,        /* GPT-2, RoBERTa, ModernBERT */
    PATTERN_CLIP,        /* drops blanks */
    PATTERN_CL100K,      /* GPT-4, Llama 3 */
    PATTERN_QWEN2,       /* the same with single digits */
    PATTERN_O200K,       /* GPT-4o, gpt-oss, Llama 4: capitals start words */
    PATTERN_AFTER_BLANKS /* a word ends with a blank: Gemma */
};

/* Result of normalizer and splitter for ASCII characters that need no look at their neighbours. */
struct ascii_table {
    uint8_t value[256];       /* the character's replacement; 0: not decided by it alone */
    uint16_t properties[256]; /* of the replacement */
    uint8_t letter[256];      /* value if it continues a word, else 0 */
    bool stands[256];         /* ASCII that no step drops */
};

struct splitter_rules {
    struct cut_rules cut; /* all rules; with metaspace, rules before it */
    enum metaspace metaspace;
    struct cut_rules inner;    /* rules after it, which cut the words of the others */
    uint32_t space;            /* character that a blank becomes */
    bool space_splits;         /* words end before that character */
    enum pattern_kind pattern; /* kind bpe: cuts these words again */
    bool first_blank;          /* kind bpe: words start with a blank, added if necessary */
    struct ascii_table ascii;  /* set by splitter_build */
};

/* Reads "blanks punctuation" into the first three fields. Returns false for any other text. */
bool splitter_parse(struct splitter_rules *rules, struct text_view text);

void splitter_build(struct splitter_rules *rules, const struct normalizer_plan *plan);

/* ---- Words ---- */

enum pattern_phase {
    PATTERN_START,      /* the next character starts a word */
    PATTERN_IN_LITERAL, /* the buffered characters may start a literal text */
    PATTERN_IN_LETTERS,
    PATTERN_IN_CAPITALS, /* letters, none of them small, if a pattern tells them apart */
    PATTERN_IN_NUMBERS,
    PATTERN_IN_OTHERS,
    PATTERN_IN_LINE_ENDS, /* after others */
    PATTERN_IN_BLANKS     /* the last blank is buffered */
};

enum { PATTERN_LITERAL = 16 };

/* The run that the word ends with. */
struct pattern_run {
    enum pattern_phase phase;
    size_t n; /* its characters in the word */
    /* Characters of the word up to where it may end: in blanks, after the last line end; in
     * capitals, after the last character that is none. 0: only at its end. */
    size_t border;
};

struct splitter {
    const struct splitter_rules *rules;
    struct word word;
    unsigned last;       /* unicode_properties of the last character; 0 at the start */
    bool in_word;        /* characters of a word were read, which may be cut again */
    unsigned inner_last; /* properties of the last character, after metaspace */
    struct pattern_run run;
    struct normal_char waiting[PATTERN_LITERAL]; /* [n_waiting], of the pattern */
    size_t n_waiting;
};

void splitter_add(struct splitter *splitter, struct normal_char c);

/* Forgets the characters read since a word last ended. */
void splitter_forget(struct splitter *splitter);

/* Ends the word. */
void splitter_cut(struct splitter *splitter);

/* Reads ASCII from text[at] on up to a character that must pass through the normalizer, or
 * text[end]. Returns that character's offset. */
size_t splitter_add_ascii(struct splitter *splitter, const char *text, size_t at, size_t end);

#endif
