/* encode-import on the names of tensors of the families other than BERT: their heads, of which
 * shared/checkpoints makes only some, and the other names that some families have. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of tensors, and their shapes in these units; "+": NAME.weight of that shape, and NAME.bias
 * of its rows. '#' means each layer's number. D is the width, E that of narrow tables, F the
 * feed-forward width, V the vocabulary, P positions, H heads, L labels; a factor may precede a
 * unit. */
static int size_of_letter(char letter)
{
    switch (letter) {
    case 'D': return TINY_WIDTH;
    case 'E': return 4;
    case 'F': return TINY_FEED_FORWARD;
    case 'V': return TINY_VOCABULARY;
    case 'P': return TINY_POSITIONS;
    case 'B': return 32;
    case 'H':
    case 'L':
    case 'T': return 2;
    default: fail_msg("'%c' is no size", letter); return 0;
    }
}

static void read_shape(const char *text, int shape[3])
{
    int n = 0;
    for (; *text && *text != '+'; text++) {
        int factor = *text >= '2' && *text <= '9' ? *text++ - '0' : 1;
        shape[n++] = factor * size_of_letter(*text);
    }
    shape[n] = -1;
}

static void add_one(struct tiny_tensors *tensors, const char *name, const char *shape_text)
{
    char whole[160];
    int shape[3], row[] = {0, -1};
    bool has_both = strchr(shape_text, '+') != NULL;
    read_shape(shape_text, shape);
    row[0] = shape[0];
    snprintf(whole, sizeof whole, "%s%s", name, has_both ? ".weight" : "");
    tiny_tensors_add(tensors, whole, "F32", shape);
    snprintf(whole, sizeof whole, "%s.bias", name);
    if (has_both)
        tiny_tensors_add(tensors, whole, "F32", row);
}

/* A list of "NAME SHAPE" with blanks between. */
static void add_all(struct tiny_tensors *tensors, const char *list)
{
    char *text = strdup(list), *rest = NULL, name[128];
    assert_non_null(text);
    for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
        const char *shape = strtok_r(NULL, " ", &rest), *hash = strchr(at, '#');
        assert_non_null(shape);
        for (int layer = 0; layer < (hash ? TINY_LAYERS : 1); layer++) {
            if (hash)
                snprintf(name, sizeof name, "%.*s%d%s", (int)(hash - at), at, layer, hash + 1);
            else
                snprintf(name, sizeof name, "%s", at);
            add_one(tensors, name, shape);
        }
    }
    free(text);
}

/* ---- Bodies ---- */

#define EMBEDDINGS                                                                                 \
    "embeddings.word_embeddings.weight VD embeddings.token_type_embeddings.weight TD "
#define BERT                                                                                       \
    EMBEDDINGS "embeddings.position_embeddings.weight PD embeddings.LayerNorm D+ " ATTENTION       \
               "encoder.layer.#.intermediate.dense FD+ encoder.layer.#.output.dense DF+ "          \
               "encoder.layer.#.output.LayerNorm D+ "
#define ATTENTION                                                                                  \
    "encoder.layer.#.attention.self.query DD+ encoder.layer.#.attention.self.key DD+ "             \
    "encoder.layer.#.attention.self.value DD+ encoder.layer.#.attention.output.dense DD+ "         \
    "encoder.layer.#.attention.output.LayerNorm D+ "
#define MPNET                                                                                      \
    "embeddings.word_embeddings.weight VD embeddings.position_embeddings.weight PD "               \
    "embeddings.LayerNorm D+ encoder.relative_attention_bias.weight BH "                           \
    "encoder.layer.#.attention.attn.q DD+ encoder.layer.#.attention.attn.k DD+ "                   \
    "encoder.layer.#.attention.attn.v DD+ encoder.layer.#.attention.attn.o DD+ "                   \
    "encoder.layer.#.attention.LayerNorm D+ encoder.layer.#.intermediate.dense FD+ "               \
    "encoder.layer.#.output.dense DF+ encoder.layer.#.output.LayerNorm D+ "
