/* architecture.h - the model classes that can be imported, as tables: which keys of config.json
 * hold the sizes, which tensors make which part of the weight file, which head stands on the body.
 *
 * Names are those of huggingface/transformers (models/bert, distilbert, electra), without the
 * body's prefix; '#' stands for the number of the layer. EmbeddingClassifier is this project's own:
 * an embedding, positions, a pooling and a dense layer, as a first model in Keras has them; the
 * manual page of encode-import says how its directory looks.
 */
#ifndef TOOLS_IMPORT_ARCHITECTURE_H
#define TOOLS_IMPORT_ARCHITECTURE_H

#include "engine/file/weight_writer.h"

#include <stdbool.h>

/* What a dimension of a part is. */
enum part_dim {
    DIM_NONE,
    DIM_WIDTH,
    DIM_EMBEDDING,
    DIM_FEED_FORWARD,
    DIM_VOCABULARY,
    DIM_POSITIONS,
    DIM_TYPES,
    DIM_LABELS
};

enum part_kind {
    PART_TABLE,  /* to ← from, [rows, cols], kept in rows */
    PART_MATRIX, /* the same in panels, as linear layers have it */
    PART_LINEAR, /* to.weight [rows, cols] and to.bias [rows] ← from.weight, from.bias */
    PART_OUT,    /* the same; feed_forward.out, by which int8_layers.h judges a layer */
    PART_SCORES, /* the same; small, and always f32; or from.kernel [cols, rows], as in Keras */
    PART_NORM,   /* to.weight and to.bias [rows] ← from.weight or .gamma, from.bias or .beta */
    PART_VECTOR, /* to [rows] ← from, which is there under either of two names, or under both */
    PART_UNTIED  /* a matrix that is left out where config.json ties it to the embedding table */
};

/* Of up to three tensors in `from` the rows follow each other (query, key, value). A part whose
 * `to` is NULL ends a list. */
struct part {
    const char *to;
    enum part_kind kind;
    enum part_dim rows, cols;
    const char *from[3];
};

struct body {
    const char *model_type;
    const char *const *prefixes; /* NULL ends them */
    /* No layers, and positions as config.json or the tensors say: its keys position, position_base,
     * position_scale, embedding_scale, pooling. */
    bool is_embedding_alone;
    /* Keys of config.json; vocab_size and max_position_embeddings are everyone's. NULL: no such
     * key. */
    const char *layers, *width, *heads, *feed_forward, *activation;
    const char *types, *embedding_width, *eps;
    int64_t default_types; /* where config.json is silent */
    double default_eps;    /* also where there is no key: the class has it fixed */
    const struct part *embedding, *projection, *layer; /* projection: where E is not D */
    /* Tensors of heads that are not asked for, and buffers: left out. */
    const char *const *left_out;
};

/* The dense layer's activation. */
enum { AS_THE_MODEL = -1 }; /* else an enum dense_activation */

struct head {
    enum head_kind kind;
    int dense;
    bool has_norm;
    int64_t labels;   /* 0: as config.json says */
    bool is_optional; /* left out where its first tensor is absent */
    bool bias_is_optional;
    bool reads_pooled; /* what the model's pooling gives, not the first token */
    const struct part *parts;
};

struct architecture {
    const char *class_name;
    const struct body *body;
    const struct head *head; /* NULL: none */
};

/* The class of that name, or NULL. */
const struct architecture *architecture_find(const char *class_name);

/* The class that is the body of a model_type alone, or NULL. */
const struct architecture *architecture_of_type(const char *model_type);

/* The index-th, or NULL: for listing. */
const struct architecture *architecture_at(size_t index);

#endif
