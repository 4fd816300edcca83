/* rotary.c - families with rotary positions and gated feed-forward layers. Sources: files
 * modeling_NAME.py and configuration_NAME.py in huggingface/transformers, and for Nomic's BERT the
 * code that its models bring along (nomic-ai/contrastors, modeling_hf_nomic_bert.py). */
#include "tools/import/families/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SCALING ONLY(IS("rope_scaling", "null"))

static const struct json_name NOMIC_GATES[] = {
    {"swiglu", ACTIVATION_SILU}, {"geglu gelu", ACTIVATION_GELU}, {NULL, 0}};

#define ROTARY                                                                                     \
    FIXED(embedding_norm, NORM_LAYER), FIXED(attention_position, ATTENTION_POSITION_ROTARY),       \
        COUNT("type_vocab_size", token_types, 2), FIXED(gate, GATE_SECOND)

/* Every n-th layer has experts: of nomic-embed-text-v2-moe. Their sum has a bias, whatever the keys
 * say of others. */
static void read_experts(const struct json_file *file, struct model_config *model)
{
    double every = json_number(file, "moe_every_n_layers", 0);
    if (!(every > 1)) /* of a division by 1 no remainder is 1 */
        return;
    model->experts = json_count(file, NULL, "num_experts", 1, JSON_NEEDED);
    model->experts_every = json_count(file, NULL, "moe_every_n_layers", 2, JSON_NEEDED);
    model->experts_used = json_count(file, NULL, "moe_top_k", 1, JSON_NEEDED);
    if (!model->feed_forward_bias)
        file_die(file->name, "'mlp_fc2_bias' is false, and there are experts; expected true");
}

/* The share of each head's columns that is turned, which the field has no room for, and the base
 * that grows with long texts where there is a factor. */
static void finish_nomic(const struct json_file *file, struct model_config *model)
{
    if (json_member(file, NULL, "n_embd") == NULL) {
        model->rotary_base = rotary_base_read(file, NULL, json_number(file, "rope_theta", 1000));
        return;
    }
    if (strcmp(json_text(file, NULL, "activation_function", ""), "gelu") == 0)
        model->gate = GATE_NONE;
    read_experts(file, model);
    double share = json_number(file, "rotary_emb_fraction", 0);
    double columns = share * (double)model->width / (double)model->heads;
    if (!(share > 0 && share <= 1) || columns != 2 * floor(columns / 2))
        file_die(file->name,
                 "'rotary_emb_fraction' is %g; expected a share above 0 and up to 1, of an even "
                 "number of columns",
                 share);
    model->rotary_width = (size_t)columns;
    model->rotary_factor = json_number(file, "rotary_scaling_factor", 0);
    if (model->rotary_factor > 0)
        model->rotary_trained = json_count(file, NULL, "max_trained_positions", 1, 2048);
    else
        model->rotary_factor = 1;
}

// clang-format off
#define TO_EXPERTS(at)                                                                             \
    {"layers.#.feed_forward.router.weight", PART_ROUTER, DIM_EXPERTS, DIM_WIDTH, 0,                \
     {at "router.layer.weight"}},                                                                  \
    {"layers.#.feed_forward.in.weight", PART_EXPERTS, DIM_EXPERTS_IN, DIM_WIDTH, 0,                \
     {at "experts.mlp.w1"}},                                                                       \
    {"layers.#.feed_forward.out.weight", PART_EXPERTS_OUT, DIM_EXPERTS_OUT, DIM_FEED_FORWARD, 0,   \
     {at "experts.mlp.w2"}},                                                                       \
    {"layers.#.feed_forward.out.bias", PART_EXPERTS_BIAS, DIM_WIDTH, DIM_NONE, 0,                  \
     {at "experts.bias"}}
// clang-format on

