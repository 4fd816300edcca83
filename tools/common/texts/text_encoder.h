/* text_encoder.h - the engine as encode uses it: one model, one session, the options of the command
 * line. */
#ifndef TOOLS_TEXT_ENCODER_H
#define TOOLS_TEXT_ENCODER_H

#include "tools/common/alloc.h"
#include "tools/common/texts/request_options.h"

struct prompt {
    const char *text; /* borrowed */
    size_t len;       /* 0: none */
};

struct text_encoder {
    engine_model *model;
    engine_session *session;
    struct request_options request; /* what was asked for; what it points at is the caller's */
    engine_info info;
    const char *name;  /* for headings: the model's, else its file's */
    int32_t unknown;   /* id of the token for unknown words; -1: none */
    bool skips_prompt; /* vectors are made without the prompt's tokens: pools_prompt no */
    bool is_bytes;     /* tokens are written as bytes: byte_level of weights/FORMAT.md */
    /* What is in force, after the request. */
    engine_position position; /* never ENGINE_POSITION_MODEL, */
    engine_mask mask;         /* nor ENGINE_MASK_MODEL */
    struct position_numbers numbers;
    /* The positions in the model's attention, "rotary" ..., or NULL; and its window: a token sees
     * others at most so many tokens away; 0: all. */
    const char *attention_position;
    size_t window;
    bool ranks_pairs;   /* --rank by the scores of a cross-encoder, not by vectors */
    engine_shape shape; /* of rows before --dimensions and --normalize; width 0: without rows */
    bool is_pooled;     /* a row of numbers per text, not per token */
    bool is_sparse;     /* that row is a weight for each id */
    size_t width;       /* numbers per row: those of shape, or fewer */
    size_t top;         /* words per mask token */
    struct padding padding;
    struct prompt prompt, query_prompt;
    char **labels, **hypotheses;   /* [width] of --labels-of, or NULL */
    engine_encode_options options; /* of texts; max_tokens 0: any number of tokens */
    /* What the last fault of an item was: of this text alone, of a text that is too long, or what
     * every text would meet: FAULT_INTERRUPTED if the call was interrupted. */
    enum { FAULT_NONE, FAULT_OF_TEXT, FAULT_OF_LENGTH, FAULT_OF_ALL, FAULT_INTERRUPTED } fault;
    engine_input *inputs; /* of the last call */
    float *rows;          /* that it made */
};

/* Opens the model and makes the session. Ends the program if that fails, or if the model cannot do
 * what is requested. An encoder of zeros can be closed, too. */
void encoder_open(struct text_encoder *encoder, const struct request_options *request);
void encoder_close(struct text_encoder *encoder);

/* The name of the pooling in force; "model" for the model's own, which may do more than pool. */
const char *encoder_pooling_asked(const struct text_encoder *encoder);

/* Prints two lines: the model, its shape and what is in force. */
void print_heading(FILE *stream, const struct text_encoder *encoder);

/* Returns how many pooled items, at least 1, one call may have within its bound of memory. */
size_t encoder_most_pooled(const struct text_encoder *encoder);

/* The name of a label, the user's of --labels-of; one that the file does not name is LABEL_ and its
 * number, good until the next call. */
const char *encoder_label(const struct text_encoder *encoder, size_t label);

/* Returns the text of a token of the vocabulary; "" if the token lacks a text. */
const char *encoder_id_text(const struct text_encoder *encoder, int32_t id, size_t *len);

/* The same as a text shows it, without a blank before it: "naïve" of "ĠnaÃ¯ve" or "▁naïve". The
 * result is in word, or the vocabulary's text if that is too long or not whole characters. */
enum { ENCODER_WORD_BYTES = 128 };
const char *encoder_word(const struct text_encoder *encoder, int32_t id,
                         char word[ENCODER_WORD_BYTES], size_t *len);

#endif
