/* deberta.c - DeBERTa 1 to 3: positions that meet the content inside attention. Sources:
 * modeling_deberta.py, modeling_deberta_v2.py and their configurations in huggingface/transformers.
 */
#include "tools/import/families/tables.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Positions without a table are bounded by what was trained alone; a text may be longer. */
enum { LONGEST = 4096 };

/* Which terms a score has: an array, or names between '|' in letters of either case. */
static void read_terms(const struct json_file *file, bool *c2p, bool *p2c)
{
    const json_t *terms = json_member(file, NULL, "pos_att_type"), *member;
    const char *at = json_string_value(terms);
    size_t index;
    *c2p = *p2c = false;
    for (size_t len; at != NULL; at = at[len] == '|' ? at + len + 1 : NULL) {
        len = strcspn(at, "|");
        size_t begin = strspn(at, " "), n = len - begin;
        while (n > 0 && at[begin + n - 1] == ' ')
            n--;
        bool is_c2p = n == 3 && strncasecmp(at + begin, "c2p", 3) == 0;
        bool is_p2c = n == 3 && strncasecmp(at + begin, "p2c", 3) == 0;
        if ((!is_c2p && !is_p2c) || (is_c2p ? *c2p : *p2c)) /* the first version counts names */
            file_die(file->name, "'pos_att_type' is '%.100s'; expected c2p, p2c or c2p|p2c",
                     json_string_value(terms));
        *c2p |= is_c2p;
        *p2c |= is_p2c;
    }
    json_array_foreach(terms, index, member)
    {
        const char *name = json_string_value(member);
        bool *term = name != NULL && name[0] == 'c' ? c2p : p2c;
        if (name == NULL || (strcmp(name, "c2p") != 0 && strcmp(name, "p2c") != 0) || *term)
            file_die(file->name, "'pos_att_type' holds %.100s; expected c2p and p2c, each once",
                     name != NULL ? name : json_kind(member));
        *term = true;
    }
    if (terms != NULL && !json_is_string(terms) && !json_is_array(terms))
        file_die(file->name, "'pos_att_type' holds %s; expected names", json_kind(terms));
}

/* A count, or a negative number for none. */
static size_t read_count(const struct json_file *file, const char *key)
{
    double count = json_number(file, key, -1);
    if (count != floor(count) || count > MOST_TOKENS)
        file_die(file->name, "'%s' is %g; expected a whole number up to %d", key, count,
                 MOST_TOKENS);
    return count > 0 ? (size_t)count : 0;
}

/* All sizes that may be given apart are the width here, or that of a head. */
static void check_sizes(const struct json_file *file, const struct model_config *model)
{
    json_count_only(file, "embedding_size", model->width, "");
    json_count_only(file, "pooler_hidden_size", model->width, "");
    json_count_only(file, "attention_head_size", model->width / model->heads, "");
}

static void set_positions(const struct json_file *file, struct model_config *model, size_t buckets)
{
    bool c2p, p2c, is_relative = json_flag(file, NULL, "relative_attention", false);
    size_t reach = read_count(file, "max_relative_positions");
    read_terms(file, &c2p, &p2c);
    check_sizes(file, model);
    model->score_scale = sqrt((double)model->heads / (double)model->width / (1. + c2p + p2c));
    if (json_flag(file, NULL, "position_biased_input", true)) {
        model->position = POSITION_LEARNED;
    } else if (model->max_tokens < LONGEST) {
        reach = reach > 0 ? reach : model->max_tokens;
        model->max_tokens = LONGEST;
    }
    if (!is_relative || (!c2p && !p2c))
        return;
    model->attention_position = ATTENTION_POSITION_DISENTANGLED;
    model->distances = reach > 0 ? reach : model->max_tokens;
    model->position_buckets = buckets;
    model->position_terms = !p2c ? TERMS_C2P : !c2p ? TERMS_P2C : TERMS_BOTH;
    if (buckets == 1 || (buckets > 0 && model->distances < buckets / 2 + 2))
        file_die(
            file->name,
            "'position_buckets' is %zu, which %zu positions on each side do not fill; expected "
            "at most %zu",
            buckets, model->distances, 2 * model->distances - 3);
}

static void finish(const struct json_file *file, struct model_config *model)
{
    set_positions(file, model, read_count(file, "position_buckets"));
}

static void finish_first(const struct json_file *file, struct model_config *model)
{
    set_positions(file, model, 0);
}

#define SELF "encoder.layer.#.attention.self."

