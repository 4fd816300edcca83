/* item.h - one input on its way to the output: what was read, its tokens, what the model made of
 * them. A text that is too long may be several items, its windows. */
#ifndef TOOLS_ITEM_H
#define TOOLS_ITEM_H

#include "tools/common/texts/text_encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A member of a JSON line that is no part of the input, and comes out as it came in. */
struct record_member {
    const char *key;
    const char *value; /* [value_len], JSON as it was written */
    size_t value_len;
};

/* One input as it was read: a text, a pair of texts, or token ids. */
struct record {
    engine_input input;                  /* points into storage, or at the program's arguments */
    const struct record_member *members; /* [n_members], in their order; in members_storage */
    size_t n_members;
    const char *id; /* [id_len], the value of the member that names the input; NULL: none does */
    size_t id_len;
    bool is_repaired;                /* a part is read as U+FFFD: it was not UTF-8, */
    bool has_half_pair;              /* or is UTF-8, and had escapes of lone surrogates */
    void *storage, *members_storage; /* freed with the record; NULL: borrowed */
    size_t line;                     /* of its source, from 1; 0: an argument */
    const char *source;              /* of a line: "stdin", or a file's path; NULL: stdin */
    char *fault; /* owned; what is wrong with the line or the item, to follow its name, or NULL */
};

/* The part of a text, or of the longer text of a pair, that an item represents. */
struct window {
    size_t index, of;  /* of 0: the item is a whole input */
    size_t begin, end; /* bytes of the text, or of the pair */
    bool in_pair;
};

struct item {
    size_t number; /* of the input, from 1; 0: the query of --rank */
    bool is_query; /* of several: its number is among them */
    struct record record;
    char *prompted; /* the prompt and the text, owned; NULL without a prompt */
    size_t prompt_len;
    struct window window;
    engine_token *tokens; /* [n_tokens], owned, padding among them */
    uint8_t *mask;        /* [n_tokens], owned, 0: padding; NULL: none is */
    size_t n_tokens;
    size_t n_dropped; /* tokens cut away */
    size_t n_skipped; /* tokens without a vector, taken out of them where only vectors count */
    /* Rows of numbers, [n_tokens, width] or [width], vectors or scores of labels; the encoder's;
     * NULL: none were asked for. */
    const float *rows;
    engine_entity *entities; /* [n_entities], owned */
    size_t n_entities;
    engine_candidate *candidates; /* [masks, encoder's top], owned */
    size_t n_candidates;
};

void record_free(struct record *record);
void item_free(struct item *item);

/* Return whether token i is padding, how many tokens are not, and how many of those have the id. */
bool item_is_masked(const struct item *item, size_t i);
size_t item_n_visible(const struct item *item);
size_t item_count(const struct item *item, int32_t id);

/* Returns whether one of the tokens is of the text itself, not special or of a prompt. */
bool item_has_text(const struct item *item);

/* Returns whether the i-th token was made of a part of the text: ids and special tokens were not;
 * and the bytes that it was made of, or "". */
bool item_has_span(const struct item *item, size_t i);
const char *item_span_text(const struct item *item, size_t i, size_t *len);

/* Returns the input as results show it: of a window its own part. Spans count in the full text. */
engine_input item_shown(const struct item *item);

/* Returns its name in messages: "text 2" of the arguments, "line 3 of stdin". Valid until the next
 * call. */
const char *item_name(const struct item *item);

/* Returns the name of an item that failed, and its fault: "text 2 has ...". Valid until the next
 * call. */
const char *item_fault(const struct item *item);

/* Prints a note about an item whose record is_repaired. */
void item_note_repair(const struct item *item);

/* Prepends a prompt to the text of an item; not to ids, which the caller reports. From there on it
 * is part of the text: spans count in both. */
void item_add_prompt(struct item *item, const struct prompt *prompt);

/* ---- Padding ---- */

/* Returns whether the input is ids without a mask that begin or end with this one. */
bool padding_is_at_ends(const struct item *item, int32_t id);

/* Pads an item of at most n tokens to n. */
void padding_apply(const struct padding *padding, struct item *item);

/* ---- Tokens, by the encoder ---- */

/* Fills the tokens of an item whose record is set: all of them where the encoder is chunked, else
 * as many as the limit lets by. */
bool encoder_tokenize(struct text_encoder *encoder, struct item *item);

/* The windows, [n], of a text with all its tokens, or of ids, to be freed; NULL after a failure.
 * Each has the tokens of the prompt, which are marked as such. */
engine_window *encoder_windows(struct text_encoder *encoder, struct item *item, size_t *n);

/* The text of the i-th token: the vocabulary's, else its span of the input, else "". */
const char *encoder_token_text(const struct text_encoder *encoder, const struct item *item,
                               size_t i, size_t *len);

/* Returns the word that the i-th token replaces if it is the token for unknown words; NULL for
 * other tokens, or if the word is that token's own text. */
const char *encoder_unknown_word(const struct text_encoder *encoder, const struct item *item,
                                 size_t i, size_t *len);

/* Texts whose words the model hardly knows: the first of unknown words are named. */
struct word_notes {
    size_t n_unknown, n_foreign;
};

/* Counts a text whose tokens are set, and prints a note if it is to be named. */
void word_notes_add(struct word_notes *notes, const struct text_encoder *encoder,
                    const struct item *item);

/* Prints how many of n texts there were, unless each was named, or they are less than 1 %. things:
 * "texts" or "queries". */
void word_notes_end(const struct word_notes *notes, size_t n, const char *things);

/* Computes what the task requires of n items whose tokens are set. Returns how many, from the
 * first, succeeded; the next has a fault. Rows are valid until the next call. */
size_t encoder_encode(struct text_encoder *encoder, struct item *items, size_t n);

/* Sets the item's fault: what the format makes, or the session's message without its name of the
 * input. Returns false. */
bool encoder_fail(struct text_encoder *encoder, struct item *item, const char *format, ...)
    PROGRAM_PRINTF(3, 4);
bool encoder_fail_in_engine(struct text_encoder *encoder, struct item *item);

/* Returns the first wrong item of n in a call that failed; those before it have their rows. */
size_t encoder_first_wrong(const struct text_encoder *encoder, size_t n);

/* ---- For reading ---- */

/* Prints a text, "text | pair", or "(token ids)", each text in at most so many columns. */
void print_input(FILE *stream, const engine_input *input, size_t columns);

/* Prints what the i-th token stands for, where its own text does not show it: " (zoo)" of the token
 * for unknown words, " (ïve)" of a token of bytes. */
void print_meaning(FILE *stream, const struct text_encoder *encoder, const struct item *item,
                   size_t i);

#endif
