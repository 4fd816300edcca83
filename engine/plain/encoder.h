/* encoder.h - the encoder once more, to read and to compare with: plain loops in double precision,
 * in the order of "Attention Is All You Need" and of weights/FORMAT.md, with none of the engine. */
#ifndef PLAIN_ENCODER_H
#define PLAIN_ENCODER_H

#include "engine/plain/weights.h"

/* One sequence. types NULL: all 0; mask NULL: nothing is hidden. */
struct plain_input {
    size_t n;
    const int32_t *ids, *types;
    const uint8_t *mask;
    size_t n_unseen; /* the last tokens, fillers of a query that attention does not see */
};

/* Takes the result of a step, `what` and its rows [n_rows, width]. */
typedef void plain_step(const char *what, const double *rows, size_t n_rows, size_t width);

/* The names of weights/FORMAT.md; NULL: as the file says. int8_rows: what is multiplied with panels
 * of int8 is rounded as FORMAT.md has it for their type. */
struct plain_options {
    const char *position, *mask;
    bool int8_rows;
    double position_base;      /* 0: as the file says */
    const double *frequencies; /* [n_frequencies]; NULL: as the file says */
    size_t n_frequencies;
    const double *embedding_scale, *position_scale; /* NULL: as the file says */
    plain_step *trace;                              /* called with every step; or NULL */
};

/* T counts the tokens that the mask leaves, in their order. */
struct plain_output {
    size_t n_tokens, n_layers, n_heads, width;
    size_t n_prompt;   /* 0; the caller's to set: the first tokens, if pools_prompt no skips them */
    double *hidden;    /* [L+1, T, D]: after the embedding step, after each layer */
    double *attention; /* [L, H, T, T] */
    double *tokens;    /* [T, D]: after the final norm */
};

/* False with the words in error; free the output in both cases. */
bool plain_encode(const struct plain_weights *weights, const struct plain_input *input,
                  const struct plain_options *options, struct plain_output *output,
                  char error[256]);
void plain_output_free(struct plain_output *output);

/* Rows 0 .. n-1 of a position scheme's encoding, out [n, D]. False with `error` if this fails. */
bool plain_positions(const struct plain_weights *weights, const struct plain_options *options,
                     size_t n, double *out, char error[256]);

#endif
