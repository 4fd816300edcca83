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
    static const struct {
        const char *key, *value, *words; /* NULL: accepted */
    } cases[] = {
        {"num_hidden_layers", "1000000000", "encoder.layer.2."},
        {"num_hidden_layers", "1", "encoder.layer.1."},
        {"hidden_size", "2147483646", "expected [16, 2147483646]"},
        {"num_attention_heads", "3", "num_attention_heads"},
        {"architectures", "['LlamaForCausalLM']", "LlamaForCausalLM"},
        {"architectures", "['BertModel', 'BertForMaskedLM']", "2 names"},
        {"architectures", "[1]", "architectures"},
        {"model_type", "'roberta'", "'model_type' is 'roberta'"},
        {"hidden_act", "'quick_gelu'", "quick_gelu"},
        {"position_embedding_type", "'relative_key'", "relative_key"},
        {"is_decoder", "true", "is_decoder"},
        {"pruned_heads", "{'1': [0]}", "pruned_heads"},
        {"pruned_heads", "{}", NULL},
        {"quantization_config", "{'quant_method': 'gptq'}", "quantization_config"},
        {"layer_norm_eps", "0.0", "layer_norm_eps"},
        {"layer_norm_eps", "1e-60", "layer_norm_eps"}, /* 0 as a float */
        {"type_vocab_size", "1", "token_type_embeddings"},
        {"architectures", "null", NULL}, /* but a model_type; and the reverse */
        {"model_type", "null", NULL},
        {"architectures", "['BertForSequenceClassification']", "classifier"},
    };
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char member[100];
        snprintf(member, sizeof member, "'%s': %s", cases[i].key, cases[i].value);
        import_config(member);
        if (cases[i].words)
            import_refused(cases[i].value, cases[i].words);
        else
            import_accepted(cases[i].value);
    }
    import_write("config.json", "{'hidden_size': 8}");
    import_refused("neither", "no 'architectures', no 'model_type'");
    import_write("config.json", "{'model_type': 'magic'}");
    import_refused("another type alone", "the architecture magic is not known");
}

TEST(labels)
{
    static const struct {
        const char *labels, *words;
    } cases[] = {
        {"{'0': 'a'}", NULL},
        {"{'0': 'a', '1': 'b'}", "classifier.weight"},
        {"{'1': 'a'}", "\"0\" is missing"},
        {"{'0': 1}", "\"0\" is a number"},
        {"{'zero': 'a'}", "\"0\" is missing"},
        {"null", NULL}, /* as many as the classifier has rows */
    };
    import_make();
    tiny_classifier(import_directory, 1, "F32");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char members[100];
        snprintf(members, sizeof members, CLASSIFIER ", 'id2label': %s", cases[i].labels);
        import_config(members);
        if (cases[i].words)
            import_refused(cases[i].labels, cases[i].words);
        else
            import_accepted(cases[i].labels);
    }
}

static void read_config(struct json_file *file, const char *text, struct checkpoint_config *config)
{
    static struct folder folder;
    READ_OR_FAIL({
        json_file_parse(file, "config.json", text, strlen(text), false);
        checkpoint_config_read(file, NULL, &folder, config);
    });
}

/* How one logit becomes a score, and how several do. */
TEST(scores)
{
#define ACTIVATION "'sbert_ce_default_activation_function': 'torch.nn.modules."
    static const struct {
        const char *member;
        int64_t of_one, of_two;
    } cases[] = {
        {"", SCORES_SIGMOID, SCORES_SOFTMAX},
        {ACTIVATION "linear.Identity'", SCORES_NONE, SCORES_NONE},
        {ACTIVATION "activation.Sigmoid'", SCORES_SIGMOID, SCORES_SIGMOID},
        {"'problem_type': 'multi_label_classification'", SCORES_SIGMOID, SCORES_SIGMOID},
        {"'problem_type': 'single_label_classification'", SCORES_SIGMOID, SCORES_SOFTMAX},
        {"'problem_type': 'regression'", SCORES_NONE, SCORES_NONE},
    };
    struct checkpoint_config config;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int n_labels = 1; n_labels <= 2; n_labels++) {
            char members[200];
            struct json_file file;
            snprintf(members, sizeof members, CLASSIFIER ", 'num_labels': %d%s%s", n_labels,
                     *cases[i].member ? ", " : "", cases[i].member);
            json_t *root = tiny_config_of(members);
            char *text = json_dumps(root, 0);
            json_decref(root);
            read_config(&file, text, &config);
            if (config.model.scores != (n_labels == 1 ? cases[i].of_one : cases[i].of_two))
                fail_msg("%s: scores %d", members, (int)config.model.scores);
            import_free();
            free(text);
        }
#undef ACTIVATION
}

/* Texts that are not JSON, or too much JSON. */
TEST(json)
{
    enum { DEPTH = 100000 };
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "not JSON"},
        {"{", "not JSON"},
        {"null", "config.json"},
        {"[]", "expected an object"},
        {"'config'", "config.json"},
        {"{'hidden_size': 8, 'hidden_size': 16}", "duplicate"},
        {"{'hidden_size': 1e999}", "config.json"},
        {"{'model_type': 'a\\u0000b'}", "config.json"},
        {"{'model_type': '\xff\xfe'}", "config.json"},
        {"{} {}", "config.json"},
    };
    static const char *const openings[] = {"[", "{\"a\":"};
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_write_text(import_directory, "config.json", cases[i].text);
        import_refused(cases[i].text, cases[i].words);
    }
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

/* As sentence-transformers 6 saves a cross-encoder: its activation is in a file of its own, which
 * comes before config.json, and problem_type after both. */
TEST(activation_of_sentence_transformers_6)
{
    static const char *const names[] = {"linear.Identity", "activation.Sigmoid"};
    import_make();
    tiny_classifier(import_directory, 1, "F32");
    import_write("modules.json", "[{'idx': 0, 'name': '0', 'path': '', 'type': "
                                 "'sentence_transformers.base.modules.transformer.Transformer'}]");
    import_write(
        "sentence_bert_config.json",
        "{'transformer_task': 'sequence-classification', 'modality_config': {'text': {'method': "
        "'forward', 'method_output_name': 'logits'}}, 'module_output_name': 'scores'}");
    for (size_t i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 CLASSIFIER ", 'num_labels': 1, 'problem_type': 'regression', "
                            "'sbert_ce_default_activation_function': 'torch.nn.modules.%s'",
                 names[i < 2 ? 1 - i : 0]);
        import_config(text);
        snprintf(text, sizeof text,
                 "{'model_type': 'CrossEncoder', 'prompts': {}, 'activation_fn': '%s%s'}",
                 i < 2 ? "torch.nn.modules." : "other.", names[i % 2]);
        import_write("config_sentence_transformers.json", text);
        if (i == 2) {
            import_refused("an activation of other code", "'other.linear.Identity' is not known");
            continue;
        }
        import_is(i == 0 ? "scores=none" : "scores=sigmoid");
    }
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
