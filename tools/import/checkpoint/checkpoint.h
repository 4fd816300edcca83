/* checkpoint.h - the complete contents of a checkpoint's directory (or a file of word vectors,
 * word_vectors.h): its configuration, tokenizer and modules, and the plan of the tensors. Nothing
 * is written until everything has been found and checked. */
#ifndef TOOLS_IMPORT_CHECKPOINT_H
#define TOOLS_IMPORT_CHECKPOINT_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/plan.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/tokenizer/tokenizer_file.h"
#include "tools/writer/weight_output.h"

/* Linear layers after an encoder that answer for each token, in files of their own:
 *
 *     bge-m3     sparse_linear.pt gives each token a weight (of a text the largest per id, the
 *                special tokens excluded), colbert_linear.pt a vector, but for the first. Source:
 *                FlagEmbedding/inference/embedder/encoder_only/m3.py in FlagOpen/FlagEmbedding
 *     ColBERT    a vector for each token, markers before queries and documents, and words whose
 *                tokens have no vector in documents. PyLate writes Dense modules, and so does
 *                MultiVectorEncoder of sentence-transformers 6; as they have no activation, several
 *                of them, and residuals, are one linear layer, which is computed in double. In the
 *                class HF_ColBERT of stanford-futuredata/ColBERT that layer is one of the model's
 *                tensors. Source: pylate/models/colbert.py and Dense.py in lightonai/pylate, which
 *                reads both; sentence_transformers/base/modules/dense.py
 *     Router     queries may have weights of token ids instead of a model (SparseStaticEmbedding),
 *                as those of OpenSearch's doc-v2 and v3. Source: sparse_static_embedding.py in
 *                huggingface/sentence-transformers */
struct token_modules {
    struct tensor_set weights, vectors;         /* of bge-m3 */
    const char *query_marker, *document_marker; /* borrowed; NULL: this is no ColBERT */
    struct json_file metadata;                  /* artifact.metadata, or absent */
};

struct checkpoint {
    struct folder folder; /* empty for word vectors */
    struct json_file config_file;
    struct checkpoint_config config; /* .model is that of the weight file */
    struct sentence_transformers st;
    bool is_static; /* static_embedding.h */
    bool has_tokenizer;
    struct import_tokenizer tokenizer;
    bool truncate; /* longer texts are cut unless the user says otherwise */
    struct tensor_set tensors, dense[MAX_PROJECTIONS];
    struct token_modules token_modules;
    struct folder adapter; /* of peft, or empty */
    struct tensor_set adapter_tensors;
    struct plan plan;
};

/* adapter: the directory of an adapter of peft, or a task of Jina v3; NULL: none. */
void checkpoint_read(struct checkpoint *checkpoint, const char *path, struct stored_types types,
                     const char *adapter, enum reference_release as);

/* Merges it into the tensors, which have been read, when they are read further: adapter.c. */
void adapter_merge(struct checkpoint *checkpoint, const char *adapter);

/* Refuses a tokenizer that does not do what sentence_bert_config.json says of capitals. */
void checkpoint_check_lower(const struct sentence_transformers *st,
                            const struct import_tokenizer *tokenizer);

/* ---- Token modules: token_modules.c ---- */

/* If the checkpoint is a ColBERT, reads the modules' config.json and
 * config_sentence_transformers.json, or artifact.metadata, into the model, the length of texts, and
 * the tokenizer, which has been read: skipped tokens, and markers as tokens. Sets how long queries
 * are, and what fills them up. */
void colbert_read(struct checkpoint *checkpoint);

/* Adds the tensors of all modules to the plan, and sets in the model what bge-m3 has, and in its
 * tokenizer which tokens have no weight. */
void token_modules_plan(struct checkpoint *checkpoint);

/* Adds the weights of a Router's queries to the plan and the model. The documents' tokenizer must
 * be theirs, and cut texts alike. */
void query_weights_plan(struct checkpoint *checkpoint);

/* Writes the markers to META, as prompts. */
void colbert_write(const struct token_modules *modules, struct weight_output *output);

#endif
