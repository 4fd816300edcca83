/* encode-import on a ColBERT, as PyLate or its authors write it. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <string.h>
#include <sys/stat.h>

SET_UP()
{
    import_setup();
}

static void make_folder(const char *name)
{
    char path[SUPPORT_PATH];
    support_path(path, import_directory, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Imports the directory into a file, which encode reads with these arguments. */
static const char *encode_imported(const char *arguments)
{
    shell_expect(0, "$IMPORT %s -o search.weights", import_directory);
    return shell_expect(0, "$ENCODE -m search.weights %s", arguments)->out;
}

static void make_pylate(void)
{
    struct tiny_tensors dense = {.header = json_object()};
    const int weight[] = {6, TINY_WIDTH, -1};
    tiny_checkpoint(import_directory);
    import_write(
        "modules.json",
        "[{\"path\": \"\", \"type\": \"sentence_transformers.models.Transformer\"}, {\"path\": "
        "\"1_Dense\", \"type\": \"pylate.models.Dense.Dense\"}]");
    make_folder("1_Dense");
    import_write("1_Dense/config.json",
                 "{\"in_features\": 8, \"out_features\": 6, \"bias\": false, "
                 "\"activation_function\": \"torch.nn.Identity\"}");
    tiny_tensors_add(&dense, "linear.weight", "F32", weight);
    tiny_tensors_write(&dense, import_directory, "1_Dense/model.safetensors");
    tiny_tensors_free(&dense);
    import_write("config_sentence_transformers.json",
                 "{\"query_prefix\": \"ride\", \"document_prefix\": \"bike\", "
                 "\"document_length\": 7, \"do_query_expansion\": false, "
                 "\"skiplist_words\": [\"dog\", \"zebra\", \"i\"]}");
}

TEST(pylate)
{
    make_pylate();
    assert_true(import_read());
    const struct model_config *model = &import_checkpoint.config.model;
    assert_int_equal(model->token_vectors, 6);
    assert_int_equal(model->token_vector_bias, 0);
    assert_int_equal(model->token_vector_first, 1);
    assert_int_equal(model->max_text_tokens, 7);
    assert_int_equal(model->pooling, POOLING_NONE);
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "9 5 1");
    assert_string_equal(import_checkpoint.token_modules.note, "");
    import_free();
    const char *out = encode_imported("-p model -f json 'cat dog i zebra'");
    assert_contains(out, "\"text\": \"bikecat dog i zebra\"");
    assert_contains(out, "{\"text\": \"bike\", ");
    assert_contains(out, "{\"text\": \"cat\", "); /* the marker is a token of its own */
    out = encode_imported("-p colbert --prompt query -f json 'cat dog'");
    assert_contains(out, "\"text\": \"ridecat dog\"");
    assert_contains(encode_imported("--rank dog cat"), "MaxSim of vectors of tokens");
}

TEST(pylate_defaults_and_refusals)
{
    static const struct {
        const char *file, *text, *words;
    } cases[] = {
        {"1_Dense/config.json", "{\"in_features\": 7, \"out_features\": 6}", "'in_features' is 7"},
        {"1_Dense/config.json",
         "{\"in_features\": 8, \"out_features\": 6, \"activation_function\": \"torch.nn.ReLU\"}",
         "'activation_function' is 'torch.nn.ReLU'; expected Identity"},
        {"1_Dense/config.json", "{\"in_features\": 8, \"out_features\": 6, \"use_residual\": true}",
         "use_residual"},
        {"1_Dense/config.json", "{\"in_features\": 8, \"out_features\": 6}", "linear.bias"},
        {"1_Dense/config.json", "{\"in_features\": 8, \"out_features\": 5, \"bias\": false}",
         "has the shape [6, 8]; expected [5, 8]"},
        {"config_sentence_transformers.json", "{}", "'query_prefix' '[Q] ' is not a token"},
        {"config_sentence_transformers.json",
         "{\"query_prefix\": \"\", \"document_prefix\": \"train\"}",
         "'document_prefix' 'train' is not a token"},
        {"config_sentence_transformers.json",
         "{\"query_prefix\": \"\", \"document_prefix\": \"\", \"skiplist_words\": [3]}",
         "'skiplist_words' holds a number"},
        {"config_sentence_transformers.json",
         "{\"query_prefix\": \"\", \"document_prefix\": \"\", \"skiplist_words\": {}}",
         "skiplist_words"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_pylate();
        import_write(cases[i].file, cases[i].text);
        import_refused(cases[i].text, cases[i].words);
    }
    make_pylate();
    import_write("config_sentence_transformers.json",
                 "{\"query_prefix\": \"\", \"document_prefix\": \"\"}");
    assert_true(import_read()); /* no punctuation is in the vocabulary: each is unknown */
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "1");
    assert_non_null(strstr(import_checkpoint.token_modules.note, "do_query_expansion"));
    import_free();
    assert_contains(shell_expect(0, "$IMPORT %s -o search.weights", import_directory)->err,
                    "'do_query_expansion'");
}

/* Another library's Dense comes after a pooling. */
TEST(dense_of_others)
{
    make_pylate();
    import_write(
        "modules.json",
        "[{\"path\": \"\", \"type\": \"sentence_transformers.models.Transformer\"}, {\"path\": "
        "\"1_Dense\", \"type\": \"sentence_transformers.models.Dense\"}]");
    import_refused(
        "Dense",
        "the module 'sentence_transformers.models.Dense' is not known, or not in this place");
    import_write(
        "modules.json",
        "[{\"path\": \"\", \"type\": \"sentence_transformers.models.Transformer\"}, {\"path\": "
        "\"1_Dense\", \"type\": \"pylate.models.Dense\"}, {\"path\": \"2\", "
        "\"type\": \"pylate.models.Dense\"}]");
    import_refused("two of them", "'pylate.models.Dense' is not known, or not in this place");
}

/* As stanford-futuredata/ColBERT writes it: the layer among the model's tensors. */
TEST(class_hf_colbert)
{
    struct tiny_tensors tensors;
    const int weight[] = {6, TINY_WIDTH, -1};
    tiny_checkpoint(import_directory);
    import_config_with("architectures", json_pack("[s]", "HF_ColBERT"));
    tiny_tensors_bert(&tensors, "bert.");
    tiny_tensors_add(&tensors, "linear.weight", "F32", weight);
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    tiny_tensors_free(&tensors);
    import_refused("no marker", "the 'query_token_id' '[unused0]' is not a token");
    import_write("artifact.metadata", "{\"query_token_id\": \"ride\", \"doc_token_id\": "
                                      "\"bike\", \"doc_maxlen\": 8, \"mask_punctuation\": false}");
    assert_true(import_read());
    const struct model_config *model = &import_checkpoint.config.model;
    assert_int_equal(model->token_vectors, 6);
    assert_int_equal(model->token_vector_bias, 0);
    assert_int_equal(model->max_text_tokens, 8);
    assert_int_equal(model->pooling, POOLING_NONE);
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "");
    import_free();
    const char *out = encode_imported("-p model -f csv 'cat'");
    assert_contains(out, "\r\n0,1,bike,7,"); /* a token, though no blank follows it */
    assert_contains(out, "\r\n0,2,cat,10,");
    tiny_tensors_bert(&tensors, "bert.");
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    tiny_tensors_free(&tensors);
    import_refused("no layer", "no tensor 'linear.weight'");
}
