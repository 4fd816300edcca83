/* encode-import on directories that are whole, and on directories that are not: truncated and lying
 * safetensors files, absurd sizes, wrong JSON types for every key, files that are missing or are
 * directories. Each is refused in words that name the thing, and nothing is written. */
#include "tests/tools/shell.h"
#include "tests/tools/tiny_checkpoint.h"
#include "tools/import/checkpoint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[SUPPORT_PATH];

/* ---- In the process: every way to be wrong, with the words ---- */

static struct checkpoint checkpoint;
static struct problem problem;

static bool read_it(void)
{
    const struct plan_options options = {0};
    problem = (struct problem){""};
    return checkpoint_read(&checkpoint, directory, &options, &problem);
}

static void accepted(const char *what)
{
    if (!read_it())
        fail_msg("%s: refused: %s", what, problem.text);
    checkpoint_free(&checkpoint);
}

static void refused(const char *what, const char *words)
{
    if (read_it()) {
        checkpoint_free(&checkpoint);
        fail_msg("%s was accepted", what);
    }
    if (!strstr(problem.text, words))
        fail_msg("%s: \"%s\" is not in: %s", what, words, problem.text);
}

static void test_whole(void **unused)
{
    (void)unused;
    tiny_checkpoint(directory);
    assert_true(read_it());
    assert_int_equal(checkpoint.config.model.layers, TINY_LAYERS);
    assert_int_equal(checkpoint.config.model.head, HEAD_NONE);
    assert_int_equal(checkpoint.plan.n, 5 + TINY_LAYERS * 12);
    assert_int_equal(checkpoint.config.model.max_text_tokens, TINY_POSITIONS);
    assert_false(checkpoint.truncate);
    assert_int_equal(checkpoint.tensors.tensors[0].used, 1);
    checkpoint_free(&checkpoint);
    tiny_sentence_transformers(directory);
    assert_true(read_it());
    assert_int_equal(checkpoint.config.model.pooling, POOLING_MEAN);
    assert_int_equal(checkpoint.config.model.projections, 1);
    assert_int_equal(checkpoint.config.model.projection_activation, DENSE_TANH);
    assert_int_equal(checkpoint.config.model.normalize, 1);
    assert_int_equal(checkpoint.config.model.max_text_tokens, 7);
    assert_true(checkpoint.truncate);
    checkpoint_free(&checkpoint);
}

/* A whole file, cut at every byte of the header and every 7th of the data. */
static void test_truncated(void **unused)
{
    struct tiny_tensors tensors;
    size_t len;
    (void)unused;
    tiny_checkpoint(directory);
    tiny_tensors_bert(&tensors, "");
    char *file = tiny_tensors_file(&tensors, &len);
    size_t n_header = len - tensors.n_data;
    for (size_t cut = 0; cut < len; cut += cut < n_header ? 1 : 7) {
        tiny_write(directory, "model.safetensors", file, cut);
        refused("a truncated file", "model.safetensors");
    }
    tiny_write(directory, "model.safetensors", file, len);
    accepted("the whole file");
    char *longer = calloc(1, len + 4);
    assert_non_null(longer);
    memcpy(longer, file, len);
    tiny_write(directory, "model.safetensors", longer, len + 4);
    refused("a file that is too long", "expected");
    free(longer);
    free(file);
    tiny_tensors_free(&tensors);
}

