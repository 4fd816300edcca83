/* families.h - the model classes that can be imported, as tables: what the keys of config.json
 * set, which tensors make which part of the weight file, which head the body has. The tables are in
 * bert.c, bert_kin.c, clip.c, deberta.c, gte.c, rotary.c and t5.c.
 *
 * Names are those of huggingface/transformers (src/transformers/models) and of the code that some
 * models bring along, without the body's prefix; '#' is the number of the layer.
 * EmbeddingClassifier is this project's own: an embedding, positions, a pooling and a dense layer,
 * as a first model in Keras has them; the manual page of encode-import says how its directory
 * looks. */
#ifndef TOOLS_IMPORT_FAMILIES_H
#define TOOLS_IMPORT_FAMILIES_H

#include "model/config.h"
#include "tools/import/files/json_file.h"

#include <stdbool.h>

/* ---- Tensors ---- */

/* Dimensions of a part. */
enum part_dim {
    DIM_NONE,
    DIM_WIDTH,
    DIM_EMBEDDING,
    DIM_HEAD, /* of the input of a head's output layer: D, or E if that is the embedding table */
    DIM_FEED_FORWARD,
    DIM_GATED, /* both halves of a gated feed-forward layer in one tensor */
    DIM_QKV,   /* queries, keys and values in one tensor */
    DIM_QUERY, /* in the first of three tensors; the others, of keys and values, have DIM_KEY */
    DIM_KEY,
    DIM_HEAD_WIDTH, /* of attention */
    DIM_LAYER_INPUT,
    DIM_EXPERTS,
    DIM_EXPERTS_IN, /* rows of all experts, one after another */
    DIM_EXPERTS_OUT,
    DIM_HEADS,
    DIM_BUCKETS,
    DIM_VOCABULARY,
    DIM_POSITIONS, /* also those before the first token's, which are not used */
    DIM_TYPES,
    DIM_LABELS,
    DIM_TOKEN_VECTORS, /* as many as its tensor has rows */
    DIM_PROJECTION     /* the same, of a projection of the pooled vector */
};

enum part_kind {
    PART_TABLE,   /* to ← from, [rows, cols], kept in rows */
    PART_MATRIX,  /* the same in panels, as linear layers have it */
    PART_LINEAR,  /* to.weight [rows, cols] and to.bias [rows] ← from.weight, from.bias */
    PART_NO_BIAS, /* the same, without from.bias: zeros where the file has a bias */
    PART_HEADS, /* the same of one tensor, in which a head's query, key and value follow each other;
                     two others are the biases of queries and values */
    PART_OUT,   /* as PART_LINEAR; feed_forward.out, by which int8.c judges a layer */
    PART_SCORES,  /* as PART_LINEAR; small, always f32; or from.kernel [cols, rows], as in Keras */
    PART_NORM,    /* to.weight and to.bias [rows] ← from.weight or .gamma, from.bias or .beta */
    PART_VECTOR,  /* to [rows] ← from, which has either of two names, or both */
    PART_ONES,    /* to [rows]: ones, which the checkpoint does not have */
    PART_SLICE,   /* the layer's rows of from [layers · rows, cols], times 1/√cols */
    PART_UNTIED,  /* a matrix that is skipped if config.json ties it to the embedding table */
    PART_ROUTER,  /* of a layer with experts, as are the next ones: a matrix, always f32 */
    PART_EXPERTS, /* as PART_MATRIX, never in int8 */
    PART_EXPERTS_OUT,  /* the same; from has the matrix of each expert transposed */
    PART_EXPERTS_BIAS, /* as PART_VECTOR */
    PART_POSITIONS,    /* not in tables of families: what struct position_sources gives a layer */
    PART_DISTANCES     /* a bias per head and bucket: one per head and distance (distance_bucket) */
};

/* Of up to three tensors in `from` the rows follow each other (query, key, value); of a
 * feed-forward layer two are the halves of a gate, and without one the part is absent. A part whose
 * `to` is NULL ends a list. */
struct part {
    const char *to;
    enum part_kind kind;
    enum part_dim rows, cols;
    size_t bias; /* offset in struct model_config of whether there is one; 0: always */
    const char *from[3];
};

/* The tensors of a body. Lists in the order in which the model computes; NULL: none. */
struct layout {
    const struct part *embedding, *projection, *layer, *final; /* projection: if E is not D */
    double norm_added; /* to the weights of norms, which are stored without it */
    void (*finish)(struct model_config *model); /* settings of this layout alone, or NULL */
};

/* ---- config.json ---- */

enum key_kind {
    KEY_END, /* of a list */
    KEY_SIZE,
    KEY_COUNT, /* a size may be 0 */
    KEY_NUMBER,
    KEY_FLAG,
    KEY_NAME, /* one of `names` */
    KEY_FIXED /* no key: the class has no choice */
};

