/* tiny_checkpoint.h - directories in the layout of published checkpoints, small enough to break in
 * every way: config.json, model.safetensors, vocab.txt and the files of sentence-transformers. */
#ifndef TESTS_TOOLS_TINY_CHECKPOINT_H
#define TESTS_TOOLS_TINY_CHECKPOINT_H

#include "tests/support.h"

#include <jansson.h>

enum {
    TINY_LAYERS = 2,
    TINY_WIDTH = 8,
    TINY_FEED_FORWARD = 12,
    TINY_VOCABULARY = 16,
    TINY_POSITIONS = 10
};

/* A safetensors file in memory: the header is `tensors` (name → {"dtype", "shape",
 * "data_offsets"}), the data numbers that differ from each other. */
struct tiny_tensors {
    json_t *header;
    size_t n_data;
};

/* A BERT encoder; every name begins with `prefix`. */
void tiny_tensors_bert(struct tiny_tensors *tensors, const char *prefix);

/* Adds a tensor after the others; shape ends with -1. */
void tiny_tensors_add(struct tiny_tensors *tensors, const char *name, const char *dtype,
                      const int *shape);
void tiny_tensors_free(struct tiny_tensors *tensors);

/* Writes a file of these tensors, "NAME ROWS COLUMNS, NAME:F16 ROWS ..." (F32 if no type is given);
 * or model.safetensors, of that BERT and these. */
void tiny_write_tensors(const char *directory, const char *name, const char *list);
void tiny_write_bert(const char *directory, const char *list);
/* The dense layer and the norm of a masked language model's head. */
#define TINY_TRANSFORM                                                                             \
    "cls.predictions.transform.dense.weight 8 8, cls.predictions.transform.dense.bias 8, "         \
    "cls.predictions.transform.LayerNorm.weight 8, cls.predictions.transform.LayerNorm.bias 8"

/* Returns the complete file and stores its length in *len. The caller frees. */
char *tiny_tensors_file(const struct tiny_tensors *tensors, size_t *len);
void tiny_tensors_write(const struct tiny_tensors *tensors, const char *directory,
                        const char *name);

/* config.json of that BERT; the caller owns it. Or with these members, "'key': value, ...". */
json_t *tiny_config(void);
json_t *tiny_config_of(const char *members);
/* Writes a text; of a .json file one that has ' for ". The folder of a name is made. */
void tiny_write_text(const char *directory, const char *name, const char *text);

/* The text with " for each ', until the next call. */
const char *tiny_json(const char *text);
void tiny_write_json(const char *directory, const char *name, const json_t *value);

/* An empty directory with config.json, model.safetensors and vocab.txt; what was there is removed.
 */
void tiny_checkpoint(const char *directory);

/* model.safetensors of that BERT with a pooler, whose matrix has this type, and a classifier. */
void tiny_classifier(const char *directory, int n_labels, const char *type);

/* modules.json, 1_Pooling, 2_Dense, 3_Normalize, the limits and the prompts, beside it. */
void tiny_sentence_transformers(const char *directory);

#endif
