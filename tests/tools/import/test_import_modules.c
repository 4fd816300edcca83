/* encode-import on the other files of a model: the modules, limits and prompts of
 * sentence-transformers, and vocabularies. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* modules.json and what it points to. */
TEST(sentence_transformers)
{
#define MODULE(path, type) "{'path': '" path "', 'type': 'sentence_transformers.models." type "'}"
#define WITH(modules)      "[" MODULE("", "Transformer") ", " modules "]"
#define DENSE_OF           "{'in_features': 8, 'out_features': 6"
#define DENSE              MODULE("2_Dense", "Dense") ", "
#define MANY(text)         text text text text text text text text text
    static const struct import_case cases[] = {
        {"modules.json", "{}", "expected an array"},
        {"modules.json", "[]", "no Transformer"},
        {"modules.json", "[1]", "expected objects"},
        {"modules.json", "[{'path': 1, 'type': 'Transformer'}]", "'path'"},
        {"modules.json", "[{'path': '', 'type': []}]", "'type'"},
        {"modules.json", WITH(MODULE("x", "CNN")), "CNN"},
        {"modules.json", "[" MODULE("1_Pooling", "Pooling") "]", "Pooling"},
        {"modules.json", WITH(MODULE("2_Dense", "Dense")), "Dense"},
        {"modules.json", WITH(MODULE("../x", "Pooling")), "../x"},
        {"modules.json", WITH(MODULE("/etc", "Pooling")), "/etc"},
        {"modules.json", WITH(MODULE("9_Pooling", "Pooling")), "9_Pooling"},
        {"modules.json", "[" MODULE("0_T", "Transformer") "]", "0_T/config.json"},
        {"modules.json", "[" MODULE("", "Transformer") "]", NULL},
        {"modules.json", WITH(MODULE("1_Dropout", "Dropout")), NULL},
        {"modules.json", WITH(MODULE("1_Pooling/", "Pooling")), NULL},
        {"modules.json", WITH(MODULE("1_Pooling", "Pooling") ", " MANY(DENSE) "{}"),
         "more than 8 Dense modules"},
        {"modules.json", WITH(MODULE("1_Pooling", "Pooling") ", " MODULE("2_Dense", "LayerNorm")),
         "'dimension' is missing"},
        {"2_Dense/config.json", "{'dimension': 8}", "in_features"},
        {"modules.json", "[{'path': '" MANY(MANY("0123456789")) "', 'type': 'Transformer'}]",
         "'path' is longer than 256 bytes"},
        {"1_Pooling/config.json", "{}", "expected one"},
        {"1_Pooling/config.json", "{'pooling_mode_mean_tokens': 1}", "pooling_mode_mean_tokens"},
        {"1_Pooling/config.json",
         "{'pooling_mode_mean_tokens': true, 'pooling_mode_cls_token': true}",
         "'in_features' is 8; expected 16"},
        {"1_Pooling/config.json", "{'pooling_mode_magic': true}", "pooling_mode_magic"},
        {"1_Pooling/config.json", "{'pooling_mode': 'magic'}", "magic"},
        {"1_Pooling/config.json", "{'pooling_mode': 'cls'}", NULL},
        {"1_Pooling/config.json", "{'pooling_mode': ['cls']}", NULL},
        {"1_Pooling/config.json", "{'pooling_mode': ['cls', 'mean']}",
         "'in_features' is 8; expected 16"},
        {"1_Pooling/config.json", "{'pooling_mode': ['cls', 'median']}", "median"},
        {"1_Pooling/config.json", "{'pooling_mode': [" MANY("'cls', ") "'cls']}",
         "joins more than 9 poolings"},
        {"1_Pooling/config.json", "{'pooling_mode': []}", "lists 0 modes"},
        {"1_Pooling/config.json", "{'pooling_mode': [3]}", "'pooling_mode' is 'a number'"},
        {"1_Pooling/config.json",
         "{'word_embedding_dimension': 9, 'pooling_mode_mean_tokens': true}", "9"},
        {"1_Pooling/config.json", "{'include_prompt': 0, 'pooling_mode_mean_tokens': true}",
         "include_prompt"},
        {"1_Pooling/config.json", "{'include_prompt': false, 'pooling_mode_mean_tokens': true}",
         NULL},
        {"2_Dense/config.json", "{}", "in_features"},
        {"2_Dense/config.json", "{'in_features': 9, 'out_features': 6}", "'in_features' is 9"},
        {"2_Dense/config.json", "{'in_features': 8, 'out_features': 5}", "linear.weight"},
        {"2_Dense/config.json", "{'in_features': 8, 'out_features': 6, 'bias': false}",
         "linear.bias"},
        {"2_Dense/config.json", DENSE_OF ", 'activation_function': 'torch.nn.Softmax'}", "Softmax"},
        /* Another's is the default, as in sentence-transformers, which does not run it. */
        {"2_Dense/config.json",
         DENSE_OF ", 'activation_function': 'torch.nn.modules.linear.Identity'}",
         "= projection_activation=identity"},
        {"2_Dense/config.json", DENSE_OF ", 'activation_function': 'custom.Identity'}",
         "= projection_activation=tanh"},
        {"2_Dense/config.json", DENSE_OF ", 'activation_function': 'Identity'}",
         "= projection_activation=tanh"},
        {"2_Dense/config.json", DENSE_OF ", 'module_input_name': 'token_embeddings'}",
         "'module_input_name' is \"token_embeddings\""},
        {"2_Dense/config.json", DENSE_OF ", 'use_residual': true}", "'use_residual' is true"},
        {"2_Dense/config.json",
         DENSE_OF ", 'module_input_name': 'sentence_embedding', 'module_output_name': null}", NULL},
        {"3_Normalize/config.json", "{'module_output_name': 'token_embeddings'}",
         "'module_output_name' is \"token_embeddings\""},
        {"3_Normalize/config.json", "{'module_input_name': 'sentence_embedding'}", NULL},
        {"sentence_bert_config.json", "{'max_seq_length': 'long'}", "max_seq_length"},
        {"sentence_bert_config.json", "{'max_seq_length': 0}", "max_seq_length"},
        {"sentence_bert_config.json", "{'max_seq_length': null}", NULL},
        {"sentence_bert_config.json", "{'do_lower_case': 'no'}", "do_lower_case"},
        {"sentence_bert_config.json", "{'query_length': 9}", "'query_length' is 9"},
        {"sentence_bert_config.json", "{'document_length': 9}", "'document_length' is 9"},
        {"sentence_bert_config.json", "{'query_length': null}", NULL},
        {"tokenizer_config.json", "{'do_lower_case': true, 'tokenizer_class': null}", NULL},
        {"config_sentence_transformers.json", "{'prompts': []}", "prompts"},
        {"config_sentence_transformers.json", "{'prompts': {'q': 1}}", "'q'"},
        {"config_sentence_transformers.json", "{'prompts': {'fra\xc3\xa7': 'x'}}", "ASCII"},
        {"config_sentence_transformers.json", "{'prompts': {'a b': 'x'}}", "with blanks"},
        {"config_sentence_transformers.json",
         "{'prompts': {'" MANY("0123456789") "01234567890': 'x'}}", "more than 100 bytes"},
        {"config_sentence_transformers.json", "{'default_prompt_name': 'q'}", "'q'"},
        {"config_sentence_transformers.json", "{}", NULL},
    };
    IMPORT_EACH(import_make_modules, cases);
#undef MANY
#undef DENSE
#undef DENSE_OF
#undef WITH
#undef MODULE
}