#define ALBERT                                                                                     \
    "albert.embeddings.word_embeddings.weight VE albert.embeddings.token_type_embeddings.weight "  \
    "TE albert.embeddings.position_embeddings.weight PE albert.embeddings.LayerNorm E+ "           \
    "albert.encoder.embedding_hidden_mapping_in DE+ " ALBERT_LAYER("attention.query DD+ ")         \
        ALBERT_LAYER("attention.key DD+ ") ALBERT_LAYER("attention.value DD+ ")                    \
            ALBERT_LAYER("attention.dense DD+ ") ALBERT_LAYER("attention.LayerNorm D+ ")           \
                ALBERT_LAYER("ffn FD+ ") ALBERT_LAYER("ffn_output DF+ ")                           \
                    ALBERT_LAYER("full_layer_layer_norm D+ ")
#define ALBERT_LAYER(rest) "albert.encoder.albert_layer_groups.0.albert_layers.0." rest
#define NOMIC                                                                                      \
    EMBEDDINGS "emb_ln D+ encoder.layers.#.attn.Wqkv.weight 3DD "                                  \
               "encoder.layers.#.attn.out_proj.weight DD encoder.layers.#.norm1 D+ "               \
               "encoder.layers.#.mlp.fc11.weight FD encoder.layers.#.mlp.fc12.weight FD "          \
               "encoder.layers.#.mlp.fc2.weight DF encoder.layers.#.norm2 D+ "
#define NEW_NOMIC                                                                                  \
    EMBEDDINGS "embeddings.LayerNorm D+ layers.#.self_attn.q_proj.weight DD "                      \
               "layers.#.self_attn.k_proj.weight DD layers.#.self_attn.v_proj.weight DD "          \
               "layers.#.self_attn.o_proj.weight DD layers.#.post_attention_layernorm D+ "         \
               "layers.#.mlp.up_proj.weight FD layers.#.mlp.gate_proj.weight FD "                  \
               "layers.#.mlp.down_proj.weight DF layers.#.post_mlp_layernorm D+ "
#define JINA                                                                                       \
    EMBEDDINGS "embeddings.LayerNorm D+ " ATTENTION                                                \
               "encoder.layer.#.mlp.gated_layers.weight 2FD encoder.layer.#.mlp.wo DF+ "           \
               "encoder.layer.#.mlp.layernorm D+ "
#define MODERNBERT                                                                                 \
    "embeddings.tok_embeddings.weight VD embeddings.norm.weight D layers.1.attn_norm.weight D "    \
    "layers.#.attn.Wqkv.weight 3DD layers.#.attn.Wo.weight DD layers.#.mlp_norm.weight D "         \
    "layers.#.mlp.Wi.weight 2FD layers.#.mlp.Wo.weight DF final_norm.weight D "

#define QWEN                                                                                       \
    "embed_tokens.weight VD norm.weight D layers.#.input_layernorm.weight D "                      \
    "layers.#.self_attn.q_proj.weight DD layers.#.self_attn.k_proj.weight DD "                     \
    "layers.#.self_attn.v_proj.weight DD layers.#.self_attn.o_proj.weight DD "                     \
    "layers.#.self_attn.q_norm.weight E layers.#.self_attn.k_norm.weight E "                       \
    "layers.#.post_attention_layernorm.weight D layers.#.mlp.gate_proj.weight FD "                 \
    "layers.#.mlp.up_proj.weight FD layers.#.mlp.down_proj.weight DF "

/* ---- Heads ---- */

#define LM_HEAD "lm_head.dense DD+ lm_head.layer_norm D+ lm_head.bias V "
#define NOMIC_CONFIG                                                                               \
    "{'n_embd': 8, 'n_layer': 2, 'n_head': 2, 'n_inner': 12, 'n_positions': 10, "                  \
    "'rotary_emb_fraction': 1, 'activation_function': 'swiglu', 'qkv_proj_bias': false, "          \
    "'mlp_fc1_bias': false, 'mlp_fc2_bias': false}"
#define JINA_CONFIG "{'position_embedding_type': 'alibi', 'feed_forward_type': 'geglu'}"

