/* gemma.c - Gemma 3 as an encoder (EmbeddingGemma), and Qwen 3 as Qwen3-Embedding has it: norms of
 * each head's queries and keys, fewer heads of keys than of queries, rotary positions, gates.
 * Sources: modeling_gemma3.py, modeling_qwen3.py and their configuration files in
 * huggingface/transformers. */
#include "tools/import/families/tables.h"

#include <math.h>
#include <string.h>

#define SIZES(head_dim, kv_heads)                                                                  \
    USUAL_SIZES, SIZE_OR("num_key_value_heads", key_value_heads, kv_heads),                        \
        SIZE_OR("head_dim", head_width, head_dim), NUMBER("rms_norm_eps", norm_eps, 1e-6),         \
        FLAG("attention_bias", attention_bias, false), FIXED(feed_forward_bias, false),            \
        FIXED(norm, NORM_RMS), FIXED(final_norm, true), FIXED(query_key_norm, true),               \
        FIXED(gate, GATE_FIRST), FIXED(attention_position, ATTENTION_POSITION_ROTARY)

// clang-format off
#define EMBEDDING_PARTS                                                                            \
    PARTS({"embedding.token.weight", TABLE(DIM_VOCABULARY), {"embed_tokens.weight"}})
#define ATTENTION_PARTS                                                                            \
    TO_ATTENTION_NORM("layers.#.input_layernorm"),                                                 \
    TO_QKV(GROUPED_QKV, "layers.#.self_attn.q_proj", "layers.#.self_attn.k_proj",                  \
           "layers.#.self_attn.v_proj"),                                                           \
    {"layers.#.attention.query_norm.weight", HEAD_NORM_OF, {"layers.#.self_attn.q_norm.weight"}},  \
    {"layers.#.attention.key_norm.weight", HEAD_NORM_OF, {"layers.#.self_attn.k_norm.weight"}},    \
    TO_OUTPUT(HEADS_OUT, "layers.#.self_attn.o_proj")
#define FEED_FORWARD_PARTS                                                                         \
    TO_IN(DIM_FEED_FORWARD, "layers.#.mlp.gate_proj", "layers.#.mlp.up_proj"),                     \
    TO_OUT("layers.#.mlp.down_proj")
#define FINAL_PARTS PARTS({"final.norm", NORM, {"norm"}})
// clang-format on

/* ---- Gemma 3 ---- */

static void finish_gemma(const struct json_file *file, struct model_config *model)
{
    size_t scalar = json_count(file, NULL, "query_pre_attn_scalar", 1, 256);
    model->score_scale = 1 / sqrt((double)scalar);
    model->embedding_scale = sqrt((double)model->width);
    model->rotary_base =
        rotary_base_read(file, "full_attention", json_number(file, "rope_theta", 1000000));
    model->rotary_local_base = rotary_base_read(file, "sliding_attention",
                                                json_number(file, "rope_local_base_freq", 10000));
    /* The key counts both sides of a token. With is_causal false there is one token more on each,
     * and without use_bidirectional_attention the key counts one side. */
    bool both = json_flag(file, NULL, "use_bidirectional_attention", false);
    bool is_null = json_is_null(json_object_get(file->root, "is_causal")); /* is false there */
    bool causal = json_flag(file, NULL, "is_causal", !is_null);
    model->window = json_count(file, NULL, "sliding_window", 2, 4096);
    model->window = both ? model->window / 2 + !causal : model->window;
    if (!both && causal)
        file_die(file->name, "'use_bidirectional_attention' is not true; expected true, or "
                             "\"is_causal\": false");
    model->global_every = json_count(file, NULL, "sliding_window_pattern", 1, 6);
    model->global_first = model->global_every - 1;
    layer_types_read(file, model);
}

static const struct body GEMMA = {
    .prefixes = NAMES("model."),
    .keys = KEYS(SIZES(256, 4), FIXED(norm_place, NORM_SANDWICH),
                 ACTIVATION("hidden_activation", ACTIVATION_GELU_TANH)),
    .only = ONLY({"rope_scaling", "null", false, NULL},
                 {"attn_logit_softcapping", "null", false, NULL}),
    .layout =
        LAYOUT(.embedding = EMBEDDING_PARTS,
               .layer = PARTS(
                   ATTENTION_PARTS,
                   {"layers.#.attention.norm_after", NORM, {"layers.#.post_attention_layernorm"}},
                   TO_NORM("layers.#.pre_feedforward_layernorm"), FEED_FORWARD_PARTS,
                   {"layers.#.feed_forward.norm_after",
                    NORM,
                    {"layers.#.post_feedforward_layernorm"}}),
               .final = FINAL_PARTS, .norm_added = 1),
    .finish = finish_gemma,
    .unread = "_sliding_window_pattern",
    .left_out = NAMES("lm_head."),
};

const struct architecture GEMMA_CLASSES[] = {
    {"Gemma3TextModel", "gemma3_text", &GEMMA, NULL},
    {.class_name = NULL},
};

/* ---- Qwen 3, of which each token sees those before it ---- */

/* Without a window all layers are of one type. */
static void finish_qwen(const struct json_file *file, struct model_config *model)
{
    const json_t *types = json_typed(file, "layer_types", JSON_ARRAY, "an array of names");
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *type = json_string_value(json_array_get(types, i));
        if (type == NULL || strcmp(type, "full_attention") != 0)
            file_die(file->name,
                     "'layer_types' has '%.100s'; expected full_attention of all layers",
                     type != NULL ? type : "no name");
    }
    model->rotary_base = rotary_base_read(file, NULL, json_number(file, "rope_theta", 10000));
}

static const struct body QWEN = {
    .prefixes = NAMES("model."),
    .keys = KEYS(SIZES(128, 32), FIXED(norm_place, NORM_PRE), FLAG("is_causal", mask, MASK_CAUSAL),
                 ACTIVATION("hidden_act", ACTIVATION_SILU)),
    .only =
        ONLY({"use_sliding_window", "false", false, NULL}, {"rope_scaling", "null", false, NULL}),
    .layout = LAYOUT(.embedding = EMBEDDING_PARTS,
                     .layer = PARTS(ATTENTION_PARTS, TO_NORM("layers.#.post_attention_layernorm"),
                                    FEED_FORWARD_PARTS),
                     .final = FINAL_PARTS),
    .finish = finish_qwen,
    .unread = "sliding_window max_window_layers",
    .left_out = NAMES("lm_head."),
};

const struct architecture QWEN_CLASSES[] = {
    {"Qwen3Model", "qwen3", &QWEN, NULL},
    {"Qwen3ForCausalLM", "qwen3", &QWEN, NULL},
    {.class_name = NULL},
};