/* Joined poolings, activations that differ, a LayerNorm: what the weight file has of them. */
TEST(steps_after_the_encoder)
{
    import_make_modules();
    import_write(
        "1_Pooling/config.json",
        "{'pooling_mode': ['max', 'cls'], 'embedding_dimension': 8, 'include_prompt': false}");
    import_write("modules.json",
                 "[{'path': '', 'type': 'Transformer'}, {'path': '1_Pooling', 'type': 'Pooling'}, "
                 "{'path': '2_Dense', 'type': 'Dense'}, {'path': '3_Dense', 'type': 'LayerNorm'}]");
    import_write("2_Dense/config.json",
                 "{'in_features': 16, 'out_features': 5, 'bias': false, 'activation_function': "
                 "'torch.nn.modules.activation.Sigmoid'}");
    import_write("3_Dense/config.json", "{'dimension': 5}");
    tiny_write_tensors(import_directory, "2_Dense/model.safetensors", "linear.weight 5 16");
    tiny_write_tensors(import_directory, "3_Dense/model.safetensors", "norm.weight 5");
    import_refused("no bias of the norm", "norm.bias");
    tiny_write_tensors(import_directory, "3_Dense/model.safetensors", "norm.weight 5, norm.bias 5");
    import_is("pooling=max joined_poolings=cls pools_prompt=no projections=2 "
              "projection_activation=sigmoid,layer_norm projection_bias=no");
    const struct plan *plan = &import_checkpoint.plan;
    assert_string_equal(plan->tensors[plan->n - 2].name, "projection.1.weight");
    assert_string_equal(plan->tensors[plan->n - 1].name, "projection.1.bias");
    assert_int_equal(plan->tensors[plan->n - 1].n_dims, 1);
    import_write("1_Pooling/config.json",
                 "{'pooling_mode_mean_tokens': true, 'pooling_mode_cls_token': true}");
    import_is("pooling=cls joined_poolings=mean"); /* in the order of the reference */
}

