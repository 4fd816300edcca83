/* kernels.h - the inner loops, compiled from one source (kernels.c) once per width of vectors.
 *
 * Each function's result depends on its arguments alone, element by element: every element of a
 * product is summed over k in one order, in any tile. So a row's result does not change with its
 * neighbours, and sharing work between threads does not change a bit.
 */
#ifndef MODEL_KERNELS_H
#define MODEL_KERNELS_H

#include "engine/engine_types.h"
#include "model/config.h"
#include "model/tensor.h"

#include <stdbool.h>
#include <stddef.h>

/* out[r, c] = act(Σ_k x[r, k] · W[c, k] (+ bias[c]) (+ residual[r, c])) (· gate[r, c]), for n_rows
 * rows and 16·n_panels columns; W[c, k] is panels[c / 16][k][c mod 16]. A panel is [K, 16], int8:
 * [⌈K/4⌉, 16, 4]; panel j starts at element j·panel_stride. bias is readable to 16·n_panels, and
 * out is written to 16·n_panels columns: strides are multiples of 16. residual and gate are
 * [n_rows, out_stride], or NULL; they may be out itself. */
struct product {
    const void *x; /* f32; product_int8: int8, its rows padded with zeros to a multiple of
                      QUANTIZED_STEP */
    size_t x_stride;
    const struct quantization *x_quantization; /* product_int8: [n_rows] */
    enum tensor_type type; /* of the panels; product: 0 is f32, and product_int8 does not read it */
    const void *panels;
    size_t panel_stride, k;
    const float *scales;        /* product_int8: of the columns, [16·n_panels] */
    const int32_t *column_sums; /* product_int8: Σ_k W[c, k], or NULL: the zero of every row is 0 */
    const float *kept_panels;   /* product_int8: [n_panels, KEPT, 16], or NULL: none */
    bool is_unsigned;           /* product_int8: every x is in 0 .. 127, or, by panels that
                                   fits_pairs() accepts, in 0 .. 255 */
    const float *bias;          /* or NULL */
    const float *residual;
    bool activated;
    enum activation activation;
    const float *gate;
    float *out;
    size_t out_stride;
    size_t n_rows, n_panels;
};

/* How a row was rounded to int8: x ≈ (q - zero) · scale; sum = Σ q. */
struct quantization {
    float scale;
    int32_t sum;
    int32_t zero;
    float kept[KEPT]; /* x of the columns that the matrix stores in f32; quantize() sets them to
                         0 */
};

/* Returns rows row .. row + n_rows - 1 of a product whose x has elements of x_bytes. */
static inline struct product product_rows(const struct product *all, size_t row, size_t n_rows,
                                          size_t x_bytes)
{
    struct product part = *all;
    size_t at = row * all->out_stride;
    part.n_rows = n_rows;
    part.x = (const char *)all->x + row * all->x_stride * x_bytes;
    part.x_quantization = all->x_quantization != NULL ? all->x_quantization + row : NULL;
    part.residual = all->residual != NULL ? all->residual + at : NULL;
    part.gate = all->gate != NULL ? all->gate + at : NULL;
    part.out = all->out + at;
    return part;
}

enum { QUANTIZED_STEP = 64, BF16_STEP = 32, BF16_SIDE = 32 };

/* Rows in bfloat16 are stored in tiles [rows / 16, width / 32, 16, 32], the width padded with
 * zeros: returns where a row begins. */
static inline size_t bf16_place(size_t row, size_t width)
{
    return row / PANEL * PANEL * width + row % PANEL * BF16_STEP;
}

/* Number of steps of k in one partial sum of a product of floats. */
enum { SUM_BLOCK = 128 };

/* Scores of a block of keys: row j is a key, column i a query; `stride` and the lengths of the
 * arrays indexed by query are multiples of 16, and columns from n_queries to the next multiple are
 * computed too. Query i sees the keys i + first .. i + last of the block; first and last have at
 * most 30 bits. */
struct score_block {
    float *scores; /* [n_keys, stride] */
    size_t stride, n_keys, n_queries;
    ptrdiff_t first, last;
    const float *bias; /* bias[i - j] is added to the score of query i and key j; or NULL. It is
                          read for the columns from n_queries on too */
};

/* out[i, c] = (context[i, c] · factor[i] + Σ_j weights[j, i] · values[j, c]) / sum[i], c < width;
 * values are readable to a multiple of 16 columns. */
struct mix {
    const float *weights, *values;
    size_t weights_stride, values_stride;
    size_t n_keys, n_queries, width;
    const float *context; /* [n_queries, context_stride], or NULL; may be out */
    size_t context_stride;
    const float *factor;
    const float *sum; /* or NULL: all 1 */
    float *out;
    size_t out_stride;
};

/* Attention of one head in bfloat16 (attend_bf16.h), for n_queries queries from `query` on, at most
 * 32: query i sees the keys i - before .. i + after, all of them among begin .. end - 1. */