static const struct {
    const char *class_name, *config, *tensors;
    const char *head;
} CASES[] = {
    {"RobertaForMaskedLM", "{}", BERT LM_HEAD, "head=mask head_dense=gelu"},
    {"XLMRobertaForMaskedLM", "{'tie_word_embeddings': false}",
     BERT LM_HEAD "lm_head.decoder.weight VD lm_head.decoder.bias V ", "head=mask head_dense=gelu"},
    {"CamembertForSequenceClassification", "{}",
     BERT "classifier.dense DD+ classifier.out_proj LD+ ", "head=sequence head_dense=tanh"},
    {"RobertaForTokenClassification", "{}", BERT "classifier LD+ ", "head=token head_dense=none"},
    {"MPNetForMaskedLM", "{}", MPNET LM_HEAD, "head=mask head_dense=gelu"},
    {"MPNetForMaskedLM", "{}", MPNET "pooler.dense DD+ ", "head=pooler head_dense=tanh"},
    {"MPNetForMaskedLM", "{}", MPNET, "head=none head_dense=none"},
    {"MPNetForSequenceClassification", "{}", MPNET "classifier.dense DD+ classifier.out_proj LD+ ",
     "head=sequence head_dense=tanh"},
    {"MPNetForTokenClassification", "{}", MPNET "classifier LD+ ", "head=token head_dense=none"},
    {"AlbertForMaskedLM", "{'embedding_size': 4}",
     ALBERT "predictions.dense ED+ predictions.LayerNorm E+ predictions.bias V ",
     "head=mask head_dense=gelu"},
    {"AlbertForSequenceClassification", "{'embedding_size': 4}",
     ALBERT "albert.pooler DD+ classifier LD+ ", "head=sequence head_dense=tanh"},
    {"AlbertForTokenClassification", "{'embedding_size': 4}", ALBERT "classifier LD+ ",
     "head=token head_dense=none"},
    {"NomicBertForPreTraining", NOMIC_CONFIG,
     NOMIC "cls.predictions.transform.dense.weight DD cls.predictions.transform.layer_norm D+ ",
     "head=mask head_dense=silu"},
    {"NomicBertForMaskedLM", "{'hidden_act': 'gelu', 'tie_word_embeddings': false}",
     NEW_NOMIC "cls.predictions.transform.dense DD+ cls.predictions.transform.layer_norm D+ "
               "cls.predictions.decoder VD+ cls.predictions.bias V ",
     "head=mask head_dense=gelu"},
    {"NomicBertForSequenceClassification", NOMIC_CONFIG, NOMIC "pooler.dense DD+ classifier LD+ ",
     "head=sequence head_dense=tanh"},
    {"NomicBertModel", "{'hidden_act': 'silu'}", NEW_NOMIC, "head=none head_dense=none"},
    {"NomicBertModel", "{'hidden_act': 'silu'}", NOMIC, "head=none head_dense=none"},
    {"JinaBertForMaskedLM", JINA_CONFIG,
     JINA "cls.predictions.transform.dense DD+ cls.predictions.transform.LayerNorm D+ "
          "cls.predictions.bias V ",
     "head=mask head_dense=gelu"},
    {"JinaBertForSequenceClassification", JINA_CONFIG, JINA "pooler.dense DD+ classifier LD+ ",
     "head=sequence head_dense=tanh"},
    {"ModernBertForTokenClassification", "{}",
     MODERNBERT "head.dense.weight DD head.norm.weight D classifier LD+ ",
     "head=token head_dense=gelu"},
    {"ModernBertForMaskedLM", "{'decoder_bias': false}",
     MODERNBERT "head.dense.weight DD head.norm.weight D ", "head=mask head_dense=gelu"},
    {"Contriever", "{}", BERT "pooler.dense DD+ ", "head=pooler head_dense=tanh"},
};

static void write_class(const char *class_name, const char *keys, const char *tensors_list)
{
    struct tiny_tensors tensors = {.header = json_object()};
    json_t *config = tiny_config(), *more = json_loads(tiny_json(keys), 0, NULL);
    assert_non_null(more);
    json_object_set_new(config, "architectures", json_pack("[s]", class_name));
    json_object_del(config, "model_type");
    if (json_object_get(more, "n_embd"))
        json_object_del(config, "hidden_size");
    json_object_update(config, more);
    tiny_write_json(import_directory, "config.json", config);
    add_all(&tensors, tensors_list);
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    tiny_tensors_free(&tensors);
    json_decref(config);
    json_decref(more);
}

