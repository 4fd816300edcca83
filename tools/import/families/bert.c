/* bert.c - BERT and its relatives, and the heads that other families share with them. Sources:
 * files modeling_NAME.py and configuration_NAME.py in huggingface/transformers, and for Jina's
 * models the code that they bring along (jinaai/jina-bert-implementation), as text-embeddings-
 * inference has it. */
#include "tools/import/families/tables.h"

/* gelu_fast is the formula of gelu_new, multiplied out. */
#define GELU      "gelu gelu_python"
#define GELU_TANH "gelu_new gelu_pytorch_tanh gelu_fast"
const struct json_name ACTIVATION_NAMES[] = {{GELU, ACTIVATION_GELU},
                                             {GELU_TANH, ACTIVATION_GELU_TANH},
                                             {"relu", ACTIVATION_RELU},
                                             {"silu swish", ACTIVATION_SILU},
                                             {NULL, 0}};
const char ACTIVATIONS_EXPECTED[] = "one of gelu, gelu_new, gelu_pytorch_tanh, relu, silu";

/* The same of a head's dense layer, and more. */
const struct json_name DENSE_NAMES[] = {{GELU, DENSE_GELU},
                                        {GELU_TANH, DENSE_GELU_TANH},
                                        {"relu", DENSE_RELU},
                                        {"silu swish", DENSE_SILU},
                                        {"tanh", DENSE_TANH},
                                        {"linear", DENSE_IDENTITY},
                                        {NULL, 0}};

/* ---- Bodies ---- */

static const struct body BERT = {
    .prefixes = NAMES("bert.", "model."),
    .keys = KEYS(BERT_KEYS),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING), .layer = BERT_LAYER),
    .left_out = LEFT_OUT(OF_BERT),
};

static const struct body ELECTRA = {
    .prefixes = NAMES("electra.", "model."),
    .keys = KEYS(BERT_KEYS, SIZE("embedding_size", embedding_width)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .projection = PARTS(TO_EMBEDDING_PROJECTION("embeddings_project")),
                     .layer = BERT_LAYER),
    .left_out =
        LEFT_OUT("discriminator_predictions.", "generator_predictions.", "generator_lm_head."),
};

/* Other names of its sizes, which it reads too, must say the same. */
static void check_distilbert(const struct json_file *file, struct model_config *model)
{
    json_count_only(file, "hidden_size", model->width, ", as 'dim' is");
    json_count_only(file, "num_attention_heads", model->heads, ", as 'n_heads' is");
    json_count_only(file, "num_hidden_layers", model->layers, ", as 'n_layers' is");
}

/* modeling_distilbert.py has eps=1e-12 in the code, and no types. */
static const struct body DISTILBERT = {
    .prefixes = NAMES("distilbert.", "model."),
    .keys = KEYS(SIZE("n_layers", layers), SIZE("dim", width), SIZE("n_heads", heads),
                 SIZE("hidden_dim", feed_forward), SIZE("vocab_size", vocabulary),
                 SIZE("max_position_embeddings", max_tokens), FIXED(embedding_norm, NORM_LAYER),
                 NUMBER(NULL, norm_eps, 1e-12), FIXED(position, POSITION_LEARNED),
                 ACTIVATION("activation", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .layer = LAYER("transformer.layer.#.", "attention.q_lin", "attention.k_lin",
                                    "attention.v_lin", "attention.out_lin", "sa_layer_norm",
                                    "ffn.lin1", "ffn.lin2", "output_layer_norm")),
    .finish = check_distilbert,
    .left_out = NAMES("embeddings.position_ids", "vocab_transform.", "vocab_layer_norm.",
                      "vocab_projector.", "pre_classifier.", "classifier.", "qa_outputs."),
};

/* ---- Heads ---- */

const struct head POOLER_HEAD = {
    HEAD_POOLER, DENSE_TANH, .parts = PARTS({HEAD_DENSE, {"pooler.dense"}}), .is_optional = true};
const struct head POOLED_SEQUENCE_HEAD = SEQUENCE_HEAD(DENSE_TANH, "pooler.dense", "classifier");
const struct head TOKEN_HEAD = {HEAD_TOKEN, DENSE_NONE,
                                .parts = PARTS({HEAD_SCORES, {"classifier"}})};
const struct head BERT_MASK = {HEAD_MASK, AS_THE_MODEL, .parts = BERT_MASK_PARTS};
/* Of stanford-futuredata/ColBERT, without a bias. */
static const struct head COLBERT = {
    HEAD_NONE, DENSE_NONE,
    .parts =
        PARTS(TO_MATRIX("token.vector.weight", DIM_TOKEN_VECTORS, DIM_WIDTH, "linear.weight"))};
static const struct head DISTILBERT_SEQUENCE =
    SEQUENCE_HEAD(DENSE_RELU, "pre_classifier", "classifier");
static const struct head DISTILBERT_MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("vocab_transform", "vocab_layer_norm", "vocab_projector.weight",
                        "vocab_projector.bias")};
