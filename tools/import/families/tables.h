/* tables.h - macros for the tables of classes, and tables that several families share.
 *
 * A family's file is best read from its end: the classes, each with its body and its head. A body
 * (struct body, families.h) is two tables. A row of `keys` is a key of config.json, the
 * field of struct model_config that it sets, and the value if the key is absent:
 *
 *     SIZE("hidden_size", width)                    no such value: an absent key is refused
 *     COUNT("type_vocab_size", token_types, 2)
 *     FIXED(position, POSITION_LEARNED)             no key: the class has no choice
 *
 * A row of a layout is one part: its name in the weight file, its shape, its name in the
 * checkpoint. So
 *
 *     TO_OUTPUT(SQUARE, "encoder.layer.#.attention.output.dense")
 *
 * which a macro has made of
 *
 *     {"layers.#.attention.output", PART_LINEAR, DIM_WIDTH, DIM_WIDTH, FIELD(attention_bias),
 *      {"encoder.layer.#.attention.output.dense"}}
 *
 * says that the tensor layers.3.attention.output.weight [D, D] of the weight file is
 * encoder.layer.3.attention.output.dense.weight of the checkpoint, and if the model's
 * attention_bias is true, the .bias [D] of the one is the .bias of the other. The name of a macro
 * TO_... is the part's name in the weight file; a shape (SQUARE, QKV, NORM ...) is a part's kind,
 * rows, columns and bias, and is left out where the part has no other. */
#ifndef TOOLS_IMPORT_TABLES_H
#define TOOLS_IMPORT_TABLES_H

#include "tools/import/families/families.h"

#include <stddef.h>

/* ---- Shared by families ---- */

extern const struct head POOLER_HEAD;          /* pooler.dense, tanh; optional */
extern const struct head POOLED_SEQUENCE_HEAD; /* pooler.dense, tanh, classifier */
extern const struct head DENSE_SEQUENCE_HEAD;  /* classifier.dense, tanh, classifier.out_proj */
extern const struct head TOKEN_HEAD;           /* classifier */
extern const struct head BERT_MASK, ROBERTA_MASK;
extern const struct layout FLASH_LAYOUT;          /* of Jina's RoBERTa */
extern const struct layout GTE_LAYOUT;            /* of transformers */
extern const struct json_name ACTIVATION_NAMES[]; /* hidden_act */
extern const char ACTIVATIONS_EXPECTED[];
extern const struct json_name DENSE_NAMES[]; /* of a head's dense layer */

/* ---- Keys of config.json ---- */

// clang-format off
#define FIELD(field)                 offsetof(struct model_config, field)
#define FIELD_AND_SIZE(field)        FIELD(field), sizeof((struct model_config *)0)->field
#define SIZE(name, field)            {name, KEY_SIZE, FIELD_AND_SIZE(field), NO_DEFAULT, NULL, NULL}
#define SIZE_OR(name, field, absent) {name, KEY_SIZE, FIELD_AND_SIZE(field), absent, NULL, NULL}
#define COUNT(name, field, absent)   {name, KEY_COUNT, FIELD_AND_SIZE(field), absent, NULL, NULL}
#define NUMBER(name, field, absent)  {name, KEY_NUMBER, FIELD_AND_SIZE(field), absent, NULL, NULL}
#define FLAG(name, field, absent)    {name, KEY_FLAG, FIELD_AND_SIZE(field), absent, NULL, NULL}
#define FIXED(field, value)          {NULL, KEY_FIXED, FIELD_AND_SIZE(field), value, NULL, NULL}
#define NAMED(name, field, names, expected, absent) \
    {name, KEY_NAME, FIELD_AND_SIZE(field), absent, names, expected}
#define ABSOLUTE_POSITIONS           IS("position_embedding_type", "\"absolute\"")
// clang-format on
#define ACTIVATION(name, absent)                                                                   \
    NAMED(name, activation, ACTIVATION_NAMES, ACTIVATIONS_EXPECTED, absent)
#define DENSE_ACTIVATION(name)                                                                     \
    NAMED(name, head_dense, DENSE_NAMES,                                                           \
          "one of gelu, gelu_new, gelu_pytorch_tanh, relu, silu, tanh, linear", DENSE_GELU)

