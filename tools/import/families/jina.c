/* jina.c - Jina's embedding models, version 2: BERT with ALiBi and a gated feed-forward layer.
 * Source: the code that they bring along (jinaai/jina-bert-implementation), as
 * text-embeddings-inference has it. They call themselves "bert". */
#include "tools/import/families/tables.h"

static const struct json_name GATES[] = {
    {"geglu", ACTIVATION_GELU}, {"reglu", ACTIVATION_RELU}, {NULL, 0}};

static const struct body JINA = {
    .prefixes = NAMES("bert.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, COUNT("type_vocab_size", token_types, 2),
                 FIXED(attention_position, ATTENTION_POSITION_ALIBI), FIXED(gate, GATE_FIRST),
                 FIXED(feed_forward_in_bias, false),
                 NAMED("feed_forward_type", activation, GATES, "geglu or reglu", NO_DEFAULT)),
    .only = ONLY({"position_embedding_type", "\"alibi\"", true, NULL},
                 {"emb_pooler", "\"mean\"", false, NULL}),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .layer = PARTS(TO_QKV(SQUARE, "encoder.layer.#.attention.self.query",
                                           "encoder.layer.#.attention.self.key",
                                           "encoder.layer.#.attention.self.value"),
                                    TO_OUTPUT(SQUARE, "encoder.layer.#.attention.output.dense"),
                                    TO_ATTENTION_NORM("encoder.layer.#.attention.output.LayerNorm"),
                                    TO_IN(DIM_GATED, "encoder.layer.#.mlp.gated_layers"),
                                    TO_OUT("encoder.layer.#.mlp.wo"),
                                    TO_NORM("encoder.layer.#.mlp.layernorm"))),
    .unread = "model_max_length",
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.",
                      "cls.predictions.", "classifier.", "qa_outputs."),
};

/* Published embedding models name this class and have no such head. */
static const struct head MASK = {HEAD_MASK, DENSE_GELU, .parts = BERT_MASK_PARTS,
                                 .is_optional = true};

const struct architecture JINA_CLASSES[] = {
    {"JinaBertModel", "bert", &JINA, &POOLER_HEAD},
    {"JinaBertForMaskedLM", "bert", &JINA, &MASK},
    {"JinaBertForSequenceClassification", "bert", &JINA, &POOLED_SEQUENCE_HEAD},
    {"JinaBertForTokenClassification", "bert", &JINA, &TOKEN_HEAD},
    {.class_name = NULL},
};
