/* embedding.c - this project's own class: an embedding, positions, a pooling, a dense layer. */
#include "tools/import/families/tables.h"

static const struct body EMBEDDING_ALONE = {
    .prefixes = NAMES(NULL),
    .is_embedding_alone = true,
    .keys = KEYS(FIXED(layers, 0), SIZE("hidden_size", width), SIZE("vocab_size", vocabulary),
                 SIZE("max_position_embeddings", max_tokens), FIXED(pooling, POOLING_MEAN)),
    .layout = LAYOUT(.embedding = PARTS(
                         {"embedding.token.weight", TABLE(DIM_VOCABULARY), {"embedding.weight"}},
                         {"embedding.position.weight",
                          TABLE(DIM_POSITIONS),
                          {"position_embedding.weight"}})),
    .left_out = NAMES(NULL),
};

static const struct head EMBEDDING_SEQUENCE = {HEAD_SEQUENCE, DENSE_NONE,
                                               .parts = PARTS({HEAD_SCORES, {"classifier"}}),
                                               .bias_is_optional = true, .reads_pooled = true};

const struct architecture EMBEDDING_CLASSES[] = {
    {"EmbeddingClassifier", "embedding_classifier", &EMBEDDING_ALONE, &EMBEDDING_SEQUENCE},
    {.class_name = NULL},
};