/* Of nearly all families. */
#define USUAL_SIZES                                                                                \
    SIZE("num_hidden_layers", layers), SIZE("hidden_size", width),                                 \
        SIZE("num_attention_heads", heads), SIZE("intermediate_size", feed_forward),               \
        SIZE("vocab_size", vocabulary), SIZE("max_position_embeddings", max_tokens)
#define BERT_SIZES USUAL_SIZES, FIXED(embedding_norm, NORM_LAYER)
#define BERT_NORM  NUMBER("layer_norm_eps", norm_eps, 1e-12)
#define BERT_KEYS                                                                                  \
    BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),                                      \
        COUNT("type_vocab_size", token_types, 2), ACTIVATION("hidden_act", ACTIVATION_GELU)

// clang-format off
#define KEYS(...)   (const struct config_key[]){__VA_ARGS__, {.kind = KEY_END}}
#define NAMES(...)  (const char *const[]){__VA_ARGS__, NULL}
#define PARTS(...)  (const struct part[]){__VA_ARGS__, {.to = NULL}}
#define LAYOUT(...) &(const struct layout){__VA_ARGS__}
// clang-format on

/* ---- Shapes of parts: kind, rows, columns, bias ---- */

#define SQUARE          PART_LINEAR, DIM_WIDTH, DIM_WIDTH, FIELD(attention_bias)
#define QKV             PART_LINEAR, DIM_QKV, DIM_WIDTH, FIELD(attention_bias)
#define GROUPED_QKV     PART_LINEAR, DIM_QUERY, DIM_WIDTH, FIELD(attention_bias)
#define HEADS_OUT(kind) kind, DIM_WIDTH, DIM_QUERY, FIELD(attention_bias)
#define IN(rows)        PART_LINEAR, rows, DIM_WIDTH, FIELD(feed_forward_in_bias)
#define OUT             PART_OUT, DIM_WIDTH, DIM_FEED_FORWARD, FIELD(feed_forward_bias)
#define NORM            PART_NORM, DIM_WIDTH, DIM_NONE, FIELD(norm_bias)
#define EMBEDDING_NORM  PART_NORM, DIM_EMBEDDING, DIM_NONE, FIELD(norm_bias)
// clang-format off
#define TO_EMBEDDING_PROJECTION(from)                                                              \
    {"embedding.projection", PART_LINEAR, DIM_WIDTH, DIM_EMBEDDING, 0, {from}}
#define TO_TABLE(to, rows, from)        {to, PART_TABLE, rows, DIM_EMBEDDING, 0, {from}}
#define TO_MATRIX(to, rows, cols, from) {to, PART_MATRIX, rows, cols, 0, {from}}
#define TO_VECTOR(to, rows, from)       {to, PART_VECTOR, rows, DIM_NONE, 0, {from}}
#define TO_DISTANCES(from)                                                                         \
    {"attention.distance.bias", PART_DISTANCES, DIM_BUCKETS, DIM_HEADS, 0, {from}}
#define TO_PROJECTION(from) TO_MATRIX("projection.0.weight", DIM_PROJECTION, DIM_WIDTH, from)
#define TO_FINAL_NORM(from) {"final.norm", NORM, {from}}
// clang-format on

#define HEAD_DENSE   "head.dense", PART_LINEAR, DIM_HEAD, DIM_WIDTH, FIELD(head_dense_bias)
#define HEAD_NORM    "head.norm", PART_NORM, DIM_HEAD, DIM_NONE, FIELD(norm_bias)
#define HEAD_SCORES  "head.output", PART_SCORES, DIM_LABELS, DIM_WIDTH, FIELD(head_bias)
#define HEAD_DECODER "head.output.weight", PART_UNTIED, DIM_VOCABULARY, DIM_WIDTH, 0
#define DECODER_BIAS "head.output.bias", PART_VECTOR, DIM_VOCABULARY, DIM_NONE, FIELD(head_bias)
/* A head of sequences; of masked language models, whose bias may have two names; and the latter as
 * BERT and as RoBERTa name its tensors. */
#define SEQUENCE_PARTS(dense, scores) PARTS({HEAD_DENSE, {dense}}, {HEAD_SCORES, {scores}})
// clang-format off
#define SEQUENCE_HEAD(activation, dense, scores)                                                   \
    {HEAD_SEQUENCE, activation, .parts = SEQUENCE_PARTS(dense, scores)}