static void test_header_length(void **unused)
{
    static const struct {
        const char *first, *words;
    } cases[] = {
        {"\xff\xff\xff\xff\xff\xff\xff\xff", "header of 18446744073709551615 bytes"},
        {"\x00\x00\x00\x00\x00\x00\x00\x80", "header of 9223372036854775808 bytes"},
        {"\xff\xff\xff\x7f\x00\x00\x00\x00", "header of 2147483647 bytes"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00", "not JSON"},
    };
    (void)unused;
    tiny_checkpoint(directory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[64] = "";
        memcpy(file, cases[i].first, 8);
        tiny_write(directory, "model.safetensors", file, sizeof file);
        refused("an absurd header length", cases[i].words);
    }
}

/* Headers that are JSON and lie. */
static void test_headers(void **unused)
{
    static const struct {
        const char *header, *words;
    } cases[] = {
        {"[]", "expected an object"},
        {"{\"a\": 1}", "tensor 'a' is a number"},
        {"{\"a\": {}}", "'dtype' is null"},
        {"{\"a\": {\"dtype\": 32, \"shape\": [2], \"data_offsets\": [0, 8]}}",
         "'dtype' is a number"},
        {"{\"a\": {\"dtype\": \"F31\", \"shape\": [2], \"data_offsets\": [0, 8]}}", "dtype 'F31'"},
        {"{\"a\": {\"dtype\": \"F32\", \"data_offsets\": [0, 8]}}", "'shape' is null"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": \"2\", \"data_offsets\": [0, 8]}}", "'shape'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [-2], \"data_offsets\": [0, 8]}}", "'shape'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1.5], \"data_offsets\": [0, 8]}}", "'shape'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1,1,1,1,1,1,1,1,2], \"data_offsets\": [0, 8]}}",
         "'shape'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2]}}", "'data_offsets'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0]}}", "'data_offsets'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [8, 0]}}", "8 and 0"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [-8, 0]}}",
         "'data_offsets'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [0, 16]}}",
         "within the 8"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [4, 12]}}",
         "within the 8"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [9007199254740984, "
         "9007199254740992]}}",
         "within the 8"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [1e300, 1e301]}}",
         "'data_offsets'"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [3], \"data_offsets\": [0, 8]}}", "does not fit"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296], \"data_offsets\": [0, "
         "8]}}",
         "does not fit"},
        {"{\"a\": {\"dtype\": \"F64\", \"shape\": [2], \"data_offsets\": [0, 8]}}", "does not fit"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, \"b\": "
         "{\"dtype\": "
         "\"F32\", \"shape\": [1], \"data_offsets\": [4, 8]}}",
         "overlap"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4, 8]}}",
         "belong to none"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}}",
         "by the tensors in it"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, \"a\": "
         "{\"dtype\": "
         "\"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}",
         "duplicate"},
        {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}",
         "word_embeddings.weight"},
        {"{\"\\u001b[2J\": {\"dtype\": \"X\"}}", "tensor '?[2J'"},
    };
    (void)unused;
    tiny_checkpoint(directory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[512] = "";
        size_t n = strlen(cases[i].header);
        assert_true(n < sizeof file - 16);
        file[0] = (char)(n & 0xFF);
        file[1] = (char)(n >> 8);
        memcpy(file + 8, cases[i].header, n);
        tiny_write(directory, "model.safetensors", file, 8 + n + 8);
        refused(cases[i].header, cases[i].words);
    }
}

/* A tensor less, one of another shape, dtype or value, and one too many. */
static void test_tensors(void **unused)
{
    struct tiny_tensors tensors;
    const char *name;
    json_t *ignored;
    const int row[] = {TINY_WIDTH, -1}, extra[] = {3, -1}, cube[] = {2, 2, 2, -1};
    (void)unused;
    tiny_checkpoint(directory);
    tiny_tensors_bert(&tensors, "bert.");
    json_object_foreach(tensors.header, name, ignored)
    {
        struct tiny_tensors broken = {.header = json_object()};
        const char *other;
        json_t *tensor;
        json_object_foreach(tensors.header, other, tensor)
        {
            int shape[4] = {-1, -1, -1, -1};
            json_t *sizes = json_object_get(tensor, "shape");
            for (size_t i = 0; i < json_array_size(sizes); i++)
                shape[i] = (int)json_integer_value(json_array_get(sizes, i));
            shape[0] += strcmp(other, name) == 0;
            tiny_tensors_add(&broken, other, "F32", shape);
        }
        tiny_tensors_write(&broken, directory, "model.safetensors");
        refused("a tensor of another shape", name);
        assert_non_null(strstr(problem.text, "expected ["));
        tiny_tensors_free(&broken);
    }
    json_object_foreach(tensors.header, name, ignored)
    {
        struct tiny_tensors broken = {.header = json_object()};
        const char *other;
        json_t *tensor;
        json_object_foreach(tensors.header, other, tensor)
        {
            int shape[4] = {-1, -1, -1, -1};
            json_t *sizes = json_object_get(tensor, "shape");
            for (size_t i = 0; i < json_array_size(sizes); i++)
                shape[i] = (int)json_integer_value(json_array_get(sizes, i));
            if (strcmp(other, name) != 0)
                tiny_tensors_add(&broken, other, "F32", shape);
        }
        tiny_tensors_write(&broken, directory, "model.safetensors");
        refused("a tensor less", name + strlen("bert."));
        tiny_tensors_free(&broken);
    }
    tiny_tensors_free(&tensors);

    const struct {
        const char *name, *dtype;
        const int *shape;
        const char *words; /* NULL: accepted */
    } more[] = {
        {"bert.embeddings.position_ids", "I64", extra, NULL},
        {"cls.predictions.bias", "F32", extra, NULL},
        {"bert.adapter.weight", "F32", extra, "bert.adapter.weight"},
        {"bert.encoder.layer.2.output.dense.bias", "F32", row, "layer.2.output.dense.bias"},
        {"bert.encoder.layer.0.attention.self.distance_embedding.weight", "F32", cube,
         "distance_embedding"},
        {"embeddings.LayerNorm.weight", "F32", row, "twice"},
        {"bert.embeddings.LayerNorm.gamma", "F32", row, "LayerNorm.gamma"},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        tiny_tensors_bert(&tensors, "bert.");
        tiny_tensors_add(&tensors, more[i].name, more[i].dtype, more[i].shape);
        tiny_tensors_write(&tensors, directory, "model.safetensors");
        if (more[i].words)
            refused(more[i].name, more[i].words);
        else
            accepted(more[i].name);
        tiny_tensors_free(&tensors);
    }
}