/* A Dense module without a bias beside one that has it gets a bias of zeros. */
TEST(dense_modules_of_which_one_has_a_bias)
{
    import_make_modules();
    import_write("modules.json",
                 "[{'path': '', 'type': 'Transformer'}, {'path': '1_Pooling', 'type': 'Pooling'}, "
                 "{'path': '2_Dense', 'type': 'Dense'}, {'path': '3_Dense', 'type': 'Dense'}]");
    import_write("3_Dense/config.json", "{'in_features': 6, 'out_features': 6, 'bias': false}");
    tiny_write_tensors(import_directory, "3_Dense/model.safetensors", "linear.weight 6 6");
    import_is("projection_bias=yes");
    const struct plan *plan = &import_checkpoint.plan;
    const struct planned_tensor *last = &plan->tensors[plan->n - 1];
    assert_string_equal(last->name, "projection.1.bias");
    for (size_t i = 0; i < 6; i++)
        assert_true(last->values[i] == 0);
}

static void make_with_limit(void)
{
    import_make_modules();
    import_write("tokenizer_config.json", "{'model_max_length': 8}");
}

/* The first of the files that is not empty has the limit, unless an argument of the tokenizer has
 * it; the tokenizer's own is the last. */
TEST(limits)
{
    static const char *const names[] = {"bert",   "roberta",     "distilbert", "camembert",
                                        "albert", "xlm-roberta", "xlnet"};
#define ST "sentence_bert_config.json"
    static const struct import_case cases[] = {
        {ST, "{'max_seq_length': 5, 'processor_kwargs': {'model_max_length': 4}}",
         "= max_text_tokens=4"},
        {ST,
         "{'tokenizer_args': {'model_max_length': 3}, 'processor_kwargs': {'model_max_length': 4}}",
         "= max_text_tokens=3"},
        {ST,
         "{'max_seq_length': 5, 'tokenizer_args': {}, 'processor_kwargs': {'model_max_length': 4}}",
         "= max_text_tokens=5"},
        {ST, "{'max_seq_length': null, 'do_lower_case': true}", "= max_text_tokens=8"},
        {ST, "{}", "= max_text_tokens=8"},
        {ST, "{'processor_kwargs': {'model_max_length': null}}", "'model_max_length' is missing"},
    };
#undef ST
    IMPORT_EACH(make_with_limit, cases);
    make_with_limit();
    import_write("sentence_bert_config.json", "{}");
    for (size_t i = sizeof names / sizeof *names; i-- > 1;) {
        char name[64], text[32];
        snprintf(name, sizeof name, "sentence_%s_config.json", names[i]);
        snprintf(text, sizeof text, "{'max_seq_length': %zu}", i);
        import_write(name, text);
        snprintf(text, sizeof text, "max_text_tokens=%zu", i);
        import_is(text);
    }
}

/* DeBERTa without a table of positions bears longer texts than the trained ones, at which
 * sentence-transformers cuts if no file has a limit, or the tokenizer's is above. */
TEST(limit_of_deberta)
{
#define WITH_BIAS(name, rows, cols) name ".weight " rows " " cols ", " name ".bias " rows ", "
#define LINEAR(name, rows, cols)    WITH_BIAS("encoder.layer.0." name, rows, cols)
#define SELF(name)                  LINEAR("attention.self." name "_proj", "8", "8")
#define NORM(name)                  LINEAR(name "output.LayerNorm", "8", "")
    import_make_modules();
    import_config("'architectures': ['DebertaV2Model'], 'model_type': 'deberta-v2', "
                  "'num_hidden_layers': 1, 'type_vocab_size': 0, 'position_biased_input': false");
    // clang-format off
    tiny_write_tensors(import_directory, "model.safetensors",
                       SELF("query") SELF("key") SELF("value")
                       LINEAR("attention.output.dense", "8", "8")
                       LINEAR("intermediate.dense", "12", "8") LINEAR("output.dense", "8", "12")
                       NORM("attention.") NORM("") WITH_BIAS("embeddings.LayerNorm", "8", "")
                       "embeddings.word_embeddings.weight 16 8");
    // clang-format on
    import_write("sentence_bert_config.json", "{}");
    import_is("max_tokens=4096 max_text_tokens=10");
    import_write("tokenizer_config.json", "{'model_max_length': 20}");
    import_is("max_text_tokens=10");
    shell_expect(0, "rm %s/modules.json", import_directory);
    import_is("max_text_tokens=20");
}

