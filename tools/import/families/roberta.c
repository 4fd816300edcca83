/* roberta.c - RoBERTa and the models with the same body: XLM-RoBERTa, CamemBERT. Source:
 * modeling_roberta.py and configuration_roberta.py in huggingface/transformers. */
#include "tools/import/families/tables.h"

/* The first token's position is one more than the padding token's id. */
static void finish(const struct json_file *file, struct model_config *model)
{
    (void)file;
    model->position_offset += 1;
}

static const struct body ROBERTA = {
    .prefixes = NAMES("roberta.", "model."),
    .keys =
        KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
             COUNT("pad_token_id", position_offset, 1), FIXED(position_skips_padding, true),
             COUNT("type_vocab_size", token_types, 2), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING), .layer = BERT_LAYER),
    .finish = finish,
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.", "lm_head.",
                      "classifier.", "qa_outputs."),
};

const struct head DENSE_SEQUENCE_HEAD = {
    HEAD_SEQUENCE, DENSE_TANH, .parts = SEQUENCE_PARTS("classifier.dense", "classifier.out_proj")};
/* Its activation is the exact GELU for any hidden_act. */
static const struct head MASK = {HEAD_MASK, DENSE_GELU, .parts = ROBERTA_MASK_PARTS};

// clang-format off
#define CLASSES(name, type)                                                                        \
    {name "Model", type, &ROBERTA, &POOLER_HEAD},                                                  \
    {name "ForMaskedLM", type, &ROBERTA, &MASK},                                                   \
    {name "ForSequenceClassification", type, &ROBERTA, &DENSE_SEQUENCE_HEAD},                      \
    {name "ForTokenClassification", type, &ROBERTA, &TOKEN_HEAD}
// clang-format on

const struct architecture ROBERTA_CLASSES[] = {
    CLASSES("Roberta", "roberta"),
    CLASSES("XLMRoberta", "xlm-roberta"),
    CLASSES("Camembert", "camembert"),
    {.class_name = NULL},
};
