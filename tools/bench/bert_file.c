/* bert_file.c - the config of BERT, its special tokens at their usual ids (0, 100 to 103), then
 * letters, digits, punctuation, words and pieces. Words are syllables in a row, short ones first,
 * as frequent words are short. */
#include "tools/bench/bert_file.h"

#include "engine/file/weight_writer.h"
#include "tools/common/options.h"
#include "tools/common/weights/random.h"
#include "tools/common/weights/random_model.h"
#include "tools/common/weights/token_source.h"
#include "tools/common/weights/word_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bert_shape_read(const char *option, const char *text, struct bert_shape *shape)
{
    size_t *const counts[] = {&shape->layers, &shape->width, &shape->heads, &shape->feed_forward,
                              &shape->vocabulary};
    const char *at = text;
    size_t n = 0;
    shape->vocabulary = BERT_VOCABULARY;
    for (bool more = true; more && n < 5; n++) {
        char part[32];
        size_t len = strcspn(at, "/");
        snprintf(part, sizeof part, "%.*s", (int)(len < 31 ? len : 31), at);
        if (!option_count(option, part, n == 4 ? BERT_VOCABULARY_LEAST : 1, 1000000, counts[n]))
            return false;
        more = at[len] == '/';
        at += len + more;
    }
    if (n < 4 || *at != '\0') {
        program_note("%s takes LAYERS/WIDTH/HEADS/FEED-FORWARD[/VOCABULARY], not '%s'", option,
                     text);
        return false;
    }
    if (shape->width % shape->heads != 0) {
        program_note("%s %s: %zu heads do not divide the width", option, text, shape->heads);
        return false;
    }
    return true;
}

static void settle_config(struct model_config *config, const struct bert_shape *shape)
{
    config_defaults(config);
    config->layers = (int64_t)shape->layers;
    config->width = (int64_t)shape->width;
    config->heads = (int64_t)shape->heads;
    config->feed_forward = (int64_t)shape->feed_forward;
    config->vocabulary = (int64_t)shape->vocabulary;
    config->max_tokens = BERT_TOKENS;
    config->token_types = 2;
    config->embedding_norm = NORM_LAYER;
    config->position = POSITION_LEARNED;
    config->norm_eps = 1e-12;
    config->pooling = POOLING_MEAN;
    config->normalize = 1;
}

/* ---- Vocabulary ---- */

/* The next id, unless it is there. */
static bool add(struct word_list *words, const char *text)
{
    return word_list_find(words, text, strlen(text)) != WORD_NONE ||
           word_list_append(words, text, strlen(text));
}