static const struct head ELECTRA_SEQUENCE =
    SEQUENCE_HEAD(DENSE_GELU, "classifier.dense", "classifier.out_proj");
/* The generator, whose dense layer leads back to the width of the embedding. */
static const struct head ELECTRA_MASK = {
    HEAD_MASK, DENSE_GELU,
    .parts = MASK_PARTS("generator_predictions.dense", "generator_predictions.LayerNorm",
                        "generator_lm_head.weight", "generator_lm_head.bias")};
/* For every token: was it replaced by a generator? */
static const struct head ELECTRA_REPLACED = {
    HEAD_TOKEN, AS_THE_MODEL,
    .parts = SEQUENCE_PARTS("discriminator_predictions.dense",
                            "discriminator_predictions.dense_prediction"),
    .labels = 1};

/* Code that Jina's models bring along (jinaai/xlm-roberta-flash-implementation) has rotary
 * positions. */
static void finish_roberta(const struct json_file *file, struct model_config *model)
{
    static const struct json_name positions[] = {{"absolute", 0}, {"rotary", 1}, {NULL, 0}};
    if (json_choice(file, "position_embedding_type", positions, "absolute or rotary", 0) == 0)
        return;
    model->attention_position = ATTENTION_POSITION_ROTARY;
    model->rotary_base = json_number(file, "rotary_emb_base", 10000);
    model->position = POSITION_NONE;
    model->position_offset = 0;
    model->position_skips_padding = false;
}

const struct layout FLASH_LAYOUT = {
    .embedding = PARTS(EMBEDDING("emb_ln")),
    .layer = PARTS(TO_QKV(QKV, "encoder.layers.#.mixer.Wqkv"),
                   TO_OUTPUT(SQUARE, "encoder.layers.#.mixer.out_proj"),
                   TO_ATTENTION_NORM("encoder.layers.#.norm1"),
                   TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc1"),
                   TO_OUT("encoder.layers.#.mlp.fc2"), TO_NORM("encoder.layers.#.norm2"))};

static const struct body ROBERTA = {
    .prefixes = NAMES("roberta.", "data2vec_text.", "model."),
    .keys = KEYS(BERT_KEYS, COUNT("pad_token_id", position_offset, 1),
                 FIXED(position_skips_padding, true)),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING), .layer = BERT_LAYER),
    .other_layout = &FLASH_LAYOUT,
    .finish = finish_roberta,
    /* The lora_ keys are adapter.c's. */
    .unread = "emb_pooler matryoshka_dimensions truncation lora_adaptations lora_alpha lora_rank "
              "lora_dropout_p lora_main_params_trainable load_trained_adapters task_instructions",
    .left_out = LEFT_OUT("pooler.", "lm_head."),
};

const struct head DENSE_SEQUENCE_HEAD =
    SEQUENCE_HEAD(DENSE_TANH, "classifier.dense", "classifier.out_proj");
/* Its activation is the exact GELU for any hidden_act. */
const struct head ROBERTA_MASK = {HEAD_MASK, DENSE_GELU, .parts = ROBERTA_MASK_PARTS};

/* Its positions begin at 2 for any config.json, and it has no types. */
static const struct body MPNET = {
    .prefixes = NAMES("mpnet.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 FIXED(position_offset, 1), FIXED(position_skips_padding, true),
                 FIXED(attention_position, ATTENTION_POSITION_DISTANCE),
                 FIXED(distances, DISTANCES), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS, IS("relative_attention_num_buckets", "32")),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING,
                                        TO_DISTANCES("encoder.relative_attention_bias.weight")),
                     .layer = LAYER("encoder.layer.#.", "attention.attn.q", "attention.attn.k",
                                    "attention.attn.v", "attention.attn.o", "attention.LayerNorm",
                                    "intermediate.dense", "output.dense", "output.LayerNorm")),
    .left_out =
        NAMES("embeddings.position_ids", "pooler.", "lm_head.", "classifier.", "qa_outputs."),
};

