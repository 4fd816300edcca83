/* tags: long */
/* The fuzz target of complete directories, on directories made from sound ones. */
#include "tests/fuzz/files/fuzz_folder.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/torch/tiny_torch.h"

static uint8_t input[16384];
static size_t input_len;

static void begin(const char *line)
{
    input_len = strlen(line);
    memcpy(input, line, input_len);
}

static void put(const char *name, const void *data, size_t len)
{
    size_t which = 0;
    while (strcmp(NAMES[which], name) != 0)
        which++;
    const char mark[] = {'\n', '=', (char)('A' + which), '\n'};
    assert_true(input_len + sizeof mark + len <= sizeof input);
    memcpy(input + input_len, mark, sizeof mark);
    memcpy(input + input_len + sizeof mark, data, len);
    input_len += sizeof mark + len;
}

/* Of JSON it has ' for ". */
static void put_text(const char *name, const char *text)
{
    const char *written = strstr(name, ".json") ? tiny_json(text) : text;
    put(name, written, strlen(written));
}

static void put_tensors(const char *name, const struct tiny_tensors *tensors)
{
    size_t len;
    char *file = tiny_tensors_file(tensors, &len);
    put(name, file, len);
    free(file);
}

static void put_bert(const char *members)
{
    struct tiny_tensors tensors;
    json_t *config = tiny_config_of(members);
    char *text = json_dumps(config, 0);
    put_text("config.json", text);
    tiny_tensors_bert(&tensors, "");
    put_tensors("model.safetensors", &tensors);
    tiny_tensors_free(&tensors);
    free(text);
    json_decref(config);
}

static size_t replay_folder(void)
{
    const size_t n_random = support_slow() ? 50 : 500;
    return replay(LLVMFuzzerTestOneInput, input, input_len, n_random);
}

TEST(replay)
{
    static const char words[] =
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ni\nride\nbike\n##s\ndog\ncat\n";
    static const int weight[] = {6, TINY_WIDTH, -1}, bias[] = {6, -1}, table[] = {3, 4, -1};
    struct tiny_tensors dense = {.header = json_object()}, rows = {.header = json_object()};
    struct tiny_bytes torch;
    size_t n = 0;
    begin("--weights\nint8\n");
    put_bert("");
    put_text("vocab.txt", words);
    n += replay_folder();

    begin("--tables\nbf16\n");
    put_bert("'hidden_act': 'relu'");
    put_text("vocab.txt", words);
    put_text("tokenizer_config.json", "{'do_lower_case': true, 'model_max_length': 9}");
    put_text("modules.json", "[{'path': '', 'type': 'sentence_transformers.models.Transformer'}, "
                             "{'path': '1_Pooling', 'type': 'Pooling'}, {'path': '2_Dense', "
                             "'type': 'Dense'}, {'path': '3', 'type': 'Normalize'}]");
    put_text("1_Pooling/config.json",
             "{'word_embedding_dimension': 8, 'pooling_mode_mean_tokens': true}");
    put_text("2_Dense/config.json", "{'in_features': 8, 'out_features': 6, 'bias': true}");
    tiny_tensors_add(&dense, "linear.weight", "F32", weight);
    tiny_tensors_add(&dense, "linear.bias", "F32", bias);
    put_tensors("2_Dense/model.safetensors", &dense);
    put_text("config_sentence_transformers.json", "{'prompts': {'query': 'ride '}}");
    n += replay_folder();

    begin("--dry-run\n");
    put_text("modules.json",
             "[{'path': '', 'type': 'sentence_transformers.models.StaticEmbedding'}]");
    put_text("tokenizer.json",
             "{'pre_tokenizer': {'type': 'BertPreTokenizer'}, 'model': {'type': 'WordPiece', "
             "'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, 'a': 1, 'b': 2}}}");
    tiny_tensors_add(&rows, "embedding.weight", "F32", table);
    put_tensors("model.safetensors", &rows);
    n += replay_folder();

    begin("");
    put_text("config.json", "{'model_type': 'bert', 'architectures': ['BertModel']}");
    tiny_torch_sound(&torch);
    put("pytorch_model.bin", torch.bytes, torch.len);
    n += replay_folder();
    tiny_tensors_free(&dense);
    tiny_tensors_free(&rows);
    print_message("%zu inputs, %zu weight files\n", n, n_made);
    assert_true(n_made > 10 || getenv("FUZZ_CORPUS") != NULL);
}
