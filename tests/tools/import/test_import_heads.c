/* encode-import on the heads of classes: masked language models in the ways in which their output
 * layer is stored, cross-encoders, and the other files of such models. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>

#define MASKED     "'architectures': ['BertForMaskedLM']"
#define CLASSIFIER "'architectures': ['BertForSequenceClassification']"

/* ---- Masked language models ---- */

enum { DECODER = 1, BIAS = 2, DECODER_BIAS = 4, COPY = 8 };

/* COPY: the output layer has the numbers of the table of words, which is the first tensor. */

static void write_masked_model(unsigned parts)
{
    char list[600], copy[100];
    struct tiny_tensors bert;
    tiny_tensors_bert(&bert, "bert.");
    const size_t n = bert.n_data / 4 + 2 * TINY_WIDTH + TINY_WIDTH * TINY_WIDTH + TINY_WIDTH;
    tiny_tensors_free(&bert);
    snprintf(copy, sizeof copy, ", cls.seq_relationship.weight %zu", 1000 - n % 1000);
    snprintf(list, sizeof list, TINY_TRANSFORM "%s%s%s%s",
             parts & COPY ? copy : "", /* numbers repeat after 1,000 */
             parts & (DECODER | COPY) ? ", cls.predictions.decoder.weight 16 8" : "",
             parts & BIAS ? ", cls.predictions.bias 16" : "",
             parts & DECODER_BIAS ? ", cls.predictions.decoder.bias 16" : "");
    tiny_write_bert(import_directory, list);
}

TEST(masked_language_models)
{
    static const struct {
        unsigned parts;
        bool is_tied;
        const char *words; /* NULL: accepted */
    } cases[] = {
        {BIAS, true, NULL},
        {DECODER_BIAS, true, NULL},
        {BIAS | DECODER_BIAS | DECODER, true, "'cls.predictions.decoder.weight' is not the table"},
        {BIAS | DECODER_BIAS | COPY, true, NULL},
        {BIAS | DECODER_BIAS | DECODER, false, NULL},
        {BIAS | DECODER, false, NULL},
        {BIAS, false, "cls.predictions.decoder.weight"},
        {0, true, "no tensor 'cls.predictions.decoder.bias'"},
    };
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char what[32];
        snprintf(what, sizeof what, "case %zu", i);
        write_masked_model(cases[i].parts);
        import_config(cases[i].is_tied ? MASKED ", 'tie_word_embeddings': true"
                                       : MASKED ", 'tie_word_embeddings': false");
        if (cases[i].words)
            import_refused(what, cases[i].words);
        else
            import_accepted(what);
    }
    shell_expect(1, "$IMPORT %s -o mask.weights", import_directory);
    write_masked_model(BIAS);
    import_config(MASKED);
    shell_expect(0, "$IMPORT %s -o mask.weights", import_directory);
    assert_contains(shell_expect(0, "$ENCODE -m mask.weights --fill 'i [MASK] bike'")->out,
                    "[MASK] at token 2");
}

/* The bias that transformers 5 reads, and saves beside one that it does not read. */
TEST(bias_of_the_output_layer)
{
    import_make();
    for (unsigned parts = BIAS; parts <= (BIAS | DECODER_BIAS); parts += DECODER_BIAS) {
        write_masked_model(parts | DECODER);
        import_config(MASKED ", 'tie_word_embeddings': false");
        import_accepted("two biases");
        const struct plan *plan = &import_checkpoint.plan;
        const struct planned_tensor *last = &plan->tensors[plan->n - 1];
        assert_string_equal(last->name, "head.output.bias");
        assert_string_equal(last->parts[0]->name, parts & DECODER_BIAS
                                                      ? "cls.predictions.decoder.bias"
                                                      : "cls.predictions.bias");
    }
}

/* A head that modules do not read, and that versions of transformers differ about, is left out. */
TEST(head_beside_modules)
{
    import_make_modules();
    import_config(MASKED);
    write_masked_model(BIAS | DECODER);
    import_is("head=none");
    write_masked_model(BIAS | COPY);
    import_is("head=mask");
}

static void make_masked(void)
{
    import_make();
    write_masked_model(BIAS);
}

/* Its dense layer has the model's activation. */
TEST(activations)
{
    static const struct import_case cases[] = {
        {NULL, MASKED ", 'hidden_act': 'gelu'", "= head_dense=gelu"},
        {NULL, MASKED ", 'hidden_act': 'gelu_new'", "= head_dense=gelu_tanh"},
        {NULL, MASKED ", 'hidden_act': 'relu'", "= head_dense=relu"},
        {NULL, MASKED ", 'hidden_act': 'silu'", "= head_dense=silu"},
        {NULL, MASKED ", 'hidden_act': 'swish'", "= head_dense=silu"},
        {NULL, MASKED ", 'hidden_act': 'gelu_python'", "= head_dense=gelu"},
    };
    IMPORT_EACH(make_masked, cases);
}

/* ---- Cross-encoders ---- */

TEST(cross_encoders)
{
    static const struct {
        const char *function;
        int n_labels;
        const char *scores; /* NULL: refused */
    } cases[] = {
        {"'torch.nn.modules.activation.Sigmoid'", 1, "scores=sigmoid"},
        {"'torch.nn.modules.linear.Identity'", 1, "scores=none"},
        {"'torch.nn.modules.activation.Sigmoid'", 2, "scores=sigmoid"},
        {"'torch.nn.modules.linear.Identity'", 2, "scores=none"},
        {"null", 1, "scores=sigmoid"},
        {"null", 2, "scores=none"},
        {"'torch.nn.modules.activation.Softmax'", 1, NULL},
    };
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char members[200];
        tiny_classifier(import_directory, cases[i].n_labels, "F32");
        snprintf(members, sizeof members,
                 CLASSIFIER ", 'sentence_transformers': {'activation_fn': %s}, 'num_labels': %d",
                 cases[i].function, cases[i].n_labels);
        import_config(members);
        if (cases[i].scores == NULL) {
            import_refused(cases[i].function, "the activation function");
            continue;
        }
        import_is(cases[i].scores);
        assert_true(import_checkpoint.config.is_cross_encoder && import_checkpoint.truncate);
    }
}

