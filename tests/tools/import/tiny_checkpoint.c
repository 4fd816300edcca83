/* tiny_checkpoint.c - see tiny_checkpoint.h. */
#include "tests/tools/import/tiny_checkpoint.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME = 128 };

/* ---- Tensors ---- */

static size_t element_bytes(const char *dtype)
{
    if (strcmp(dtype, "F32") == 0 || strcmp(dtype, "I32") == 0)
        return 4;
    return strcmp(dtype, "F16") == 0 || strcmp(dtype, "BF16") == 0 ? 2 : 8;
}

void tiny_tensors_add(struct tiny_tensors *tensors, const char *name, const char *dtype,
                      const int *shape)
{
    json_t *sizes = json_array();
    size_t n = element_bytes(dtype);
    for (; *shape >= 0; shape++) {
        json_array_append_new(sizes, json_integer(*shape));
        n *= (size_t)*shape;
    }
    json_t *tensor =
        json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype, "shape", sizes, "data_offsets",
                  (json_int_t)tensors->n_data, (json_int_t)(tensors->n_data + n));
    assert_non_null(tensor);
    assert_int_equal(json_object_set_new(tensors->header, name, tensor), 0);
    tensors->n_data += n;
}

static void add(struct tiny_tensors *tensors, const char *prefix, const char *name, int rows,
                int cols)
{
    char whole[NAME + 32];
    const int shape[] = {rows, cols, -1};
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    tiny_tensors_add(tensors, whole, "F32", shape);
}

static void add_layer(struct tiny_tensors *tensors, const char *prefix, int layer)
{
    static const struct {
        const char *name;
        int rows, cols; /* cols -1: a norm */
    } parts[] = {
        {"attention.self.query", TINY_WIDTH, TINY_WIDTH},
        {"attention.self.key", TINY_WIDTH, TINY_WIDTH},
        {"attention.self.value", TINY_WIDTH, TINY_WIDTH},
        {"attention.output.dense", TINY_WIDTH, TINY_WIDTH},
        {"attention.output.LayerNorm", TINY_WIDTH, -1},
        {"intermediate.dense", TINY_FEED_FORWARD, TINY_WIDTH},
        {"output.dense", TINY_WIDTH, TINY_FEED_FORWARD},
        {"output.LayerNorm", TINY_WIDTH, -1},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char name[NAME];
        snprintf(name, sizeof name, "encoder.layer.%d.%s.weight", layer, parts[i].name);
        add(tensors, prefix, name, parts[i].rows, parts[i].cols);
        snprintf(name, sizeof name, "encoder.layer.%d.%s.bias", layer, parts[i].name);
        add(tensors, prefix, name, parts[i].rows, -1);
    }
}

void tiny_tensors_bert(struct tiny_tensors *tensors, const char *prefix)
{
    *tensors = (struct tiny_tensors){.header = json_object()};
    add(tensors, prefix, "embeddings.word_embeddings.weight", TINY_VOCABULARY, TINY_WIDTH);
    add(tensors, prefix, "embeddings.position_embeddings.weight", TINY_POSITIONS, TINY_WIDTH);
    add(tensors, prefix, "embeddings.token_type_embeddings.weight", 2, TINY_WIDTH);
    add(tensors, prefix, "embeddings.LayerNorm.weight", TINY_WIDTH, -1);
    add(tensors, prefix, "embeddings.LayerNorm.bias", TINY_WIDTH, -1);
    for (int layer = 0; layer < TINY_LAYERS; layer++)
        add_layer(tensors, prefix, layer);
}

void tiny_tensors_free(struct tiny_tensors *tensors)
{
    json_decref(tensors->header);
    *tensors = (struct tiny_tensors){.header = NULL};
}

char *tiny_tensors_file(const struct tiny_tensors *tensors, size_t *len)
{
    char *header = json_dumps(tensors->header, JSON_COMPACT);
    assert_non_null(header);
    size_t n_header = strlen(header);
    *len = 8 + n_header + tensors->n_data;
    char *file = calloc(1, *len + 1);
    assert_non_null(file);
    for (size_t i = 0; i < 8; i++)
        file[i] = (char)(n_header >> (8 * i) & 0xFF);
    memcpy(file + 8, header, n_header);
    for (size_t i = 0; i + 4 <= tensors->n_data; i += 4) {
        float value = 0.25f + 0.001f * (float)(i / 4 % 1000);
        memcpy(file + 8 + n_header + i, &value, 4);
    }
    free(header);
    return file;
}

/* Writes a file; the folder in the directory that its name begins with is made. */
static void write_in(const char *directory, const char *name, const void *bytes, size_t len)
{
    char path[SUPPORT_PATH];
    support_path(path, directory, name);
    mkdir(dirname(path), 0700); /* which may exist */
    support_write_in(directory, name, bytes, len);
}

void tiny_tensors_write(const struct tiny_tensors *tensors, const char *directory, const char *name)
{
    size_t len;
    char *file = tiny_tensors_file(tensors, &len);
    write_in(directory, name, file, len);
    free(file);
}

