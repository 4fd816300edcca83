/* tags: long */
/* The fuzz target of complete directories, on directories made from sound ones. */
#include "tests/fuzz/files/fuzz_folder.c"

#include "tests/support.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/torch/tiny_torch.h"

static char directory[SUPPORT_PATH];

/* A command line, and the files of the directory that the target knows; those with tensors begin,
 * so that most inputs that are cut have them. */
static void replay_directory(const char *line)
{
    static uint8_t input[16384];
    size_t n = strlen(line), len;
    memcpy(input, line, n);
    size_t first = 0;
    while (strcmp(NAMES[first], "model.safetensors") != 0)
        first++;
    for (size_t i = 0; i < N_NAMES; i++) {
        const size_t which = (first + i) % N_NAMES;
        const char mark[] = {'\n', '=', (char)('A' + which), '\n'};
        char path[SUPPORT_PATH];
        support_path(path, directory, NAMES[which]);
        if (access(path, R_OK) != 0)
            continue;
        const void *bytes = support_read(path, &len);
        assert_true(n + sizeof mark + len <= sizeof input);
        memcpy(input + n, mark, sizeof mark);
        memcpy(input + n + sizeof mark, bytes, len);
        n += sizeof mark + len;
    }
    replay(input, n, 500);
}

static void begin(void)
{
    support_path(directory, support_folder(), "checkpoint");
    support_remove_dir(directory);
    assert_int_equal(mkdir(directory, 0700), 0);
}

TEST(models)
{
    begin();
    tiny_checkpoint(directory);
    replay_directory("--weights\nint8\n");
    tiny_sentence_transformers(directory);
    tiny_write_text(directory, "tokenizer_config.json",
                    "{'do_lower_case': true, 'model_max_length': 9}");
    replay_directory("--tables\nbf16\n");
    print_message("%zu weight files\n", n_made);
    assert_true(n_made > 10 || getenv("FUZZ_CORPUS") != NULL);
}

TEST(static_embeddings)
{
    begin();
    tiny_write_text(directory, "modules.json",
                    "[{'path': '', 'type': 'sentence_transformers.models.StaticEmbedding'}]");
    tiny_write_text(
        directory, "tokenizer.json",
        "{'pre_tokenizer': {'type': 'BertPreTokenizer'}, 'model': {'type': 'WordPiece', "
        "'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, 'a': 1, 'b': 2}}}");
    tiny_write_tensors(directory, "model.safetensors", "embedding.weight 3 4");
    replay_directory("--dry-run\n");
}

TEST(files_of_torch)
{
    static struct tiny_bytes torch;
    begin();
    tiny_write_text(directory, "config.json",
                    "{'model_type': 'bert', 'architectures': ['BertModel']}");
    tiny_torch_sound(&torch);
    support_write_in(directory, "pytorch_model.bin", torch.bytes, torch.len);
    replay_directory("");
}