static const struct body NOMIC = {
    .prefixes = NAMES("bert.", "nomic_bert.", "model."),
    .keys = KEYS(
        SIZE("n_layer", layers), SIZE("n_embd", width), SIZE("n_head", heads),
        SIZE("n_inner", feed_forward), SIZE("vocab_size", vocabulary),
        SIZE("n_positions", max_tokens), ROTARY, NUMBER("layer_norm_epsilon", norm_eps, 1e-5),
        NUMBER("rotary_emb_base", rotary_base, 1000),
        FLAG("rotary_emb_interleaved", rotary_pairs, ROTARY_HALF),
        FLAG("qkv_proj_bias", attention_bias, true),
        FLAG("mlp_fc1_bias", feed_forward_in_bias, true),
        FLAG("mlp_fc2_bias", feed_forward_bias, true),
        NAMED("activation_function", activation, NOMIC_GATES, "swiglu, geglu or gelu", NO_DEFAULT)),
    .other_keys = KEYS(BERT_SIZES, BERT_NORM, ROTARY, SIZE_OR("head_dim", head_width, -1),
                       FIXED(attention_bias, false), FIXED(feed_forward_bias, false),
                       ACTIVATION("hidden_act", ACTIVATION_SILU)),
    .only = ONLY(IS("prenorm parallel_block parallel_block_tied_norm causal use_rms_norm "
                    "rotary_head_dim expert_choice_router moe_normalize_expert_weights "
                    "scale_attn_by_inverse_layer_idx",
                    "false"),
                 IS("rotary_emb_scale_base num_heads_kv rope_scaling", "null"),
                 IS("num_shared_experts", "0"), IS("scale_attn_weights", "true")),
    .layout = LAYOUT(.embedding = PARTS(EMBEDDING("emb_ln")),
                     .layer = PARTS(TO_QKV(QKV, "encoder.layers.#.attn.Wqkv"),
                                    TO_OUTPUT(SQUARE, "encoder.layers.#.attn.out_proj"),
                                    TO_ATTENTION_NORM("encoder.layers.#.norm1"),
                                    TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc11",
                                          "encoder.layers.#.mlp.fc12"),
                                    TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc1"),
                                    TO_OUT("encoder.layers.#.mlp.fc2"),
                                    TO_EXPERTS("encoder.layers.#.mlp."),
                                    TO_NORM("encoder.layers.#.norm2"))),
    .other_layout = &GTE_LAYOUT,
    .finish = finish_nomic,
    .unread = "reorder_and_upcast_attn max_trained_positions last_layer_subset ffn_div moe_top_k "
              "moe_impl moe_resid_pdrop router_aux_loss_coef add_pooling_layer",
    .left_out = LEFT_OUT("pooler.", "cls.predictions."),
};

static const struct head NOMIC_MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("cls.predictions.transform.dense", "cls.predictions.transform.layer_norm",
                        "cls.predictions.decoder.weight", "cls.predictions.bias",
                        "cls.predictions.decoder.bias"),
    .keys =
        KEYS(FLAG("mlp_fc1_bias", head_dense_bias, true), FLAG("mlp_fc1_bias", head_bias, true))};

const struct architecture NOMIC_CLASSES[] = {
    CLASSES("NomicBert", "nomic_bert", &NOMIC, &POOLER_HEAD, &NOMIC_MASK, &POOLED_SEQUENCE_HEAD,
            &TOKEN_HEAD),
    {"NomicBertForPreTraining", "nomic_bert", &NOMIC, &NOMIC_MASK},
    {.class_name = NULL},
};

/* ---- ModernBERT ---- */

static void finish_modernbert(const struct json_file *file, struct model_config *model)
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

