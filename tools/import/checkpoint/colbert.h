/* colbert.h - a ColBERT: markers before queries and documents, and words whose tokens have no
 * vector in documents. PyLate writes a Dense module that makes a vector of each token; in the class
 * HF_ColBERT of stanford-futuredata/ColBERT that layer is one of the model's tensors.
 *
 * Sources: pylate/models/colbert.py and Dense.py in lightonai/pylate, which reads both.
 */
#ifndef TOOLS_IMPORT_COLBERT_H
#define TOOLS_IMPORT_COLBERT_H

#include "tools/common/weights/weight_output.h"
#include "tools/import/checkpoint/plan.h"
#include "tools/import/tokenizer/tokenizer_file.h"

struct colbert {
    struct tensor_set dense;
    const char *query_marker, *document_marker; /* borrowed; NULL: there is no such module */
    struct json_file metadata;                  /* artifact.metadata, or absent */
    char note[192];                             /* something that the user should hear, or "" */
};

/* These do nothing where the checkpoint is no ColBERT. */

/* Settles in the model and the length of texts what the module's config.json and
 * config_sentence_transformers.json, or artifact.metadata, say, and in the tokenizer (NULL: there
 * is none), which has been read, which tokens are skipped and that markers are tokens. */
void colbert_read(struct colbert *colbert, struct folder *folder, struct sentence_transformers *st,
                  const char *class_name, struct import_tokenizer *tokenizer,
                  struct model_config *model);

/* Adds the module's tensors to the plan that there is. */
void colbert_plan(struct colbert *colbert, struct folder *folder,
                  const struct sentence_transformers *st, struct stored_types types,
                  struct plan *plan, const struct model_config *model);

/* Writes the markers to META, as prompts. */
void colbert_write(const struct colbert *colbert, struct weight_output *output);
void colbert_free(struct colbert *colbert);

#endif
