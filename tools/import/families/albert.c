/* albert.c - ALBERT: embeddings narrower than the body, and layers that share their tensors.
 * Source: modeling_albert.py and configuration_albert.py in huggingface/transformers. */
#include "tools/import/families/tables.h"

static const struct body ALBERT = {
    .prefixes = NAMES("albert.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 SIZE_OR("embedding_size", embedding_width, 128),
                 SIZE_OR("num_hidden_groups", layer_groups, 1),
                 COUNT("type_vocab_size", token_types, 2),
                 ACTIVATION("hidden_act", ACTIVATION_GELU_TANH)),
    .only = ONLY(ABSOLUTE_POSITIONS, {"inner_group_num", "1", false, NULL}),
    .layout =
        LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
               .projection = PARTS(PROJECTION("encoder.embedding_hidden_mapping_in")),
               .layer = LAYER("encoder.albert_layer_groups.#.albert_layers.0.", "attention.query",
                              "attention.key", "attention.value", "attention.dense",
                              "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm")),
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.",
                      "predictions.", "sop_classifier.", "classifier.", "qa_outputs."),
};

static const struct head POOLER = {HEAD_POOLER, DENSE_TANH,
                                   .parts = PARTS({HEAD_DENSE, {"pooler"}}), .is_optional = true};
static const struct head SEQUENCE = {HEAD_SEQUENCE, DENSE_TANH,
                                     .parts = SEQUENCE_PARTS("pooler", "classifier")};
/* Its dense layer leads back to the width of the embedding. */
static const struct head MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("predictions.dense", "predictions.LayerNorm", "predictions.decoder.weight",
                        "predictions.bias", "predictions.decoder.bias")};

const struct architecture ALBERT_CLASSES[] = {
    {"AlbertModel", "albert", &ALBERT, &POOLER},
    {"AlbertForMaskedLM", "albert", &ALBERT, &MASK},
    {"AlbertForPreTraining", "albert", &ALBERT, &MASK},
    {"AlbertForSequenceClassification", "albert", &ALBERT, &SEQUENCE},
    {"AlbertForTokenClassification", "albert", &ALBERT, &TOKEN_HEAD},
    {.class_name = NULL},
};