static const struct body MODERNBERT = {
    .prefixes = NAMES("model."),
    .keys = KEYS(BERT_SIZES, NUMBER("norm_eps", norm_eps, 1e-5), FIXED(norm_place, NORM_PRE),
                 FIXED(first_norm, false), FIXED(final_norm, true),
                 FLAG("norm_bias", norm_bias, false), FLAG("attention_bias", attention_bias, false),
                 FLAG("mlp_bias", feed_forward_bias, false), FIXED(gate, GATE_FIRST),
                 FIXED(attention_position, ATTENTION_POSITION_ROTARY),
                 SIZE_OR("global_attn_every_n_layers", global_every, 3),
                 ACTIVATION("hidden_activation", ACTIVATION_GELU)),
    .only = NO_SCALING,
    .layout = LAYOUT(.embedding = PARTS(TO_TABLE("embedding.token.weight", DIM_VOCABULARY,
                                                 "embeddings.tok_embeddings.weight"),
                                        {"embedding.norm", EMBEDDING_NORM, {"embeddings.norm"}}),
                     .layer = PARTS(
                         TO_ATTENTION_NORM("layers.#.attn_norm"), TO_QKV(QKV, "layers.#.attn.Wqkv"),
                         TO_OUTPUT(SQUARE, "layers.#.attn.Wo"), TO_NORM("layers.#.mlp_norm"),
                         TO_IN(DIM_GATED, "layers.#.mlp.Wi"), TO_OUT("layers.#.mlp.Wo")),
                     .final = PARTS(TO_FINAL_NORM("final_norm"))),
    .finish = finish_modernbert,
    .unread = "layer_norm_eps position_embedding_type type_vocab_size",
    .left_out = NAMES("head.", "decoder.", "classifier."),
};

static const struct json_name POOLINGS[] = {
    {"cls", POOLING_CLS}, {"mean", POOLING_MEAN}, {NULL, 0}};

#define DENSE_KEYS                                                                                 \
    FLAG("classifier_bias", head_dense_bias, false), DENSE_ACTIVATION("classifier_activation")
// clang-format off
#define DENSE_PARTS {HEAD_DENSE, {"head.dense"}}, {HEAD_NORM, {"head.norm"}}
// clang-format on

static const struct head MODERNBERT_MASK = {
    HEAD_MASK, DENSE_NONE,
    .parts = MASK_PARTS("head.dense", "head.norm", "decoder.weight", "decoder.bias"),
    .keys = KEYS(DENSE_KEYS, FLAG("decoder_bias", head_bias, true))};
static const struct head MODERNBERT_SEQUENCE = {
    HEAD_SEQUENCE, DENSE_NONE, .parts = PARTS(DENSE_PARTS, {HEAD_SCORES, {"classifier"}}),
    .keys = KEYS(DENSE_KEYS,
                 NAMED("classifier_pooling", head_pooling, POOLINGS, "cls or mean", POOLING_CLS))};
static const struct head MODERNBERT_TOKEN = {
    HEAD_TOKEN, DENSE_NONE, .parts = PARTS(DENSE_PARTS, {HEAD_SCORES, {"classifier"}}),
    .keys = KEYS(DENSE_KEYS)};

/* ---- Decoders that became encoders ---- */

#define DECODER_SIZES(head_dim, kv_heads, eps)                                                     \
    USUAL_SIZES, SIZE_OR("num_key_value_heads", key_value_heads, kv_heads),                        \
        SIZE_OR("head_dim", head_width, head_dim), NUMBER("rms_norm_eps", norm_eps, eps),          \
        FIXED(norm, NORM_RMS), FIXED(final_norm, true), FIXED(gate, GATE_FIRST),                   \
        FIXED(attention_position, ATTENTION_POSITION_ROTARY)
#define SIZES(head_dim, kv_heads)                                                                  \
    DECODER_SIZES(head_dim, kv_heads, 1e-6), FLAG("attention_bias", attention_bias, false),        \
        FIXED(feed_forward_bias, false), FIXED(query_key_norm, true)
#define DECODER_MASK FLAG("is_causal", mask, MASK_CAUSAL)

// clang-format off
#define EMBEDDING_PARTS                                                                            \
    PARTS(TO_TABLE("embedding.token.weight", DIM_VOCABULARY, "embed_tokens.weight"))
#define ATTENTION_PARTS(kind)                                                                    \
    TO_ATTENTION_NORM("layers.#.input_layernorm"),                                                 \
    TO_QKV(GROUPED_QKV, "layers.#.self_attn.q_proj", "layers.#.self_attn.k_proj",                  \
           "layers.#.self_attn.v_proj"),                                                           \
    TO_VECTOR("layers.#.attention.query_norm.weight", DIM_HEAD_WIDTH,                              \
              "layers.#.self_attn.q_norm.weight"),                                                 \
    TO_VECTOR("layers.#.attention.key_norm.weight", DIM_HEAD_WIDTH,                                \
              "layers.#.self_attn.k_norm.weight"),                                                 \
    TO_OUTPUT(HEADS_OUT(kind), "layers.#.self_attn.o_proj")