struct pair_attention {
    const float *q, *k, *v; /* [n_keys, width], `stride` apart */
    size_t stride, n_keys, width;
    float scale;
    size_t before, after;
    const float *bias; /* as that of struct score_block, for query 0 and key 0; or NULL */
    float *out;        /* [n_keys, out_stride] */
    size_t out_stride;
    size_t query, n_queries, begin, end; /* begin is a multiple of 32 */
    uint16_t *keys, *values;             /* in tiles; [n_keys / 32, width, 32]; rounded up to 32 */
    float *scratch;                      /* [3/2, width rounded up to 32, 32] */
};

/* out[i, c] = share[i] · Σ_j weights[j, i] · v[j, c], in double, rounded once. */
struct exact_mix {
    const double *weights;
    size_t weights_stride;
    const double *share;
    const float *v;
    size_t v_stride;
    double *values; /* scratch: [n_keys, width rounded up to 16] */
    size_t n_keys, n_queries, width;
    float *out;
    size_t out_stride;
};

/* Sums over at most EXACT_KEYS keys are computed in double: rounded once, they do not depend on the
 * keys' order. Without positions, the same words in any order then have the same vectors. */
enum { EXACT_KEYS = 32 };

/* Vectors as files store them (layers/search/rows.h): without gaps, at any address; int8 with a
 * float32 scale before each row; bits, the first column of each eight in a byte's highest bit.
 */
enum { FEW_QUERIES = 4 };

/* scores[q, r] = Σ_k queries[q, k] · rows[r, k]; int8 rows without their scale, bits as 0 and 1;
 * always 16 chains of sums, of every 16th column each. Queries are padded with zeros to a multiple
 * of 16 columns; for bits, the columns of each eight are reversed. */
struct row_products {
    engine_element type;
    const void *rows;
    size_t row_bytes; /* distance between rows */
    size_t n_rows, width;
    const float *queries;
    size_t query_stride, n_queries;
    float *scores; /* [n_queries, scores_stride] */
    size_t scores_stride;
    float *squares; /* [n_rows]: Σ_k rows[r, k]², or NULL */
};

/* For many queries, queries and rows are stored in panels of QUERY_PANEL queries or 16 rows, one
 * chain after another: [16, chain_steps(), QUERY_PANEL or 16]; column k is at [chain_position(k mod
 * 16), k / 16]. Panels of rows fill complete tiles of ROWS_OF_TILES. */
enum { QUERY_PANEL = 12, ROWS_OF_TILES = 32 };

static inline size_t chain_steps(size_t width)
{
    return (width + 15) / 16;
}

/* Returns a chain's position in the order in which chains are added: its four bits reversed. */
static inline size_t chain_position(size_t chain)
{
    return (chain & 1) << 3 | (chain & 2) << 1 | (chain & 4) >> 1 | (chain & 8) >> 3;
}

/* The same scores for rows and at most QUERY_PANEL queries stored in panels. */
struct panel_products {
    const float *panels, *queries;
    size_t n_rows, n_queries, n_steps;
    float *scores; /* [QUERY_PANEL, scores_stride]; the stride is at least n_rows rounded up to
                      ROWS_OF_TILES */
    size_t scores_stride;
};

struct blas;
struct blas_work;

struct norm {
    enum norm_kind kind;
    const float *weight; /* [n] */
    const float *bias;   /* [n] or NULL */
};

/* Everything in bfloat16. */
struct pair_kernels {
    /* Rows of x are in tiles, x_stride is their padded width; panels are pairs [K/2, 16, 2], K is
     * padded with zeros to a multiple of 32. Which two numbers are a pair is the set's own choice
     * (attend_bf16.h), the same where rows are rounded and where panels are made. */
    void (*product)(const struct product *product);
    /* Rounds a row x [n]; n rows of 16 columns. */
    void (*round)(const float *x, size_t n, uint16_t *out);
    void (*pair_rows)(const float *rows, size_t stride, size_t n, uint16_t *out);
    /* Rounds keys and values; then computes a block of queries. */
    void (*round_keys)(const struct pair_attention *a);
    void (*attend)(const struct pair_attention *a);
    bool is_emulated; /* no instruction adds pairs: slower than f32 */
};

struct kernels {
    const char *isa;
    bool needs_tiles;   /* uses AMX's tile registers, which the process must have requested from
                         Linux */
    int candidate_bits; /* of queries rounded to find candidates by product_int8 (layers/search/):
                           7 if every x must be in 0 .. 127, else 8; 0: floats are faster */
    void (*product)(const struct product *product); /* of panels in f32, f16 and bf16 */

    /* Exact sums in int32 (K ≤ 2^17; with zeros of rows of 8 bits 2^16) of (q - zero) · W, times
     * both scales: the same bits on every instruction set. */
    void (*product_int8)(const struct product *product);