/* Without modules.json, sentence-transformers reads no limit and no prompt. */
TEST(files_without_modules)
{
    import_make_modules();
    shell_expect(0, "rm %s/modules.json", import_directory);
    import_is("max_text_tokens=10");
    assert_false(import_checkpoint.truncate);
    assert_null(import_checkpoint.st.prompts.root);
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "_sentence_transformers.json is not read, since there is no modules.json");
}

TEST(adapters)
{
    static const char adapter[] = "{'base_model_name_or_path': 'zebra/base'}";
    import_make();
    import_write("adapter_model.safetensors", "not read without the other");
    import_accepted("no adapter_config.json");
    import_write("adapter_config.json", adapter);
    import_refused("beside a model", "adapter (of the model 'zebra/base')");
    shell_expect(0, "rm %s/config.json", import_directory);
    import_refused("alone", "adapter (of the model 'zebra/base')");
    shell_expect(0, "rm %s/adapter_config.json", import_directory);
    import_refused("the half of one", "adapter_model: the directory has an adapter");
    import_make();
    shell_expect(0, "cd %s && mkdir 0_T && mv config.json model.safetensors vocab.txt 0_T",
                 import_directory);
    import_write("modules.json", "[{'path': '0_T', 'type': 'Transformer'}]");
    import_write("0_T/adapter_config.json", adapter);
    import_refused("in a module's folder", "0_T/adapter_config.json: the directory has an adapter");
    import_make();
    tiny_write_bert(import_directory, "bert.x.parametrizations.weight.0.lora_A 2");
    import_config("'lora_adaptations': ['gnu', 'okapi']");
    import_refused("no task", "expected --adapter with one of none, gnu, okapi");
}

/* Reads the directory with --adapter. */
static void adapter_refused(const char *adapter, const char *words)
{
    static bool is_right;
    READ_OR_REFUSE(&is_right, checkpoint_read(&import_checkpoint, import_directory,
                                              (struct stored_types){0}, adapter, AS_ANY));
    import_free();
    if (is_right != !words || (words && !strstr(program_words, words)))
        fail_msg("%s: %s", words ? words : "no refusal", is_right ? "accepted" : program_words);
}

/* A change of one matrix is merged, with the files as sources; what peft would do otherwise, or to
 * other tensors, is refused by its name. */
