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

static const struct part BERT_LAYER[] = {
    {"layers.#.attention.qkv",
     SQUARE,
     {"encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key",
      "encoder.layer.#.attention.self.value"}},
    {"layers.#.attention.output", SQUARE, {"encoder.layer.#.attention.output.dense"}},
    {"layers.#.attention.norm", NORM, {"encoder.layer.#.attention.output.LayerNorm"}},
    {"layers.#.feed_forward.in",
     LINEAR(DIM_FEED_FORWARD, DIM_WIDTH),
     {"encoder.layer.#.intermediate.dense"}},
    {"layers.#.feed_forward.out", OUT, {"encoder.layer.#.output.dense"}},
    {"layers.#.feed_forward.norm", NORM, {"encoder.layer.#.output.LayerNorm"}},
    END,
};

static const struct part ELECTRA_PROJECTION[] = {
    {"embedding.projection", LINEAR(DIM_WIDTH, DIM_EMBEDDING), {"embeddings_project"}},
    END,
};

static const struct part DISTILBERT_LAYER[] = {
    {"layers.#.attention.qkv",
     SQUARE,
     {"transformer.layer.#.attention.q_lin", "transformer.layer.#.attention.k_lin",
      "transformer.layer.#.attention.v_lin"}},
    {"layers.#.attention.output", SQUARE, {"transformer.layer.#.attention.out_lin"}},
    {"layers.#.attention.norm", NORM, {"transformer.layer.#.sa_layer_norm"}},
    {"layers.#.feed_forward.in",
     LINEAR(DIM_FEED_FORWARD, DIM_WIDTH),
     {"transformer.layer.#.ffn.lin1"}},
    {"layers.#.feed_forward.out", OUT, {"transformer.layer.#.ffn.lin2"}},
    {"layers.#.feed_forward.norm", NORM, {"transformer.layer.#.output_layer_norm"}},
    END,
};

static const struct part EMBEDDING_ALONE[] = {
    {"embedding.token.weight", TABLE(DIM_VOCABULARY), {"embedding.weight"}},
    {"embedding.position.weight", TABLE(DIM_POSITIONS), {"position_embedding.weight"}},
    END,
};
static const struct part NO_PARTS[] = {END};

static const char *const BERT_PREFIXES[] = {"bert.", "model.", NULL};
static const char *const DISTILBERT_PREFIXES[] = {"distilbert.", "model.", NULL};
static const char *const ELECTRA_PREFIXES[] = {"electra.", "model.", NULL};
static const char *const NO_NAMES[] = {NULL};

static const char *const BERT_LEFT_OUT[] = {
    "embeddings.position_ids",
    "embeddings.token_type_ids",
    "pooler.",
    "cls.predictions.",
    "cls.seq_relationship.",
    "classifier.",
    "qa_outputs.",
    NULL,
};
static const char *const DISTILBERT_LEFT_OUT[] = {
    "embeddings.position_ids", "vocab_transform.", "vocab_layer_norm.", "vocab_projector.",
    "pre_classifier.",         "classifier.",      "qa_outputs.",       NULL,
};
static const char *const ELECTRA_LEFT_OUT[] = {
    "embeddings.position_ids",
    "embeddings.token_type_ids",
    "discriminator_predictions.",
    "generator_predictions.",
    "generator_lm_head.",
    "classifier.",
    "qa_outputs.",
    NULL,
};

#define BERT_KEYS                                                                                  \
    .layers = "num_hidden_layers", .width = "hidden_size", .heads = "num_attention_heads",         \
    .feed_forward = "intermediate_size", .activation = "hidden_act", .types = "type_vocab_size",   \
    .eps = "layer_norm_eps", .default_types = 2, .default_eps = 1e-12

static const struct body BERT = {
    BERT_KEYS,
    .model_type = "bert",
    .prefixes = BERT_PREFIXES,
    .embedding = BERT_EMBEDDING,
    .layer = BERT_LAYER,
    .left_out = BERT_LEFT_OUT,
};

