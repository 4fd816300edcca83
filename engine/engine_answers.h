/* engine_answers.h - the part of engine.h, which includes it, for answers other than one vector a
 * text: what heads say, ranks, and the sparse and the many vectors of models for search. The rules
 * of engine.h hold here too.
 */
#ifndef ENGINE_ANSWERS_H
#define ENGINE_ANSWERS_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Heads ---- */

/* The name of a label, borrowed; NULL past the last one, and for one without a name. */
ENGINE_API const char *engine_label(const engine_model *model, size_t label);

/* Scores of every label: head sequence: out is [n, n_labels]; head token: [sum of T, n_labels] as
 * with ENGINE_POOLING_NONE; options->pooling is not used. ENGINE_ERROR_UNSUPPORTED: no head. */
ENGINE_API engine_status engine_classify(engine_session *session, const engine_input *inputs,
                                         size_t n, const engine_encode_options *options, float *out,
                                         size_t cap, size_t *needed, engine_result *results);

/* A run of tokens, not ids, with one label, by head token. B-X begins one, but not within a word,
 * I-X goes on with one; labels without B- or I- go on while they are the same; "O" is none. */
typedef struct engine_entity {
    size_t label;      /* of its first token */
    float score;       /* mean of its tokens' scores */
    size_t begin, end; /* bytes of the text */
    uint8_t in_pair;
} engine_entity;

ENGINE_API engine_status engine_entities(engine_session *session, const engine_input *input,
                                         const engine_encode_options *options, engine_entity *out,
                                         size_t cap, size_t *needed, engine_result *result);

/* Words for the mask tokens of an input, from a model with head mask. */
typedef struct engine_candidate {
    size_t token; /* index of the mask token */
    int32_t id;
    float score; /* probability; options->raw_scores: logit */
} engine_candidate;

/* The k most likely tokens (1 to n_vocabulary) of each mask token, best first: out [masks, k]. */
ENGINE_API engine_status engine_fill(engine_session *session, const engine_input *input, size_t k,
                                     const engine_encode_options *options, engine_candidate *out,
                                     size_t cap, size_t *needed, engine_result *result);

/* ---- Sparse vectors: a weight for each id of the vocabulary ---- */

/* With ENGINE_POOLING_SPARSE engine_encode gives rows [n, n_vocabulary] of weights, 0 or more, most
 * of them 0. `linear` (bge-m3): the largest weight of the tokens with that id, without the tokens
 * that the tokenizer's `skip_weights` names; `mask` (SPLADE): of the mask head's logits of every
 * token, the largest log(1 + relu(logit)), or their sum, as the file says. */

typedef struct engine_weight {
    int32_t id;
    float weight;
} engine_weight;

/* The ids of a row [n] whose weight is not 0, in their order: out is [cap], of which no more is
 * written than there is room for; returns how many there are. row NULL: 0. */
ENGINE_API size_t engine_sparse_entries(const float *row, size_t n, engine_weight *out, size_t cap);

/* The sum of a's weight times b's over the ids that both have, computed in double: how well two
 * texts match. Entries are in the order of their ids. */
ENGINE_API double engine_sparse_product(const engine_weight *a, size_t n_a, const engine_weight *b,
                                        size_t n_b);

/* ---- Many vectors: one of length 1 for each token ---- */

/* With ENGINE_POOLING_COLBERT engine_encode gives rows [vectors of all texts, W], W being
 * engine_info.token_vectors, or options->dimensions: a vector for each token, special ones too, in
 * their order. There is none for padding; none for the first token where the file's
 * `token_vector_first` is no (bge-m3); and, unless options->role is ENGINE_ROLE_QUERY, none for
 * tokens that the tokenizer's `skip_vectors` names (punctuation, in ColBERT). Text i has the rows
 * from results[i].row to where those of i + 1 begin, or to the end. */

/* 1 for a token of that id, the place-th of its text from 0, padding not counted, that has one. */
ENGINE_API int engine_token_has_vector(const engine_model *model, int32_t id, size_t place,
                                       engine_role role);

/* MaxSim: the sum over the query's vectors [n_query, width] of the largest product with one of the
 * text's [n_text, width]; products are computed in double. 0 where either has no vector. */
ENGINE_API double engine_max_sim(const float *query, size_t n_query, const float *text,
                                 size_t n_text, size_t width);

/* ---- Ranks and similarity ---- */

/* How well each of n texts answers a query, [n] in out. By a cross-encoder (head sequence with one
 * label) the score of the pair, from plain texts (no ids, no pair of their own). Else by
 * options->pooling: with ENGINE_POOLING_SPARSE engine_sparse_product, with ENGINE_POOLING_COLBERT
 * engine_max_sim, with others the cosine of the vectors (of mean pooling where the model has no
 * pooling of its own, and neither weights nor vectors of tokens). */
ENGINE_API engine_status engine_rank(engine_session *session, const engine_input *query,
                                     const engine_input *texts, size_t n,
                                     const engine_encode_options *options, float *out);

/* a·b / (|a| |b|) of two vectors [n], computed in double; 0 if either is all zeros. */
ENGINE_API double engine_cosine(const float *a, const float *b, size_t n);

#ifdef __cplusplus
}
#endif
#endif