/* A key of config.json, which sets a field of struct model_config. */
struct config_key {
    const char *name;
    enum key_kind kind;
    size_t field, bytes; /* offset and size of the field */
    double absent; /* the value if config.json has no such key; NO_DEFAULT: it is then refused */
    const struct json_name *names;
    const char *expected; /* lists the names */
};
#define NO_DEFAULT ((double)INT64_MIN)

/* Where disentangled positions come from: linear layers of the rows of a table, which a norm may
 * come before; '#' is the number of the layer. NULL: there is none. */
struct position_sources {
    const char *key, *query, *table, *norm;
    bool key_has_bias;
};

/* A table whose first row is added to the row of each position. NULL: there is none. */
struct added_row {
    const char *table;
    size_t rows;
};

struct body {
    /* Of a model of texts, pictures and sounds: the model_type of its text part, which is imported,
     * by what text_config says. CLIP's text_first comes before it. `unread` is all it has else. */
    const char *text_type, *text_first;
    const char *const *prefixes; /* NULL ends them */
    /* No layers, and positions as config.json or the tensors say: its keys position, position_base,
     * position_scale, embedding_scale, pooling. */
    bool is_embedding_alone;
    /* The other keys hold if config.json lacks the width's key of the first ones, and the other
     * layout if the checkpoint has a tensor of its layers. NULL: none. */
    const struct config_key *keys, *other_keys;
    const struct json_only *only; /* keys for which the engine supports one value */
    /* hidden_act may be quick_gelu, x·σ(f·x), of this f. It is silu(f·x) / f: f is multiplied into
     * the layer before it, 1 / f into the one after it. 0: it may not be. */
    double quick_gelu;
    const char *unread; /* keys of published files that the class does not read */
    const struct layout *layout, *other_layout;
    /* For settings that depend on several keys, or NULL. */
    void (*finish)(const struct json_file *file, struct model_config *model);
    struct position_sources (*positions)(const struct json_file *file); /* or NULL */
    struct added_row (*added_row)(const struct json_file *file);        /* or NULL */
    bool pads; /* each text gets padding up to the longest one, which attention sees */
    /* Starts of names of tensors that are skipped: of other heads, and buffers. */
    const char *const *left_out;
};

/* ---- Heads and classes ---- */

/* The dense layer's activation. */
enum { AS_THE_MODEL = -1 }; /* else an enum dense_activation */

struct head {
    enum head_kind kind;
    int dense;
    const struct part *parts;
    const struct config_key *keys; /* NULL: none */
    size_t labels;                 /* 0: as in config.json */
    bool is_optional;              /* if its first tensor is absent, the model is its body alone */
    bool bias_is_optional;
    bool reads_pooled;     /* the model's pooled vector, not the first token */
    const char *other_key; /* or NULL: of config.json; if it is false, the head is the other one */
    const struct head *other;
};

struct architecture {
    const char *class_name;
    const char *model_type;
    const struct body *body;
    const struct head *head; /* NULL: none */
};

/* The classes of each family, the body alone first. A class whose name is NULL ends a list. */
extern const struct architecture BERT_CLASSES[], NOMIC_CLASSES[], JINA_CLASSES[], ROTARY_CLASSES[],
    DEBERTA_CLASSES[], DECODER_CLASSES[], T5_CLASSES[], GTE_CLASSES[], CLIP_CLASSES[],
    BERT_KIN_CLASSES[], EMBEDDING_CLASSES[];

/* The class of that name (NULL: the body alone of that model_type), or NULL. */
const struct architecture *architecture_find(const char *class_name, const char *model_type);

/* The index-th, or NULL: for listing. */
const struct architecture *architecture_at(size_t index);

/* The first part of that kind in a list, or NULL. */
const struct part *part_of_kind(const struct part *parts, enum part_kind kind);

/* Returns whether a tensor's name starts like a tensor that the body does not use. Tensors of the
 * head (NULL: none) are different: each must be known. */
bool architecture_leaves_out(const struct body *body, const struct head *head, const char *key);

/* The rope_theta of rope_parameters, or of its member `kind` (NULL: none), or `otherwise`. Only the
 * type "default" is known, which scales nothing. */
double rotary_base_read(const struct json_file *file, const char *kind, double otherwise);

/* Which layers see all tokens, where layer_types says it: a list that must be of the kind "every
 * n-th". */
void layer_types_read(const struct json_file *file, struct model_config *model);

/* ---- The biases of MPNet: a table for buckets of distances becomes one for distances ---- */

/* From the largest of these distances on, all are in the same bucket. */
enum { DISTANCES = 128, DISTANCE_BUCKETS = 32 };

/* The bucket of a key `distance` tokens after the query (negative: before it). */
int distance_bucket(int64_t distance);

#endif