static const struct body ELECTRA = {
    BERT_KEYS,
    .model_type = "electra",
    .prefixes = ELECTRA_PREFIXES,
    .embedding_width = "embedding_size",
    .embedding = BERT_EMBEDDING,
    .projection = ELECTRA_PROJECTION,
    .layer = BERT_LAYER,
    .left_out = ELECTRA_LEFT_OUT,
};

/* modeling_distilbert.py has eps=1e-12 in the code. */
static const struct body DISTILBERT = {
    .model_type = "distilbert",
    .prefixes = DISTILBERT_PREFIXES,
    .layers = "n_layers",
    .width = "dim",
    .heads = "n_heads",
    .feed_forward = "hidden_dim",
    .activation = "activation",
    .default_types = 0,
    .default_eps = 1e-12,
    .embedding = BERT_EMBEDDING,
    .layer = DISTILBERT_LAYER,
    .left_out = DISTILBERT_LEFT_OUT,
};

static const struct body EMBEDDING = {
    .model_type = "embedding_classifier",
    .prefixes = NO_NAMES,
    .is_embedding_alone = true,
    .width = "hidden_size",
    .embedding = EMBEDDING_ALONE,
    .layer = NO_PARTS,
    .left_out = NO_NAMES,
};

/* ---- Heads ---- */

static const struct part TOKEN_PARTS[] = {
    {"head.output", SCORES, {"classifier"}},
    END,
};

static const struct head POOLER = {
    .kind = HEAD_POOLER,
    .dense = DENSE_TANH,
    .is_optional = true,
    .parts = PARTS({"head.dense", SQUARE, {"pooler.dense"}}),
};
static const struct head BERT_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_TANH,
    .parts =
        PARTS({"head.dense", SQUARE, {"pooler.dense"}}, {"head.output", SCORES, {"classifier"}}),
};
static const struct head TOKEN = {
    .kind = HEAD_TOKEN,
    .dense = DENSE_NONE,
    .parts = TOKEN_PARTS,
};
static const struct head BERT_MASK = {
    .kind = HEAD_MASK,
    .dense = AS_THE_MODEL,
    .has_norm = true,
    .parts = PARTS({"head.dense", SQUARE, {"cls.predictions.transform.dense"}},
                   {"head.norm", NORM, {"cls.predictions.transform.LayerNorm"}}),
    .decoder = "cls.predictions.decoder.weight",
    .decoder_bias = {"cls.predictions.bias", "cls.predictions.decoder.bias"},
};
static const struct head DISTILBERT_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_RELU,
    .parts =
        PARTS({"head.dense", SQUARE, {"pre_classifier"}}, {"head.output", SCORES, {"classifier"}}),
};
static const struct head DISTILBERT_MASK = {
    .kind = HEAD_MASK,
    .dense = AS_THE_MODEL,
    .has_norm = true,
    .parts = PARTS({"head.dense", SQUARE, {"vocab_transform"}},
                   {"head.norm", NORM, {"vocab_layer_norm"}}),
    .decoder = "vocab_projector.weight",
    .decoder_bias = {"vocab_projector.bias"},
};
static const struct head ELECTRA_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_GELU,
    .parts = PARTS({"head.dense", SQUARE, {"classifier.dense"}},
                   {"head.output", SCORES, {"classifier.out_proj"}}),
};
/* For every token: was it replaced by a generator? */
static const struct head ELECTRA_REPLACED = {
    .kind = HEAD_TOKEN,
    .dense = AS_THE_MODEL,
    .labels = 1,
    .parts = PARTS({"head.dense", SQUARE, {"discriminator_predictions.dense"}},
                   {"head.output", SCORES, {"discriminator_predictions.dense_prediction"}}),
};
static const struct head EMBEDDING_SEQUENCE = {
    .kind = HEAD_SEQUENCE,
    .dense = DENSE_NONE,
    .bias_is_optional = true,
    .reads_pooled = true,
    .parts = TOKEN_PARTS,
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