static void set_type(struct tiny_tensors *tensors, const char *name, const char *dtype)
{
    json_t *tensor = json_object_get(tensors->header, name);
    json_object_set_new(tensor, "dtype", json_string(dtype));
}

static void test_types(void **unused)
{
    struct tiny_tensors tensors;
    (void)unused;
    tiny_checkpoint(directory);
    tiny_tensors_bert(&tensors, "bert.");
    set_type(&tensors, "bert.embeddings.word_embeddings.weight", "I32");
    tiny_tensors_write(&tensors, directory, "model.safetensors");
    refused("whole numbers", "dtype I32; expected F32, F16 or BF16");
    set_type(&tensors, "bert.embeddings.word_embeddings.weight", "F16");
    tiny_tensors_write(&tensors, directory, "model.safetensors");
    refused("a type of half the bytes", "does not fit");
    tiny_tensors_free(&tensors);
}

/* For every key that is read, every JSON type that it does not have. */
static void test_config_types(void **unused)
{
    enum { COUNT = 1, NUMBER = 2, FLAG = 4, TEXT = 8, LIST = 16, OBJECT = 32, NEEDED = 64 };
    static const struct {
        const char *key;
        int kinds;
    } keys[] = {
        {"architectures", LIST},
        {"model_type", TEXT},
        {"hidden_size", COUNT | NEEDED},
        {"num_hidden_layers", COUNT | NEEDED},
        {"num_attention_heads", COUNT | NEEDED},
        {"intermediate_size", COUNT | NEEDED},
        {"vocab_size", COUNT | NEEDED},
        {"max_position_embeddings", COUNT | NEEDED},
        {"type_vocab_size", COUNT},
        {"layer_norm_eps", NUMBER},
        {"hidden_act", TEXT},
        {"position_embedding_type", TEXT},
        {"is_decoder", FLAG},
        {"add_cross_attention", FLAG},
        {"id2label", OBJECT},
        {"num_labels", COUNT},
        {"problem_type", TEXT},
        {"sbert_ce_default_activation_function", TEXT},
        {"sentence_transformers", OBJECT},
    };
    (void)unused;
    tiny_checkpoint(directory);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct {
            int kinds;
            json_t *value;
        } values[] = {
            {TEXT, json_string("zebra")},  {FLAG, json_true()},      {LIST, json_array()},
            {OBJECT, json_object()},       {NUMBER, json_real(1.5)}, {0, json_integer(-1)},
            {0, json_integer(3000000000)}, {0, json_real(1e30)},
        };
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            json_t *config = tiny_config();
            if (i >= 14) /* keys of classifiers */
                json_object_set_new(config, "architectures",
                                    json_pack("[s]", "BertForSequenceClassification"));
            json_object_set_new(config, keys[i].key, json_incref(values[v].value));
            tiny_write_json(directory, "config.json", config);
            if ((values[v].kinds & keys[i].kinds) == 0)
                refused(keys[i].key, keys[i].key);
            json_decref(config);
        }
        if (keys[i].kinds & NEEDED) {
            json_t *config = tiny_config();
            json_object_del(config, keys[i].key);
            tiny_write_json(directory, "config.json", config);
            refused("a missing key", keys[i].key);
            json_decref(config);
        }
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            json_decref(values[v].value);
    }
}

static void config_with(const char *key, json_t *value)
{
    json_t *config = tiny_config();
    json_object_set_new(config, key, value);
    tiny_write_json(directory, "config.json", config);
    json_decref(config);
}