static struct position_sources sources_of(const struct json_file *file, const char *key,
                                          const char *query, const char *norm, bool key_has_bias)
{
    bool c2p, p2c;
    read_terms(file, &c2p, &p2c);
    return (struct position_sources){c2p ? key : NULL, p2c ? query : NULL,
                                     "encoder.rel_embeddings.weight", norm, key_has_bias};
}

static struct position_sources positions(const struct json_file *file)
{
    const char *norm = json_text(file, NULL, "norm_rel_ebd", "none");
    bool is_shared = json_flag(file, NULL, "share_att_key", false);
    bool has_norm = strcasecmp(norm, "layer_norm") == 0;
    if (!has_norm && strcasecmp(norm, "none") != 0)
        file_die(file->name, "'norm_rel_ebd' is '%.100s'; expected layer_norm or none", norm);
    return sources_of(file, is_shared ? SELF "key_proj" : SELF "pos_key_proj",
                      is_shared ? SELF "query_proj" : SELF "pos_query_proj",
                      has_norm ? "encoder.LayerNorm" : NULL, true);
}

static struct position_sources positions_of_first(const struct json_file *file)
{
    return sources_of(file, SELF "pos_proj", SELF "pos_q_proj", NULL, false);
}

#define DEBERTA_LEFT_OUT                                                                           \
    NAMES("embeddings.position_ids", "embeddings.position_embeddings.", "encoder.rel_embeddings.", \
          "encoder.LayerNorm.", "pooler.", "cls.", "lm_predictions.", "mask_predictions.",         \
          "classifier.", "qa_outputs.")
#define DEBERTA_KEYS                                                                               \
    KEYS(BERT_SIZES, NUMBER("layer_norm_eps", norm_eps, 1e-7),                                     \
         COUNT("type_vocab_size", token_types, 0), ACTIVATION("hidden_act", ACTIVATION_GELU))
#define OF_HEADS PART_HEADS, DIM_QKV, DIM_WIDTH, 0

static const struct body DEBERTA_1 = {
    .prefixes = NAMES("deberta.", "model."),
    .keys = DEBERTA_KEYS,
    .only = ONLY(IS("talking_head", "false")),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .layer = PARTS(TO_QKV(OF_HEADS, SELF "in_proj", SELF "q_bias", SELF "v_bias"),
                                    BERT_AFTER_QKV)),
    .finish = finish_first,
    .positions = positions_of_first,
    .unread = "pooler_dropout pooler_hidden_act cls_dropout legacy padding_idx",
    .left_out = DEBERTA_LEFT_OUT,
};

static const struct body DEBERTA = {
    .prefixes = NAMES("deberta.", "model."),
    .keys = DEBERTA_KEYS,
    .only = ONLY(IS("conv_kernel_size", "0")),
    .layout =
        LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
               .layer = PARTS(TO_QKV(SQUARE, SELF "query_proj", SELF "key_proj", SELF "value_proj"),
                              BERT_AFTER_QKV)),
    .finish = finish,
    .positions = positions,
    .unread = "pooler_dropout pooler_hidden_act cls_dropout conv_act conv_groups legacy "
              "share_att_key norm_rel_ebd padding_idx",
    .left_out = DEBERTA_LEFT_OUT,
};

/* ---- Heads ---- */

static const struct head SEQUENCE = {HEAD_SEQUENCE, DENSE_GELU,
                                     .parts = SEQUENCE_PARTS("pooler.dense", "classifier"),
                                     .keys = KEYS(DENSE_ACTIVATION("pooler_hidden_act"))};
/* legacy false: by the table of words, whatever tie_word_embeddings says. */
static const struct head MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = PARTS({HEAD_DENSE, {"lm_predictions.lm_head.dense"}},
                   {HEAD_NORM, {"lm_predictions.lm_head.LayerNorm"}},
                   {DECODER_BIAS, {"lm_predictions.lm_head.bias"}}),
    .keys = KEYS({"legacy", KEY_FIXED, FIELD_AND_SIZE(head_tied), true, NULL, NULL})};
static const struct head LEGACY_MASK = {HEAD_MASK, AS_THE_MODEL, .parts = BERT_MASK_PARTS,
                                        .other_key = "legacy", .other = &MASK};

const struct architecture DEBERTA_CLASSES[] = {
    CLASSES("Deberta", "deberta", &DEBERTA_1, NULL, &LEGACY_MASK, &SEQUENCE, &TOKEN_HEAD),
    CLASSES("DebertaV2", "deberta-v2", &DEBERTA, NULL, &LEGACY_MASK, &SEQUENCE, &TOKEN_HEAD),
    {.class_name = NULL},
};
