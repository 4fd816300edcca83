/* encoder.h - the engine as encode uses it: one model, one session, the options of the command
 * line. */
#ifndef TOOLS_ENCODER_H
#define TOOLS_ENCODER_H

#include "tools/encode_options.h"
#include "tools/item.h"

#include <limits.h>

struct encoder {
    engine_model *model;
    engine_session *session;
    engine_info info;
    const char *name; /* for headings: the model's, else its file's */
    int32_t unknown;  /* id of the token for unknown words; -1: none */
    /* What is in force, after the options: the names of weights/FORMAT.md. */
    const char *position, *mask, *pooling;
    bool is_pooled;     /* a vector per text, not per token */
    size_t token_limit; /* most tokens per text; 0: none */
    size_t width;       /* D; 0: no vectors are made */
    engine_encode_options options;
    char default_path[PATH_MAX];
    char message[512]; /* of the last failure */
    /* One call's inputs and outputs; they grow and are used again. */
    engine_input *inputs;
    int32_t *ids;
    float *vectors;
    size_t inputs_cap, ids_cap, vectors_cap;
};

/* Opens the model and makes the session. On failure the message has been printed and *exit_code
 * set; encoder_close is safe either way. */
bool encoder_open(struct encoder *encoder, const struct encode_options *options, int *exit_code);
void encoder_close(struct encoder *encoder);

/* Fills the tokens of an item whose record is set. */
bool encoder_tokenize(struct encoder *encoder, struct item *item);

/* Sets the vectors of n items whose tokens are set. They are valid until the next call. */
bool encoder_encode(struct encoder *encoder, struct item *items, size_t n);

/* The text of the i-th token: the vocabulary's, else its span of the input, else "". */
const char *encoder_token_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len);

/* The word that the token for unknown words stands for at place i; NULL: another token, or the
 * word is that token's own text. */
const char *encoder_unknown_word(const struct encoder *encoder, const struct item *item, size_t i,
                                 size_t *len);

#endif
