/* checkpoint.h - a checkpoint's directory, read whole: its configuration, tokenizer and modules,
 * and the plan of the tensors. Nothing is written until all of it has been found and checked.
 */
#ifndef TOOLS_IMPORT_CHECKPOINT_H
#define TOOLS_IMPORT_CHECKPOINT_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/colbert.h"
#include "tools/import/checkpoint/plan.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/checkpoint/token_modules.h"
#include "tools/import/tokenizer/tokenizer_file.h"

struct checkpoint {
    struct folder folder;
    struct json_file config_file;
    struct checkpoint_config config; /* .model is that of the weight file */
    struct sentence_transformers st;
    bool is_static; /* static_embedding.h */
    bool has_tokenizer;
    struct import_tokenizer tokenizer;
    bool truncate; /* longer ones are cut unless the user says otherwise */
    struct tensor_set tensors, dense[MAX_PROJECTIONS];
    struct token_modules token_modules;
    struct colbert colbert;
    struct plan plan;
};

/* The problem is kept: later readings of the tensors say in it what is wrong. */
void checkpoint_read(struct checkpoint *checkpoint, const char *path, struct stored_types types,
                     struct problem *problem);
void checkpoint_free(struct checkpoint *checkpoint);

#endif