static void write_case(size_t i, const char *tensors_list)
{
    write_class(CASES[i].class_name, CASES[i].config, tensors_list);
}

/* Every tensor is known and used; another is refused by its name, and so is a missing one. */
TEST(tensors)
{
    char more[4096];
    import_make();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        write_case(i, CASES[i].tensors);
        import_is(CASES[i].head);
        assert_int_equal(import_checkpoint.plan.n_left_out, 0);
        snprintf(more, sizeof more, "%s%s", CASES[i].tensors, "encoder.layer_norm_q D+");
        write_case(i, more);
        import_refused(CASES[i].class_name, "encoder.layer_norm_q.bias");
        const char *second = strchr(strchr(CASES[i].tensors, ' ') + 1, ' ') + 1;
        write_case(i, second);
        import_refused(CASES[i].class_name, "embeddings.");
    }
}

/* Modules that pool read the body alone, whichever class the model was trained from: so the
 * directory of all-distilroberta-v1 names RobertaForMaskedLM. The head of a masked language model
 * is kept if it is there. */
TEST(heads_that_modules_do_not_need)
{
    static const struct {
        const char *class_name, *config, *body, *rest;
        const char *without, *with;
    } cases[] = {
        {"RobertaForMaskedLM", "{}", BERT, LM_HEAD, "head=none labels=0", "head=mask"},
        {"XLMRobertaForSequenceClassification", "{'num_labels': 2}", BERT "pooler.dense DD+ ",
         "classifier.dense DD+ classifier.out_proj LD+ ", "head=pooler labels=0", "head=pooler"},
        {"BertForSequenceClassification", "{}", BERT "pooler.dense DD+ ", "classifier LD+ ",
         "head=pooler labels=0", "head=pooler"},
        {"ModernBertForSequenceClassification", "{'classifier_pooling': 'mean'}", MODERNBERT,
         "head.dense.weight DD head.norm.weight D classifier LD+ ", "head=none labels=0",
         "head=none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char all[4096];
        snprintf(all, sizeof all, "%s%s", cases[i].body, cases[i].rest);
        import_make();
        write_class(cases[i].class_name, cases[i].config, cases[i].body);
        import_refused(cases[i].class_name, "no tensor '");
        tiny_sentence_transformers(import_directory);
        import_is(cases[i].without);
        write_class(cases[i].class_name, cases[i].config, all);
        import_is(cases[i].with);
    }
}

static void make_roberta(void)
{
    import_make();
    write_case(0, CASES[0].tensors);
    import_write("modules.json", "[{'path': '', 'type': 'Transformer'}]");
}

/* The first two of RoBERTa's positions are for no text, also if other files ask for more. */
TEST(longest_text)
{
    static const struct import_case cases[] = {
        {"README.md", "", "= max_tokens=8 max_text_tokens=8"},
        {"sentence_bert_config.json", "{'max_seq_length': 10}", "= max_tokens=8 max_text_tokens=8"},
        {"sentence_bert_config.json", "{'max_seq_length': 5}", "= max_tokens=8 max_text_tokens=5"},
        {"tokenizer_config.json", "{'model_max_length': 10}", "= max_tokens=8 max_text_tokens=8"},
        {"tokenizer_config.json", "{'model_max_length': 7}", "= max_tokens=8 max_text_tokens=7"},
    };
    IMPORT_EACH(make_roberta, cases);
}

/* What sentence-transformers puts on a bare transformer: the last token of a model that continues
 * texts, else the mean. */
TEST(pooling_of_a_bare_decoder)
{
    static const struct {
        const char *class_name, *config, *pooling;
    } cases[] = {
        {"Qwen3ForCausalLM", "{'head_dim': 4, 'num_key_value_heads': 2}", "pooling=last"},
        {"Qwen3ForCausalLM", "{'head_dim': 4, 'num_key_value_heads': 2, 'is_causal': false}",
         "pooling=mean"},
        {"Qwen3Model", "{'head_dim': 4, 'num_key_value_heads': 2}", "pooling=mean"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        import_make();
        write_class(cases[i].class_name, cases[i].config, QWEN);
        import_is(cases[i].pooling);
    }
}

/* A matrix of the model that projects each token becomes the pooled vector's projection. */
TEST(projection_of_the_model)
{
    static const char config[] =
        "{'head_dim': 4, 'num_key_value_heads': 2, 'use_bidirectional_attention': true}";
    import_make();
    write_class("VoyageQwen3BidirectionalEmbedModel", config, QWEN "linear.weight FD ");
    import_is("projections=1 projection_bias=no mask=full");
    shell_expect(0, "$IMPORT %s -o projected.weights", import_directory);
    assert_contains(shell_expect(0, "$INSPECT projected.weights")->out, "projection.0.weight");
    write_class("Qwen3Model", config, QWEN);
    import_is("projections=0");
    write_class("Qwen3Model", config, QWEN "linear.weight F ");
    import_refused("a vector", "'linear.weight' has the shape [12]");
    tiny_sentence_transformers(import_directory);
    write_class("Qwen3Model", config, QWEN "linear.weight DD ");
    import_refused("a Dense module as well", "its modules have a Dense");
    tiny_write_text(
        import_directory, "modules.json",
        "[{'path': '', 'type': 'Transformer'}, {'path': '1_Pooling', 'type': 'Pooling'}]");
    tiny_write_text(import_directory, "1_Pooling/config.json",
                    "{'word_embedding_dimension': 12, 'pooling_mode_max_tokens': true, "
                    "'pooling_mode_mean_tokens': false}");
    write_class("Qwen3Model", config, QWEN "linear.weight FD ");
    import_refused("the maximum", "projects each token");
}

/* A tokenizer that gives its model no types, by a file or by its class in transformers 5: those of
 * a pair are 0, though the model has two. */
TEST(types)
{
    static const struct {
        const char *config, *pair;
    } cases[] = {
        {"{}", "2:0 A:0 3:0 B:1 3:1"},
        {"{'model_input_names': ['input_ids', 'token_type_ids']}", "2:0 A:0 3:0 B:1 3:1"},
        {"{'model_input_names': ['input_ids', 'attention_mask']}", "2:0 A:0 3:0 B:0 3:0"},
        {"{'tokenizer_class': 'ElectraTokenizerFast'}", "2:0 A:0 3:0 B:1 3:1"},
        {"{'tokenizer_class': 'DistilBertTokenizerFast'}", "2:0 A:0 3:0 B:0 3:0"},
        {"{'tokenizer_class': 'PreTrainedTokenizerFast'}", "2:0 A:0 3:0 B:0 3:0"},
        {"{'tokenizer_class': 'PreTrainedTokenizerFast', 'model_input_names': ['token_type_ids']}",
         "2:0 A:0 3:0 B:1 3:1"},
    };
    static const char tokenizer[] =
        "{'normalizer': {'type': 'BertNormalizer'}, 'pre_tokenizer': {'type': 'BertPreTokenizer'}, "
        "'post_processor': {'type': 'BertProcessing', 'sep': ['[SEP]', 3], 'cls': ['[CLS]', 2]}, "
        "'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, 'i': 1, "
        "'[CLS]': 2, '[SEP]': 3}}}";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        import_make();
        tiny_write_text(import_directory, "tokenizer_config.json", cases[i].config);
        if (i >= 3)
            tiny_write_text(import_directory, "tokenizer.json", tokenizer);
        const char *err = shell_expect(0, "$IMPORT %s -o types.weights", import_directory)->err;
        assert_true((strstr(err, "in 4 it has 1") != NULL) == (i == 4 || i == 5));
        assert_contains(shell_expect(0, "$INSPECT types.weights")->out, cases[i].pair);
        if (i != 5)
            continue;
        shell_expect(0, "$IMPORT --as transformers-4 %s -o types.weights", import_directory);
        assert_contains(shell_expect(0, "$INSPECT types.weights")->out, cases[0].pair);
    }
}

SET_UP()
{
    import_setup();
}
