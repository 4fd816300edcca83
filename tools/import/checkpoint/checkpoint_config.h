/* checkpoint_config.h - config.json: the class of a checkpoint, its sizes and kinds. */
#ifndef TOOLS_IMPORT_CHECKPOINT_CONFIG_H
#define TOOLS_IMPORT_CHECKPOINT_CONFIG_H

#include "tools/import/families/families.h"
#include "tools/import/files/json_file.h"

struct checkpoint_config {
    const struct architecture *architecture;
    const struct head *head;   /* of the class, or of the checkpoint without it; NULL: none */
    struct model_config model; /* body and head, without pooling and what follows it */
    const char *activation;    /* named by another file, borrowed, or NULL */
    struct position_sources positions;
    struct added_row added_row;
    const json_t *label_names; /* id2label, borrowed, or NULL */
    double quick_gelu;         /* families.h; 0: the activation is another */
    bool positions_are_open;   /* not in config.json: learned if there is a table of them */
    bool is_cross_encoder;     /* written by sentence-transformers' CrossEncoder */
    bool may_lack_head;        /* its modules read only the body, whichever class is named */
    bool truncates;            /* by config.json, longer texts are cut */
};

/* Labels are 0 if config.json does not say how many there are: the classifier's rows do then. Of a
 * model of texts and pictures the root becomes its text part's settings. Checks all keys
 * (json_file.h). activation: the class of a cross-encoder's activation function that
 * config_sentence_transformers.json names, which comes before config.json's, or NULL. */
void checkpoint_config_read(struct json_file *file, const char *activation, struct folder *folder,
                            struct checkpoint_config *config);

/* Gives the model another head than its class has (NULL: none), from the head's table alone. */
void checkpoint_config_set_head(struct checkpoint_config *config, const struct head *head);

/* The name of a label, borrowed; NULL if there are no names. */
const char *checkpoint_label(const struct checkpoint_config *config, size_t label);

#endif
