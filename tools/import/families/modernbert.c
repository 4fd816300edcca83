/* modernbert.c - ModernBERT: norms before its halves, rotary positions, windows, gates. Source:
 * modeling_modernbert.py and configuration_modernbert.py in huggingface/transformers, of which
 * older and newer files differ: global_rope_theta, local_rope_theta and global_attn_every_n_layers,
 * or rope_parameters and layer_types. */
#include "tools/import/families/tables.h"

/* ---- config.json ---- */

static void finish(const struct json_file *file, struct model_config *model)
{
    model->rotary_base =
        rotary_base_read(file, "full_attention", json_number(file, "global_rope_theta", 160000));
    double local = json_number(file, "local_rope_theta", 10000);
    if (json_is_null(json_object_get(file->root, "local_rope_theta")))
        local = model->rotary_base;
    model->rotary_local_base = rotary_base_read(file, "sliding_attention", local);
    /* The key counts both sides; a token sees half of the window on each. transformers 5 has
     * another name for that half, which comes first. */
    model->window = json_count(file, NULL, "local_attention", 2, 128) / 2;
    model->window = json_count(file, NULL, "sliding_window", 1, model->window);
    layer_types_read(file, model);
}

/* ---- Body ---- */

static const struct body MODERNBERT = {
    .prefixes = NAMES("model."),
    .keys = KEYS(BERT_SIZES, NUMBER("norm_eps", norm_eps, 1e-5), FIXED(norm_place, NORM_PRE),
                 FIXED(first_norm, false), FIXED(final_norm, true),
                 FLAG("norm_bias", norm_bias, false), FLAG("attention_bias", attention_bias, false),
                 FLAG("mlp_bias", feed_forward_bias, false), FIXED(gate, GATE_FIRST),
                 FIXED(attention_position, ATTENTION_POSITION_ROTARY),
                 SIZE_OR("global_attn_every_n_layers", global_every, 3),
                 ACTIVATION("hidden_activation", ACTIVATION_GELU)),
    .only = ONLY({"rope_scaling", "null", false, NULL}),
    .layout = LAYOUT(.embedding = PARTS({"embedding.token.weight",
                                         TABLE(DIM_VOCABULARY),
                                         {"embeddings.tok_embeddings.weight"}},
                                        {"embedding.norm", EMBEDDING_NORM, {"embeddings.norm"}}),
                     .layer = PARTS(
                         TO_ATTENTION_NORM("layers.#.attn_norm"), TO_QKV(QKV, "layers.#.attn.Wqkv"),
                         TO_OUTPUT(SQUARE, "layers.#.attn.Wo"), TO_NORM("layers.#.mlp_norm"),
                         TO_IN(DIM_GATED, "layers.#.mlp.Wi"), TO_OUT("layers.#.mlp.Wo")),
                     .final = PARTS({"final.norm", NORM, {"final_norm"}})),
    .finish = finish,
    .unread = "layer_norm_eps position_embedding_type type_vocab_size",
    .left_out = NAMES("head.", "decoder.", "classifier."),
};

/* ---- Heads ---- */

static const struct json_name DENSE_ACTIVATIONS[] = {
    {"gelu", DENSE_GELU},
    {"gelu_new", DENSE_GELU_TANH},
    {"gelu_pytorch_tanh", DENSE_GELU_TANH},
    {"relu", DENSE_RELU},
    {"silu", DENSE_SILU},
    {"tanh", DENSE_TANH},
    {NULL, 0},
};
static const struct json_name POOLINGS[] = {
    {"cls", POOLING_CLS}, {"mean", POOLING_MEAN}, {NULL, 0}};

#define DENSE_KEYS                                                                                 \
    FLAG("classifier_bias", head_dense_bias, false),                                               \
        NAMED("classifier_activation", head_dense, DENSE_ACTIVATIONS,                              \
              "one of gelu, gelu_new, gelu_pytorch_tanh, relu, silu, tanh", DENSE_GELU)
// clang-format off
#define DENSE_PARTS {HEAD_DENSE, {"head.dense"}}, {HEAD_NORM, {"head.norm"}}
// clang-format on

static const struct head MASK = {
    HEAD_MASK, DENSE_NONE,
    .parts = MASK_PARTS("head.dense", "head.norm", "decoder.weight", "decoder.bias"),
    .keys = KEYS(DENSE_KEYS, FLAG("decoder_bias", head_bias, true))};
static const struct head SEQUENCE = {
    HEAD_SEQUENCE, DENSE_NONE, .parts = PARTS(DENSE_PARTS, {HEAD_SCORES, {"classifier"}}),
    .keys = KEYS(DENSE_KEYS,
                 NAMED("classifier_pooling", head_pooling, POOLINGS, "cls or mean", POOLING_CLS))};
static const struct head TOKEN = {HEAD_TOKEN, DENSE_NONE,
                                  .parts = PARTS(DENSE_PARTS, {HEAD_SCORES, {"classifier"}}),
                                  .keys = KEYS(DENSE_KEYS)};

const struct architecture MODERNBERT_CLASSES[] = {
    {"ModernBertModel", "modernbert", &MODERNBERT, NULL},
    {"ModernBertForMaskedLM", "modernbert", &MODERNBERT, &MASK},
    {"ModernBertForSequenceClassification", "modernbert", &MODERNBERT, &SEQUENCE},
    {"ModernBertForTokenClassification", "modernbert", &MODERNBERT, &TOKEN},
    {.class_name = NULL},
};