TEST(merged_adapters)
{
#define QUERY "base_model.model.encoder.layer.0.attention.self.query.lora_"
    static const struct {
        const char *tensors, *words;
    } kinds[] = {{QUERY "A.weight 2 8, " QUERY "B.weight:F16 8 2", NULL},
                 {QUERY "A.weight 2 8, " QUERY "C.weight:F16 8 2", "has no B"},
                 {QUERY "A.weight 2 8, " QUERY "B.weight:F16 8 3", "are not a change of"},
                 {"base_model.model.x.lora_A.weight 2 8, base_model.model.x.lora_B.weight:F16 8 2",
                  "has no matrix 'x.weight'"}};
#undef QUERY
    static const struct {
        const char *config, *words;
    } cases[] = {
        {"'peft_type': 'LORA'", NULL},
        {"'peft_type': 'LORA', 'init_lora_weights': 'gaussian', 'r': 2", NULL},
        {"'peft_type': 'LORA', 'r': 3", "has not the rank 3 of adapter_config.json"},
        {"'r': 2", "'peft_type' is missing; expected \"LORA\""},
        {"'peft_type': 'IA3'", "'peft_type' is \"IA3\""},
        {"'peft_type': 'LORA', 'use_dora': true", "'use_dora' is true"},
        {"'peft_type': 'LORA', 'bias': 'all'", "'bias' is \"all\""},
        {"'peft_type': 'LORA', 'fan_in_fan_out': true", "'fan_in_fan_out' is true"},
        {"'peft_type': 'LORA', 'modules_to_save': ['score']",
         "'modules_to_save' is [\"score\"]; expected null; merge it"},
        {"'peft_type': 'LORA', 'rank_pattern': {'query': 3}",
         "'rank_pattern' is {\"query\":3.0}; expected {}; merge it by merge_and_unload"},
        {"'peft_type': 'LORA', 'alpha_pattern': {'query': 3}",
         "'alpha_pattern' is {\"query\":3.0}; expected {}; merge it"},
        {"'peft_type': 'LORA', 'layer_replication': [[0, 1]]", "'layer_replication'"},
        {"'peft_type': 'LORA', 'lora_bias': true", "'lora_bias' is true"},
        {"'peft_type': 'LORA', 'init_lora_weights': 'pissa'", "is 'pissa'"},
    };
    char place[SUPPORT_PATH], config[200];
    import_make();
    support_path(place, support_folder(), "adapter");
    shell_expect(0, "mkdir -p %s", place);
    tiny_write_tensors(place, "adapter_model.safetensors", kinds[0].tensors);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(config, sizeof config, "{%s, 'lora_alpha': 3}", cases[i].config);
        tiny_write_text(place, "adapter_config.json", config);
        adapter_refused(place, cases[i].words);
    }
    shell_expect(0, "$IMPORT %s -o plain.weights", import_directory);
    tiny_write_text(place, "adapter_config.json", "{'peft_type': 'LORA'}");
    shell_expect(0, "$IMPORT %s --adapter %s -o merged.weights", import_directory, place);
    assert_contains(shell_expect(0, "$INSPECT merged.weights")->out, "adapter_model.safetensors");
    shell_expect(1, "cmp plain.weights merged.weights");
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++) {
        tiny_write_tensors(place, "adapter_model.safetensors", kinds[i].tensors);
        adapter_refused(place, kinds[i].words);
    }
    adapter_refused("missing", "cannot open 'missing'");
    import_write("adapter_config.json", "{}");
    adapter_refused(place, "adapter_config.json: the directory has an adapter");
}

/* A bare transformer gets the mean, as sentence-transformers gives it; modules say themselves. */
TEST(pooling_of_a_bare_transformer)
{
    import_make();
    import_is("pooling=mean normalize=no");
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.models.Transformer'}]");
    import_is("pooling=none normalize=no");
}

static void make_fast_tokenizer(void)
{
    import_make();
    import_write("tokenizer_config.json", "{'tokenizer_class': 'PreTrainedTokenizerFast'}");
}

/* Vocabularies as text, one token per line, and as JSON. */
TEST(vocabularies)
{
#define START "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
#define WORDS(vocabulary)                                                                          \
    "{'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': " vocabulary "}}"
    static const struct import_case cases[] = {
        {"vocab.txt", START "i\nride\n", NULL},
        {"vocab.txt", START "i\nride", NULL},
        {"vocab.txt", START "i\n\nride\n", NULL},
        {"vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\ni\r\n", NULL},
        {"vocab.txt", START "i\nride\ni\n", "'i' is there twice"},
        {"vocab.txt", START "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", "vocab_size"},
        {"vocab.txt", "i\nride\n", "is missing"},
        {"vocab.txt", "", "is missing"},
        {"vocab.txt", START "\xff\xfe\n", "UTF-8"},
    };
    static const struct import_case fast[] = {
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': 9}"), NULL},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': 16}"), "vocab_size"},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': 0}"), "two tokens have the id 0"},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': 1, 'i': 2}"), "duplicate"},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': -1}"), "id"},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': 4000000000}"), "id 4000000000"},
        {"tokenizer.json", WORDS("{'[UNK]': 0, 'i': '1'}"), "tokenizer.json"},
        {"tokenizer.json", WORDS("['[UNK]', 'i']"), "tokenizer.json"},
        {"tokenizer.json", "{'model': {'type': 'Magic'}}", "Magic"},
        {"tokenizer.json", "{}", "tokenizer.json"},
        {"tokenizer.json", "[", "not JSON"},
    };
    IMPORT_EACH(import_make, cases);
    IMPORT_EACH(make_fast_tokenizer, fast);
    import_make();
    char path[SUPPORT_PATH];
    support_path(path, import_directory, "vocab.txt");
    unlink(path);
    import_write("tokenizer_config.json", "{'tokenizer_class': 'BertTokenizer'}");
    import_refused("a tokenizer without a vocabulary", "vocab.txt");
#undef WORDS
#undef START
}

SET_UP()
{
    import_setup();
}