/* Published embedding models name this class and have no such head. */
static const struct head MPNET_MASK = {HEAD_MASK, DENSE_GELU, .parts = ROBERTA_MASK_PARTS,
                                       .is_optional = true};

static const struct body ALBERT = {
    .prefixes = NAMES("albert.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 SIZE_OR("embedding_size", embedding_width, 128),
                 SIZE_OR("num_hidden_groups", layer_groups, 1),
                 COUNT("type_vocab_size", token_types, 2),
                 ACTIVATION("hidden_act", ACTIVATION_GELU_TANH)),
    .only = ONLY(ABSOLUTE_POSITIONS, IS("inner_group_num", "1")),
    .layout =
        LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
               .projection = PARTS(TO_EMBEDDING_PROJECTION("encoder.embedding_hidden_mapping_in")),
               .layer = LAYER("encoder.albert_layer_groups.#.albert_layers.0.", "attention.query",
                              "attention.key", "attention.value", "attention.dense",
                              "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm")),
    .left_out = LEFT_OUT("pooler.", "predictions.", "sop_classifier."),
};

static const struct head ALBERT_POOLER = {
    HEAD_POOLER, DENSE_TANH, .parts = PARTS({HEAD_DENSE, {"pooler"}}), .is_optional = true};
static const struct head ALBERT_SEQUENCE = SEQUENCE_HEAD(DENSE_TANH, "pooler", "classifier");
/* Its dense layer leads back to the width of the embedding. */
static const struct head ALBERT_MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("predictions.dense", "predictions.LayerNorm", "predictions.decoder.weight",
                        "predictions.bias", "predictions.decoder.bias")};

static const struct json_name JINA_GATES[] = {
    {"geglu", ACTIVATION_GELU}, {"reglu", ACTIVATION_RELU}, {NULL, 0}};

/* The code of jina-embeddings-v2-base-code (jinaai/jina-bert-v2-qk-post-norm), whose config.json is
 * as the others': norms of queries and keys, and a norm more of the first sum. */
static void finish_jina_code(struct model_config *model)
{
    model->query_key_norm = QUERY_KEY_ALL;
    model->norm_place = NORM_TWICE;
    model->gate = GATE_SECOND;
}

/* Its first part is in no other layout. */
static const struct layout JINA_CODE_LAYOUT = {
    .embedding = PARTS(BERT_EMBEDDING),
    .layer = PARTS(
        {"layers.#.attention.query_norm", NORM, {"encoder.layer.#.attention.self.layer_norm_q"}},
        BERT_QKV, BERT_OUTPUT,
        {"layers.#.attention.key_norm", NORM, {"encoder.layer.#.attention.self.layer_norm_k"}},
        {"layers.#.attention.norm_after", NORM, {"encoder.layer.#.attention.output.LayerNorm"}},
        TO_ATTENTION_NORM("encoder.layer.#.layer_norm_1"),
        TO_IN(DIM_GATED, "encoder.layer.#.mlp.up_gated_layer"),
        TO_OUT("encoder.layer.#.mlp.down_layer"), TO_NORM("encoder.layer.#.layer_norm_2")),
    .finish = finish_jina_code,
};

static const struct body JINA = {
    .prefixes = NAMES("bert.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, COUNT("type_vocab_size", token_types, 2),
                 FIXED(attention_position, ATTENTION_POSITION_ALIBI), FIXED(gate, GATE_FIRST),
                 FIXED(feed_forward_in_bias, false),
                 NAMED("feed_forward_type", activation, JINA_GATES, "geglu or reglu", NO_DEFAULT)),
    .only =
        ONLY({"position_embedding_type", "\"alibi\"", true, NULL}, IS("emb_pooler", "\"mean\"")),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .layer = PARTS(BERT_QKV, BERT_OUTPUT, BERT_OUTPUT_NORM,
                                    TO_IN(DIM_GATED, "encoder.layer.#.mlp.gated_layers"),
                                    TO_OUT("encoder.layer.#.mlp.wo"),
                                    TO_NORM("encoder.layer.#.mlp.layernorm"))),
    .other_layout = &JINA_CODE_LAYOUT,
    .unread = "model_max_length",
    .left_out = LEFT_OUT("pooler.", "cls.predictions."),
};

