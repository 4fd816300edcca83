/* token_modules.h - linear layers beside an encoder that answer for each token, as bge-m3 has them:
 * sparse_linear.pt gives each token a weight (of a text the largest per id, the special tokens left
 * out), colbert_linear.pt a vector, but for the first. Source: FlagEmbedding/inference/embedder/
 * encoder_only/m3.py in FlagOpen/FlagEmbedding.
 */
#ifndef TOOLS_IMPORT_TOKEN_MODULES_H
#define TOOLS_IMPORT_TOKEN_MODULES_H

#include "tools/import/checkpoint/plan.h"
#include "tools/import/tokenizer/tokenizer_file.h"

struct token_modules {
    struct tensor_set weights, vectors;
};

/* Looks for both in `place`, adds what is there to the plan, and says so in the model. */
void token_modules_plan(struct token_modules *modules, struct folder *folder, const char *place,
                        struct stored_types types, struct plan *plan, struct model_config *model);
void token_modules_free(struct token_modules *modules);

/* Names the special tokens, which have no weight, where the model weighs tokens so. */
void token_modules_tokenizer(struct import_tokenizer *tokenizer, const struct model_config *model);

#endif
