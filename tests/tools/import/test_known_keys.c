/* encode-import on keys that the reference reads and that are not used here: refused by name unless
 * they have their default; and on keys that nothing reads, which a note names. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <string.h>

/* In a directory of sentence-transformers. words NULL: accepted. */
static const struct refusal {
    const char *name, *text, *words;
} CASES[] = {
    {"config_sentence_transformers.json", "{\"truncate_dim\": 4}",
     "'truncate_dim' is 4; expected null; remove the key, and cut vectors with encode "
     "--dimensions"},
    {"config_sentence_transformers.json", "{\"max_active_dims\": 4}",
     "'max_active_dims' is 4; expected null; remove the key to keep all weights"},
    {"config_sentence_transformers.json", "{\"truncate_dim\": null, \"requirements\": {}}", NULL},
    {"sentence_bert_config.json", "{\"config_args\": {\"is_causal\": true}}",
     "'config_args' has 'is_causal'"},
    {"sentence_bert_config.json", "{\"model_kwargs\": {\"add_pooling_layer\": false}}",
     "'model_kwargs' has 'add_pooling_layer'"},
    {"sentence_bert_config.json", "{\"config_kwargs\": {\"num_labels\": 2}}",
     "'config_kwargs' has 'num_labels'"},
    {"sentence_bert_config.json", "{\"processor_kwargs\": {\"model_input_names\": []}}",
     "'processor_kwargs' has 'model_input_names'"},
    {"sentence_bert_config.json", "{\"tokenizer_kwargs\": {\"model_max_length\": 3}}",
     "'tokenizer_kwargs' is an object; expected {}; the name is processor_kwargs"},
    {"sentence_bert_config.json", "{\"tokenizer_args\": {\"do_lower_case\": false}}",
     "put the key into tokenizer_config.json"},
    {"sentence_bert_config.json",
     "{\"model_args\": {\"torch_dtype\": \"float16\", \"trust_remote_code\": true}, "
     "\"config_args\": {}, \"tokenizer_args\": {\"padding_side\": \"left\"}}",
     NULL},
    {"sentence_bert_config.json", "{\"transformer_task\": \"text-generation\"}",
     "'transformer_task' is 'text-generation'"},
    {"sentence_bert_config.json",
     "{\"modality_config\": {\"text\": {\"method\": \"forward\", \"method_output_name\": "
     "\"pooler_output\"}}, \"module_output_name\": \"sentence_embedding\"}",
     "'modality_config' has not the usual"},
    {"sentence_bert_config.json",
     "{\"transformer_task\": \"feature-extraction\", \"modality_config\": {\"text\": {\"method\": "
     "\"forward\", \"method_output_name\": \"last_hidden_state\"}}, \"module_output_name\": "
     "\"token_embeddings\"}",
     NULL},
    {"sentence_bert_config.json", "{\"processing_kwargs\": {\"text\": {\"max_length\": 8}}}",
     "'processing_kwargs'"},
    {"sentence_bert_config.json", "{\"tokenizer_name_or_path\": \"x\"}",
     "'tokenizer_name_or_path'"},
    {"modules.json", "[{\"path\": \"\", \"type\": \"custom_st.Transformer\"}]",
     "'custom_st.Transformer' is not known"},
};

TEST(refused)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        tiny_checkpoint(import_directory);
        tiny_sentence_transformers(import_directory);
        import_write(CASES[i].name, CASES[i].text);
        if (CASES[i].words != NULL)
            import_refused(CASES[i].text, CASES[i].words);
        else
            import_accepted(CASES[i].text);
    }
}

TEST(note_of_unread_keys)
{
    tiny_checkpoint(import_directory);
    tiny_sentence_transformers(import_directory);
    import_config_with("zebra", json_true());
    import_write("1_Pooling/config.json",
                 "{\"pooling_mode\": \"mean\", \"pooling_mode_mean_tokens\": true, \"gnu\": 1, "
                 "\"okapi\": 2}");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "no code reads these keys, so they change nothing: 1_Pooling/config.json: gnu, "
                    "okapi; config.json: zebra");
    import_config_with("directionality", json_string("bidi"));
    import_write("1_Pooling/config.json", "{\"pooling_mode\": \"mean\"}");
    assert_null(strstr(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err, "no code"));
}