#define FEED_FORWARD_PARTS                                                                         \
    TO_IN(DIM_FEED_FORWARD, "layers.#.mlp.gate_proj", "layers.#.mlp.up_proj"),                     \
    TO_OUT("layers.#.mlp.down_proj")
#define SANDWICH_PARTS                                                                             \
    {"layers.#.attention.norm_after", NORM, {"layers.#.post_attention_layernorm"}},                \
    TO_NORM("layers.#.pre_feedforward_layernorm"), FEED_FORWARD_PARTS,                             \
    {"layers.#.feed_forward.norm_after", NORM, {"layers.#.post_feedforward_layernorm"}}
#define TO_ONES(to)        {to, PART_ONES, DIM_HEAD_WIDTH, DIM_NONE, 0, {NULL}}
#define TO_SLICE(to, from) {to, PART_SLICE, DIM_LAYER_INPUT, DIM_WIDTH, 0, {from}}
#define FINAL_PARTS        PARTS(TO_FINAL_NORM("norm"))
#define DECODER_LAYOUT(kind)                                                                     \
    LAYOUT(.embedding = EMBEDDING_PARTS,                                                           \
           .layer = PARTS(ATTENTION_PARTS(kind), TO_NORM("layers.#.post_attention_layernorm"),   \
                          FEED_FORWARD_PARTS),                                                     \
           .final = FINAL_PARTS)
#define DECODER(kind, finishing, ...)                                                              \
    .prefixes = NAMES("model."), .layout = DECODER_LAYOUT(kind), .finish = finishing,              \
    .left_out = NAMES("lm_head.", "score.", "classifier.", "dense."),                              \
    .keys = KEYS(__VA_ARGS__, FIXED(norm_place, NORM_PRE),                                         \
                 ACTIVATION("hidden_act", ACTIVATION_SILU))
// clang-format on

/* ---- Gemma 3 ---- */

/* Which layers see all tokens, and the bases of these and of the others. */
static void read_layers_of_gemma(const struct json_file *file, struct model_config *model)
{
    model->embedding_scale = sqrt((double)model->width);
    model->rotary_base =
        rotary_base_read(file, "full_attention", json_number(file, "rope_theta", 1000000));
    model->rotary_local_base = rotary_base_read(file, "sliding_attention",
                                                json_number(file, "rope_local_base_freq", 10000));
    model->global_every = json_count(file, NULL, "sliding_window_pattern", 1, 6);
    model->global_first = model->global_every - 1;
    layer_types_read(file, model);
}

static void finish_gemma(const struct json_file *file, struct model_config *model)
{
    size_t scalar = json_count(file, NULL, "query_pre_attn_scalar", 1, 256);
    model->score_scale = 1 / sqrt((double)scalar);
    /* The key counts both sides of a token. With is_causal false there is one token more on each.
     * Without use_bidirectional_attention the key counts one side; a causal one with the token. */
    bool both = json_flag(file, NULL, "use_bidirectional_attention", false);
    const bool causal = model->mask == MASK_CAUSAL;
    model->window = json_count(file, NULL, "sliding_window", 2, 4096);
    model->window = both ? model->window / 2 + !causal : model->window - causal;
    model->mask = both ? MASK_FULL : model->mask;
    read_layers_of_gemma(file, model);
}

static const struct body GEMMA = {
    .prefixes = NAMES("model."),
    .keys = KEYS(SIZES(256, 4), FIXED(norm_place, NORM_SANDWICH), DECODER_MASK,
                 ACTIVATION("hidden_activation", ACTIVATION_GELU_TANH)),
    .only = ONLY(IS("rope_scaling attn_logit_softcapping", "null")),
    .layout = LAYOUT(.embedding = EMBEDDING_PARTS,
                     .layer = PARTS(ATTENTION_PARTS(PART_LINEAR), SANDWICH_PARTS),
                     .final = FINAL_PARTS, .norm_added = 1),
    .finish = finish_gemma,
    .unread = "_sliding_window_pattern",
    .left_out = NAMES("lm_head.", "score."),
};

