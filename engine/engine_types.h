/* engine_types.h - the part of engine.h, which includes it, that the formulas of model/ share: what
 * they write straight into the buffers of a caller. It includes nothing of the project.
 */
#ifndef ENGINE_TYPES_H
#define ENGINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* ---- Texts ---- */

/* A token of engine_tokenize. */
typedef struct engine_token {
    int32_t id;
    int32_t type;      /* 0: first text, 1: second text, as the file's template says */
    size_t begin, end; /* bytes of the text, or of `pair`; 0, 0: of neither */
    uint8_t special;   /* 1: added by the template */
    uint8_t in_pair;   /* 1: the span is in the second text */
    uint8_t in_prompt; /* 1: from the prompt before the text: it has no span */
    uint8_t unpooled;  /* 1: one of those that a model leaves out of vectors, as its prompts' */
} engine_token;

/* Which text of a pair loses tokens, and at which end. */
typedef enum engine_truncation {
    ENGINE_TRUNCATE_LONGEST_FIRST = 0,
    ENGINE_TRUNCATE_ONLY_FIRST = 1,
    ENGINE_TRUNCATE_ONLY_SECOND = 2
} engine_truncation;

/* A word is a run of characters that are neither blanks nor punctuation; from U+2E80 on (most
 * scripts there write no blanks) each token is a word. */
typedef struct engine_word_counts {
    size_t n, n_unknown;     /* words; words whose tokens are all the unknown token */
    size_t n_latin, n_whole; /* known words of 3 bytes or more that begin with a Latin letter; those
                                of them that are one token: few in texts of another language */
} engine_word_counts;

/* A part of a long text. Each window has the special tokens, the prompt and, for a pair, the other
 * text. */
typedef struct engine_window {
    size_t n_tokens;   /* of the window */
    size_t first, n;   /* its part of the text: n of the text's tokens, from tokens[first] on */
    size_t begin, end; /* bytes of that part of the text, or of `pair` */
    uint8_t in_pair;   /* 1: the second text is split, not the first */
} engine_window;

/* ---- Positions and poolings ---- */

/* Limits of a base and of the magnitude of frequencies: within them every position is a number. */
#define ENGINE_POSITION_BASE_LEAST     1e-100
#define ENGINE_POSITION_BASE_MOST      1e100
#define ENGINE_POSITION_FREQUENCY_MOST 1e38

/* Names for options and messages, as in weight files: of positions; of those that have a base; of
 * poolings that make one vector of a text. Tests compare them with engine_position_name() and
 * engine_pooling_name(). */
#define ENGINE_POSITIONS           "none, sinusoidal, learned, index, binary, fourier, exponential"
#define ENGINE_POSITIONS_WITH_BASE "sinusoidal or exponential"
#define ENGINE_TEXT_POOLINGS       "mean, cls, max, mean_sqrt, weighted_mean, last, pooler"

/* ---- Answers ---- */

/* A run of tokens, not ids, with one label, by head token; engine_strategy tells its name. */
typedef struct engine_entity {
    size_t label;      /* of its first token */
    float score;       /* mean of its tokens' scores */
    size_t begin, end; /* bytes of the text */
    uint8_t in_pair;
} engine_entity;

/* A word for a mask token of an input: engine_fill. */
typedef struct engine_candidate {
    size_t token; /* index of the mask token */
    int32_t id;
    float score; /* probability; options->raw_scores: logit */
} engine_candidate;

/* A weight of a sparse row, which has no others. */
typedef struct engine_weight {
    int32_t id;
    float weight;
} engine_weight;

/* ---- Rows of vectors ---- */

/* The format of a row of `width` columns, without gaps; numbers are little-endian. */
typedef enum engine_element {
    ENGINE_F32 = 0,
    ENGINE_F16 = 1,
    ENGINE_INT8 = 2,  /* a float32 `scale`, then width int8: column = scale * value; the scale is
                         the row's largest magnitude / 127, 0 for a row of zeros */
    ENGINE_BINARY = 3 /* a bit for each column, 1: above 0; the first one is the highest bit of the
                         first byte; zeros pad the last byte (numpy.packbits) */
} engine_element;

/* How vectors q and v are compared: the larger the score, the nearer. */
typedef enum engine_metric {
    ENGINE_METRIC_COSINE = 0,    /* q·v / (|q| |v|); 0 where either is all zeros */
    ENGINE_METRIC_DOT = 1,       /* q·v */
    ENGINE_METRIC_EUCLIDEAN = 2, /* -|q - v| */
    ENGINE_METRIC_MANHATTAN = 3  /* -Σ |q_i - v_i| */
} engine_metric;

/* A row that engine_search found. */
typedef struct engine_hit {
    uint64_t row;
    float score;
} engine_hit;

/* How a query's two scores are added: score = vector * v + (sparse * s + offset), vector >= 0. */
typedef struct engine_fusion {
    float vector, sparse, offset;
} engine_fusion;

#endif