static void test_config_values(void **unused)
{
    (void)unused;
    tiny_checkpoint(directory);
    config_with("num_hidden_layers", json_integer(1000000000));
    refused("10^9 layers", "encoder.layer.2.");
    config_with("num_hidden_layers", json_integer(1));
    refused("a layer less", "encoder.layer.1.");
    config_with("hidden_size", json_integer(2147483646));
    refused("an absurd width", "expected [16, 2147483646]");
    config_with("num_attention_heads", json_integer(3));
    refused("heads", "num_attention_heads");
    config_with("architectures", json_pack("[s]", "LlamaForCausalLM"));
    refused("another architecture", "LlamaForCausalLM");
    config_with("architectures", json_pack("[s, s]", "BertModel", "BertForMaskedLM"));
    refused("two architectures", "2 names");
    config_with("architectures", json_pack("[i]", 1));
    refused("a number for a name", "architectures");
    config_with("model_type", json_string("roberta"));
    refused("another type", "'model_type' is 'roberta'");
    config_with("hidden_act", json_string("quick_gelu"));
    refused("another activation", "quick_gelu");
    config_with("position_embedding_type", json_string("relative_key"));
    refused("relative positions", "relative_key");
    config_with("is_decoder", json_true());
    refused("a decoder", "is_decoder");
    config_with("layer_norm_eps", json_real(0));
    refused("eps", "layer_norm_eps");
    config_with("layer_norm_eps", json_real(1e-60));
    refused("an eps that is 0 as a float", "layer_norm_eps");
    config_with("type_vocab_size", json_integer(1));
    refused("types", "token_type_embeddings");
    config_with("architectures", json_null());
    accepted("no architectures, but a model_type");
    config_with("architectures", json_pack("[s]", "BertForSequenceClassification"));
    refused("no classifier", "classifier");
}

static void test_labels(void **unused)
{
    static const struct {
        const char *labels, *words;
    } cases[] = {
        {"{\"0\": \"a\"}", NULL},
        {"{\"0\": \"a\", \"1\": \"b\"}", "classifier.weight"},
        {"{\"1\": \"a\"}", "\"0\" is missing"},
        {"{\"0\": 1}", "\"0\" is a number"},
        {"{\"zero\": \"a\"}", "\"0\" is missing"},
    };
    struct tiny_tensors tensors;
    const int square[] = {TINY_WIDTH, TINY_WIDTH, -1}, row[] = {TINY_WIDTH, -1};
    const int one_row[] = {1, TINY_WIDTH, -1}, one[] = {1, -1};
    (void)unused;
    tiny_checkpoint(directory);
    tiny_tensors_bert(&tensors, "bert.");
    tiny_tensors_add(&tensors, "bert.pooler.dense.weight", "F32", square);
    tiny_tensors_add(&tensors, "bert.pooler.dense.bias", "F32", row);
    tiny_tensors_add(&tensors, "classifier.weight", "F32", one_row);
    tiny_tensors_add(&tensors, "classifier.bias", "F32", one);
    tiny_tensors_write(&tensors, directory, "model.safetensors");
    tiny_tensors_free(&tensors);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *config = tiny_config();
        json_object_set_new(config, "architectures",
                            json_pack("[s]", "BertForSequenceClassification"));
        json_object_set_new(config, "id2label", json_loads(cases[i].labels, 0, NULL));
        tiny_write_json(directory, "config.json", config);
        json_decref(config);
        if (cases[i].words)
            refused(cases[i].labels, cases[i].words);
        else
            accepted(cases[i].labels);
    }
}

/* What becomes of one logit, and of several. */
static void test_scores(void **unused)
{
    static const struct {
        const char *key, *value;
        int64_t scores;
    } cases[] = {
        {NULL, NULL, SCORES_SIGMOID},
        {"sbert_ce_default_activation_function", "torch.nn.modules.linear.Identity", SCORES_NONE},
        {"sbert_ce_default_activation_function", "torch.nn.modules.activation.Sigmoid",
         SCORES_SIGMOID},
        {"problem_type", "regression", SCORES_NONE},
    };
    struct checkpoint_config config;
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int n_labels = 1; n_labels <= 2; n_labels++) {
            struct json_file file = {.name = "config.json", .root = tiny_config()};
            json_object_set_new(file.root, "architectures",
                                json_pack("[s]", "BertForSequenceClassification"));
            json_object_set_new(file.root, "num_labels", json_integer(n_labels));
            if (cases[i].key)
                json_object_set_new(file.root, cases[i].key, json_string(cases[i].value));
            char *text = json_dumps(file.root, 0);
            json_file_free(&file);
            assert_true(json_file_parse(&file, "config.json", text, strlen(text), false, &problem));
            assert_true(checkpoint_config_read(&file, &config, &problem));
            if (n_labels == 1)
                assert_int_equal(config.model.scores, cases[i].scores);
            else if (i < 2)
                assert_int_equal(config.model.scores, SCORES_SOFTMAX);
            json_file_free(&file);
            free(text);
        }
}