/* As sentence-transformers 6 saves a cross-encoder: its activation is in a file of its own, which
 * comes before config.json, and problem_type after both. */
TEST(activation_of_sentence_transformers_6)
{
    static const char *const names[] = {"linear.Identity", "activation.Sigmoid"};
    tiny_checkpoint(import_directory);
    tiny_classifier(import_directory, 1, "F32");
    import_write("modules.json",
                 "[{\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": "
                 "\"sentence_transformers.base.modules.transformer.Transformer\"}]");
    import_write(
        "sentence_bert_config.json",
        "{\"transformer_task\": \"sequence-classification\", \"modality_config\": {\"text\": "
        "{\"method\": \"forward\", \"method_output_name\": \"logits\"}}, "
        "\"module_output_name\": \"scores\"}");
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        json_t *config = tiny_config();
        json_object_set_new(config, "architectures",
                            json_pack("[s]", "BertForSequenceClassification"));
        json_object_set_new(config, "num_labels", json_integer(1));
        json_object_set_new(config, "problem_type", json_string("regression"));
        snprintf(text, sizeof text, "torch.nn.modules.%s", names[i < 2 ? 1 - i : 0]);
        json_object_set_new(config, "sbert_ce_default_activation_function", json_string(text));
        tiny_write_json(import_directory, "config.json", config);
        json_decref(config);
        snprintf(text, sizeof text,
                 "{\"model_type\": \"CrossEncoder\", \"prompts\": {}, \"activation_fn\": "
                 "\"%s%s\"}",
                 i < 2 ? "torch.nn.modules." : "other.", names[i % 2]);
        import_write("config_sentence_transformers.json", text);
        if (i == 2) {
            import_refused("an activation of other code", "'other.linear.Identity' is not known");
            continue;
        }
        assert_true(import_read());
        assert_int_equal(import_checkpoint.config.model.scores,
                         i == 0 ? SCORES_NONE : SCORES_SIGMOID);
        import_free();
    }
}

/* Files of a tokenizer; tests/tools/tokenizer/test_reference_classes.sh has what contradicts. */
TEST(files_of_a_tokenizer)
{
    tiny_checkpoint(import_directory);
    import_write("tokenizer.json",
                 "{\"okapi\": 1, \"post_processor\": {\"type\": \"BertProcessing\", \"sep\": "
                 "[\"[SEP]\", 3], \"cls\": [\"[CLS]\", 2]}, \"model\": {\"type\": \"WordPiece\", "
                 "\"unk_token\": \"[UNK]\", \"vocab\": {\"[UNK]\": 0, \"i\": 1, \"[CLS]\": 2, "
                 "\"[SEP]\": 3}}}");
    import_write("special_tokens_map.json", "{\"sep_token\": \"[SEP]\", \"zebra\": 1}");
    import_write("tokenizer_config.json", "{\"gnu\": 1, \"max_len\": 3, \"cls_token\": \"[CLS]\", "
                                          "\"tokenizer_class\": \"PreTrainedTokenizerFast\", "
                                          "\"do_basic_tokenize\": true}");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "change nothing: tokenizer.json: okapi; tokenizer_config.json: gnu; "
                    "special_tokens_map.json: zebra");
    assert_true(import_read());
    assert_int_equal(import_checkpoint.config.model.max_text_tokens, 3);
    import_free();
    import_write("tokenizer_config.json", "{\"split_special_tokens\": true}");
    import_refused("split", "'split_special_tokens' is true");
    import_write("tokenizer_config.json", "{\"truncation_side\": \"left\"}");
    import_refused("side", "'truncation_side' is \"left\"");
}

SET_UP()
{
    import_setup();
}
