/* tiny_model.c - see tiny_model.h. Written through the one writer, like every weight file. */
#include "tests/tiny_model.h"

#include "tests/support.h"
#include "tools/writer/weight_writer.h"

#include <string.h>
#include <unistd.h>

enum { FEED_FORWARD = 16 };

struct setting {
    engine_settings section;
    const char *key, *value;
};

static const struct setting settings[] = {
    {ENGINE_SETTINGS_CONFIG, "layers", "1"},
    {ENGINE_SETTINGS_CONFIG, "width", "8"},
    {ENGINE_SETTINGS_CONFIG, "heads", "2"},
    {ENGINE_SETTINGS_CONFIG, "feed_forward", "16"},
    {ENGINE_SETTINGS_CONFIG, "vocabulary", "8"},
    {ENGINE_SETTINGS_CONFIG, "max_tokens", "12"},
    {ENGINE_SETTINGS_CONFIG, "token_types", "2"},
    {ENGINE_SETTINGS_CONFIG, "embedding_norm", "layer"},
    {ENGINE_SETTINGS_CONFIG, "norm_eps", "1e-12"},
    {ENGINE_SETTINGS_CONFIG, "pooling", "mean"},
    {ENGINE_SETTINGS_CONFIG, "normalize", "yes"},
    {ENGINE_SETTINGS_TOKENIZER, "unknown", "1"},
    {ENGINE_SETTINGS_TOKENIZER, "single", "2:0 A:0 3:0"},
    {ENGINE_SETTINGS_TOKENIZER, "pair", "2:0 A:0 3:0 B:1 3:1"},
    {ENGINE_SETTINGS_METADATA, "name", "tiny"},
    {ENGINE_SETTINGS_METADATA, "made_by", "tests/tiny_model.c"},
};

static const struct setting blanks[] = {
    {ENGINE_SETTINGS_TOKENIZER, "kind", "blanks"},
    {ENGINE_SETTINGS_TOKENIZER, "lower", "yes"},
};

static const struct setting prompts[] = {
    {ENGINE_SETTINGS_METADATA, "prompt.query", "ride "},
    {ENGINE_SETTINGS_METADATA, "prompt.passage", "the the "},
    {ENGINE_SETTINGS_METADATA, "prompt.style", "bike "},
    {ENGINE_SETTINGS_METADATA, "default_prompt", "style"},
};

static const struct setting pieces[] = {
    {ENGINE_SETTINGS_TOKENIZER, "kind", "wordpiece"},
    {ENGINE_SETTINGS_TOKENIZER, "normalizer", "clean space_cjk nfd drop_nonspacing lower"},
    {ENGINE_SETTINGS_TOKENIZER, "splitter", "blanks punctuation"},
    {ENGINE_SETTINGS_TOKENIZER, "added", "1 2 3"},
};

struct shape {
    const char *name;
    enum tensor_type type;
    enum tensor_layout layout;
    size_t rows, cols; /* cols 0: a vector */
};

