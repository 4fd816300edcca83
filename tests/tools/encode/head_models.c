/* head_models.c - see head_models.h. Written through the one writer, like every weight file. */
#include "tests/tools/encode/head_models.h"

#include "tests/support.h"
#include "tools/writer/weight_writer.h"

#include <stdio.h>
#include <string.h>

enum { VOCABULARY = 14, MASK_ID = 3, DOG = 4, CAT, GOOD, BAD, PAUL, SMITH, IN, ROME, THE, STOP };

static const char *const TEXTS[VOCABULARY] = {"[UNK]", "[CLS]", "[SEP]", "[MASK]", "dog",
                                              "cat",   "good",  "bad",   "paul",   "smith",
                                              "in",    "rome",  "the",   "."};

struct cell {
    size_t row, id;
    float value;
};

struct model {
    const char *path;
    const char *config;       /* "key value key value", after the common keys */
    const char *metadata[10]; /* key, value, ... */
    const char *single, *pair;
    size_t n_labels; /* rows of the output layer; 0: none */
    struct cell cells[8];
    bool is_alone;
    bool has_pieces;        /* WordPiece, and "##dog" for "cat" */
    const char *skipped[2]; /* setting of the tokenizer, ids; or NULL */
    struct cell weights[4]; /* of token.weight [1, V] and token.vector [2, V] */
    struct cell vectors[8];
};

static const struct model MODELS[] = {
    {.path = "plain.emb",
     .config = "pooling mean normalize yes",
     .metadata = {"prompt.query", "good ", "prompt.passage", "the ", "prompt.style", "bad ",
                  "default_prompt", "style"}},
    {.path = "bare.emb", .config = "pooling none"},
    {.path = "projected.emb", .config = "pooling mean projections 1 projection_bias no"},
    {.path = "pooler.emb", .config = "pooling pooler head pooler head_dense tanh"},
    {.path = "token.head",
     .config = "head token labels 4 scores softmax",
     .metadata = {"label.0", "O", "label.1", "B-PER", "label.2", "I-PER", "label.3", "B-LOC"},
     .n_labels = 4,
     .cells = {{1, PAUL, 4}, {2, SMITH, 4}, {3, ROME, 4}}},
    {.path = "pieces.head",
     .config = "head token labels 4 scores softmax",
     .metadata = {"label.0", "O", "label.1", "B-PER", "label.2", "I-PER", "label.3", "B-LOC"},
     .n_labels = 4,
     .cells = {{1, PAUL, 8}, {2, SMITH, 4}, {3, STOP, 8}},
     .has_pieces = true},
    {.path = "sequence.head",
     .config = "head sequence labels 3 scores softmax",
     .metadata = {"label.0", "BAD", "label.1", "GOOD"},
     .single = "A:0",
     .pair = "A:0 B:0",
     .n_labels = 3,
     .cells = {{1, GOOD, 2}, {0, BAD, 3}}},
    {.path = "pair.head",
     .config = "head sequence labels 1",
     .pair = "B:0 2:0 A:0",
     .n_labels = 1,
     .cells = {{0, DOG, 1.5f}, {0, CAT, -0.5f}, {0, ROME, 3}}},
    {.path = "mask.head",
     .config = "head mask",
     .n_labels = VOCABULARY,
     .cells = {{ROME, MASK_ID, 5}, {PAUL, MASK_ID, 4}, {DOG, MASK_ID, 3}}},
    {.path = "lexical.emb",
     .config = "pooling cls sparse linear token_vectors 2 token_vector_bias no "
               "token_vector_first no",
     .skipped = {"skip_weights", "1 2"},
     .weights = {{0, 1, 9}, {0, DOG, 2}, {0, CAT, 0.5f}, {0, BAD, -1}},
     .vectors = {{0, 2, 1},
                 {1, 2, 1},
                 {0, DOG, 2},
                 {1, CAT, 3},
                 {0, GOOD, 3},
                 {1, GOOD, 4},
                 {0, BAD, -1}}},
    {.path = "colbert.emb",
     .config = "token_vectors 2 token_vector_bias no",
     .skipped = {"skip_vectors", "13"},
     .metadata = {"prompt.query", "good ", "prompt.document", "bad ", "default_prompt", "document"},
     .vectors = {{0, 1, 1},
                 {0, 2, 1},
                 {0, DOG, 2},
                 {1, CAT, 3},
                 {0, GOOD, 3},
                 {1, GOOD, 4},
                 {0, BAD, -1},
                 {1, STOP, 1}}},
    {.path = "splade.head",
     .config = "head mask sparse mask",
     .n_labels = VOCABULARY,
     .cells = {{ROME, PAUL, 3}, {PAUL, PAUL, 1}, {ROME, DOG, 1}, {CAT, DOG, -5}}},
    {.path = "words.alone", .config = "", .is_alone = true},
};

static void set(struct weight_writer *writer, engine_settings section, const char *key,
                const char *value)
{
    weight_writer_setting(writer, section, key, value, strlen(value));
}

static void set_all(struct weight_writer *writer, const char *settings)
{
    char text[256], *state = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &state); key; key = strtok_r(NULL, " ", &state))
        set(writer, ENGINE_SETTINGS_CONFIG, key, strtok_r(NULL, " ", &state));
}

