/* writer_cases.c - see writer_cases.h. */
#include "tests/tools/writer/writer_cases.h"

#include <string.h>

char writer_folder[SUPPORT_PATH], writer_path[SUPPORT_PATH];

void writer_set_up(void)
{
    support_temp_dir(writer_folder);
    support_path(writer_path, writer_folder, "made.weights");
}

void writer_tear_down(void)
{
    support_remove_dir(writer_folder);
}

struct weight_writer *open_writer(engine_error *error)
{
    struct weight_writer *writer;
    if (weight_writer_open(writer_path, &writer, error) != ENGINE_OK)
        fail_msg("%s", error != NULL ? error->message : "weight_writer_open");
    return writer;
}

size_t count_names(void)
{
    return support_count_files(writer_folder);
}

void put(struct weight_writer *writer, engine_settings settings, const char *key, const char *value)
{
    weight_writer_setting(writer, settings, key, value, strlen(value));
}

void small_config(struct model_config *config)
{
    *config = CONFIG_DEFAULTS;
    config->layers = 0;
    config->width = 4;
    config->vocabulary = 5;
    config->max_tokens = 9;
    config->embedding_scale = 1.0 / 3;
}

void write_small_model(struct weight_writer *writer)
{
    static const char *const texts[] = {NULL, "hello", "", "世界", "\t\"x"};
    static const size_t lens[] = {0, 5, 0, 6, 3};
    static const float table[20] = {1, 2, 3, 4};
    static const float weights[3] = {7, 8, 9};
    struct model_config config;
    small_config(&config);
    weight_writer_config(writer, &config);
    put(writer, ENGINE_SETTINGS_TOKENIZER, "kind", "keras");
    weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, "filters", "a\0b", 3);
    put(writer, ENGINE_SETTINGS_METADATA, "name", "small");
    put(writer, ENGINE_SETTINGS_METADATA, "empty", "");
    weight_writer_vocabulary(writer, texts, lens, 5);
    weight_writer_begin_tensor(writer, "embedding.token.weight", TENSOR_F32, LAYOUT_ROWS, 2, 5, 4);
    weight_writer_rows(writer, table, 5);
    weight_writer_begin_tensor(writer, "extra.vector", TENSOR_F32, LAYOUT_ROWS, 1, 3, 1);
    weight_writer_rows(writer, weights, 2);
    weight_writer_rows(writer, weights + 2, 1);
}