static bool add_special(struct word_list *words)
{
    static const char *const SPECIAL[] = {"[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    char text[24];
    bool done = add(words, "[PAD]");
    for (int i = 0; done && i < 99; i++) {
        snprintf(text, sizeof text, "[unused%d]", i);
        done = add(words, text);
    }
    for (size_t i = 0; done && i < 4; i++)
        done = add(words, SPECIAL[i]);
    for (char c = '!'; done && c <= '~'; c++) {
        snprintf(text, sizeof text, "%c", c);
        done = (c >= 'A' && c <= 'Z') || add(words, text);
        snprintf(text, sizeof text, "##%c", c);
        if (done && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            done = add(words, text);
    }
    return done;
}

static void make_word(char *to, size_t n_syllables, uint64_t *state)
{
    static const char ONSETS[] = "b c d f g h j k l m n p r s t v w st tr pl ch sh th br gr ";
    static const char VOWELS[] = "a e i o u ea ou ai ee ";
    static const char ENDS[] = "     n r s t l d m nd st ng rs ";
    static const char *const PARTS[] = {ONSETS, VOWELS, ENDS};
    *to = '\0';
    for (size_t i = 0; i < 3 * n_syllables; i++) {
        const char *part = PARTS[i % 3], *start = part + random_below(state, strlen(part));
        while (start > part && start[-1] != ' ')
            start--;
        strncat(to, start, strcspn(start, " "));
    }
}

/* Three of four are words, the others pieces that go on with a word. */
static bool add_words(struct word_list *words, size_t n, uint64_t *state)
{
    bool done = true;
    while (done && words->n < n) {
        char text[64] = "##";
        bool is_piece = random_below(state, 4) == 0;
        size_t most = words->n < 1000 ? 1 : words->n < 8000 ? 2 : 3;
        make_word(text + 2, 1 + random_below(state, most), state);
        done = add(words, is_piece ? text : text + 2);
    }
    return done;
}

static void setting(struct weight_writer *writer, engine_settings settings, const char *key,
                    const char *value)
{
    weight_writer_setting(writer, settings, key, value, strlen(value));
}

static bool write_tokenizer(struct weight_writer *writer, size_t n, uint64_t seed)
{
    static const char *const SETTINGS[][2] = {
        {"kind", "wordpiece"},
        {"unknown", "100"},
        {"normalizer", "clean space_cjk nfd drop_nonspacing lower"},
        {"splitter", "blanks punctuation"},
        {"added", "0 100 101 102 103"},
        {"mask_token", "103"},
        {"single", "101:0 A:0 102:0"},
        {"pair", "101:0 A:0 102:0 B:1 102:1"},
        {"truncate", "yes"},
    };
    struct word_list words = {0};
    uint64_t state = seed;
    bool done = add_special(&words) && add_words(&words, n, &state);
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++)
        setting(writer, ENGINE_SETTINGS_TOKENIZER, SETTINGS[i][0], SETTINGS[i][1]);
    if (done)
        weight_writer_vocabulary(writer, (const char *const *)words.texts, words.lens, words.n);
    word_list_free(&words);
    return done;
}

/* ---- File ---- */

static enum tensor_type type_named(const char *precision)
{
    if (strcmp(precision, "f16") == 0)
        return TENSOR_F16;
    if (strcmp(precision, "bf16") == 0)
        return TENSOR_BF16;
    return strcmp(precision, "int8") == 0 ? TENSOR_INT8 : TENSOR_F32;
}

/* a · b · c + d; UINT64_MAX for all that is larger. */
static uint64_t product_and(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t bytes;
    bool is_counted = !__builtin_mul_overflow(a, b, &bytes) &&
                      !__builtin_mul_overflow(bytes, c, &bytes) &&
                      !__builtin_add_overflow(bytes, d, &bytes);
    return is_counted ? bytes : UINT64_MAX;
}

/* L (4D² + 2DF) numbers in the layers, (V + T) D in the tables. */
uint64_t bert_file_bytes(const struct bert_shape *shape, const char *precision)
{
    enum tensor_type type = type_named(precision);
    uint64_t of_layers = type == TENSOR_F32 ? 4 : type == TENSOR_INT8 ? 1 : 2;
    uint64_t of_tables = type == TENSOR_F32 ? 4 : 2;
    uint64_t layer = product_and(4 * of_layers, shape->width, shape->width, 0);
    layer = product_and(2 * of_layers, shape->width, shape->feed_forward, layer);
    uint64_t bytes = product_and(shape->vocabulary + BERT_TOKENS, shape->width, of_tables, 0);
    return product_and(shape->layers, layer, 1, bytes);
}

int bert_file_write(const char *path, const struct bert_shape *shape, const char *precision,
                    uint64_t seed)
{
    enum tensor_type type = type_named(precision);
    struct random_options options = {
        .seed = seed,
        .linear_type = type,
        .linear_layout = LAYOUT_PANELS,
        .table_type = type == TENSOR_INT8 ? TENSOR_F16 : type,
    };
    engine_error error = {ENGINE_OK, ""};
    struct model_config config;
    struct weight_writer *writer;
    uint64_t n_parameters;
    settle_config(&config, shape);
    const char *wrong = config_check(&config);
    if (wrong != NULL)
        return program_fail("the shape: %s", wrong);
    if (weight_writer_open(path, &writer, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    weight_writer_config(writer, &config);
    setting(writer, ENGINE_SETTINGS_METADATA, "name", "random weights");
    if (!write_tokenizer(writer, shape->vocabulary, seed) ||
        random_model_write(writer, &config, &options, &n_parameters) == ENGINE_ERROR_MEMORY) {
        weight_writer_abort(writer);
        return no_memory();
    }
    if (weight_writer_finish(writer) != ENGINE_OK)
        return program_fail("%s", error.message);
    return PROGRAM_DONE;
}
