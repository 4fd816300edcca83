/* router.h - a Router of sentence-transformers: a route of modules for queries, and one for
 * documents. Queries may have weights of token ids instead of a model (SparseStaticEmbedding), as
 * those of OpenSearch's doc-v2 and v3. Source: base/modules/router.py and
 * sparse_encoder/modules/sparse_static_embedding.py in huggingface/sentence-transformers. */
#ifndef TOOLS_IMPORT_ROUTER_H
#define TOOLS_IMPORT_ROUTER_H

#include "tools/import/checkpoint/plan.h"

/* Reads router_config.json in the folder `place`: stores the folder of the queries' weights, and
 * makes the documents' route what a modules.json would be. */
void router_read(struct folder *folder, const char *place, char query_place[PLACE_BYTES],
                 struct json_file *modules);

/* Adds the queries' weights in query_place to the plan and the model. The documents' tokenizer in
 * `place` must be theirs, and cut texts alike. */
void query_weights_plan(struct plan *plan, struct stored_types types, struct tensor_set *set,
                        struct folder *folder, const char *query_place, const char *place,
                        struct model_config *model);

#endif
