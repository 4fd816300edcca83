/* Any bytes as one of the JSON files of a checkpoint; the first byte chooses which. */
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"
#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/tokenizer/tokenizer_file.h"

enum { CONFIG, MODULES, POOLING, DENSE, LENGTH, PROMPTS, TOKENIZER, N_KINDS };

static void read_as(int kind, struct json_file *file)
{
    static struct sentence_transformers st;
    static struct folder folder;
    struct checkpoint_config config;
    folder.unread[0] = '\0';
    st = (struct sentence_transformers){.is_present = true};
    switch (kind) {
    case CONFIG:
        checkpoint_config_read(file, NULL, &folder, &config);
        for (size_t i = 0; i < config.model.labels && i < 1000; i++)
            checkpoint_label(&config, i);
        config_check(&config.model);
        break;
    case MODULES: modules_parse(&st, file); break;
    case POOLING: pooling_parse(&st, file); break;
    case DENSE: dense_parse(&st, file); break;
    case LENGTH: length_parse(&st, file); break;
    default: prompts_parse(&st, file); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct json_file file;
    static struct import_tokenizer tokenizer;
    static bool is_right;
    if (size == 0)
        return 0;
    const int kind = data[0] % N_KINDS;
    const char *text = (const char *)data + 1;
    if (kind == TOKENIZER) {
        READ_OR_REFUSE(&is_right, import_tokenizer_parse(&tokenizer, "fuzz", text, size - 1));
    } else {
        READ_OR_REFUSE(&is_right, {
            json_file_parse(&file, "fuzz", text, size - 1, kind == MODULES);
            read_as(kind, &file);
        });
    }
    import_free();
    return 0;
}