/* ---- EmbeddingGemma 2: its text part ---- */

/* Returns the settings of a layer, or NULL. A key is its number; transformers puts zeros before it,
 * "05", so that all are of one length. */
static json_t *settings_of_layer(json_t *layers, size_t layer)
{
    const char *key;
    json_t *own;
    json_object_foreach(layers, key, own)
    {
        if (*key && !key[strspn(key, "0123456789")] && strtoull(key, NULL, 10) == layer)
            return own;
    }
    return NULL;
}

/* Head widths and numbers of keys of the layers that see all tokens: per_layer_config has an object
 * for each of them, by its number; older keys have them once. */
static void read_global_heads(const struct json_file *file, struct model_config *model)
{
    json_t *layers = json_typed(file, "per_layer_config", JSON_OBJECT, "an object");
    json_t *first = settings_of_layer(layers, model->global_first);
    const bool is_right = json_object_size(first) == 2;
    size_t width = json_count(file, NULL, "global_head_dim", 1, 512), n_found = 0;
    size_t keys = json_count(file, NULL, "num_global_key_value_heads", 1, 1);
    if (layers != NULL) {
        width = is_right ? json_count(file, first, "head_dim", 1, 0) : 0;
        keys = is_right ? json_count(file, first, "num_key_value_heads", 1, 0) : 0;
    }
    for (size_t layer = 0; layers != NULL && layer < model->layers; layer++) {
        const json_t *own = settings_of_layer(layers, layer);
        n_found += own != NULL;
        if (config_is_global(model, layer) ? !json_equal(own, first) || width == 0 || keys == 0
                                           : own != NULL)
            file_die(file->name,
                     "'per_layer_config' of layer %zu; expected the same head_dim and "
                     "num_key_value_heads of each layer of full_attention, and nothing of others",
                     layer);
    }
    if (json_object_size(layers) > n_found)
        file_die(file->name, "'per_layer_config' has more layers than the model");
    model->global_head_width = width;
    model->global_key_value_heads = keys;
}

/* Tokens see others as far as sliding_window on both sides. The last layer sees all. */
static void finish_gemma2(const struct json_file *file, struct model_config *model)
{
    model->score_scale = 1;
    model->window = json_count(file, NULL, "sliding_window", 1, 512);
    read_layers_of_gemma(file, model);
    if (!config_is_global(model, model->layers - 1))
        file_die(file->name, "the last of %zu layers has a window; expected full_attention",
                 model->layers);
    read_global_heads(file, model);
}

static const struct body GEMMA2 = {
    .prefixes = NAMES("model.language_model.", "language_model.", "model."),
    .keys = KEYS(SIZES(256, 2), FIXED(norm_place, NORM_SANDWICH), FIXED(value_norm, true),
                 SIZE_OR("hidden_size_per_layer_input", layer_input_width, 512),
                 ACTIVATION("hidden_activation", ACTIVATION_GELU_TANH)),
    .layout = LAYOUT(
            .embedding = EMBEDDING_PARTS,
            .layer = PARTS(
                ATTENTION_PARTS(PART_LINEAR), TO_ONES("layers.#.attention.value_norm.weight"),
                SANDWICH_PARTS,
                TO_SLICE("layers.#.layer_input.in.weight", "ple.per_layer_model_projection.weight"),
                TO_VECTOR("layers.#.layer_input.norm.weight", DIM_LAYER_INPUT,
                          "ple.per_layer_projection_norm.weight"),
                TO_MATRIX("layers.#.layer_input.by.weight", DIM_LAYER_INPUT, DIM_WIDTH,
                          "layers.#.ple_block.per_layer_input_gate.weight"),
                TO_MATRIX("layers.#.layer_input.out.weight", DIM_WIDTH, DIM_LAYER_INPUT,
                          "layers.#.ple_block.per_layer_projection.weight"),
                TO_VECTOR("layers.#.layer_input.norm_after.weight", DIM_WIDTH,
                          "layers.#.ple_block.post_per_layer_input_norm.weight"),
                TO_VECTOR("layers.#.layer_input.scale.weight", DIM_NONE, "layers.#.layer_scalar")),
            .final = FINAL_PARTS),
    .finish = finish_gemma2,
    .unread = "embedding_dim",
    .left_out = NAMES("vision_tower.", "embed_vision.", "audio_tower.", "embed_audio.",
                      "model.vision_tower.", "model.embed_vision.", "model.audio_tower.",
                      "model.embed_audio."),
};