    /* Returns whether product_int8 multiplies x of 0 .. 255 by these panels exactly, and their
     * column sums are right; NULL if that would not be faster. */
    bool (*fits_pairs)(const struct matrix *panels);

    const struct pair_kernels *pairs;

    /* Computes any of these products by OpenBLAS, in blocks of at most most_rows rows
     * (product_blas.h); panels of int8 need rows of int8. */
    void (*product_blas)(const struct blas *blas, size_t most_rows, const struct product *product,
                         const struct blas_work *work);

    /* q[i] = round(x[i] · factors[i] / scale) + zero (row.h); q is padded with zeros to a
     * multiple of QUANTIZED_STEP. factors [n rounded up to 16], or NULL: all 1. */
    struct quantization (*quantize)(const float *x, size_t n, enum rounding rounding,
                                    const float *factors, int8_t *q);

    /* out [cols] += row `index` of a table, in rows layout */
    void (*add_row)(const struct matrix *table, size_t index, float *out);

    /* Writes panels [K, 16] of scale · x, in the layout that product reads: row r of x is column r
     * mod 16 of panel r / 16; copies of the last row fill the remaining columns. */
    void (*pack_rows)(const float *x, size_t x_stride, size_t n_rows, size_t k, float scale,
                      float *panels);

    /* Softmax over successive blocks of keys. max[i] and sum[i] cover the keys so far (-FLT_MAX and
     * 0 before the first) and on return these keys too; earlier mixed values are to be multiplied
     * by factor[i]; scores[j, i] becomes e^(score + bias - max[i]), 0 for hidden keys. */
    void (*softmax_block)(const struct score_block *scores, float *max, float *sum, float *factor);
    void (*mix)(const struct mix *mix);

    /* Softmax of all keys at once: weights [n_keys, stride] = e^(score + bias - largest), share[i]
     * = 1 / Σ weights. */
    void (*softmax_exactly)(const struct score_block *scores, double *weights, double *share);
    void (*mix_exactly)(const struct exact_mix *mix);

    /* Multiplies rows of any type by at most FEW_QUERIES queries, in one pass over the rows. */
    void (*row_products)(const struct row_products *p);

    /* Writes the rows as panels; reads neither `queries` nor the members after it. n_rows ≥ 1. */
    void (*pack_row_panels)(const struct row_products *p, float *panels);
    void (*panel_products)(const struct panel_products *p);

    /* Writes rows of int8, or bits as bytes 1 and -1 (also those after the last column), as panels
     * of product_int8, of width rounded up to 16; the last row is repeated to fill a panel. Reads
     * neither `queries` nor the members after it. n_rows ≥ 1. */
    void (*pack_byte_panels)(const struct row_products *p, int8_t *panels);

    /* Writes the indexes of the scores with max(scores[i], -FLT_MAX) + error · lengths[i] ≥
     * threshold to found [n], and returns their number. n ≤ 2^16. */
    size_t (*find_candidates)(const float *scores, const float *lengths, size_t n, float error,
                              float threshold, uint16_t *found);

    /* scores[i] = (scores[i] + offset) · factors[i]. Returns true unless all are finite and below
     * the threshold. */
    bool (*scale_scores)(float *scores, float offset, const float *factors, size_t n,
                         float threshold);

    /* x[i] = act(x[i]). gelu: x·Φ(x) by erf; gelu_tanh: its tanh form; silu: x/(1+e^-x). */
    void (*activate)(enum activation activation, float *x, size_t n);

    /* out[i] = out[i] · y[i] */
    void (*multiply)(float *out, const float *y, size_t n);

    /* out [n] = norm(x [n]), in place allowed; NORM_NONE copies (formulas: row.h) */
    void (*norm_row)(const struct norm *norm, float eps, size_t n, const float *x, float *out);
};

extern const struct pair_kernels pairs_avx512bf16, pairs_amx;
extern const struct kernels kernels_portable, kernels_avx2, kernels_avxvnni, kernels_avx512,
    kernels_avx512vnni, kernels_avx512bf16, kernels_amx, kernels_neon, kernels_neondot,
    kernels_neoni8mm;

/* Products for the tables of these sets. */
void product_int8_avxvnni(const struct product *product);
void product_int8_avx512vnni(const struct product *product);
void product_int8_amx(const struct product *product);
void product_int8_neondot(const struct product *product);
void product_int8_neoni8mm(const struct product *product);

/* Returns the best set that this CPU runs and that isa allows: "portable" everywhere; "avx2",
 * "avxvnni", "avx512", "avx512vnni", "avx512bf16", "amx" on x86-64; "neon", "neondot", "neoni8mm"
 * on aarch64 (NULL or empty: the best). If the CPU lacks isa, the result is the best set below it,
 * "portable" for names of another architecture; NULL for an unknown name. amx is chosen only for
 * products in int8 or bfloat16, its only difference from avx512bf16, which Intel's processors get
 * only by its name. */
const struct kernels *kernels_select(const char *isa, bool tiles);

#endif