/* Texts that are not JSON, or too much of it. */
static void test_json(void **unused)
{
    enum { DEPTH = 100000 };
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "not JSON"},
        {"{", "not JSON"},
        {"null", "config.json"},
        {"[]", "expected an object"},
        {"\"config\"", "config.json"},
        {"{\"hidden_size\": 8, \"hidden_size\": 16}", "duplicate"},
        {"{\"hidden_size\": 1e999}", "config.json"},
        {"{\"model_type\": \"a\\u0000b\"}", "config.json"},
        {"{\"model_type\": \"\xff\xfe\"}", "config.json"},
        {"{} {}", "config.json"},
    };
    static const char *const openings[] = {"[", "{\"a\":"};
    (void)unused;
    tiny_checkpoint(directory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_write_text(directory, "config.json", cases[i].text);
        refused(cases[i].text, cases[i].words);
    }
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(openings[i]);
        char *deep = malloc(n * DEPTH + 1);
        assert_non_null(deep);
        for (size_t at = 0; at < DEPTH; at++)
            memcpy(deep + at * n, openings[i], n);
        tiny_write(directory, "config.json", deep, n * DEPTH);
        refused("deep JSON", "config.json");
        free(deep);
    }
    char *large = malloc(8 << 20);
    assert_non_null(large);
    memset(large, ' ', 8 << 20);
    tiny_write(directory, "config.json", large, 8 << 20);
    refused("8 MiB of JSON", "at most");
    free(large);
}

static void replace(const char *name, const char *text)
{
    tiny_write_text(directory, name, text);
}

