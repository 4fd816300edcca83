/* encode-import on config.json: every key with every JSON type that it does not have, values that
 * cannot be, labels and scores, texts that are not JSON or too much JSON.
 *
 * encode-import on keys that the reference reads and that are not used here: refused by name unless
 * they have their default; and on keys that nothing reads, which a note names. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSIFIER "'architectures': ['BertForSequenceClassification']"

/* For every key that is read, every JSON type that it does not have. */
TEST(config_types)
{
    enum { COUNT = 1, NUMBER = 2, FLAG = 4, TEXT = 8, LIST = 16, OBJECT = 32, NEEDED = 64 };
    static const struct {
        const char *key;
        int kinds;
    } keys[] = {
        {"architectures", LIST}, /* the last five are of classifiers */
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
    import_make();
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
            json_t *config = tiny_config_of(i < 14 ? "" : CLASSIFIER);
            json_object_set_new(config, keys[i].key, json_incref(values[v].value));
            tiny_write_json(import_directory, "config.json", config);
            if ((values[v].kinds & keys[i].kinds) == 0)
                import_refused(keys[i].key, keys[i].key);
            json_decref(config);
        }
        if (keys[i].kinds & NEEDED) {
            json_t *config = tiny_config();
            json_object_del(config, keys[i].key);
            tiny_write_json(import_directory, "config.json", config);
            import_refused("a missing key", keys[i].key);
            json_decref(config);
        }
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            json_decref(values[v].value);
    }
}

TEST(config_values)
{
    static const struct import_case cases[] = {
        {NULL, "'num_hidden_layers': 1000000000", "encoder.layer.2."},
        {NULL, "'num_hidden_layers': 1", "encoder.layer.1."},
        {NULL, "'hidden_size': 2147483646", "expected [16, 2147483646]"},
        {NULL, "'num_attention_heads': 3", "num_attention_heads"},
        {NULL, "'architectures': ['LlamaForCausalLM']", "LlamaForCausalLM"},
        {NULL, "'architectures': ['BertModel', 'BertForMaskedLM']", "2 names"},
        {NULL, "'architectures': [1]", "architectures"},
        {NULL, "'model_type': 'roberta'", "'model_type' is 'roberta'"},
        {NULL, "'hidden_act': 'quick_gelu'", "quick_gelu"},
        {NULL, "'position_embedding_type': 'relative_key'", "relative_key"},
        {NULL, "'is_decoder': true", "is_decoder"},
        {NULL, "'pruned_heads': {'1': [0]}", "pruned_heads"},
        {NULL, "'pruned_heads': {}", NULL},
        {NULL, "'quantization_config': {'quant_method': 'gptq'}", "quantization_config"},
        {NULL, "'layer_norm_eps': 0.0", "layer_norm_eps"},
        {NULL, "'layer_norm_eps': 1e-60", "layer_norm_eps"}, /* 0 as a float */
        {NULL, "'type_vocab_size': 1", "token_type_embeddings"},
        {NULL, "'architectures': null", NULL}, /* but a model_type; and the reverse */
        {NULL, "'model_type': null", NULL},
        {NULL, "'architectures': ['BertForSequenceClassification']", "classifier"},
        {"config.json", "{'hidden_size': 8}", "no 'architectures', no 'model_type'"},
        {"config.json", "{'model_type': 'magic'}", "the architecture magic is not known"},
    };
    IMPORT_EACH(import_make, cases);
}

static void make_one_label(void)
{
    import_make();
    tiny_classifier(import_directory, 1, "F32");
}

static void make_two_labels(void)
{
    import_make();
    tiny_classifier(import_directory, 2, "F32");
}

