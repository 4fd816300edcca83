/* engine_answers.h - the part of engine.h, which includes it, for answers other than one vector per
 * text: answers of heads, ranks, and the sparse and multiple vectors of models for search. The
 * rules of engine.h apply.
 */
#ifndef ENGINE_ANSWERS_H
#define ENGINE_ANSWERS_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

/* ---- Heads ---- */

/* Returns the name of a label, borrowed; NULL past the last label, and for unnamed labels. */
ENGINE_API const char *engine_label(const engine_model *model, size_t label);

/* With ENGINE_POOLING_LABELS engine_encode writes scores of every label: of head sequence [n,
 * n_labels], of head token [sum of T, n_labels]. Other heads: ENGINE_ERROR_UNSUPPORTED. */

/* Finds entities by options->strategy. If the input has tokens, its text, if given too, tells where
 * words begin; else pieces do, and gaps. */
ENGINE_API engine_status engine_entities(engine_session *session, const engine_input *input,
                                         const engine_encode_options *options, engine_entity *out,
                                         size_t cap, size_t *needed, engine_result *result);

/* Finds the k most likely tokens (1 to n_vocabulary) of each mask token, best first: [masks, k]. */
ENGINE_API engine_status engine_fill(engine_session *session, const engine_input *input, size_t k,
                                     const engine_encode_options *options, engine_candidate *out,
                                     size_t cap, size_t *needed, engine_result *result);

/* Labels that the caller names (zero-shot), by a model of entailment: one whose head sequence has a
 * label that begins with "entail", in any case, as transformers' zero-shot pipeline finds it. Each
 * text is paired with a hypothesis for each label, and engine_encode gives the pairs' logits:
 * ENGINE_POOLING_LABELS, raw_scores, ENGINE_TRUNCATE_ONLY_FIRST. */

/* Writes the hypothesis of a label, `hypothesis` (NULL: "This example is {}.") with the label for
 * its "{}", NUL-terminated, if cap is enough. *needed: bytes with the NUL. Errors:
 * ENGINE_ERROR_BUFFER, and ENGINE_ERROR_ARGUMENT if there is not exactly one "{}". */
ENGINE_API engine_status engine_hypothesis(const char *hypothesis, const char *label, char *out,
                                           size_t cap, size_t *needed, engine_error *error);

/* Computes the scores [n] of n labels for one text, from the logits [n, n_labels] of its pairs: the
 * softmax of entailment over the labels. If is_multi, or n is 1, each label is scored alone, by
 * entailment against the model's first label, which is its last if entailment is the first. out may
 * be logits. Other models: ENGINE_ERROR_UNSUPPORTED. */
ENGINE_API engine_status engine_zero_shot(const engine_model *model, const float *logits, size_t n,
                                          int is_multi, float *out, engine_error *error);

/* ---- Sparse vectors: a weight for each id of the vocabulary ---- */

/* With ENGINE_POOLING_SPARSE engine_encode writes rows [n, n_vocabulary] of weights, 0 or more,
 * most of them 0. `linear` (bge-m3): the largest weight of the tokens with that id, except tokens
 * in the tokenizer's `skip_weights`; `mask` (SPLADE): the largest of, or the sum of, log(1 +
 * relu(logit)) over the mask head's logits of every token, as the file says. */

/* Writes the ids of a row [n] whose weight is not 0, in ascending order, at most cap of them to
 * out. Returns their number, which may exceed cap. row NULL: 0. */
ENGINE_API size_t engine_sparse_entries(const float *row, size_t n, engine_weight *out, size_t cap);

/* Returns the sum of a's weight times b's over common ids, computed in double: how well two texts
 * match. Entries must be in ascending order of ids. */
ENGINE_API double engine_sparse_product(const engine_weight *a, size_t n_a, const engine_weight *b,
                                        size_t n_b);

/* ---- Many vectors: one of length 1 for each token ---- */

/* With ENGINE_POOLING_COLBERT engine_encode writes rows [vectors of all texts, W], W being
 * engine_info.token_vectors, or options->dimensions: a vector for each token, including special
 * tokens, in order. These tokens have no vector: padding; the first token if the file's
 * `token_vector_first` is no (bge-m3); and, unless options->role is ENGINE_ROLE_QUERY, tokens in
 * the tokenizer's `skip_vectors` (punctuation, in ColBERT). The rows of text i start at
 * results[i].row and end where the rows of text i + 1 start, or at the end. */