/* modules.json and what it points to. */
static void test_sentence_transformers(void **unused)
{
#define MODULE(path, type)                                                                         \
    "{\"path\": \"" path "\", \"type\": \"sentence_transformers.models." type "\"}"
    static const struct {
        const char *file, *text, *words; /* words NULL: accepted */
    } cases[] = {
        {"modules.json", "{}", "expected an array"},
        {"modules.json", "[]", "no Transformer"},
        {"modules.json", "[1]", "expected objects"},
        {"modules.json", "[{\"path\": 1, \"type\": \"Transformer\"}]", "'path'"},
        {"modules.json", "[{\"path\": \"\", \"type\": []}]", "'type'"},
        {"modules.json", "[" MODULE("", "Transformer") ", " MODULE("x", "CNN") "]", "CNN"},
        {"modules.json", "[" MODULE("1_Pooling", "Pooling") "]", "Pooling"},
        {"modules.json", "[" MODULE("", "Transformer") ", " MODULE("2_Dense", "Dense") "]",
         "Dense"},
        {"modules.json", "[" MODULE("", "Transformer") ", " MODULE("../x", "Pooling") "]", "../x"},
        {"modules.json", "[" MODULE("", "Transformer") ", " MODULE("/etc", "Pooling") "]", "/etc"},
        {"modules.json", "[" MODULE("", "Transformer") ", " MODULE("9_Pooling", "Pooling") "]",
         "9_Pooling"},
        {"modules.json", "[" MODULE("0_T", "Transformer") "]", "0_T/config.json"},
        {"modules.json", "[" MODULE("", "Transformer") "]", NULL},
        {"1_Pooling/config.json", "{}", "expected one"},
        {"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": 1}", "pooling_mode_mean_tokens"},
        {"1_Pooling/config.json",
         "{\"pooling_mode_mean_tokens\": true, \"pooling_mode_cls_token\": true}", "both true"},
        {"1_Pooling/config.json", "{\"pooling_mode_magic\": true}", "pooling_mode_magic"},
        {"1_Pooling/config.json", "{\"pooling_mode\": \"magic\"}", "magic"},
        {"1_Pooling/config.json", "{\"pooling_mode\": \"cls\"}", NULL},
        {"1_Pooling/config.json",
         "{\"word_embedding_dimension\": 9, \"pooling_mode_mean_tokens\": true}", "9"},
        {"1_Pooling/config.json", "{\"include_prompt\": false, \"pooling_mode_mean_tokens\": true}",
         "include_prompt"},
        {"2_Dense/config.json", "{}", "in_features"},
        {"2_Dense/config.json", "{\"in_features\": 9, \"out_features\": 6}", "'in_features' is 9"},
        {"2_Dense/config.json", "{\"in_features\": 8, \"out_features\": 5}", "linear.weight"},
        {"2_Dense/config.json", "{\"in_features\": 8, \"out_features\": 6, \"bias\": false}",
         "linear.bias"},
        {"2_Dense/config.json",
         "{\"in_features\": 8, \"out_features\": 6, \"activation_function\": \"x.Softmax\"}",
         "Softmax"},
        {"sentence_bert_config.json", "{\"max_seq_length\": \"long\"}", "max_seq_length"},
        {"sentence_bert_config.json", "{\"max_seq_length\": 0}", "max_seq_length"},
        {"sentence_bert_config.json", "{\"max_seq_length\": null}", NULL},
        {"sentence_bert_config.json", "{\"do_lower_case\": \"no\"}", "do_lower_case"},
        {"config_sentence_transformers.json", "{\"prompts\": []}", "prompts"},
        {"config_sentence_transformers.json", "{\"prompts\": {\"q\": 1}}", "'q'"},
        {"config_sentence_transformers.json", "{\"prompts\": {\"fra\xc3\xa7\": \"x\"}}", "ASCII"},
        {"config_sentence_transformers.json", "{\"default_prompt_name\": \"q\"}", "'q'"},
        {"config_sentence_transformers.json", "{}", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_checkpoint(directory);
        tiny_sentence_transformers(directory);
        replace(cases[i].file, cases[i].text);
        if (cases[i].words)
            refused(cases[i].text, cases[i].words);
        else
            accepted(cases[i].text);
    }
#undef MODULE
}

/* Vocabularies as text, one token per line, and as JSON. */
static void test_vocabularies(void **unused)
{
#define START "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
#define WORDS(vocabulary)                                                                          \
    "{\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", \"vocab\": " vocabulary "}}"
    static const struct {
        const char *file, *text, *words; /* words NULL: accepted */
    } cases[] = {
        {"vocab.txt", START "i\nride\n", NULL},
        {"vocab.txt", START "i\nride", NULL},
        {"vocab.txt", START "i\n\nride\n", NULL},
        {"vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\ni\r\n", NULL},
        {"vocab.txt", START "i\nride\ni\n", "'i' is there twice"},
        {"vocab.txt", START "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", "vocab_size"},
        {"vocab.txt", "i\nride\n", "is missing"},
        {"vocab.txt", "", "is missing"},
        {"vocab.txt", START "\xff\xfe\n", "UTF-8"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": 9}"), NULL},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": 16}"), "vocab_size"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": 0}"), "two tokens have the id 0"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": 1, \"i\": 2}"), "duplicate"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": -1}"), "id"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": 4000000000}"), "id 4000000000"},
        {"tokenizer.json", WORDS("{\"[UNK]\": 0, \"i\": \"1\"}"), "tokenizer.json"},
        {"tokenizer.json", WORDS("[\"[UNK]\", \"i\"]"), "tokenizer.json"},
        {"tokenizer.json", "{\"model\": {\"type\": \"Magic\"}}", "Magic"},
        {"tokenizer.json", "{}", "tokenizer.json"},
        {"tokenizer.json", "[", "not JSON"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_checkpoint(directory);
        replace(cases[i].file, cases[i].text);
        if (cases[i].words)
            refused(cases[i].text, cases[i].words);
        else
            accepted(cases[i].text);
    }
    tiny_checkpoint(directory);
    char path[SUPPORT_PATH];
    support_path(path, directory, "vocab.txt");
    unlink(path);
    replace("tokenizer_config.json", "{\"tokenizer_class\": \"BertTokenizer\"}");
    refused("a tokenizer without a vocabulary", "vocab.txt");
#undef WORDS
#undef START
}

/* Files that are not there, or not files. */
static void test_files(void **unused)
{
    static const char *const names[] = {"config.json", "model.safetensors"};
    char path[SUPPORT_PATH];
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tiny_checkpoint(directory);
        support_path(path, directory, names[i]);
        unlink(path);
        refused("a missing file", names[i]);
        mkdir(path, 0700);
        refused("a directory for a file", "is a directory");
        rmdir(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        refused("a FIFO", "not a regular file");
        unlink(path);
        assert_int_equal(symlink(names[i], path), 0);
        refused("a link to itself", names[i]);
    }
    tiny_checkpoint(directory);
    support_path(path, directory, "model.safetensors");
    unlink(path);
    replace("pytorch_model.bin", "PK");
    refused("a pickle", "save_file(");
    support_remove_dir(directory);
    refused("no directory", "No such file");
}

