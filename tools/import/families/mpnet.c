/* mpnet.c - MPNet: BERT's layers with a bias of the scores by distance, which all layers share.
 * Source: modeling_mpnet.py and configuration_mpnet.py in huggingface/transformers.
 */
#include "tools/import/families/distances.h"
#include "tools/import/families/tables.h"

/* Its positions begin at 2 whatever config.json says, and it has no types. */
static const struct body MPNET = {
    .prefixes = NAMES("mpnet.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 FIXED(position_offset, 2), FIXED(attention_position, ATTENTION_POSITION_DISTANCE),
                 FIXED(distances, DISTANCES), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS, {"relative_attention_num_buckets", "32", false}),
    .layout =
        LAYOUT(.embedding = PARTS(BERT_EMBEDDING, {"attention.distance.bias",
                                                   PART_DISTANCES,
                                                   DIM_BUCKETS,
                                                   DIM_HEADS,
                                                   0,
                                                   {"encoder.relative_attention_bias.weight"}}),
               .layer = LAYER("encoder.layer.#.", "attention.attn.q", "attention.attn.k",
                              "attention.attn.v", "attention.attn.o", "attention.LayerNorm",
                              "intermediate.dense", "output.dense", "output.LayerNorm")),
    .left_out =
        NAMES("embeddings.position_ids", "pooler.", "lm_head.", "classifier.", "qa_outputs."),
};

/* Published embedding models name this class and have no such head. */
static const struct head MASK = {
    .kind = HEAD_MASK,
    .dense = DENSE_GELU,
    .has_norm = true,
    .is_optional = true,
    .parts = ROBERTA_MASK_PARTS,
};

const struct architecture MPNET_CLASSES[] = {
    {"MPNetModel", "mpnet", &MPNET, &POOLER_HEAD},
    {"MPNetForMaskedLM", "mpnet", &MPNET, &MASK},
    {"MPNetForSequenceClassification", "mpnet", &MPNET, &DENSE_SEQUENCE_HEAD},
    {"MPNetForTokenClassification", "mpnet", &MPNET, &TOKEN_HEAD},
    {.class_name = NULL},
};
