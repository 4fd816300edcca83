/* checkpoint_config.h - config.json: which class a checkpoint is of, its sizes and kinds. */
#ifndef TOOLS_IMPORT_CHECKPOINT_CONFIG_H
#define TOOLS_IMPORT_CHECKPOINT_CONFIG_H

#include "tools/import/families/architecture.h"
#include "tools/import/files/known_keys.h"

struct checkpoint_config {
    const struct architecture *architecture;
    const struct head *head;   /* the class', or what the checkpoint has instead; NULL: none */
    struct model_config model; /* body and head; pooling and what follows it are not here */
    const char *activation;    /* that another file names, borrowed, or NULL */
    const json_t *label_names; /* id2label, borrowed, or NULL */
    bool positions_are_open;   /* config.json does not say: learned ones where there is a table */
    bool is_cross_encoder;     /* written by sentence-transformers' CrossEncoder */
    bool may_lack_head;        /* its modules read the body alone, whatever class is named */
    bool truncates;            /* longer texts are cut, says config.json */
};

/* Labels are 0 where config.json does not say how many there are: the classifier's rows do then.
 * Checks all keys (known_keys.h). activation: the class of a cross-encoder's activation function
 * that config_sentence_transformers.json names, which comes before config.json's, or NULL. */
void checkpoint_config_read(const struct json_file *file, const char *activation,
                            struct folder *folder, struct checkpoint_config *config);

/* Gives the model another head than its class has (NULL: none), from the head's table alone. */
void checkpoint_config_set_head(struct checkpoint_config *config, const struct head *head);

/* The name of a label, borrowed; NULL where there are no names. */
const char *checkpoint_label(const struct checkpoint_config *config, size_t label);

#endif
