/* Any bytes as one of the JSON files of a checkpoint; the first byte chooses which. */
#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/tokenizer/tokenizer_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONFIG, MODULES, POOLING, DENSE, LENGTH, PROMPTS, TOKENIZER, N_KINDS };

static void read_as(int kind, const struct json_file *file)
{
    static struct sentence_transformers st;
    struct checkpoint_config config;
    st = (struct sentence_transformers){.is_present = true};
    switch (kind) {
    case CONFIG:
        if (checkpoint_config_read(file, &config)) {
            for (int64_t i = 0; i < config.model.labels && i < 1000; i++)
                checkpoint_label(&config, (size_t)i);
            config_check(&config.model);
        }
        break;
    case MODULES: modules_parse(&st, file); break;
    case POOLING: pooling_parse(&st, file); break;
    case DENSE: dense_parse(&st, file); break;
    case LENGTH: length_parse(&st, file); break;
    default: prompts_check(file); break;
    }
}

static void read_tokenizer(const char *text, size_t len)
{
    struct import_tokenizer tokenizer;
    struct problem problem = {""};
    if (import_tokenizer_parse(&tokenizer, "fuzz", text, len, &problem))
        import_tokenizer_free(&tokenizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_file file;
    struct problem problem = {""};
    if (size == 0)
        return 0;
    int kind = data[0] % N_KINDS;
    if (kind == TOKENIZER) {
        read_tokenizer((const char *)data + 1, size - 1);
        return 0;
    }
    if (!json_file_parse(&file, "fuzz", (const char *)data + 1, size - 1, kind == MODULES,
                         &problem))
        return 0;
    read_as(kind, &file);
    json_file_free(&file);
    return 0;
}
