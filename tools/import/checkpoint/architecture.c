/* architecture.c - BERT, DistilBERT, ELECTRA and embeddings alone as tables; see architecture.h.
 * Sources: modeling_bert.py, modeling_distilbert.py, modeling_electra.py and their configuration
 * files in huggingface/transformers, under src/transformers/models.
 */
#include "tools/import/checkpoint/architecture.h"

#include <string.h>

/* Kind and dimensions of a part; END ends a list. */
#define TABLE(rows)        PART_TABLE, rows, DIM_EMBEDDING
#define LINEAR(rows, cols) PART_LINEAR, rows, cols
#define SQUARE             LINEAR(DIM_WIDTH, DIM_WIDTH)
#define OUT                PART_OUT, DIM_WIDTH, DIM_FEED_FORWARD
#define SCORES             PART_SCORES, DIM_LABELS, DIM_WIDTH
#define NORM               PART_NORM, DIM_WIDTH, DIM_NONE
#define EMBEDDING_NORM     PART_NORM, DIM_EMBEDDING, DIM_NONE
// clang-format off
#define END                {.to = NULL}
#define PARTS(...)         (const struct part[]){__VA_ARGS__, END}
#define NAMES(...)         (const char *const[]){__VA_ARGS__, NULL}
// clang-format on

/* ---- Bodies ---- */

/* Also of DistilBERT, which has no token types: a table without rows is no tensor. */
static const struct part BERT_EMBEDDING[] = {
    {"embedding.token.weight", TABLE(DIM_VOCABULARY), {"embeddings.word_embeddings.weight"}},
    {"embedding.type.weight", TABLE(DIM_TYPES), {"embeddings.token_type_embeddings.weight"}},
    {"embedding.position.weight", TABLE(DIM_POSITIONS), {"embeddings.position_embeddings.weight"}},
    {"embedding.norm", EMBEDDING_NORM, {"embeddings.LayerNorm"}},
    END,
};

/* A layer's parts, from the names of its tensors. */
#define LAYER(at, query, key, value, output, attention_norm, in, out, norm)                        \
    PARTS({"layers.#.attention.qkv", SQUARE, {at query, at key, at value}},                        \
          {"layers.#.attention.output", SQUARE, {at output}},                                      \
          {"layers.#.attention.norm", NORM, {at attention_norm}},                                  \
          {"layers.#.feed_forward.in", LINEAR(DIM_FEED_FORWARD, DIM_WIDTH), {at in}},              \
          {"layers.#.feed_forward.out", OUT, {at out}},                                            \
          {"layers.#.feed_forward.norm", NORM, {at norm}})

#define BERT_LAYER                                                                                 \
    LAYER("encoder.layer.#.", "attention.self.query", "attention.self.key",                        \
          "attention.self.value", "attention.output.dense", "attention.output.LayerNorm",          \
          "intermediate.dense", "output.dense", "output.LayerNorm")

static const struct part EMBEDDING_ALONE[] = {
    {"embedding.token.weight", TABLE(DIM_VOCABULARY), {"embedding.weight"}},
    {"embedding.position.weight", TABLE(DIM_POSITIONS), {"position_embedding.weight"}},
    END,
};
#define BERT_KEYS                                                                                  \
    .layers = "num_hidden_layers", .width = "hidden_size", .heads = "num_attention_heads",         \
    .feed_forward = "intermediate_size", .activation = "hidden_act", .types = "type_vocab_size",   \
    .eps = "layer_norm_eps", .default_types = 2, .default_eps = 1e-12

static const struct body BERT = {
    BERT_KEYS,
    .model_type = "bert",
    .prefixes = NAMES("bert.", "model."),
    .embedding = BERT_EMBEDDING,
    .layer = BERT_LAYER,
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.",
                      "cls.predictions.", "cls.seq_relationship.", "classifier.", "qa_outputs."),
};

static const struct body ELECTRA = {
    BERT_KEYS,
    .model_type = "electra",
    .prefixes = NAMES("electra.", "model."),
    .embedding_width = "embedding_size",
    .embedding = BERT_EMBEDDING,
    .projection =
        PARTS({"embedding.projection", LINEAR(DIM_WIDTH, DIM_EMBEDDING), {"embeddings_project"}}),
    .layer = BERT_LAYER,
    .left_out =
        NAMES("embeddings.position_ids", "embeddings.token_type_ids", "discriminator_predictions.",
              "generator_predictions.", "generator_lm_head.", "classifier.", "qa_outputs."),
};

/* modeling_distilbert.py has eps=1e-12 in the code. */
static const struct body DISTILBERT = {
    .model_type = "distilbert",
    .prefixes = NAMES("distilbert.", "model."),
    .layers = "n_layers",
    .width = "dim",
    .heads = "n_heads",
    .feed_forward = "hidden_dim",
    .activation = "activation",
    .default_types = 0,
    .default_eps = 1e-12,
    .embedding = BERT_EMBEDDING,
    .layer =
        LAYER("transformer.layer.#.", "attention.q_lin", "attention.k_lin", "attention.v_lin",
              "attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"),
    .left_out = NAMES("embeddings.position_ids", "vocab_transform.", "vocab_layer_norm.",
                      "vocab_projector.", "pre_classifier.", "classifier.", "qa_outputs."),
};

