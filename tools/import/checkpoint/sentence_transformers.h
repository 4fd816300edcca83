/* sentence_transformers.h - the files that sentence-transformers adds to a checkpoint: modules.json
 * and what it points to (pooling, dense layers, normalisation), the longest text, the prompts. */
#ifndef TOOLS_IMPORT_SENTENCE_TRANSFORMERS_H
#define TOOLS_IMPORT_SENTENCE_TRANSFORMERS_H

#include "model/config.h"
#include "tools/import/files/json_file.h"
#include "tools/writer/weight_output.h"

enum { PLACE_BYTES = 256 };

struct dense_module {
    char place[PLACE_BYTES]; /* "2_Dense/" */
    size_t in, out;
    enum dense_activation activation; /* or DENSE_LAYER_NORM: of a LayerNorm */
    bool has_bias, has_residual;      /* has_residual: of token_dense */
};

struct sentence_transformers {
    bool is_present;               /* modules.json exists */
    char transformer[PLACE_BYTES]; /* folder of its files: "" or "0_Transformer/" */
    bool is_static; /* instead of a transformer, a StaticEmbedding: static_embedding.h */
    bool is_splade; /* the pooling is a SpladePooling: weights of token ids, by a masked model */
    enum sparse_pooling sparse_pooling; /* of that */
    enum sparse_activation sparse_activation;
    char router_place[PLACE_BYTES]; /* of router_config.json */
    bool has_router;
    char query_place[PLACE_BYTES]; /* of the weights of queries, or "": there are none */
    bool has_pooling;
    char pooling_place[PLACE_BYTES]; /* "1_Pooling/" */
    char normalize_place[PLACE_BYTES];
    struct dense_module dense[MAX_PROJECTIONS];
    size_t n_dense, n_dense_read;
    struct dense_module token_dense[MAX_PROJECTIONS]; /* for each token: token_modules.c */
    size_t n_token_dense;
    bool is_pylate;
    bool has_token_mask; /* a MultiVectorEncoder, with Normalize and MultiVectorMask after these */
    char token_normalize_place[PLACE_BYTES], token_mask_place[PLACE_BYTES];
    enum pooling pooling;
    config_list joined_poolings; /* further ones */
    bool skips_prompt;           /* include_prompt is false */
    bool normalize;
    size_t width;          /* that the pooling expects, or 0 */
    bool has_bias;         /* of one of the dense layers: others get zeros */
    size_t max_seq_length; /* 0: not given */
    size_t query_length;   /* the same of queries */
    bool fills_queries;    /* up to query_length, with filler tokens */
    bool sees_fillers;     /* attention does */
    const char *filler;    /* borrowed; NULL: the mask token */
    bool lower;            /* do_lower_case: texts are put into lower case first */
    const char
        *activation_class;    /* of a cross-encoder's scores, borrowed from `prompts`, or NULL */
    const char *similarity;   /* a name of FORMAT.md, borrowed; NULL: not given */
    bool is_cross_encoder;    /* the class whose file it is */
    struct json_file prompts; /* config_sentence_transformers.json, or absent */
    char ignored[64];         /* such a file that is not read without a modules.json, or "" */
};

/* Reads all of these files; without a modules.json none, as in sentence-transformers. */
void sentence_transformers_read(struct sentence_transformers *st, struct folder *folder);

/* Read one file each, which has been parsed. */
void modules_parse(struct sentence_transformers *st, const struct json_file *file);
void pooling_parse(struct sentence_transformers *st, const struct json_file *file);
void dense_parse(struct sentence_transformers *st, const struct json_file *file);
void length_parse(struct sentence_transformers *st, const struct json_file *file);
void prompts_parse(struct sentence_transformers *st, const struct json_file *file);

/* Reads the sizes of a Dense module, or LayerNorm, after `before` columns (0: not known). */
void dense_sizes_read(struct dense_module *dense, const struct json_file *file, size_t before);

/* Writes prompt.NAME, default_prompt and similarity to META. */
void prompts_write(const struct sentence_transformers *st, const struct model_config *model,
                   struct weight_output *output);

#endif
