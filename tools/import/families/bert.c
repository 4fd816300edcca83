/* bert.c - BERT, DistilBERT and ELECTRA, and the heads that other families share with them.
 * Sources: modeling_bert.py, modeling_distilbert.py, modeling_electra.py and their configuration
 * files in huggingface/transformers. */
#include "tools/import/families/tables.h"

const struct json_name ACTIVATION_NAMES[] = {
    {"gelu", ACTIVATION_GELU},           {"gelu_python", ACTIVATION_GELU},
    {"gelu_new", ACTIVATION_GELU_TANH},  {"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
    {"gelu_fast", ACTIVATION_GELU_TANH}, /* the same formula, multiplied out */
    {"relu", ACTIVATION_RELU},           {"silu", ACTIVATION_SILU},
    {"swish", ACTIVATION_SILU},          {NULL, 0},
};
const char ACTIVATIONS_EXPECTED[] = "one of gelu, gelu_new, gelu_pytorch_tanh, relu, silu";

/* ---- Bodies ---- */

static const struct body BERT = {
    .prefixes = NAMES("bert.", "model."),
    .keys =
        KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
             COUNT("type_vocab_size", token_types, 2), ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING), .layer = BERT_LAYER),
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.",
                      "cls.predictions.", "cls.seq_relationship.", "classifier.", "qa_outputs."),
};

static const struct body ELECTRA = {
    .prefixes = NAMES("electra.", "model."),
    .keys = KEYS(BERT_SIZES, BERT_NORM, FIXED(position, POSITION_LEARNED),
                 SIZE("embedding_size", embedding_width), COUNT("type_vocab_size", token_types, 2),
                 ACTIVATION("hidden_act", ACTIVATION_GELU)),
    .only = ONLY(ABSOLUTE_POSITIONS),
    .layout = LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
                     .projection = PARTS(PROJECTION("embeddings_project")), .layer = BERT_LAYER),
    .left_out =
        NAMES("embeddings.position_ids", "embeddings.token_type_ids", "discriminator_predictions.",
              "generator_predictions.", "generator_lm_head.", "classifier.", "qa_outputs."),
};

/* Other names of its sizes, which it reads too, must say the same. */
static void check_distilbert(const struct json_file *file, struct model_config *model)
{
    const struct {
        const char *name, *usual;
        size_t value;
    } sizes[] = {{"hidden_size", "dim", model->width},
                 {"num_attention_heads", "n_heads", model->heads},
                 {"num_hidden_layers", "n_layers", model->layers}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t found = json_count(file, NULL, sizes[i].name, 0, sizes[i].value);
        if (found != sizes[i].value)
            file_die(file->name, "'%s' is %zu; expected %zu, as '%s' is", sizes[i].name, found,
                     sizes[i].value, sizes[i].usual);
    }
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
const struct head POOLED_SEQUENCE_HEAD = {HEAD_SEQUENCE, DENSE_TANH,
                                          .parts = SEQUENCE_PARTS("pooler.dense", "classifier")};
const struct head TOKEN_HEAD = {HEAD_TOKEN, DENSE_NONE,
                                .parts = PARTS({HEAD_SCORES, {"classifier"}})};
static const struct head MASK = {HEAD_MASK, AS_THE_MODEL, .parts = BERT_MASK_PARTS};
/* Of stanford-futuredata/ColBERT, without a bias. */
static const struct head COLBERT = {
    HEAD_NONE, DENSE_NONE,
    .parts = PARTS(
        {"token.vector.weight", PART_MATRIX, DIM_TOKEN_VECTORS, DIM_WIDTH, 0, {"linear.weight"}})};
static const struct head DISTILBERT_SEQUENCE = {
    HEAD_SEQUENCE, DENSE_RELU, .parts = SEQUENCE_PARTS("pre_classifier", "classifier")};
static const struct head DISTILBERT_MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("vocab_transform", "vocab_layer_norm", "vocab_projector.weight",
                        "vocab_projector.bias")};
static const struct head ELECTRA_SEQUENCE = {
    HEAD_SEQUENCE, DENSE_GELU, .parts = SEQUENCE_PARTS("classifier.dense", "classifier.out_proj")};
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

/* ---- Classes ---- */

const struct architecture BERT_CLASSES[] = {
    {"BertModel", "bert", &BERT, &POOLER_HEAD},
    {"BertForMaskedLM", "bert", &BERT, &MASK},
    {"BertForPreTraining", "bert", &BERT, &MASK},
    {"BertForSequenceClassification", "bert", &BERT, &POOLED_SEQUENCE_HEAD},
    {"BertForTokenClassification", "bert", &BERT, &TOKEN_HEAD},
    {"HF_ColBERT", "bert", &BERT, &COLBERT},
    {"Contriever", "bert", &BERT, &POOLER_HEAD}, /* facebook/contriever, a BERT for the mean */
    {.class_name = NULL},
};
const struct architecture DISTILBERT_CLASSES[] = {
    {"DistilBertModel", "distilbert", &DISTILBERT, NULL},
    {"DistilBertForMaskedLM", "distilbert", &DISTILBERT, &DISTILBERT_MASK},
    {"DistilBertForSequenceClassification", "distilbert", &DISTILBERT, &DISTILBERT_SEQUENCE},
    {"DistilBertForTokenClassification", "distilbert", &DISTILBERT, &TOKEN_HEAD},
    {.class_name = NULL},
};
const struct architecture ELECTRA_CLASSES[] = {
    {"ElectraModel", "electra", &ELECTRA, NULL},
    {"ElectraForMaskedLM", "electra", &ELECTRA, &ELECTRA_MASK},
    {"ElectraForPreTraining", "electra", &ELECTRA, &ELECTRA_REPLACED},
    {"ElectraForSequenceClassification", "electra", &ELECTRA, &ELECTRA_SEQUENCE},
    {"ElectraForTokenClassification", "electra", &ELECTRA, &TOKEN_HEAD},
    {.class_name = NULL},
};