/* Published embedding models name this class and have no such head. */
static const struct head JINA_MASK = {HEAD_MASK, DENSE_GELU, .parts = BERT_MASK_PARTS,
                                      .is_optional = true};

static const struct body EMBEDDING_ALONE = {
    .prefixes = NAMES(NULL),
    .is_embedding_alone = true,
    .keys = KEYS(FIXED(layers, 0), SIZE("hidden_size", width), SIZE("vocab_size", vocabulary),
                 SIZE("max_position_embeddings", max_tokens), FIXED(pooling, POOLING_MEAN)),
    .layout = LAYOUT(.embedding = PARTS(
                         TO_TABLE("embedding.token.weight", DIM_VOCABULARY, "embedding.weight"),
                         TO_TABLE("embedding.position.weight", DIM_POSITIONS,
                                  "position_embedding.weight"))),
    .left_out = NAMES(NULL),
};

static const struct head EMBEDDING_SEQUENCE = {HEAD_SEQUENCE, DENSE_NONE,
                                               .parts = PARTS({HEAD_SCORES, {"classifier"}}),
                                               .bias_is_optional = true, .reads_pooled = true};

/* ---- Classes ---- */

// clang-format off
#define ROBERTA_CLASSES(name, type)                                                                \
    CLASSES(name, type, &ROBERTA, &POOLER_HEAD, &ROBERTA_MASK, &DENSE_SEQUENCE_HEAD, &TOKEN_HEAD)
// clang-format on

const struct architecture BERT_CLASSES[] = {
    CLASSES("Bert", "bert", &BERT, &POOLER_HEAD, &BERT_MASK, &POOLED_SEQUENCE_HEAD, &TOKEN_HEAD),
    {"BertForPreTraining", "bert", &BERT, &BERT_MASK},
    {"HF_ColBERT", "bert", &BERT, &COLBERT},
    {"Contriever", "bert", &BERT, &POOLER_HEAD}, /* facebook/contriever, a BERT for the mean */
    CLASSES("DistilBert", "distilbert", &DISTILBERT, NULL, &DISTILBERT_MASK, &DISTILBERT_SEQUENCE,
            &TOKEN_HEAD),
    CLASSES("Electra", "electra", &ELECTRA, NULL, &ELECTRA_MASK, &ELECTRA_SEQUENCE, &TOKEN_HEAD),
    {"ElectraForPreTraining", "electra", &ELECTRA, &ELECTRA_REPLACED},
    ROBERTA_CLASSES("Roberta", "roberta"),
    ROBERTA_CLASSES("XLMRoberta", "xlm-roberta"),
    ROBERTA_CLASSES("Camembert", "camembert"),
    ROBERTA_CLASSES("Data2VecText", "data2vec-text"),
    {"HF_ColBERT", "xlm-roberta", &ROBERTA, &COLBERT}, /* jina-colbert-v2 */
    CLASSES("MPNet", "mpnet", &MPNET, &POOLER_HEAD, &MPNET_MASK, &DENSE_SEQUENCE_HEAD, &TOKEN_HEAD),
    CLASSES("Albert", "albert", &ALBERT, &ALBERT_POOLER, &ALBERT_MASK, &ALBERT_SEQUENCE,
            &TOKEN_HEAD),
    {"AlbertForPreTraining", "albert", &ALBERT, &ALBERT_MASK},
    {.class_name = NULL},
};
const struct architecture JINA_CLASSES[] = {
    CLASSES("JinaBert", "bert", &JINA, &POOLER_HEAD, &JINA_MASK, &POOLED_SEQUENCE_HEAD,
            &TOKEN_HEAD),
    {.class_name = NULL},
};
const struct architecture EMBEDDING_CLASSES[] = {
    {"EmbeddingClassifier", "embedding_classifier", &EMBEDDING_ALONE, &EMBEDDING_SEQUENCE},
    {.class_name = NULL},
};