/* Names of labels, and how one logit becomes a score, and how several do. */
TEST(labels)
{
#define NAMES(names) CLASSIFIER ", 'id2label': " names
#define PROBLEM(n, type)                                                                           \
    CLASSIFIER ", 'num_labels': " n ", 'problem_type': '" type "_classification'"
#define ACTIVATION(n, name)                                                                        \
    CLASSIFIER ", 'num_labels': " n                                                                \
               ", 'sbert_ce_default_activation_function': 'torch.nn.modules." name "'"
    static const struct import_case one[] = {
        {NULL, NAMES("{'0': 'a'}"), NULL},
        {NULL, NAMES("{'0': 'a', '1': 'b'}"), "classifier.weight"},
        {NULL, NAMES("{'1': 'a'}"), "\"0\" is missing"},
        {NULL, NAMES("{'0': 1}"), "\"0\" is a number"},
        {NULL, NAMES("{'zero': 'a'}"), "\"0\" is missing"},
        {NULL, NAMES("null"), "= labels=1"}, /* as many as the classifier has rows */
        {NULL, CLASSIFIER ", 'num_labels': 1", "= scores=sigmoid"},
        {NULL, ACTIVATION("1", "linear.Identity"), "= scores=none"},
        {NULL, ACTIVATION("1", "activation.Sigmoid"), "= scores=sigmoid"},
        {NULL, PROBLEM("1", "multi_label"), "= scores=sigmoid"},
        {NULL, PROBLEM("1", "single_label"), "= scores=sigmoid"},
        {NULL, CLASSIFIER ", 'num_labels': 1, 'problem_type': 'regression'", "= scores=none"},
    };
    static const struct import_case two[] = {
        {NULL, CLASSIFIER ", 'num_labels': 2", "= scores=softmax"},
        {NULL, ACTIVATION("2", "linear.Identity"), "= scores=none"},
        {NULL, ACTIVATION("2", "activation.Sigmoid"), "= scores=sigmoid"},
        {NULL, PROBLEM("2", "multi_label"), "= scores=sigmoid"},
        {NULL, PROBLEM("2", "single_label"), "= scores=softmax"},
        {NULL, CLASSIFIER ", 'num_labels': 2, 'problem_type': 'regression'", "= scores=none"},
    };
#undef NAMES
#undef PROBLEM
#undef ACTIVATION
    IMPORT_EACH(make_one_label, one);
    IMPORT_EACH(make_two_labels, two);
}

/* Texts that are not JSON, or too much JSON. */
TEST(json)
{
    enum { DEPTH = 100000 };
    static const struct import_case cases[] = {
        {"config.json", "", "not JSON"},
        {"config.json", "{", "not JSON"},
        {"config.json", "null", "config.json"},
        {"config.json", "[]", "expected an object"},
        {"config.json", "'config'", "config.json"},
        {"config.json", "{'hidden_size': 8, 'hidden_size': 16}", "duplicate"},
        {"config.json", "{'hidden_size': 1e999}", "config.json"},
        {"config.json", "{'model_type': 'a\\u0000b'}", "config.json"},
        {"config.json", "{'model_type': '\xff\xfe'}", "config.json"},
        {"config.json", "{} {}", "config.json"},
    };
    static const char *const openings[] = {"[", "{\"a\":"};
    IMPORT_EACH(import_make, cases);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(openings[i]);
        char *deep = malloc(n * DEPTH + 1);
        assert_non_null(deep);
        for (size_t at = 0; at < DEPTH; at++)
            memcpy(deep + at * n, openings[i], n);
        support_write_in(import_directory, "config.json", deep, n * DEPTH);
        import_refused("deep JSON", "config.json");
        free(deep);
    }
    char *large = malloc(8 << 20);
    assert_non_null(large);
    memset(large, ' ', 8 << 20);
    support_write_in(import_directory, "config.json", large, 8 << 20);
    import_refused("8 MiB of JSON", "at most");
    free(large);
}

/* In a directory of sentence-transformers. */
static const struct import_case CASES[] = {
    {"config_sentence_transformers.json", "{'truncate_dim': 4}",
     "'truncate_dim' is 4; expected null; remove the key, and cut vectors with encode "
     "--dimensions"},
    {"config_sentence_transformers.json", "{'max_active_dims': 4}",
     "'max_active_dims' is 4; expected null; remove the key to keep all weights"},
    {"config_sentence_transformers.json", "{'truncate_dim': null, 'requirements': {}}", NULL},
    {"sentence_bert_config.json", "{'config_args': {'is_causal': true}}",
     "'config_args' has 'is_causal'"},
    {"sentence_bert_config.json", "{'model_kwargs': {'add_pooling_layer': false}}",
     "'model_kwargs' has 'add_pooling_layer'"},
    {"sentence_bert_config.json", "{'config_kwargs': {'num_labels': 2}}",
     "'config_kwargs' has 'num_labels'"},
    {"sentence_bert_config.json", "{'processor_kwargs': {'model_input_names': []}}",
     "'processor_kwargs' has 'model_input_names'"},
    {"sentence_bert_config.json", "{'tokenizer_kwargs': {'model_max_length': 3}}",
     "'tokenizer_kwargs' is {\"model_max_length\":3.0}; expected {}; the name is processor_kwargs"},
    {"sentence_bert_config.json", "{'tokenizer_args': {'do_lower_case': false}}",
     "put the key into tokenizer_config.json"},
    {"sentence_bert_config.json",
     "{'model_args': {'torch_dtype': 'float16', 'trust_remote_code': true}, 'config_args': {}, "
     "'tokenizer_args': {'padding_side': 'left'}}",
     NULL},
    {"sentence_bert_config.json", "{'transformer_task': 'text-generation'}",
     "'transformer_task' is 'text-generation'"},
    {"sentence_bert_config.json",
     "{'modality_config': {'text': {'method': 'forward', 'method_output_name': 'pooler_output'}}, "
     "'module_output_name': 'sentence_embedding'}",
     "'modality_config' has not the usual"},
    {"sentence_bert_config.json",
     "{'transformer_task': 'feature-extraction', 'modality_config': {'text': {'method': 'forward', "
     "'method_output_name': 'last_hidden_state'}}, 'module_output_name': 'token_embeddings'}",
     NULL},
    {"sentence_bert_config.json", "{'processing_kwargs': {'text': {'max_length': 8}}}",
     "'processing_kwargs'"},
    {"sentence_bert_config.json", "{'tokenizer_name_or_path': 'x'}", "'tokenizer_name_or_path'"},
    {"modules.json", "[{'path': '', 'type': 'custom_st.Transformer'}]",
     "'custom_st.Transformer' is not known"},
};

