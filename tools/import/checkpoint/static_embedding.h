/* static_embedding.h - static embeddings: a row for each token of a tokenizer without special
 * tokens, and the mean of a text's rows. Two programs write them, which differ:
 *
 *   sentence-transformers   a module StaticEmbedding: `embedding.weight` [V, D]. Its texts are cut
 *                           as tokenizer.json says
 *   model2vec               `embeddings` [N, D]; `mapping` [V], the row of each token, or all in
 *                           order; `weights` [V], by which the rows are multiplied. Its texts have
 *                           512 tokens unless config.json has a 'max_length', after they were cut
 *                           to so many times the median of its tokens' characters; then they lose
 *                           the unknown tokens
 *
 * The mean divides by the number of tokens in both, so that weights are part of the rows. */
#ifndef TOOLS_IMPORT_STATIC_EMBEDDING_H
#define TOOLS_IMPORT_STATIC_EMBEDDING_H

#include "tools/import/checkpoint/plan.h"
#include "tools/import/tokenizer/tokenizer_file.h"

/* Sets the sizes and kinds of a table alone: the mean of a text's rows, without layers. */
void static_embedding_defaults(struct model_config *model, uint64_t rows, uint64_t width);

/* Reads sizes and kinds from the tensors and config.json. */
void static_embedding_config(const struct json_file *file, const struct tensor_set *set,
                             struct checkpoint_config *config);

/* Drops the tokenizer's special tokens, and of model2vec the unknown one; sets how texts are cut.
 */
void static_embedding_tokenizer(struct import_tokenizer *tokenizer,
                                struct checkpoint_config *config);

/* Plans the table, and marks the tensors used. */
void static_embedding_plan(struct plan *plan, const struct tensor_set *set,
                           const struct model_config *model);

/* The same of a table in memory, [vocabulary, width]; type 0: f32. */
void static_embedding_plan_values(struct plan *plan, enum tensor_type type, const float *values,
                                  const struct model_config *model);

#endif
