/* checkpoint.h - a checkpoint's directory, read whole: its configuration, tokenizer and modules,
 * and the plan of the tensors. Nothing is written until all of it has been found and checked.
 */
#ifndef TOOLS_IMPORT_CHECKPOINT_H
#define TOOLS_IMPORT_CHECKPOINT_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/plan.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/tokenizer/tokenizer_file.h"

struct checkpoint {
    struct folder folder;
    struct json_file config_file;
    struct checkpoint_config config; /* .model is that of the weight file */
    struct sentence_transformers st;
    bool has_tokenizer;
    struct import_tokenizer tokenizer;
    bool truncate; /* longer ones are cut unless the user says otherwise */
    struct tensor_set tensors, dense[MAX_PROJECTIONS];
    struct plan plan;
};

/* Whether the directory has a file of a tokenizer, of any kind, in `place`. */
bool checkpoint_has_tokenizer(const struct folder *folder, const char *place);

/* The tokenizer in `place` of the folder, "" or "0_Transformer/". */
bool checkpoint_read_tokenizer(struct folder *folder, const char *place,
                               struct import_tokenizer *tokenizer, struct problem *problem);

bool checkpoint_read(struct checkpoint *checkpoint, const char *path,
                     const struct plan_options *options, struct problem *problem);
void checkpoint_free(struct checkpoint *checkpoint);

#endif