/* Labels without names, and as many names as there are labels. */
TEST(names_of_labels)
{
    import_make();
    tiny_classifier(import_directory, 2, "F32");
    import_config(CLASSIFIER ", 'num_labels': 2");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out, "label.1");
    import_config(CLASSIFIER ", 'num_labels': 2, 'id2label': {'0': 'bad', '1': 'good'}");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out, "good");
    shell_expect(0, "$IMPORT %s -o two.weights", import_directory);
    assert_contains(shell_expect(0, "$ENCODE -m two.weights --labels --all 'i ride'")->out, "bad");
}

/* ---- The other files of a model ---- */

TEST(lower_case_of_both)
{
    import_make_modules();
    import_write("sentence_bert_config.json", "{'max_seq_length': 99, 'do_lower_case': true}");
    import_is("max_text_tokens=10"); /* positions are the limit */
    import_write("tokenizer_config.json", "{'do_lower_case': false}");
    import_refused("capitals", "the tokenizer keeps capitals");
    assert_contains(
        shell_expect(1, "$IMPORT --tokenizer-only %s -o t.weights", import_directory)->err,
        "the tokenizer keeps capitals");
}

/* Contradictions between the definitions of a tokenizer are reported. */
TEST(notes_on_tokenizers)
{
#define GENERIC "'tokenizer_class': 'PreTrainedTokenizerFast'"
    static const char *const cases[][2] = {
        {"false", "do_lower_case false, tokenizer.json lowercases"},
        {"true", "do_lower_case true, tokenizer.json keeps capitals"},
    };
    for (size_t i = 0; i < 2; i++) {
        char text[100];
        import_make();
        import_write("tokenizer.json",
                     i == 0
                         ? "{'normalizer': {'type': 'Lowercase'}, 'model': {'type': 'WordLevel', "
                           "'vocab': {'u': 0}, 'unk_token': 'u'}}"
                         : "{'model': {'type': 'WordLevel', 'vocab': {'u': 0}, 'unk_token': 'u'}}");
        snprintf(text, sizeof text, "{" GENERIC ", 'do_lower_case': %s}", cases[i][0]);
        import_write("tokenizer_config.json", text);
        assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out,
                        cases[i][1]);
        assert_contains(shell_expect(0, "$IMPORT %s -o n.weights", import_directory)->err,
                        cases[i][1]);
        assert_contains(
            shell_expect(0, "$IMPORT --tokenizer-only %s -o n.weights", import_directory)->err,
            cases[i][1]);
        import_write("tokenizer_config.json", "{" GENERIC ", 'do_lower_case': null}");
        assert_lacks(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out,
                     "do_lower_case");
    }
}

TEST(tokenizers_in_files)
{
    assert_contains(shell_expect(1, "$IMPORT --tokenizer-only /dev/null -o t.weights")->err,
                    "'/dev/null' is not a regular file");
    assert_contains(shell_expect(1, ": >none; $IMPORT --tokenizer-only none -o t.weights")->err,
                    "[UNK]");
    assert_contains(shell_expect(1, "echo >none; $IMPORT --tokenizer-only none -o t.weights")->err,
                    "[UNK]");
    tiny_write_text(".", "k.json",
                    "\n {\"config\": {\"num_words\": 2, \"oov_token\": \"c\", \"word_index\": "
                    "\"{\\\"a\\\": 1, \\\"b\\\": 2, \\\"c\\\": 3}\"}}");
    assert_contains(shell_expect(0, "$IMPORT --tokenizer-only k.json --dry-run")->out,
                    "a tokenizer and no model");
    shell_expect(0, "$IMPORT --tokenizer-only k.json -o t.weights --name K");
    assert_string_equal(shell_expect(0, "$ENCODE -m t.weights --tokens -f ids 'a b c'")->out,
                        "1 3 3\n");
    tiny_write_text(".", "k.json",
                    "{\"config\": {\"word_index\": \"{\\\"a\\\": 1, \\\"b\\\": 2}\"}}");
    shell_expect(0, "$IMPORT --tokenizer-only k.json -o t.weights");
    assert_string_equal(shell_expect(0, "$ENCODE -m t.weights --tokens -f ids 'a b c'")->out,
                        "1 2\n");
}

/* Parts of one matrix that have different types become f32; tensors that are not imported are
 * listed. */
TEST(mixed_types_and_left_out)
{
    struct tiny_tensors tensors;
    import_make();
    tiny_tensors_bert(&tensors, "bert.");
    json_t *value =
        json_object_get(tensors.header, "bert.encoder.layer.1.attention.self.value.weight");
    assert_non_null(value);
    json_object_set_new(value, "dtype", json_string("F16"));
    json_object_set_new(value, "shape", json_pack("[i, i]", TINY_WIDTH, 2 * TINY_WIDTH));
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    import_refused("another shape", "has the shape [8, 16]; expected [8, 8]");
    tiny_tensors_free(&tensors);
    tiny_write_bert(import_directory, "qa_outputs.bias 8");
    const struct shell_result *run = shell_expect(0, "$IMPORT %s --dry-run", import_directory);
    assert_contains(run->out, "left out\n");
    assert_contains(run->out, "qa_outputs.bias");
    assert_contains(run->err, "left out, since a BertModel does not use them: 1 tensor,");
}

SET_UP()
{
    import_setup();
}