static const struct shape tensors[] = {
    {"embedding.token.weight", TENSOR_F32, LAYOUT_ROWS, TINY_VOCABULARY, TINY_WIDTH},
    {"embedding.type.weight", TENSOR_F16, LAYOUT_ROWS, TINY_TYPES, TINY_WIDTH},
    {"embedding.norm.weight", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"embedding.norm.bias", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.attention.qkv.weight", TENSOR_F32, LAYOUT_PANELS, 3 * TINY_WIDTH, TINY_WIDTH},
    {"layers.0.attention.qkv.bias", TENSOR_F32, LAYOUT_ROWS, 3 * TINY_WIDTH, 0},
    {"layers.0.attention.output.weight", TENSOR_BF16, LAYOUT_PANELS, TINY_WIDTH, TINY_WIDTH},
    {"layers.0.attention.output.bias", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.attention.norm.weight", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.attention.norm.bias", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.feed_forward.in.weight", TENSOR_INT8, LAYOUT_PANELS, FEED_FORWARD, TINY_WIDTH},
    {"layers.0.feed_forward.in.bias", TENSOR_F32, LAYOUT_ROWS, FEED_FORWARD, 0},
    {"layers.0.feed_forward.out.weight", TENSOR_INT8, LAYOUT_ROWS, TINY_WIDTH, FEED_FORWARD},
    {"layers.0.feed_forward.out.bias", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.feed_forward.norm.weight", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
    {"layers.0.feed_forward.norm.bias", TENSOR_F32, LAYOUT_ROWS, TINY_WIDTH, 0},
};
static const struct shape position_table = {"embedding.position.weight", TENSOR_F32, LAYOUT_ROWS,
                                            TINY_MAX_TOKENS + 1, TINY_WIDTH};

static void write_tensor(struct weight_writer *writer, const struct shape *shape, uint32_t *seed)
{
    size_t cols = shape->cols ? shape->cols : 1;
    float row[FEED_FORWARD];
    weight_writer_begin_tensor(writer, shape->name, shape->type, shape->layout, shape->cols ? 2 : 1,
                               shape->rows, cols);
    for (size_t n = 0; n < shape->rows; n++) {
        for (size_t k = 0; k < cols; k++) {
            *seed = *seed * 1664525u + 1013904223u;
            row[k] = (float)(*seed >> 8) / 16777216.0f - 0.5f;
        }
        weight_writer_rows(writer, row, 1);
    }
}

static void write_settings(struct weight_writer *writer, const struct setting *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        weight_writer_setting(writer, list[i].section, list[i].key, list[i].value,
                              strlen(list[i].value));
}

enum extra { PLAIN, PIECES, PROMPTS };

static engine_status write_file(const char *path, const char *position, enum extra extra,
                                engine_error *error)
{
    const char *texts[TINY_VOCABULARY] = {NULL, "[UNK]", "[CLS]", "[SEP]",
                                          "i",  "ride",  "bike",  "the"};
    size_t lens[TINY_VOCABULARY] = {0};
    struct weight_writer *writer;
    engine_status status = weight_writer_open(path, &writer, error);
    uint32_t seed = 1;
    if (status)
        return status;
    if (extra == PIECES) {
        texts[5] = "ri";
        texts[6] = "##de";
    }
    write_settings(writer, settings, sizeof settings / sizeof settings[0]);
    if (extra == PROMPTS)
        write_settings(writer, prompts, sizeof prompts / sizeof prompts[0]);
    if (extra == PIECES)
        write_settings(writer, pieces, sizeof pieces / sizeof pieces[0]);
    else
        write_settings(writer, blanks, sizeof blanks / sizeof blanks[0]);
    weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, "position", position, strlen(position));
    if (strcmp(position, "learned") == 0)
        weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, "position_offset", "1", 1);
    for (size_t i = 0; i < TINY_VOCABULARY; i++)
        lens[i] = texts[i] ? strlen(texts[i]) : 0;
    weight_writer_vocabulary(writer, texts, lens, TINY_VOCABULARY);
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        write_tensor(writer, &tensors[i], &seed);
    if (strcmp(position, "learned") == 0)
        write_tensor(writer, &position_table, &seed);
    return weight_writer_finish(writer);
}

engine_status tiny_model_write(const char *path, const char *position, engine_error *error)
{
    return write_file(path, position, PLAIN, error);
}

static void *file_bytes(const char *position, enum extra extra, size_t *len)
{
    char path[SUPPORT_PATH];
    engine_error error;
    support_path(path, support_folder(), "tiny.weights");
    if (write_file(path, position, extra, &error))
        fail_msg("%s", error.message);
    void *bytes = support_read(path, len);
    unlink(path);
    return bytes;
}

void *tiny_model_bytes(const char *position, size_t *len)
{
    return file_bytes(position, PLAIN, len);
}

void *tiny_model_pieces(size_t *len)
{
    return file_bytes("learned", PIECES, len);
}

void *tiny_model_prompts(size_t *len)
{
    return file_bytes("learned", PROMPTS, len);
}