static void add_list(struct tiny_tensors *tensors, const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
        char name[NAME];
        int shape[5] = {-1, -1, -1, -1, -1};
        assert_true(sscanf(at, "%127s %d %d %d", name, &shape[0], &shape[1], &shape[2]) > 1);
        char *type = strchr(name, ':');
        if (type != NULL)
            *type = '\0';
        tiny_tensors_add(tensors, name, type != NULL ? type + 1 : "F32", shape);
    }
}

void tiny_write_tensors(const char *directory, const char *name, const char *list)
{
    struct tiny_tensors tensors = {.header = json_object()};
    add_list(&tensors, list);
    tiny_tensors_write(&tensors, directory, name);
    tiny_tensors_free(&tensors);
}

void tiny_write_bert(const char *directory, const char *list)
{
    struct tiny_tensors tensors;
    tiny_tensors_bert(&tensors, "bert.");
    add_list(&tensors, list);
    tiny_tensors_write(&tensors, directory, "model.safetensors");
    tiny_tensors_free(&tensors);
}

/* ---- Files ---- */

const char *tiny_json(const char *text)
{
    static char *copy;
    free(copy);
    copy = strdup(text);
    assert_non_null(copy);
    for (char *quote = copy; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    return copy;
}

void tiny_write_text(const char *directory, const char *name, const char *text)
{
    const char *ending = strrchr(name, '.');
    if (ending != NULL && strcmp(ending, ".json") == 0)
        text = tiny_json(text);
    write_in(directory, name, text, strlen(text));
}

void tiny_write_json(const char *directory, const char *name, const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2));
    assert_non_null(text);
    tiny_write_text(directory, name, text);
    free(text);
}

json_t *tiny_config(void)
{
    json_t *config = json_pack(
        "{s:[s], s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:s, s:s}", "architectures",
        "BertModel", "model_type", "bert", "hidden_size", TINY_WIDTH, "num_hidden_layers",
        TINY_LAYERS, "num_attention_heads", 2, "intermediate_size", TINY_FEED_FORWARD, "vocab_size",
        TINY_VOCABULARY, "max_position_embeddings", TINY_POSITIONS, "type_vocab_size", 2,
        "layer_norm_eps", 1e-12, "hidden_act", "gelu", "position_embedding_type", "absolute");
    assert_non_null(config);
    return config;
}

json_t *tiny_config_of(const char *members)
{
    char text[2048];
    snprintf(text, sizeof text, "{%s}", members);
    json_t *config = tiny_config(), *more = json_loads(tiny_json(text), 0, NULL);
    assert_non_null(more);
    assert_int_equal(json_object_update(config, more), 0);
    json_decref(more);
    return config;
}

void tiny_checkpoint(const char *directory)
{
    json_t *config = tiny_config();
    support_remove_dir(directory);
    assert_int_equal(mkdir(directory, 0700), 0);
    tiny_write_json(directory, "config.json", config);
    tiny_write_bert(directory, "");
    tiny_write_text(directory, "vocab.txt",
                    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ni\nride\nbike\n##s\ndog\ncat\n");
    json_decref(config);
}

void tiny_sentence_transformers(const char *directory)
{
    tiny_write_text(
        directory, "modules.json",
        "[{'idx': 0, 'name': '0', 'path': '', 'type': "
        "'sentence_transformers.models.Transformer'},\n {'idx': 1, 'name': '1', 'path': "
        "'1_Pooling', 'type': 'sentence_transformers.models.Pooling'},\n {'idx': 2, 'name': '2', "
        "'path': '2_Dense', 'type': 'sentence_transformers.models.Dense'},\n {'idx': 3, 'name': "
        "'3', 'path': '3_Normalize', 'type': 'sentence_transformers.models.Normalize'}]\n");
    tiny_write_text(directory, "1_Pooling/config.json",
                    "{'word_embedding_dimension': 8, 'pooling_mode_cls_token': false, "
                    "'pooling_mode_mean_tokens': true, 'pooling_mode_max_tokens': false}");
    tiny_write_text(directory, "2_Dense/config.json",
                    "{'in_features': 8, 'out_features': 6, 'bias': true, 'activation_function': "
                    "'torch.nn.modules.activation.Tanh'}");
    /* Another Dense, which modules.json leaves out. */
    tiny_write_text(directory, "3_Dense/config.json",
                    "{'in_features': 6, 'out_features': 6, 'bias': false, 'activation_function': "
                    "'torch.nn.ReLU'}");
    tiny_write_tensors(directory, "2_Dense/model.safetensors", "linear.weight 6 8, linear.bias 6");
    tiny_write_text(directory, "sentence_bert_config.json",
                    "{'max_seq_length': 7, 'do_lower_case': false}");
    tiny_write_text(
        directory, "config_sentence_transformers.json",
        "{'prompts': {'query': 'ride ', 'passage': ''}, 'default_prompt_name': 'query'}");
}

void tiny_classifier(const char *directory, int n_labels, const char *type)
{
    char list[200];
    snprintf(list, sizeof list,
             "bert.pooler.dense.weight:%s 8 8, bert.pooler.dense.bias 8, classifier.weight %d 8, "
             "classifier.bias %d",
             type, n_labels, n_labels);
    tiny_write_bert(directory, list);
}
