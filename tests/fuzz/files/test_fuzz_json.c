/* The fuzz target of a checkpoint's JSON files, on texts made from sound ones. */
#include "tests/fuzz/files/fuzz_json.c"

#include "tests/support.h"

#include <string.h>

TEST(replay)
{
    static const char *const texts[N_KINDS] = {
        [CONFIG] =
            "{\"architectures\": [\"BertForSequenceClassification\"], \"model_type\": \"bert\", "
            "\"hidden_size\": 8, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
            "\"intermediate_size\": 12, \"vocab_size\": 16, \"max_position_embeddings\": 10, "
            "\"type_vocab_size\": 2, \"layer_norm_eps\": 1e-12, \"hidden_act\": \"gelu\", "
            "\"id2label\": {\"0\": \"a\", \"1\": \"b\"}, \"sbert_ce_default_activation_function\": "
            "\"torch.nn.modules.linear.Identity\"}",
        [MODULES] = "[{\"path\": \"\", \"type\": \"sentence_transformers.models.Transformer\"}, "
                    "{\"path\": \"1_Pooling\", \"type\": \"Pooling\"}, {\"path\": \"2_Dense\", "
                    "\"type\": \"Dense\"}, {\"path\": \"3\", \"type\": \"Normalize\"}]",
        [POOLING] = "{\"word_embedding_dimension\": 8, \"pooling_mode_cls_token\": false, "
                    "\"pooling_mode_mean_tokens\": true, \"include_prompt\": true}",
        [DENSE] = "{\"in_features\": 8, \"out_features\": 6, \"bias\": true, "
                  "\"activation_function\": \"torch.nn.modules.activation.Tanh\"}",
        [LENGTH] = "{\"max_seq_length\": 256, \"do_lower_case\": false}",
        [PROMPTS] = "{\"prompts\": {\"query\": \"query: \", \"\": \"\"}, \"default_prompt_name\": "
                    "\"query\"}",
        [TOKENIZER] =
            "{\"added_tokens\": [{\"id\": 1, \"content\": \"[CLS]\", \"special\": true, "
            "\"normalized\": false, \"lstrip\": true, \"rstrip\": false, \"single_word\": false}], "
            "\"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true, "
            "\"handle_chinese_chars\": true, \"strip_accents\": null, \"lowercase\": true}, "
            "\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, \"post_processor\": {\"type\": "
            "\"BertProcessing\", \"sep\": [\"b\", 3], \"cls\": [\"[CLS]\", 1]}, \"model\": "
            "{\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", \"continuing_subword_prefix\": "
            "\"##\", \"max_input_chars_per_word\": 100, \"vocab\": {\"[UNK]\": 0, \"[CLS]\": 1, "
            "\"##a\": 2, \"b\": 3}}}",
    };
    for (int kind = 0; kind < N_KINDS; kind++) {
        char input[2048];
        size_t len = strlen(texts[kind]);
        assert_true(len + 1 < sizeof input);
        input[0] = (char)kind;
        memcpy(input + 1, texts[kind], len);
        replay(input, len + 1, 10000);
    }
}