/* [rows, VOCABULARY] with these numbers, else 0. */
static void write_cells(struct weight_writer *writer, const char *name, size_t rows,
                        const struct cell *cells, size_t n)
{
    weight_writer_begin_tensor(writer, name, TENSOR_F32, LAYOUT_ROWS, 2, rows, VOCABULARY);
    for (size_t r = 0; r < rows; r++) {
        float row[VOCABULARY] = {0};
        for (size_t i = 0; i < n; i++)
            if (cells[i].row == r && cells[i].value != 0)
                row[cells[i].id] = cells[i].value;
        weight_writer_rows(writer, row, 1);
    }
}

/* [rows, VOCABULARY] with 1 at (i, i). */
static void write_identity(struct weight_writer *writer, const char *name, size_t rows)
{
    weight_writer_begin_tensor(writer, name, TENSOR_F32, LAYOUT_ROWS, 2, rows, VOCABULARY);
    for (size_t i = 0; i < rows; i++) {
        float row[VOCABULARY] = {0};
        row[i] = 1;
        weight_writer_rows(writer, row, 1);
    }
}

static void write_zeros(struct weight_writer *writer, const char *name, size_t n)
{
    const float zeros[VOCABULARY] = {0};
    weight_writer_begin_tensor(writer, name, TENSOR_F32, LAYOUT_ROWS, 1, n, 1);
    for (size_t i = 0; i < n; i++)
        weight_writer_rows(writer, zeros, 1);
}

/* Labels: 4 for the first of them unless the token has another; only head token needs that. */
static void write_output(struct weight_writer *writer, const struct model *model)
{
    bool has_outside = strstr(model->config, "head token") != NULL;
    weight_writer_begin_tensor(writer, "head.output.weight", TENSOR_F32, LAYOUT_ROWS, 2,
                               model->n_labels, VOCABULARY);
    for (size_t label = 0; label < model->n_labels; label++) {
        float row[VOCABULARY] = {0};
        for (size_t id = 0; has_outside && label == 0 && id < VOCABULARY; id++)
            row[id] = id == PAUL || id == SMITH || id == ROME ? 0 : 4;
        for (size_t i = 0; i < sizeof model->cells / sizeof model->cells[0]; i++)
            if (model->cells[i].row == label && model->cells[i].value != 0)
                row[model->cells[i].id] = model->cells[i].value;
        weight_writer_rows(writer, row, 1);
    }
    write_zeros(writer, "head.output.bias", model->n_labels);
}

static void write_model(struct weight_writer *writer, const struct model *model)
{
    set_all(writer, "layers 0 width 14 max_tokens 12");
    write_identity(writer, "embedding.token.weight", VOCABULARY);
    if (strstr(model->config, "projections"))
        write_identity(writer, "projection.0.weight", 3);
    if (strstr(model->config, "head_dense")) {
        write_identity(writer, "head.dense.weight", VOCABULARY);
        write_zeros(writer, "head.dense.bias", VOCABULARY);
    }
    if (model->n_labels)
        write_output(writer, model);
    if (strstr(model->config, "token_vectors"))
        write_cells(writer, "token.vector.weight", 2, model->vectors, 8);
    if (strstr(model->config, "sparse linear")) {
        write_cells(writer, "token.weight.weight", 1, model->weights, 4);
        write_zeros(writer, "token.weight.bias", 1);
    }
}

static void write_file(const struct model *model)
{
    struct weight_writer *writer;
    engine_error error = {0};
    const char *texts[VOCABULARY];
    size_t lens[VOCABULARY];

    for (size_t i = 0; i < VOCABULARY; i++) {
        texts[i] = i == CAT && model->has_pieces ? "##dog" : TEXTS[i];
        lens[i] = strlen(texts[i]);
    }
    if (weight_writer_open(model->path, &writer, &error))
        fail_msg("%s: %s", model->path, error.message);
    set_all(writer, "vocabulary 14");
    set_all(writer, model->config);
    set(writer, ENGINE_SETTINGS_TOKENIZER, "kind", model->has_pieces ? "wordpiece" : "blanks");
    if (model->has_pieces)
        set(writer, ENGINE_SETTINGS_TOKENIZER, "splitter", "punctuation");
    set(writer, ENGINE_SETTINGS_TOKENIZER, "unknown", "0");
    set(writer, ENGINE_SETTINGS_TOKENIZER, "mask_token", "3");
    set(writer, ENGINE_SETTINGS_TOKENIZER, "single", model->single ? model->single : "1:0 A:0 2:0");
    set(writer, ENGINE_SETTINGS_TOKENIZER, "pair",
        model->pair ? model->pair : "1:0 A:0 2:0 B:0 2:0");
    if (model->skipped[0])
        set(writer, ENGINE_SETTINGS_TOKENIZER, model->skipped[0], model->skipped[1]);
    for (size_t i = 0; model->metadata[i]; i += 2)
        set(writer, ENGINE_SETTINGS_METADATA, model->metadata[i], model->metadata[i + 1]);
    weight_writer_vocabulary(writer, texts, lens, VOCABULARY);
    if (!model->is_alone)
        write_model(writer, model);
    if (weight_writer_finish(writer))
        fail_msg("%s: %s", model->path, error.message);
}

void head_models_write(void)
{
    for (size_t i = 0; i < sizeof MODELS / sizeof MODELS[0]; i++)
        write_file(&MODELS[i]);
}
