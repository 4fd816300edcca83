/* colbert.h - a ColBERT as PyLate writes it: a Dense module that makes a vector of each token,
 * markers before queries and documents, words whose tokens have no vector in documents.
 *
 * Source: pylate/models/colbert.py and Dense.py in lightonai/pylate.
 */
#ifndef TOOLS_IMPORT_COLBERT_H
#define TOOLS_IMPORT_COLBERT_H

#include "tools/import/checkpoint/checkpoint.h"

/* These do nothing where modules.json has no such module. */

/* Settles in the model what its config.json and config_sentence_transformers.json say, and in the
 * tokenizer, which has been read, which tokens are skipped. */
void colbert_read(struct checkpoint *checkpoint);

/* Adds the module's tensors to the plan that there is. */
void colbert_plan(struct checkpoint *checkpoint, enum tensor_type type);

/* Writes the markers to META, as prompts. */
void colbert_write(const struct checkpoint *checkpoint, struct weight_writer *writer);

#endif
