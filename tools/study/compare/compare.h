/* compare.h - texts beside one another, and what a model makes of them. Memory is freed with the
 * program, but that of pairs, of which there may be any number. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "tools/common/print/rows.h"
#include "tools/common/texts/item.h"
#include "tools/common/texts/reader.h"

enum compare_command {
    COMPARE_WORDS,
    COMPARE_SIMILARITY,
    COMPARE_PAIRS,
    COMPARE_MASK,
    COMPARE_EXPLAIN,
    N_COMPARE_COMMANDS
};

struct compare_options {
    struct request_options request;
    enum compare_command command;
    enum rows_format format;
    const char *output_path; /* NULL: stdout */
};

struct comparison {
    const struct compare_options *options;
    struct text_encoder encoder;
    struct reader reader;
    struct rows rows;
    size_t n_read; /* inputs; pairs count once */
    struct {
        size_t cut, repaired;
        struct word_notes words;
    } notes;
};

/* Reads the next input, and tokenizes it, but for pairs. False: there are no more. A failure ends
 * the program. */
bool comparison_next(struct comparison *comparison, struct item *item);

/* Reads two inputs, and all there are: others end the program. */
void comparison_two(struct comparison *comparison, struct item items[2]);

/* Reads all of them: [n]. */
struct item *comparison_all(struct comparison *comparison, size_t *n);

/* Gives an item whose record is set its prompt and its tokens, and notes what may surprise. */
void comparison_tokenize(struct comparison *comparison, struct item *item);

/* Computes the rows of n items; they are valid until the next call. A failure ends the program. */
void comparison_encode(struct comparison *comparison, struct item *items, size_t n);

/* JSON: the "texts", each as "text", ["text", "pair"], or null for ids, the "prompt" if they have
 * one, and whether each was "truncated". */
void write_texts_json(struct json_writer *json, const struct text_encoder *encoder,
                      const struct item *items, size_t n);
void write_truncated_json(struct json_writer *json, const struct item *items, size_t n);

/* The commands: print to comparison->rows. */
void compare_words(struct comparison *comparison);
void compare_similarity(struct comparison *comparison);
void compare_pairs(struct comparison *comparison);
void compare_mask(struct comparison *comparison);
void compare_explain(struct comparison *comparison);

#endif
