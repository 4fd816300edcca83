/* mpnet.c - MPNet: BERT's layers with a bias of the scores by distance, which all layers share.
 * Source: modeling_mpnet.py and configuration_mpnet.py in huggingface/transformers. */
#include "tools/import/families/tables.h"

#include <math.h>

/* Buckets as its relative_position_bucket has them, which are those of T5 (Raffel et al. 2020):
 * half of them are for keys before the query and half for keys after it; of these, half for a
 * distance each and the others for ranges that grow:
 *
 *     8 + ⌊ln(n / 8) / ln(128 / 8) · 8⌋, at most 15
 *
 * The logarithm is taken in single precision, as it is published: it decides on which side of a
 * border a distance falls. */
int distance_bucket(int64_t distance)
{
    enum { OF_A_SIDE = DISTANCE_BUCKETS / 2, EXACT = OF_A_SIDE / 2 };
    int side = distance > 0 ? OF_A_SIDE : 0;
    int64_t n = distance > 0 ? distance : -distance;
    if (n < EXACT)
        return side + (int)n;
    float share = logf((float)n / EXACT) / (float)log((double)DISTANCES / EXACT);
    int bucket = EXACT + (int)(share * (OF_A_SIDE - EXACT));
    return side + (bucket < OF_A_SIDE ? bucket : OF_A_SIDE - 1);
}

/* Its positions begin at 2 for any config.json, and it has no types. */
static const struct body MPNET = {
    .prefixes = NAMES("mpnet.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 FIXED(position_offset, 2), FIXED(position_skips_padding, true),
                 FIXED(attention_position, ATTENTION_POSITION_DISTANCE),
                 FIXED(distances, DISTANCES), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS, {"relative_attention_num_buckets", "32", false, NULL}),
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
static const struct head MASK = {HEAD_MASK, DENSE_GELU, .parts = ROBERTA_MASK_PARTS,
                                 .is_optional = true};

const struct architecture MPNET_CLASSES[] = {
    {"MPNetModel", "mpnet", &MPNET, &POOLER_HEAD},
    {"MPNetForMaskedLM", "mpnet", &MPNET, &MASK},
    {"MPNetForSequenceClassification", "mpnet", &MPNET, &DENSE_SEQUENCE_HEAD},
    {"MPNetForTokenClassification", "mpnet", &MPNET, &TOKEN_HEAD},
    {.class_name = NULL},
};