static const struct body EMBEDDING = {
    .model_type = "embedding_classifier",
    .prefixes = NAMES(NULL),
    .is_embedding_alone = true,
    .width = "hidden_size",
    .embedding = EMBEDDING_ALONE,
    .layer = PARTS(END),
    .left_out = NAMES(NULL),
};

/* ---- Heads ---- */

#define HEAD_DENSE   "head.dense", SQUARE
#define HEAD_NORM    "head.norm", NORM
#define HEAD_SCORES  "head.output", SCORES
#define HEAD_DECODER "head.output.weight", PART_UNTIED, DIM_VOCABULARY, DIM_WIDTH
#define DECODER_BIAS "head.output.bias", PART_VECTOR, DIM_VOCABULARY, DIM_NONE

static const struct head POOLER = {
    .kind = HEAD_POOLER,
    .dense = DENSE_TANH,
    .is_optional = true,
    .parts = PARTS({HEAD_DENSE, {"pooler.dense"}}),
};
static const struct head BERT_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_TANH,
    .parts = PARTS({HEAD_DENSE, {"pooler.dense"}}, {HEAD_SCORES, {"classifier"}}),
};
static const struct head TOKEN = {
    .kind = HEAD_TOKEN,
    .dense = DENSE_NONE,
    .parts = PARTS({HEAD_SCORES, {"classifier"}}),
};
static const struct head BERT_MASK = {
    .kind = HEAD_MASK,
    .dense = AS_THE_MODEL,
    .has_norm = true,
    .parts = PARTS({HEAD_DENSE, {"cls.predictions.transform.dense"}},
                   {HEAD_NORM, {"cls.predictions.transform.LayerNorm"}},
                   {HEAD_DECODER, {"cls.predictions.decoder.weight"}},
                   {DECODER_BIAS, {"cls.predictions.bias", "cls.predictions.decoder.bias"}}),
};
static const struct head DISTILBERT_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_RELU,
    .parts = PARTS({HEAD_DENSE, {"pre_classifier"}}, {HEAD_SCORES, {"classifier"}}),
};
static const struct head DISTILBERT_MASK = {
    .kind = HEAD_MASK,
    .dense = AS_THE_MODEL,
    .has_norm = true,
    .parts =
        PARTS({HEAD_DENSE, {"vocab_transform"}}, {HEAD_NORM, {"vocab_layer_norm"}},
              {HEAD_DECODER, {"vocab_projector.weight"}}, {DECODER_BIAS, {"vocab_projector.bias"}}),
};
static const struct head ELECTRA_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_GELU,
    .parts = PARTS({HEAD_DENSE, {"classifier.dense"}}, {HEAD_SCORES, {"classifier.out_proj"}}),
};
/* For every token: was it replaced by a generator? */
static const struct head ELECTRA_REPLACED = {
    .kind = HEAD_TOKEN,
    .dense = AS_THE_MODEL,
    .labels = 1,
    .parts = PARTS({HEAD_DENSE, {"discriminator_predictions.dense"}},
                   {HEAD_SCORES, {"discriminator_predictions.dense_prediction"}}),
};
static const struct head EMBEDDING_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_NONE,
    .bias_is_optional = true,
    .reads_pooled = true,
    .parts = PARTS({HEAD_SCORES, {"classifier"}}),
};

/* ---- Classes; the first of a body is the body alone ---- */

static const struct architecture ARCHITECTURES[] = {
    {"BertModel", &BERT, &POOLER},
    {"BertForMaskedLM", &BERT, &BERT_MASK},
    {"BertForPreTraining", &BERT, &BERT_MASK},
    {"BertForSequenceClassification", &BERT, &BERT_SEQUENCE},
    {"BertForTokenClassification", &BERT, &TOKEN},
    {"DistilBertModel", &DISTILBERT, NULL},
    {"DistilBertForMaskedLM", &DISTILBERT, &DISTILBERT_MASK},
    {"DistilBertForSequenceClassification", &DISTILBERT, &DISTILBERT_SEQUENCE},
    {"DistilBertForTokenClassification", &DISTILBERT, &TOKEN},
    {"ElectraModel", &ELECTRA, NULL},
    {"ElectraForPreTraining", &ELECTRA, &ELECTRA_REPLACED},
    {"ElectraForSequenceClassification", &ELECTRA, &ELECTRA_SEQUENCE},
    {"ElectraForTokenClassification", &ELECTRA, &TOKEN},
    {"EmbeddingClassifier", &EMBEDDING, &EMBEDDING_SEQUENCE},
};

const struct architecture *architecture_at(size_t index)
{
    return index < sizeof ARCHITECTURES / sizeof ARCHITECTURES[0] ? &ARCHITECTURES[index] : NULL;
}

const struct architecture *architecture_find(const char *class_name)
{
    for (size_t i = 0; architecture_at(i) != NULL; i++)
        if (strcmp(ARCHITECTURES[i].class_name, class_name) == 0)
            return &ARCHITECTURES[i];
    return NULL;
}

const struct architecture *architecture_of_type(const char *model_type)
{
    for (size_t i = 0; architecture_at(i) != NULL; i++)
        if (strcmp(ARCHITECTURES[i].body->model_type, model_type) == 0)
            return &ARCHITECTURES[i];
    return NULL;
}