/* Returns 1 if a token of that id has a vector; `index` counts the text's tokens from 0, without
 * padding. */
ENGINE_API int engine_token_has_vector(const engine_model *model, int32_t id, size_t index,
                                       engine_role role);

/* Returns MaxSim: the sum over the query's vectors [n_query, width] of the largest product with one
 * of the text's vectors [n_text, width], in double. 0 if either has no vector. */
ENGINE_API double engine_max_sim(const float *query, size_t n_query, const float *text,
                                 size_t n_text, size_t width);

/* ---- One text in one pass: vectors of its spans, and its vector as a sum ---- */

typedef struct engine_span {
    size_t begin, end; /* bytes of the text, end excluded */
} engine_span;

/* Encodes one text in one pass, and writes a vector for each of n spans of it, [n, width], each
 * from the hidden states of the span's tokens, which have seen the whole text (late chunking). A
 * token belongs to every span that has a byte of it; special tokens, those of a prompt and of a
 * pair's second text to none. Vectors are pooled, projected and scaled as engine_encode does it by
 * options->pooling, which must not resolve to cls, last or pooler. A span without tokens, as one
 * that was cut off, has zeros. *needed: n * width. ENGINE_ERROR_ARGUMENT: a span ends before it
 * begins or beyond the text, or the input has ids. */
ENGINE_API engine_status engine_encode_spans(engine_session *session, const engine_input *input,
                                             const engine_span *spans, size_t n,
                                             const engine_encode_options *options, float *out,
                                             size_t cap, size_t *needed, engine_result *result);

/* Encodes one input in one pass, and writes its vector as a sum: out is [T + 1, width], a part for
 * each token (zeros for padding), and last that of the projections' biases (zeros without any). The
 * sum of the rows is the vector that engine_encode writes with these options, so the dot product of
 * two vectors is the sum of the products of all pairs of parts; divided by both lengths it is their
 * cosine. ENGINE_ERROR_UNSUPPORTED, with the reason in the message, if a vector is no such sum:
 * poolings other than mean, mean_sqrt and weighted_mean, and projections with an activation.
 * *needed: (T + 1) * width; to ask for it takes a pass. */
ENGINE_API engine_status engine_encode_parts(engine_session *session, const engine_input *input,
                                             const engine_encode_options *options, float *out,
                                             size_t cap, size_t *needed, engine_result *result);

/* ---- Ranks and similarity ---- */

/* Scores how well each of n texts answers a query; out is [n]. A cross-encoder (info.ranks_pairs)
 * scores each pair by engine_score_pairs; it needs plain texts (no ids, no pairs). Other models
 * compare by options->pooling: ENGINE_POOLING_COLBERT by engine_max_sim, others by the metric of
 * engine_shape_of. ENGINE_POOLING_MODEL of a model without any is the mean. There a text or a query
 * without a token of its own (engine_has_text) gives the least score that can be: by
 * engine_max_sim less 1 for each vector of the query, as a cosine -1, as a product of sparse
 * weights 0, else -FLT_MAX. */
ENGINE_API engine_status engine_rank(engine_session *session, const engine_input *query,
                                     const engine_input *texts, size_t n,
                                     const engine_encode_options *options, float *out);

/* Scores n pairs of texts, or their ids or tokens, by a cross-encoder, as engine_rank does; out is
 * [n], parameters as in engine_encode. Of two labels the score is the probability of the second,
 * or with raw_scores how much larger its logit is. Other models: ENGINE_ERROR_UNSUPPORTED. */
ENGINE_API engine_status engine_score_pairs(engine_session *session, const engine_input *inputs,
                                            size_t n, const engine_encode_options *options,
                                            float *out, size_t cap, size_t *needed,
                                            engine_result *results);

/* Return the score of two vectors [n], computed in double. NULL: that of a text without a token of
 * its own, the least that engine_rank gives. */
ENGINE_API double engine_similarity(engine_metric metric, const float *a, const float *b, size_t n);
ENGINE_API double engine_cosine(const float *a, const float *b, size_t n);

#endif