static const struct body GEMMA2_WHOLE = {
    .text_type = "embedding_gemma2_text",
    .unread = "vision_config audio_config image_token_id boi_token_id eoi_token_id video_token_id "
              "audio_token_id boa_token_id eoa_token_index"};

/* It is applied to each token, which is the same after a mean. */
static const struct head GEMMA2_PROJECTION = {
    HEAD_NONE, DENSE_NONE, .parts = PARTS(TO_PROJECTION("embedding_projection.weight"))};

/* ---- Qwen, Llama and Mistral, of which each token sees those before it; EuroBERT ---- */

/* Without a window all layers are of one type. The code that some models bring along gives a full
 * mask by use_bidirectional_attention (voyage-4-nano's). */
static void finish_decoder(const struct json_file *file, struct model_config *model)
{
    const json_t *types = json_typed(file, "layer_types", JSON_ARRAY, "an array of names");
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *type = json_string_value(json_array_get(types, i));
        if (type == NULL || strcmp(type, "full_attention") != 0)
            file_die(file->name,
                     "'layer_types' has '%.100s'; expected full_attention of all layers",
                     type != NULL ? type : "no name");
    }
    if (json_flag(file, NULL, "use_bidirectional_attention", false))
        model->mask = MASK_FULL;
    if (json_is_null(json_object_get(file->root, "num_key_value_heads")))
        model->key_value_heads = CONFIG_ABSENT; /* as many as there are heads */
    model->rotary_base = rotary_base_read(file, NULL, json_number(file, "rope_theta", 10000));
}

/* A window counts the token itself if the mask is causal; null means none. */
static void finish_mistral(const struct json_file *file, struct model_config *model)
{
    size_t window = json_count(file, NULL, "sliding_window", 2, 4096);
    finish_decoder(file, model);
    if (!json_is_null(json_object_get(file->root, "sliding_window")))
        model->window = window - (model->mask == MASK_CAUSAL);
    model->rotary_local_base = model->rotary_base;
    if (model->window >= model->max_tokens)
        model->window = 0;
}

static const struct body QWEN = {
    DECODER(PART_LINEAR, finish_decoder, SIZES(128, 32), DECODER_MASK),
    .only = ONLY(IS("use_sliding_window", "false"), IS("rope_scaling", "null")),
    .unread = "sliding_window max_window_layers",
};

/* Its queries, keys and values have a bias, and its output has none. */
static const struct body QWEN2 = {
    DECODER(PART_NO_BIAS, finish_decoder, DECODER_SIZES(-1, 32, 1e-6),
            FIXED(feed_forward_bias, false), DECODER_MASK),
    .only = ONLY(IS("use_sliding_window", "false"), IS("rope_scaling", "null")),
    .unread = "sliding_window max_window_layers",
};

#define LLAMA_SIZES(eps)                                                                           \
    DECODER_SIZES(-1, -1, eps), FLAG("attention_bias", attention_bias, false),                     \
        FLAG("mlp_bias", feed_forward_bias, false)

/* pretraining_tp was how a product was cut into parts. */
static const struct body LLAMA = {
    DECODER(PART_LINEAR, finish_decoder, LLAMA_SIZES(1e-6), DECODER_MASK),
    .only = NO_SCALING,
    .unread = "pretraining_tp",
};
static const struct body MISTRAL = {
    DECODER(PART_LINEAR, finish_mistral, DECODER_SIZES(-1, 8, 1e-6), FIXED(attention_bias, false),
            FIXED(feed_forward_bias, false), DECODER_MASK),
    .only = NO_SCALING,
};
static const struct body EUROBERT = {
    DECODER(PART_LINEAR, finish_decoder, LLAMA_SIZES(1e-5), FIXED(mask, MASK_FULL)),
    .only = NO_SCALING,
    .unread = "pretraining_tp clf_pooling bos_token eos_token pad_token mask_token",
};

