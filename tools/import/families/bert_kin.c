/* bert_kin.c - relatives of BERT that differ by more than names: ERNIE's tasks, norms before the
 * halves of a layer (Megatron, XLM-RoBERTa-XL), rotary positions (RoFormer). Sources: files
 * modeling_NAME.py and configuration_NAME.py in huggingface/transformers. */
#include "tools/import/families/tables.h"

/* Every token is of task 0, as if no code said otherwise. */
static struct added_row row_of_task(const struct json_file *file)
{
    size_t rows = json_count(file, NULL, "task_type_vocab_size", 1, 3);
    bool is_used = json_flag(file, NULL, "use_task_id", false);
    return (struct added_row){is_used ? "embeddings.task_type_embeddings.weight" : NULL, rows};
}

static const struct body ERNIE = {
    .prefixes = NAMES("ernie.", "model."),
    .keys = KEYS(BERT_KEYS),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING), .layer = BERT_LAYER),
    .added_row = row_of_task,
    .unread = "task_id fuse enable_recompute",
    .left_out = LEFT_OUT(OF_BERT, "embeddings.task_type_embeddings."),
};

/* A layer with a norm before each half, and one after the last layer. */
#define EARLY_NORMS(attention_norm, norm, final_norm)                                              \
    LAYOUT(.embedding = PARTS(BERT_EMBEDDING),                                                     \
           .layer = PARTS(TO_ATTENTION_NORM("encoder.layer.#." attention_norm), BERT_QKV,          \
                          BERT_OUTPUT, TO_NORM("encoder.layer.#." norm), BERT_FEED_FORWARD),       \
           .final = PARTS(TO_FINAL_NORM(final_norm)))
#define EARLY_SIZES                                                                                \
    USUAL_SIZES, FIXED(embedding_norm, NORM_NONE), FIXED(norm_place, NORM_PRE),                    \
        FIXED(final_norm, true), FIXED(position, POSITION_LEARNED),                                \
        ACTIVATION("hidden_act", ACTIVATION_GELU)

static const struct body MEGATRON = {
    .prefixes = NAMES("bert.", "model."),
    .keys = KEYS(EARLY_SIZES, BERT_NORM, COUNT("type_vocab_size", token_types, 2)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = EARLY_NORMS("attention.ln", "ln", "encoder.ln"),
    .left_out = LEFT_OUT(OF_BERT),
};

static const struct body ROBERTA_XL = {
    .prefixes = NAMES("roberta.", "model."),
    .keys = KEYS(EARLY_SIZES, NUMBER("layer_norm_eps", norm_eps, 1e-5),
                 COUNT("pad_token_id", position_offset, 1), FIXED(position_skips_padding, true),
                 COUNT("type_vocab_size", token_types, 1)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = EARLY_NORMS("attention.self_attn_layer_norm", "LayerNorm", "encoder.LayerNorm"),
    .left_out = LEFT_OUT(OF_BERT, "lm_head."),
};

/* Its table of sines is left out: they are computed. */
static const struct body ROFORMER = {
    .prefixes = NAMES("roformer.", "model."),
    .keys =
        KEYS(BERT_SIZES, BERT_NORM, SIZE_OR("embedding_size", embedding_width, 0),
             COUNT("type_vocab_size", token_types, 2),
             FIXED(attention_position, ATTENTION_POSITION_ROTARY), NUMBER(NULL, rotary_base, 10000),
             FIXED(rotary_pairs, ROTARY_INTERLEAVED), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(IS("rotary_value", "false"), IS("norm_type", "\"layer_norm\""),
                 IS("use_bias", "true")),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .projection = PARTS(TO_EMBEDDING_PROJECTION("embeddings_project")),
                     .layer = BERT_LAYER),
    .left_out = LEFT_OUT(OF_BERT, "encoder.embed_positions."),
};
static const struct head ROFORMER_SEQUENCE =
    SEQUENCE_HEAD(AS_THE_MODEL, "classifier.dense", "classifier.out_proj");

const struct architecture BERT_KIN_CLASSES[] = {
    CLASSES("Ernie", "ernie", &ERNIE, &POOLER_HEAD, &BERT_MASK, &POOLED_SEQUENCE_HEAD, &TOKEN_HEAD),
    {"ErnieForPreTraining", "ernie", &ERNIE, &BERT_MASK},
    CLASSES("MegatronBert", "megatron-bert", &MEGATRON, &POOLER_HEAD, &BERT_MASK,
            &POOLED_SEQUENCE_HEAD, &TOKEN_HEAD),
    {"MegatronBertForPreTraining", "megatron-bert", &MEGATRON, &BERT_MASK},
    CLASSES("XLMRobertaXL", "xlm-roberta-xl", &ROBERTA_XL, &POOLER_HEAD, &ROBERTA_MASK,
            &DENSE_SEQUENCE_HEAD, &TOKEN_HEAD),
    CLASSES("RoFormer", "roformer", &ROFORMER, NULL, &BERT_MASK, &ROFORMER_SEQUENCE, &TOKEN_HEAD),
    {.class_name = NULL},
};