TEST(refused)
{
    IMPORT_EACH(import_make_modules, CASES);
}

TEST(note_of_unread_keys)
{
    import_make_modules();
    import_config("'zebra': true");
    import_write(
        "1_Pooling/config.json",
        "{'pooling_mode': 'mean', 'pooling_mode_mean_tokens': true, 'gnu': 1, 'okapi': 2}");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "no code reads these keys, so they change nothing: 1_Pooling/config.json: gnu, "
                    "okapi; config.json: zebra");
    import_config("'directionality': 'bidi'");
    import_write("1_Pooling/config.json", "{'pooling_mode': 'mean'}");
    assert_null(strstr(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err, "no code"));
}

static void make_cross_encoder(void)
{
    make_one_label();
    import_config(CLASSIFIER ", 'num_labels': 1, 'problem_type': 'regression', "
                             "'sbert_ce_default_activation_function': "
                             "'torch.nn.modules.activation.Tanh'");
    import_write("modules.json", "[{'idx': 0, 'name': '0', 'path': '', 'type': "
                                 "'sentence_transformers.base.modules.transformer.Transformer'}]");
    import_write(
        "sentence_bert_config.json",
        "{'transformer_task': 'sequence-classification', 'modality_config': {'text': {'method': "
        "'forward', 'method_output_name': 'logits'}}, 'module_output_name': 'scores'}");
}

/* As sentence-transformers 6 saves a cross-encoder: its activation is in a file of its own, which
 * comes before config.json, and problem_type after both. */
TEST(activation_of_sentence_transformers_6)
{
#define WITH(of) "{'model_type': 'CrossEncoder', 'prompts': {}, 'activation_fn': '" of "'}"
    static const char st[] = "config_sentence_transformers.json";
    static const struct import_case cases[] = {
        {st, WITH("torch.nn.modules.linear.Identity"), "= scores=none"},
        {st, WITH("torch.nn.modules.activation.Sigmoid"), "= scores=sigmoid"},
        {st, WITH("other.linear.Identity"), "'other.linear.Identity' is not known"},
    };
#undef WITH
    IMPORT_EACH(make_cross_encoder, cases);
}

/* Files of a tokenizer; tests/tools/tokenizer/test_reference_classes.sh has what contradicts. */
TEST(files_of_a_tokenizer)
{
    import_make();
    import_write("tokenizer.json",
                 "{'okapi': 1, 'post_processor': {'type': 'BertProcessing', 'sep': ['[SEP]', 3], "
                 "'cls': ['[CLS]', 2]}, 'model': {'type': 'WordPiece', 'unk_token': '[UNK]', "
                 "'vocab': {'[UNK]': 0, 'i': 1, '[CLS]': 2, '[SEP]': 3}}}");
    import_write("special_tokens_map.json", "{'sep_token': '[SEP]', 'zebra': 1}");
    import_write("tokenizer_config.json",
                 "{'gnu': 1, 'max_len': 3, 'cls_token': '[CLS]', 'tokenizer_class': "
                 "'PreTrainedTokenizerFast', 'do_basic_tokenize': true}");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "change nothing: tokenizer.json: okapi; tokenizer_config.json: gnu; "
                    "special_tokens_map.json: zebra");
    import_is("max_text_tokens=3");
    import_write("tokenizer_config.json", "{'split_special_tokens': true}");
    import_refused("split", "'split_special_tokens' is true");
    import_write("tokenizer_config.json", "{'word_tokenizer_type': 'mecab'}");
    import_refused(
        "words by mecab",
        "'word_tokenizer_type' is \"mecab\"; expected null; BertJapaneseTokenizer reads the key");
    import_write("tokenizer_config.json", "{'mecab_kwargs': {'mecab_dic': 'unidic'}}");
    import_refused("mecab's dictionary",
                   "'mecab_kwargs' is {\"mecab_dic\":\"unidic\"}; expected null");
    import_write("tokenizer_config.json", "{'truncation_side': 'left'}");
    import_refused("side", "'truncation_side' is \"left\"");
}

SET_UP()
{
    import_setup();
}