static void test_shards(void **unused)
{
    struct tiny_tensors tensors, first = {.header = json_object()},
                                 second = {.header = json_object()};
    char path[SUPPORT_PATH];
    const char *name;
    json_t *tensor, *map = json_object();
    (void)unused;
    tiny_checkpoint(directory);
    support_path(path, directory, "model.safetensors");
    unlink(path);
    tiny_tensors_bert(&tensors, "bert.");
    json_object_foreach(tensors.header, name, tensor)
    {
        int shape[4] = {-1, -1, -1, -1};
        json_t *sizes = json_object_get(tensor, "shape");
        bool is_first = strstr(name, "embeddings") != NULL;
        for (size_t i = 0; i < json_array_size(sizes); i++)
            shape[i] = (int)json_integer_value(json_array_get(sizes, i));
        tiny_tensors_add(is_first ? &first : &second, name, "F32", shape);
        json_object_set_new(map, name, json_string(is_first ? "a.safetensors" : "b.safetensors"));
    }
    tiny_tensors_write(&first, directory, "a.safetensors");
    tiny_tensors_write(&second, directory, "b.safetensors");
    json_t *index = json_pack("{s:O}", "weight_map", map);
    tiny_write_json(directory, "model.safetensors.index.json", index);
    accepted("two shards");

    const struct {
        const char *file, *words;
    } cases[] = {
        {"c.safetensors", "c.safetensors"},
        {"../a.safetensors", "../a.safetensors"},
        {"b.safetensors", "where it is not"},
        {"", "''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_string(cases[i].file));
        tiny_write_json(directory, "model.safetensors.index.json", index);
        if (cases[i].file[0] != '\0')
            refused(cases[i].file, cases[i].words);
        else
            assert_false(read_it());
    }
    json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_integer(1));
    tiny_write_json(directory, "model.safetensors.index.json", index);
    refused("a number for a file", "expected a string");
    tiny_tensors_write(&first, directory, "b.safetensors");
    json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_string("a.safetensors"));
    tiny_write_json(directory, "model.safetensors.index.json", index);
    refused("the same tensors in two shards", "twice");
    replace("model.safetensors.index.json", "{\"weight_map\": 1}");
    refused("no map", "weight_map");
    json_decref(index);
    json_decref(map);
    tiny_tensors_free(&first);
    tiny_tensors_free(&second);
    tiny_tensors_free(&tensors);
}

/* ---- The program ---- */

static void test_program(void **unused)
{
    (void)unused;
    tiny_checkpoint(directory);
    tiny_sentence_transformers(directory);
    shell_expect(0, "$IMPORT %s -o a.weights --name 'Tiny one'", directory);
    const struct shell_result *result = shell_expect(0, "$INSPECT --verify a.weights");
    assert_contains(result->out, "Tiny one");
    assert_contains(result->out, "made_by             encode-import");
    assert_contains(result->out, "BertModel");
    assert_contains(result->out, "prompt.query        \"ride \"");
    assert_contains(result->out, "default_prompt      query");
    assert_contains(result->out, "projection.0.weight");
    result =
        shell_expect(0, "sha256sum %s/model.safetensors | cut -c 1-64 | tr -d '\\n'", directory);
    char hash[80];
    snprintf(hash, sizeof hash, "%s", result->out);
    assert_contains(shell_expect(0, "$INSPECT a.weights")->out, hash);
    shell_expect(0, "$IMPORT %s -o b.weights --name 'Tiny one' && cmp a.weights b.weights",
                 directory);
    result = shell_expect(0, "$IMPORT %s --dry-run && ls", directory);
    assert_contains(result->out, "layers.1.feed_forward.out.weight");
    assert_contains(result->out, "max_text_tokens        7");
    shell_expect(0, "$IMPORT %s --dry-run -o c.weights && [ ! -e c.weights ]", directory);
    shell_expect(0,
                 "for t in f32 f16 bf16 int8; do $IMPORT %s --weights $t -o $t.weights && "
                 "$INSPECT --verify $t.weights >/dev/null || exit 1; done",
                 directory);
}

