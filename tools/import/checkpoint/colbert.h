/* colbert.h - a ColBERT as PyLate writes it: a Dense module that makes a vector of each token,
 * markers before queries and documents, words whose tokens have no vector in documents.
 *
 * Source: pylate/models/colbert.py and Dense.py in lightonai/pylate.
 */
#ifndef TOOLS_IMPORT_COLBERT_H
#define TOOLS_IMPORT_COLBERT_H

#include "tools/import/checkpoint/plan.h"
#include "tools/import/tokenizer/tokenizer_file.h"

struct colbert {
    struct tensor_set dense;
    const char *query_marker, *document_marker; /* borrowed; NULL: there is no such module */
    char note[192];                             /* something that the user should hear, or "" */
};

/* These do nothing where modules.json has no such module. */

/* Settles in the model and the length of texts what its config.json and
 * config_sentence_transformers.json say, and in the tokenizer (NULL: there is none), which has been
 * read, which tokens are skipped. */
void colbert_read(struct colbert *colbert, struct folder *folder, struct sentence_transformers *st,
                  struct import_tokenizer *tokenizer, struct model_config *model);

/* Adds the module's tensors to the plan that there is. */
void colbert_plan(struct colbert *colbert, struct folder *folder,
                  const struct sentence_transformers *st, struct stored_types types,
                  struct plan *plan, const struct model_config *model);

/* Writes the markers to META, as prompts. */
void colbert_write(const struct colbert *colbert, struct weight_writer *writer);
void colbert_free(struct colbert *colbert);

#endif