/* Of EuroBERT; its pooling "late" is the mean of what the dense layer makes of each token. */
static const struct head EUROBERT_MASK = {
    HEAD_MASK, DENSE_NONE,
    .parts = PARTS({HEAD_DECODER, {"lm_head.weight"}}, {DECODER_BIAS, {"lm_head.bias"}}),
    .keys =
        KEYS(FLAG("mlp_bias", head_bias, false), FLAG("tie_word_embeddings", head_tied, false))};
static const struct json_name EUROBERT_POOLINGS[] = {
    {"bos", POOLING_CLS}, {"mean late", POOLING_MEAN}, {NULL, 0}};
static const struct json_name EUROBERT_IS_LATE[] = {{"bos mean", false}, {"late", true}, {NULL, 0}};
#define EUROBERT_CHOICES "bos, mean or late"
static const struct head EUROBERT_SEQUENCE = {
    HEAD_SEQUENCE, DENSE_GELU, .parts = SEQUENCE_PARTS("dense", "classifier"),
    .keys = KEYS(
        NAMED("classifier_pooling", head_pooling, EUROBERT_POOLINGS, EUROBERT_CHOICES, NO_DEFAULT),
        NAMED("classifier_pooling", head_late, EUROBERT_IS_LATE, EUROBERT_CHOICES, NO_DEFAULT))};

/* Of voyage-4-nano, whose own code applies it to each token. */
static const struct head QWEN_PROJECTION = {
    HEAD_NONE, DENSE_NONE, .parts = PARTS(TO_PROJECTION("linear.weight")), .is_optional = true};

/* Of decoders: no dense layer, and the last token, unless it answers for each token. */
static const struct head LAST_SEQUENCE = {
    HEAD_SEQUENCE, DENSE_NONE, .parts = PARTS({HEAD_SCORES, {"score"}}),
    .keys = KEYS(FIXED(head_bias, false), FIXED(head_pooling, POOLING_LAST))};
static const struct head SCORE_TOKEN = {HEAD_TOKEN, DENSE_NONE,
                                        .parts = PARTS({HEAD_SCORES, {"score"}})};

// clang-format off
#define DECODER_CLASSES_OF(name, type, body, projection)                                           \
    {name "Model", type, body, projection},                                                        \
    {name "ForCausalLM", type, body, NULL},                                                        \
    {name "ForSequenceClassification", type, body, &LAST_SEQUENCE},                                \
    {name "ForTokenClassification", type, body, &SCORE_TOKEN}
// clang-format on

const struct architecture ROTARY_CLASSES[] = {
    CLASSES("ModernBert", "modernbert", &MODERNBERT, NULL, &MODERNBERT_MASK, &MODERNBERT_SEQUENCE,
            &MODERNBERT_TOKEN),
    {"Gemma3TextModel", "gemma3_text", &GEMMA, NULL},
    {"Gemma3ForCausalLM", "gemma3_text", &GEMMA, NULL},
    {"Gemma3TextForSequenceClassification", "gemma3_text", &GEMMA, &LAST_SEQUENCE},
    {"EmbeddingGemma2Model", "embedding_gemma2", &GEMMA2_WHOLE, NULL},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", &GEMMA2, &GEMMA2_PROJECTION},
    {.class_name = NULL},
};
const struct architecture DECODER_CLASSES[] = {
    DECODER_CLASSES_OF("Qwen3", "qwen3", &QWEN, &QWEN_PROJECTION),
    {"VoyageQwen3BidirectionalEmbedModel", "qwen3", &QWEN, &QWEN_PROJECTION},
    DECODER_CLASSES_OF("Qwen2", "qwen2", &QWEN2, NULL),
    DECODER_CLASSES_OF("Llama", "llama", &LLAMA, NULL),
    DECODER_CLASSES_OF("Mistral", "mistral", &MISTRAL, NULL),
    CLASSES("EuroBert", "eurobert", &EUROBERT, NULL, &EUROBERT_MASK, &EUROBERT_SEQUENCE,
            &TOKEN_HEAD),
    {.class_name = NULL},
};