/* Failures exit with 1, say why, and leave no file, nor harm the one that stood there. */
static void test_no_partial_output(void **unused)
{
    struct tiny_tensors tensors;
    size_t len;
    (void)unused;
    tiny_checkpoint(directory);
    shell_expect(0, "rm -rf out && mkdir out && echo old > out/old.weights");
    tiny_tensors_bert(&tensors, "bert.");
    char *file = tiny_tensors_file(&tensors, &len);
    const uint32_t nan = 0x7FC00000;
    memcpy(file + len - 4, &nan, 4); /* found when it is read: half the file is written by then */
    tiny_write(directory, "model.safetensors", file, len);
    const struct shell_result *result = shell_expect(1, "$IMPORT %s -o out/old.weights", directory);
    assert_contains(result->err, "output.LayerNorm.bias");
    assert_contains(result->err, "nan");
    const float large = 1e9f;
    memcpy(file + 8 + (len - tensors.n_data - 8), &large, 4);
    memcpy(file + len - 4, &large, 4);
    tiny_write(directory, "model.safetensors", file, len);
    result = shell_expect(1, "$IMPORT %s --weights f16 -o out/new.weights", directory);
    assert_contains(result->err, "does not fit its type");
    tiny_write(directory, "model.safetensors", file, len - 1);
    shell_expect(1, "$IMPORT %s -o out/old.weights", directory);
    result = shell_expect(0, "ls -A out; cat out/old.weights");
    assert_string_equal(result->out, "old.weights\nold\n");
    tiny_write(directory, "model.safetensors", file, len);
    result = shell_expect(1, "$IMPORT %s -o /nowhere/a.weights", directory);
    assert_contains(result->err, "/nowhere/a.weights");
    free(file);
    tiny_tensors_free(&tensors);
}

static void test_misuse(void **unused)
{
    (void)unused;
    tiny_checkpoint(directory);
    assert_contains(shell_expect(2, "$IMPORT")->err, "directory");
    assert_contains(shell_expect(2, "$IMPORT %s", directory)->err, "-o FILE");
    assert_contains(shell_expect(2, "$IMPORT %s %s -o a", directory, directory)->err, "not 2");
    assert_contains(shell_expect(2, "$IMPORT %s -o a --weights f8", directory)->err, "--weights");
    shell_expect(2, "$IMPORT --nonsense");
    shell_expect(2, "$IMPORT %s --tokenizer-only %s -o a", directory, directory);
    assert_contains(shell_expect(0, "$IMPORT --help")->out, "--tokenizer-only");
    assert_contains(shell_expect(0, "$IMPORT --version")->out, "encode-import");
    assert_contains(shell_expect(1, "$IMPORT nowhere -o a")->err, "nowhere");
    assert_contains(shell_expect(1, "$IMPORT toy.weights -o a")->err, "not a directory");
}

/* A file with a tokenizer and no model. */
static void test_tokenizer_only(void **unused)
{
    (void)unused;
    tiny_checkpoint(directory);
    shell_expect(0, "$IMPORT --tokenizer-only %s -o t.weights", directory);
    shell_expect(0, "$IMPORT --tokenizer-only %s/vocab.txt -o v.weights", directory);
    shell_expect(0, "$IMPORT %s --tokenizer-only u.weights && cmp t.weights u.weights", directory);
    shell_expect(1, "$IMPORT --tokenizer-only nowhere.json -o w.weights");
    assert_contains(shell_expect(0, "$INSPECT --verify t.weights")->out, "vocabulary");
}

/* The absurd, with little memory: 10^9 layers, a header of 2 GB that is not there. */
static void test_bounded_memory(void **unused)
{
    (void)unused;
    if (support_sanitized()) {
        print_message("sanitizers reserve more memory than this allows\n");
        skip();
    }
    tiny_checkpoint(directory);
    config_with("num_hidden_layers", json_integer(1000000000));
    assert_contains(shell_expect(1, "ulimit -v 1000000; $IMPORT %s -o a", directory)->err,
                    "encoder.layer.2.");
    tiny_checkpoint(directory);
    tiny_write(directory, "model.safetensors", "\xff\xff\xff\x7f\0\0\0\0{}", 10);
    shell_expect(0, "truncate -s 3G %s/model.safetensors", directory);
    assert_contains(shell_expect(1, "ulimit -v 1000000; $IMPORT %s -o a", directory)->err,
                    "at most");
}

static void set_program(const char *variable, const char *name)
{
    char path[SUPPORT_PATH];
    support_program(name, path);
    char *real = realpath(path, NULL);
    if (!real)
        fail_msg("%s is not built", path);
    setenv(variable, real, 1);
    free(real);
}

static int set_up(void **state)
{
    char here[SUPPORT_PATH];
    set_program("IMPORT", "encode-import");
    set_program("INSPECT", "encode-inspect");
    if (shell_setup(state) != 0 || !getcwd(here, sizeof here))
        return -1;
    support_path(directory, here, "checkpoint");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_header_length),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_config_types),
        cmocka_unit_test(test_config_values),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_sentence_transformers),
        cmocka_unit_test(test_vocabularies),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_no_partial_output),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_tokenizer_only),
        cmocka_unit_test(test_bounded_memory),
    };
    return cmocka_run_group_tests_name("import", tests, set_up, shell_teardown);
}