// clang-format on
#define MASK_PARTS(dense, norm, decoder, ...)                                                      \
    PARTS({HEAD_DENSE, {dense}}, {HEAD_NORM, {norm}}, {HEAD_DECODER, {decoder}},                   \
          {DECODER_BIAS, {__VA_ARGS__}})
#define BERT_MASK_PARTS                                                                            \
    MASK_PARTS("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",           \
               "cls.predictions.decoder.weight", "cls.predictions.bias",                           \
               "cls.predictions.decoder.bias")
#define ROBERTA_MASK_PARTS                                                                         \
    MASK_PARTS("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight", "lm_head.bias",    \
               "lm_head.decoder.bias")

/* The embedding step of most: a table without rows, of types or positions, is no tensor. */
// clang-format off
#define EMBEDDING(norm)                                                                            \
    TO_TABLE("embedding.token.weight", DIM_VOCABULARY, "embeddings.word_embeddings.weight"),       \
    TO_TABLE("embedding.type.weight", DIM_TYPES, "embeddings.token_type_embeddings.weight"),       \
    TO_TABLE("embedding.position.weight", DIM_POSITIONS,                                           \
             "embeddings.position_embeddings.weight"),                                             \
    {"embedding.norm", EMBEDDING_NORM, {norm}}
// clang-format on
#define BERT_EMBEDDING EMBEDDING("embeddings.LayerNorm")

/* The parts of a layer, from the names of their tensors. */
// clang-format off
#define TO_QKV(shape, ...)      {"layers.#.attention.qkv", shape, {__VA_ARGS__}}
#define TO_OUTPUT(shape, from)  {"layers.#.attention.output", shape, {from}}
#define TO_ATTENTION_NORM(from) {"layers.#.attention.norm", NORM, {from}}
#define TO_IN(rows, ...)        {"layers.#.feed_forward.in", IN(rows), {__VA_ARGS__}}
#define TO_OUT(from)            {"layers.#.feed_forward.out", OUT, {from}}
#define TO_NORM(from)           {"layers.#.feed_forward.norm", NORM, {from}}
// clang-format on

/* A layer with a norm after each half. */
#define LAYER(at, query, key, value, output, attention_norm, in, out, norm)                        \
    PARTS(TO_QKV(SQUARE, at query, at key, at value), TO_OUTPUT(SQUARE, at output),                \
          TO_ATTENTION_NORM(at attention_norm), TO_IN(DIM_FEED_FORWARD, at in), TO_OUT(at out),    \
          TO_NORM(at norm))

/* BERT's, and what its relatives have of it. */
// clang-format off
#define BERT_QKV                                                                                   \
    TO_QKV(SQUARE, "encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key",   \
           "encoder.layer.#.attention.self.value")
#define BERT_OUTPUT      TO_OUTPUT(SQUARE, "encoder.layer.#.attention.output.dense")
#define BERT_OUTPUT_NORM TO_ATTENTION_NORM("encoder.layer.#.attention.output.LayerNorm")
#define BERT_FEED_FORWARD                                                                          \
    TO_IN(DIM_FEED_FORWARD, "encoder.layer.#.intermediate.dense"),                                 \
    TO_OUT("encoder.layer.#.output.dense")
#define BERT_AFTER_QKV                                                                             \
    BERT_OUTPUT, BERT_OUTPUT_NORM, BERT_FEED_FORWARD, TO_NORM("encoder.layer.#.output.LayerNorm")
#define BERT_LAYER PARTS(BERT_QKV, BERT_AFTER_QKV)
// clang-format on

/* Names of tensors that are skipped: of most, and of BERT. */
#define LEFT_OUT(...)                                                                              \
    NAMES("embeddings.position_ids", "embeddings.token_type_ids", "classifier.", "qa_outputs.",    \
          __VA_ARGS__)
#define OF_BERT "pooler.", "cls.predictions.", "cls.seq_relationship."

/* ---- Classes: the usual four of a family ---- */

// clang-format off
#define CLASSES(name, type, body, pooler, mask, sequence, token)                                   \
    {name "Model", type, body, pooler},                                                            \
    {name "ForMaskedLM", type, body, mask},                                                        \
    {name "ForSequenceClassification", type, body, sequence},                                      \
    {name "ForTokenClassification", type, body, token}
// clang-format on

#endif
