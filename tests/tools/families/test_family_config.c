/* encode-import on the config.json of the families other than BERT: what their keys become, the
 * values that their classes have if a key is missing, and what is refused by its name. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tools/import/families/families.h"

#include <stdio.h>
#include <string.h>

/* The smallest possible config.json: sizes, and keys without a default. ' stands for ". */
#define SIZES                                                                                      \
    "'hidden_size': 48, 'num_hidden_layers': 4, 'num_attention_heads': 6, "                        \
    "'intermediate_size': 64, 'vocab_size': 100, 'max_position_embeddings': 514"
#define NOMIC_SIZES                                                                                \
    "'n_embd': 48, 'n_layer': 4, 'n_head': 6, 'n_inner': 64, 'vocab_size': 100, "                  \
    "'n_positions': 8192"
#define CLASS(name, type) "'architectures': ['" name "'], 'model_type': '" type "'"
#define ROBERTA           CLASS("RobertaModel", "roberta") ", " SIZES
#define DISTILBERT                                                                                 \
    CLASS("DistilBertModel", "distilbert")                                                         \
    ", 'dim': 48, 'n_layers': 4, 'n_heads': 6, 'hidden_dim': 64, 'vocab_size': 100, "              \
    "'max_position_embeddings': 512"
#define MPNET      CLASS("MPNetModel", "mpnet") ", " SIZES
#define ALBERT     CLASS("AlbertModel", "albert") ", " SIZES
#define BARE_NOMIC CLASS("NomicBertModel", "nomic_bert") ", " NOMIC_SIZES
#define SWIGLU     ", 'activation_function': 'swiglu'"
#define NOMIC      BARE_NOMIC SWIGLU ", 'rotary_emb_fraction': 1.0"
#define NEW_NOMIC  CLASS("NomicBertModel", "nomic_bert") ", " SIZES
#define BARE_JINA  CLASS("JinaBertModel", "bert") ", " SIZES
#define ALIBI      ", 'position_embedding_type': 'alibi'"
#define JINA       BARE_JINA ALIBI ", 'feed_forward_type': 'geglu'"
#define QWEN       CLASS("Qwen3Model", "qwen3") ", " SIZES
#define QWEN2      CLASS("Qwen2Model", "qwen2") ", " SIZES
#define T5                                                                                         \
    CLASS("T5EncoderModel", "t5")                                                                  \
    ", 'd_model': 48, 'num_layers': 4, 'num_heads': 5, 'd_ff': 64, 'vocab_size': 100"
#define LLAMA    CLASS("LlamaModel", "llama") ", " SIZES
#define MISTRAL  CLASS("MistralModel", "mistral") ", " SIZES
#define EUROBERT CLASS("EuroBertModel", "eurobert") ", " SIZES
#define GTE      CLASS("GteModel", "gte") ", " SIZES
#define NEW      CLASS("NewModel", "new") ", " SIZES
#define JINA3    CLASS("JinaEmbeddingsV3Model", "jina_embeddings_v3") ", " SIZES
#define GEMMA    CLASS("Gemma3TextModel", "gemma3_text") ", " SIZES
#define GEMMA2                                                                                     \
    CLASS("EmbeddingGemma2TextModel", "embedding_gemma2_text")                                     \
    ", " SIZES ", 'sliding_window_pattern': 2"
#define ERNIE      CLASS("ErnieModel", "ernie") ", " SIZES
#define MEGATRON   CLASS("MegatronBertModel", "megatron-bert") ", " SIZES
#define ROBERTA_XL CLASS("XLMRobertaXLModel", "xlm-roberta-xl") ", " SIZES
#define ROFORMER   CLASS("RoFormerModel", "roformer") ", " SIZES
#define EXPERTS(n, every)                                                                          \
    BARE_NOMIC ", 'activation_function': 'gelu', 'rotary_emb_fraction': 1.0, 'num_experts': " n    \
               ", 'moe_top_k': 2, 'moe_every_n_layers': " every
/* A model of texts and pictures, its text part, and a key of either. */
#define WHOLE(name, type) CLASS(name "Model", type)
#define OF_TEXT           ", 'text_config': {'num_hidden_layers': 3, 'model_type': 'odd'}"
#define QUANTIZED         ", 'quantization_config': {'bits': 4}"
#define MODERNBERT(kind)  CLASS("ModernBert" kind, "modernbert") ", " SIZES
#define DEBERTA(kind)     CLASS("DebertaV2" kind, "deberta-v2") ", " SIZES

static bool read_text(const char *text, struct checkpoint_config *config)
{
    static bool is_right;
    static struct json_file file;
    static struct folder folder;
    static char object[2048];
    snprintf(object, sizeof object, "{%s}", text);
    for (char *quote = object; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    READ_OR_REFUSE(&is_right, (json_file_parse(&file, "config.json", object, strlen(object), false),
                               checkpoint_config_read(&file, NULL, &folder, config)));
    import_free();
    return is_right;
}

/* A config.json, and values of the weight file's CONF: "key=value key=value". */
struct settings {
    const char *text, *values;
};
static void assert_settings(const struct settings *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct checkpoint_config config;
        if (!read_text(cases[i].text, &config))
            fail_msg("%s: %s", cases[i].text, program_words);
        config_is(&config.model, cases[i].values, cases[i].text);
    }
}
#define ASSERT_SETTINGS(cases) assert_settings(cases, sizeof cases / sizeof cases[0])

TEST(roberta_mpnet_albert)
{
    static const struct settings cases[] = {
        {ROBERTA, "position_offset=2 position_skips_padding=yes max_tokens=512 token_types=2"},
        {ROBERTA ", 'hidden_act': 'gelu_fast'", "activation=gelu_tanh"},
        {ROBERTA ", 'type_vocab_size': 1", "token_types=1"},
        {ROBERTA ", 'pad_token_id': 0", "max_tokens=513"},
        {CLASS("XLMRobertaForMaskedLM", "xlm-roberta") ", 'hidden_act': 'relu', " SIZES,
         "head_dense=gelu"},
        {CLASS("CamembertForTokenClassification", "camembert") ", " SIZES, "head=token"},
        {CLASS("RobertaForSequenceClassification", "roberta") ", " SIZES, "head_dense=tanh"},
        {"'model_type': 'xlm-roberta', " SIZES, "position_offset=2"},
        {CLASS("Data2VecTextForMaskedLM", "data2vec-text") ", " SIZES, "head_dense=gelu"},
        {CLASS("Data2VecTextModel", "data2vec-text") ", " SIZES, "position_offset=2"},
        {MPNET ", 'pad_token_id': 5", "position_offset=2"},
        {MPNET,
         "position_skips_padding=yes token_types=0 norm_eps=1e-12 attention_position=distance"},
        {MPNET ", 'relative_attention_num_buckets': 32", "distances=128"},
        {ALBERT ", 'embedding_size': 16", "embedding_width=16"},
        {ALBERT ", 'num_hidden_groups': 2", "layer_groups=2"},
        {ALBERT, "embedding_width=128 layer_groups=1 activation=gelu_tanh "
                 "position_skips_padding=no position_offset=0"},
    };
    ASSERT_SETTINGS(cases);
}

TEST(nomic_and_jina)
{
    static const struct settings cases[] = {
        {NOMIC, "rotary_base=1000 norm_eps=1e-05 rotary_width=8 rotary_trained=0 "
                "attention_bias=yes gate=second position=none"},
        {NOMIC ", 'qkv_proj_bias': false, 'mlp_fc2_bias': false", "attention_bias=no"},
        {NOMIC ", 'mlp_fc1_bias': false", "feed_forward_in_bias=no feed_forward_bias=yes"},
        {NOMIC ", 'rotary_emb_interleaved': true", "rotary_pairs=interleaved"},
        {NOMIC ", 'rotary_scaling_factor': 2", "rotary_factor=2 rotary_trained=2048"},
        {NOMIC ", 'rotary_scaling_factor': null", "rotary_trained=0"},
        {NEW_NOMIC ", 'hidden_act': 'silu'", "activation=silu"},
        {NEW_NOMIC,
         "activation=silu rotary_base=1000 head_width=8 attention_bias=no feed_forward_in_bias=no"},
        {NEW_NOMIC ", 'rope_parameters': null", "rotary_base=1000"},
        {NEW_NOMIC ", 'rope_theta': 7", "rotary_base=7"},
        {NEW_NOMIC ", 'head_dim': 8", "head_width=8"},
        {NEW_NOMIC ", 'rope_parameters': {'rope_theta': 1000}", "rotary_base=1000"},
        {JINA, "attention_position=alibi position=none gate=first feed_forward_in_bias=no "
               "feed_forward_bias=yes max_tokens=514"},
    };
    ASSERT_SETTINGS(cases);
}

TEST(modernbert)
{
#define MODEL MODERNBERT("Model")
#define LAYER_TYPES(a, b, c, d)                                                                    \
    MODEL ", 'layer_types': ['" a "_attention', '" b "_attention', '" c "_attention', '" d         \
          "_attention']"
    static const struct settings cases[] = {
        {MODEL,
         "norm_place=pre first_norm=no final_norm=yes norm_bias=no attention_bias=no "
         "norm_eps=1e-05 window=64 global_every=3 rotary_base=160000 rotary_local_base=10000"},
        {MODEL ", 'position_embedding_type': 'sans_pos'", "position=none"}, /* not read */
        {MODEL ", 'norm_bias': true", "norm_bias=yes"},
        {MODEL ", 'mlp_bias': true", "feed_forward_in_bias=yes"},
        {MODEL ", 'local_attention': 16", "window=8"},
        {MODEL ", 'local_attention': 16, 'sliding_window': 3", "window=3"},
        {MODEL ", 'global_attn_every_n_layers': 2", "global_every=2"},
        {MODEL ", 'local_rope_theta': null, 'global_rope_theta': 500", "rotary_local_base=500"},
        {MODEL ", 'rope_parameters': {'full_attention': {'rope_theta': 7, 'rope_type': "
               "'default'}, 'sliding_attention': {'rope_theta': 8}}",
         "rotary_base=7"},
        {MODEL ", 'rope_parameters': {'sliding_attention': {'rope_theta': 8}}",
         "rotary_local_base=8"},
        {LAYER_TYPES("full", "sliding", "full", "sliding"), "global_every=2"},
        {LAYER_TYPES("sliding", "full", "sliding", "full"), "global_first=1"},
        {LAYER_TYPES("sliding", "sliding", "full", "sliding"), "global_first=2"},
        {LAYER_TYPES("full", "sliding", "sliding", "sliding"), "global_every=4"},
        {LAYER_TYPES("full", "full", "full", "full"), "global_every=1"},
        {LAYER_TYPES("sliding", "sliding", "sliding", "sliding"), "global_every=0"},
        {MODERNBERT("ForMaskedLM"), "head_dense_bias=no head_bias=yes"},
        {MODERNBERT("ForMaskedLM") ", 'decoder_bias': false", "head_bias=no"},
        {MODERNBERT("ForSequenceClassification"), "head_pooling=cls"},
        {MODERNBERT("ForSequenceClassification") ", 'classifier_pooling': 'mean'",
         "head_pooling=mean"},
        {MODERNBERT("ForTokenClassification") ", 'classifier_activation': 'silu'",
         "head_dense=silu"},
        {MODERNBERT("ForTokenClassification") ", 'classifier_bias': true", "head_dense_bias=yes"},
    };
    ASSERT_SETTINGS(cases);
}

#define BOTH ", 'use_bidirectional_attention': true"

/* Without windows, as transformers writes it: a list of what all layers are. */
TEST(qwen)
{
#define FULL "'full_attention'"
    static const struct settings cases[] = {
        {QWEN ", 'head_dim': 16", "head_width=16"},
        {QWEN, "mask=causal"},
        {QWEN ", 'is_causal': true", "mask=causal"},
        {QWEN ", 'is_causal': false", "mask=full"},
        {QWEN ", 'layer_types': [" FULL ", " FULL ", " FULL ", " FULL "]", "global_every=0"},
        {QWEN ", 'sliding_window': 4096, 'use_sliding_window': false", "window=0"},
        {QWEN ", 'rope_parameters': {'rope_theta': 7, 'rope_type': 'default'}", "rotary_base=7"},
        {QWEN BOTH, "mask=full"},
        {QWEN2 BOTH, "mask=full"},
        {QWEN ", 'is_causal': null", "mask=full"},
        {QWEN ", 'num_key_value_heads': null", "key_value_heads=6"},
        {QWEN2 ", 'num_key_value_heads': null", "key_value_heads=6"},
        {QWEN2, "key_value_heads=32 attention_bias=yes query_key_norm=no"},
    };
#undef FULL
    ASSERT_SETTINGS(cases);
}

#define EURO(head) CLASS("EuroBertFor" head, "eurobert") ", " SIZES
/* Mistral's window counts the token itself, and is none if no text is longer. */
TEST(llama_and_relatives)
{
    static const struct settings cases[] = {
        {LLAMA, "mask=causal key_value_heads=6 head_width=8"},
        {LLAMA ", 'is_causal': false", "mask=full"},
        {LLAMA BOTH, "mask=full"},
        {LLAMA ", 'attention_bias': true", "attention_bias=yes"},
        {LLAMA ", 'mlp_bias': true", "feed_forward_bias=yes"},
        {LLAMA ", 'rope_theta': 500000", "rotary_base=500000"},
        {MISTRAL, "window=0"},
        {MISTRAL ", 'sliding_window': 9", "window=8"},
        {MISTRAL ", 'sliding_window': 514", "window=513"},
        {MISTRAL ", 'sliding_window': 515", "window=0"},
        {MISTRAL ", 'sliding_window': null", "window=0"},
        {MISTRAL BOTH ", 'sliding_window': 9", "window=9"},
        {MISTRAL ", 'rope_theta': 7, 'sliding_window': 9", "rotary_local_base=7"},
        {MISTRAL ", 'num_key_value_heads': 2", "key_value_heads=2"},
        {MISTRAL ", 'num_key_value_heads': null, 'is_causal': null", "key_value_heads=6"},
        {MISTRAL ", 'is_causal': null, 'sliding_window': 9", "window=9"},
        {EUROBERT, "mask=full norm_eps=1e-05"},
        {EUROBERT ", 'mlp_bias': true", "feed_forward_bias=yes"},
        {EURO("MaskedLM"), "head_tied=no"},
        {EURO("MaskedLM") ", 'tie_word_embeddings': true", "head_tied=yes"},
        {EURO("MaskedLM") ", 'mlp_bias': true", "head_bias=yes"},
        {EURO("SequenceClassification") ", 'classifier_pooling': 'bos'", "head_pooling=cls"},
        {EURO("SequenceClassification") ", 'classifier_pooling': 'mean'",
         "head_pooling=mean head_late=no"},
        {EURO("SequenceClassification") ", 'classifier_pooling': 'late'",
         "head_pooling=mean head_late=yes"},
        {CLASS("Qwen3ForSequenceClassification", "qwen3") ", " SIZES, "head_pooling=last"},
        {CLASS("LlamaForSequenceClassification", "llama") ", " SIZES, "head_bias=no"},
        {CLASS("MistralForTokenClassification", "mistral") ", " SIZES, "head_bias=yes"},
    };
    ASSERT_SETTINGS(cases);
}

/* How far a token sees on each side, by what makes the mask look ahead. */
TEST(gemma)
{
#define NEXT ", 'is_causal': false"
    static const struct settings cases[] = {
        {GEMMA BOTH, "window=2048"},
        {GEMMA BOTH ", 'sliding_window': 9", "window=4"},
        {GEMMA BOTH NEXT ", 'sliding_window': 9", "window=5"},
        {GEMMA NEXT ", 'sliding_window': 9", "window=9"},
        {GEMMA ", 'is_causal': null, 'sliding_window': 9", "window=9"},
        {GEMMA BOTH NEXT, "mask=full"},
        {GEMMA NEXT, "mask=full"},
        {GEMMA, "mask=causal"},
        {GEMMA ", 'sliding_window': 9", "window=8"},
    };
#undef NEXT
    ASSERT_SETTINGS(cases);
}

/* How far a token sees on both sides; heads of the layers that see all tokens. */
#define OWN_HEADS(width, keys) "{'head_dim': " width ", 'num_key_value_heads': " keys "}"
#define OF_LAYERS(...)         ", 'per_layer_config': {" __VA_ARGS__ "}"
TEST(embeddinggemma_2)
{
    static const struct settings cases[] = {
        {GEMMA2, "window=512 head_width=256 global_head_width=512 global_key_value_heads=1 "
                 "layer_input_width=512 score_scale=1 activation=gelu_tanh"},
        {GEMMA2 ", 'sliding_window': 9", "window=9"},
        {GEMMA2 ", 'global_head_dim': 64", "global_head_width=64"},
        {GEMMA2 OF_LAYERS("'1': " OWN_HEADS("32", "3") ", '3': " OWN_HEADS("32", "3")),
         "global_head_width=32 global_key_value_heads=3"},
        {GEMMA2 ", 'hidden_size_per_layer_input': 24", "layer_input_width=24"},
    };
    ASSERT_SETTINGS(cases);
}

/* A gate and an activation from one name; save_pretrained's two keys come first. Heads need not
 * divide the width (flan-t5-small has 6 of 64 in 512). */
TEST(t5)
{
#define PROJ(name) T5 ", 'feed_forward_proj': '" name "'"
    static const struct settings cases[] = {
        {T5, "activation=relu gate=none head_width=64 score_scale=1 distances=128 max_tokens=8192 "
             "norm_eps=1e-06"},
        {T5 ", 'n_positions': 512", "max_tokens=8192"}, /* no class reads it */
        {T5 ", 'is_encoder_decoder': true", "mask=full"},
        {PROJ("gated-gelu"), "activation=gelu_tanh gate=first"},
        {PROJ("gated-silu"), "activation=silu"},
        {PROJ("gelu"), "activation=gelu"},
        {PROJ("gated-gelu") ", 'dense_act_fn': 'gelu'", "activation=gelu"},
        {PROJ("gated-gelu") ", 'is_gated_act': false", "gate=none"},
    };
#undef PROJ
    ASSERT_SETTINGS(cases);
}

/* Positions that NewModel stretches; those of Jina's RoBERTa, which start at 0. */
TEST(gte_and_jina3)
{
#define NTK(factor) ", 'rope_scaling': {'type': 'ntk', 'factor': " factor "}"
#define FLASH                                                                                      \
    CLASS("XLMRobertaModel", "xlm-roberta") ", " SIZES ", 'position_embedding_type': 'rotary'"
    static const struct settings cases[] = {
        {NEW, "rotary_base=10000 rotary_factor=1 token_types=1 gate=second feed_forward_in_bias=no "
              "norm_eps=1e-12"},
        {NEW ", 'rope_theta': 20000" NTK("8.0"), "rotary_base=20000"},
        {NEW NTK("8.0"), "rotary_factor=8 rotary_trained=0"},
        {NEW ", 'type_vocab_size': 0", "token_types=0"},
        {NEW ", 'position_embedding_type': 'rope', 'logn_attention_scale': false", "position=none"},
        {GTE, "rotary_base=160000"},
        {GTE NTK("2"), "rotary_factor=2"},
        {JINA3, "rotary_base=20000 gate=none norm_eps=1e-05"},
        {FLASH,
         "attention_position=rotary rotary_base=10000 max_tokens=514 position_skips_padding=no"},
        {FLASH ", 'rotary_emb_base': 20000.0", "rotary_base=20000"},
        {CLASS("HF_ColBERT", "xlm-roberta") ", " SIZES, "position_offset=2"},
    };
#undef FLASH
    ASSERT_SETTINGS(cases);
}

/* Terms, buckets and where positions come from; heads by two more keys. */
#define DISENTANGLED DEBERTA("Model") ", 'relative_attention': true, 'pos_att_type': 'P2C | c2p'"
#define DEBERTA_1                                                                                  \
    CLASS("DebertaModel", "deberta")                                                               \
    ", " SIZES ", 'relative_attention': true, 'pos_att_type': 'c2p|p2c'"
TEST(deberta)
{
    static const struct settings cases[] = {
        {DEBERTA("Model"),
         "attention_position=none position=learned token_types=0 norm_eps=1e-07 max_tokens=514"},
        {DEBERTA("Model") ", 'pos_att_type': ['c2p', 'p2c']", "score_scale=0.2041241452319315"},
        {DEBERTA("Model") ", 'relative_attention': true", "attention_position=none"},
        {DISENTANGLED, "attention_position=disentangled score_scale=0.2041241452319315 "
                       "distances=514 position_buckets=0 position_terms=both"},
        {DISENTANGLED ", 'position_buckets': 256, 'max_relative_positions': -1", "distances=514"},
        {DISENTANGLED ", 'position_buckets': 256", "position_buckets=256"},
        {DISENTANGLED ", 'position_biased_input': false",
         "position=none max_tokens=4096 distances=514"},
        {DISENTANGLED ", 'max_relative_positions': 90", "distances=90"},
        {DEBERTA("Model") ", 'relative_attention': true, 'pos_att_type': ['p2c']",
         "position_terms=p2c"},
        {DEBERTA("Model") ", 'relative_attention': true, 'pos_att_type': 'c2p'",
         "position_terms=c2p"},
        {DEBERTA("ForSequenceClassification"), "head_dense=gelu"},
        {DEBERTA("ForSequenceClassification") ", 'pooler_hidden_act': 'tanh'", "head_dense=tanh"},
        {DEBERTA("ForMaskedLM") ", 'tie_word_embeddings': false", "head_tied=no"},
        {DEBERTA("ForMaskedLM") ", 'legacy': false, 'tie_word_embeddings': false", "head_tied=yes"},
        /* The first version reads no 'position_buckets'. */
        {DEBERTA_1 ", 'position_biased_input': false, 'position_buckets': 256",
         "position=none max_tokens=4096 distances=514 position_buckets=0 position_terms=both "
         "score_scale=0.2041241452319315"},
        {DEBERTA_1 ", 'max_relative_positions': 90", "position=learned distances=90"},
    };
    ASSERT_SETTINGS(cases);
    struct checkpoint_config config;
    assert_true(read_text(DISENTANGLED, &config));
    assert_string_equal(config.positions.key, "encoder.layer.#.attention.self.pos_key_proj");
    assert_string_equal(config.positions.query, "encoder.layer.#.attention.self.pos_query_proj");
    assert_null(config.positions.norm);
    assert_true(read_text(DISENTANGLED ", 'share_att_key': true, 'norm_rel_ebd': "
                                       "'layer_norm'",
                          &config));
    assert_string_equal(config.positions.key, "encoder.layer.#.attention.self.key_proj");
    assert_string_equal(config.positions.norm, "encoder.LayerNorm");
    assert_true(read_text(DEBERTA("Model") ", 'share_att_key': true", &config));
    assert_null(config.positions.key);
}

/* Sizes that a text_config may lack; quick_gelu is silu, of scaled layers. */
TEST(clip)
{
#define CLIP "'model_type': 'clip_text_model'"
    static const struct settings cases[] = {
        {CLIP, "width=512 max_tokens=77 activation=silu mask=causal pooling=last norm_eps=1e-05"},
        {CLIP ", 'hidden_act': 'gelu'", "activation=gelu"},
        {CLIP ", 'is_causal': false", "mask=full"},
        {CLIP ", 'is_causal': null", "mask=full"},
        {WHOLE("CLIP", "clip") OF_TEXT, "layers=3 max_tokens=77 mask=causal"},
        {WHOLE("CLIP", "clip") OF_TEXT ", 'text_config_dict': {'hidden_size': 64}",
         "layers=12 width=64"},
        {WHOLE("CLIP", "clip") OF_TEXT ", 'quantization_config': {}", "layers=3"},
        {WHOLE("Siglip", "siglip") OF_TEXT ", 'text_config_dict': {}", "layers=3 max_tokens=64"},
    };
#undef CLIP
    ASSERT_SETTINGS(cases);
}

/* Norms before the halves, positions after those of padding, tasks, columns that are neighbours. */
TEST(kin_of_bert)
{
    static const struct settings cases[] = {
        {ERNIE, "token_types=2 norm_place=post"},
        {MEGATRON, "embedding_norm=none norm_eps=1e-12 norm_place=pre final_norm=yes"},
        {ROBERTA_XL, "max_tokens=512 token_types=1 position_offset=2 norm_eps=1e-05"},
        {ROFORMER, "position=none embedding_width=48 rotary_pairs=interleaved"},
        {ROFORMER ", 'embedding_size': 24", "embedding_width=24"},
        {ROFORMER ", 'embedding_size': null", "embedding_width=48"},
        {"'model_type': 'siglip_text_model'",
         "vocabulary=32000 max_tokens=64 activation=gelu_tanh mask=full pooling=last"},
    };
    ASSERT_SETTINGS(cases);
    struct checkpoint_config config;
    assert_true(read_text(ERNIE ", 'use_task_id': true", &config));
    assert_string_equal(config.added_row.table, "embeddings.task_type_embeddings.weight");
    assert_int_equal(config.added_row.rows, 3);
    assert_true(read_text(ERNIE ", 'use_task_id': true, 'task_type_vocab_size': 16", &config));
    assert_int_equal(config.added_row.rows, 16);
    assert_true(read_text(ERNIE, &config));
    assert_null(config.added_row.table);
}

/* Which layers have experts, and how many a token takes. */
TEST(experts)
{
    static const struct settings cases[] = {
        {EXPERTS("8", "2"), "gate=none experts=8 experts_used=2 experts_every=2"},
        {EXPERTS("8", "-1"), "experts=0"},
        {EXPERTS("8", "1"), "experts=0"},
        {NOMIC, "experts=0"},
    };
    ASSERT_SETTINGS(cases);
}

TEST(refusals)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {NEW ", 'logn_attention_scale': true", "'logn_attention_scale' is true"},
        {NEW ", 'layer_norm_type': 'rms_norm'", "'layer_norm_type' is \"rms_norm\""},
        {NEW ", 'position_embedding_type': 'absolute'", "'position_embedding_type'"},
        {NEW ", 'rope_scaling': {'type': 'linear', 'factor': 2}", "the type 'linear'"},
        {NEW ", 'rope_scaling': {'type': 'ntk'}", "expected ntk with a 'factor'"},
        {NEW ", 'rope_scaling': {'type': 'ntk', 'factor': 2, 'mixed_b': 1}", "'mixed_b'"},
        {GTE ", 'rope_parameters': {'rope_type': 'linear'}", "'rope_type' of"},
        {JINA3 ", 'rope_scaling': {'type': 'ntk'}", "'rope_scaling' is {\"type\":\"ntk\"}"},
        {JINA3 ", 'position_embedding_type': 'absolute'", "'position_embedding_type'"},
        {CLASS("CLIPTextModel", "clip_text_model") ", 'hidden_act': 'silu'",
         "'hidden_act' is 'silu'"},
        {ROBERTA ", 'hidden_act': 'quick_gelu'", "'hidden_act' is 'quick_gelu'"},
        {CLASS("SiglipVisionModel", "siglip_vision_model"), "SiglipVisionModel is not known"},
        {WHOLE("CLIP", "clip") OF_TEXT QUANTIZED, "'quantization_config' is {\"bits\":4.0}"},
        {WHOLE("Siglip2", "siglip2") OF_TEXT QUANTIZED, "'quantization_config' is"},
        {WHOLE("EmbeddingGemma2", "embedding_gemma2") OF_TEXT QUANTIZED, "'quantization_config'"},
        {WHOLE("CLIP",
               "clip") ", 'text_config_dict': {}, 'text_config': {'hidden_size': 8" QUANTIZED "}",
         "'quantization_config' is"},
        {WHOLE("CLIP", "clip") ", 'text_config': {'hidden_size': 8" QUANTIZED "}",
         "'quantization_config' is"},
        {WHOLE("CLIP", "clip") OF_TEXT ", 'pruned_heads': {'0': [1]}", "'pruned_heads' is"},
        {WHOLE("CLIP", "clip") OF_TEXT ", 'configuration_files': ['a.json']",
         "'configuration_files'"},
        {WHOLE("CLIP", "clip"), "'text_config' is missing"},
        {WHOLE("Other", "clip") OF_TEXT, "OtherModel is not known"},
        {WHOLE("Siglip", "clip") OF_TEXT, "'model_type' is 'clip', but SiglipModel is of type"},
        {ERNIE ", 'task_type_vocab_size': 0", "'task_type_vocab_size' is 0"},
        {ERNIE ", 'position_embedding_type': 'relative_key'", "'position_embedding_type'"},
        {ROFORMER ", 'rotary_value': true", "'rotary_value' is true"},
        {ROFORMER ", 'norm_type': 'rms_norm'", "'norm_type' is \"rms_norm\""},
        {MEGATRON ", 'hidden_act': 'quick_gelu'", "'hidden_act' is 'quick_gelu'"},
        {EXPERTS("8", "2") ", 'moe_normalize_expert_weights': true",
         "'moe_normalize_expert_weights' is true"},
        {EXPERTS("8", "2") ", 'num_shared_experts': 1", "'num_shared_experts' is 1"},
        {EXPERTS("8", "2") ", 'expert_choice_router': true", "'expert_choice_router' is true"},
        {EXPERTS("8", "2") ", 'mlp_fc2_bias': false", "'mlp_fc2_bias' is false"},
        {EXPERTS("8", "2.5"), "'moe_every_n_layers'"},
        {EXPERTS("0", "2"), "'num_experts' is 0"},
        {NOMIC ", 'num_experts': 8, 'moe_every_n_layers': 2", "'moe_top_k'"},
        {T5 ", 'feed_forward_proj': 'gated-mish'", "'feed_forward_proj' is 'gated-mish'"},
        {T5 ", 'relative_attention_num_buckets': 64", "'relative_attention_num_buckets' is 64"},
        {T5 ", 'relative_attention_max_distance': 64", "'relative_attention_max_distance' is 64"},
        {T5 ", 'hidden_size': 24", "'hidden_size' is 24; expected null; the name is d_model"},
        {T5 ", 'is_decoder': true", "'is_decoder' is true"},
        {CLASS("T5EncoderModel", "t5") ", " SIZES, "'num_layers' is missing"},
        {GEMMA2 OF_LAYERS("'1': " OWN_HEADS("32", "3")), "'per_layer_config' of layer 3; expected"},
        {GEMMA2 OF_LAYERS("'0': " OWN_HEADS("32", "3")), "'per_layer_config' of layer 0; expected"},
        {GEMMA2 OF_LAYERS("'1': " OWN_HEADS("32", "3") ", '3': " OWN_HEADS("16", "3")),
         "'per_layer_config' of layer 3; expected"},
        {GEMMA2 OF_LAYERS("'1': {'head_dim': 32}"), "'per_layer_config' of layer 1; expected"},
        {GEMMA2 OF_LAYERS("'1': " OWN_HEADS("32", "3") ", '3': " OWN_HEADS("32", "3") ", 'x': {}"),
         "'per_layer_config' has more layers"},
        {GEMMA2 OF_LAYERS("'1': " OWN_HEADS("32", "3") ", '3': " OWN_HEADS("32", "3") ", '': {}"),
         "'per_layer_config' has more layers"},
        {GEMMA2 OF_LAYERS("'full_attention': " OWN_HEADS("32", "3")),
         "'per_layer_config' of layer 1"},
        {CLASS("EmbeddingGemma2TextModel", "embedding_gemma2_text") ", " SIZES,
         "the last of 4 layers has a window; expected full_attention"},
        {GEMMA2 ", 'rope_parameters': {'full_attention': {'rope_type': 'yarn'}}", "'rope_type' of"},
        {QWEN2 ", 'use_sliding_window': true", "'use_sliding_window' is true"},
        {LLAMA ", 'rope_scaling': {'rope_type': 'llama3'}",
         "'rope_scaling' is {\"rope_type\":\"llama3\"}"},
        {LLAMA ", 'rope_parameters': {'rope_type': 'llama3'}", "'rope_type' of"},
        {LLAMA ", 'rope_parameters': {'full_attention': {'rope_theta': 7}}",
         "'rope_parameters' has 'full_attention' of its own"},
        {MISTRAL ", 'rope_scaling': {'type': 'linear'}", "'rope_scaling' is {\"type\":\"linear\"}"},
        {MISTRAL ", 'sliding_window': 1", "'sliding_window' is 1"},
        {EUROBERT ", 'rope_scaling': {'type': 'linear'}",
         "'rope_scaling' is {\"type\":\"linear\"}"},
        {EURO("SequenceClassification"), "'classifier_pooling' is missing; expected bos, mean"},
        {EURO("SequenceClassification") ", 'classifier_pooling': 'max'", "is 'max'"},
        {EUROBERT ", 'is_causal': true", "'is_causal' is true; expected false"},
        {ROBERTA ", 'pad_token_id': 600", "'max_position_embeddings' is 514"},
        {ROBERTA ", 'position_embedding_type': 'relative_key'", "'relative_key'"},
        {ROBERTA ", 'is_causal': true", "'is_causal' is true; expected false"},
        {ROBERTA ", 'is_causal': false", NULL},
        {MODERNBERT("Model") ", 'is_causal': true", "'is_causal' is true"},
        {ROBERTA ", 'is_encoder_decoder': true", "'is_encoder_decoder' is true"},
        {ROBERTA ", 'per_layer_config': {'1': {'hidden_act': 'relu'}}",
         "'per_layer_config' is {\"1\":{\"hidden_act\":\"relu\"}}; expected null"},
        {ROBERTA ", 'transformers_weights': 'other.safetensors'",
         "'transformers_weights' is \"other.safetensors\""},
        {ROBERTA ", 'configuration_files': ['config.5.0.0.json']", "'configuration_files'"},
        {ROBERTA ", 'text_config': {}", "'text_config'"},
        {ROBERTA ", 'token_classification_bias': false", "'token_classification_bias' is false"},
        {NEW_NOMIC ", 'rope_parameters': {'partial_rotary_factor': 0.5}",
         "the 'partial_rotary_factor' of 'rope_parameters' is 0.5; expected 1"},
        {NEW_NOMIC ", 'rope_parameters': {'type': 'linear'}", "'rope_type' of"},
        {NEW_NOMIC ", 'partial_rotary_factor': 0.5", "'partial_rotary_factor' is 0.5"},
        {NEW_NOMIC ", 'rope_scaling': {'type': 'linear'}", "'rope_scaling'"},
        {NOMIC ", 'scale_attn_weights': false", "'scale_attn_weights' is false"},
        {JINA ", 'emb_pooler': 'cls'", "'emb_pooler' is \"cls\""},
        {QWEN ", 'layer_types': ['sliding_attention']", "'layer_types' has 'sliding_attention'"},
        {DISTILBERT ", 'hidden_size': 24", "'hidden_size' is 24; expected 48, as 'dim' is"},
        {DISTILBERT ", 'num_attention_heads': 2", "'num_attention_heads' is 2; expected 6"},
        {DISTILBERT ", 'num_hidden_layers': 4", NULL},
        {MPNET ", 'relative_attention_num_buckets': 64",
         "'relative_attention_num_buckets' is 64; expected 32"},
        {ALBERT ", 'inner_group_num': 2", "'inner_group_num' is 2; expected 1"},
        {ALBERT ", 'num_hidden_groups': 0", "'num_hidden_groups' is 0"},
        {CLASS("NomicBertModel", "nomic_bert") ", 'n_embd': 48", "'n_layer' is missing"},
        {NOMIC ", 'prenorm': true", "'prenorm' is true; expected false"},
        {NOMIC ", 'parallel_block': true", "'parallel_block' is true"},
        {NOMIC ", 'causal': true", "'causal' is true"},
        {NOMIC ", 'use_rms_norm': true", "'use_rms_norm' is true"},
        {NOMIC ", 'rotary_emb_scale_base': 512", "'rotary_emb_scale_base' is 512"},
        {NOMIC ", 'moe_every_n_layers': 2", "'num_experts' is missing"},
        {NOMIC ", 'num_heads_kv': 2", "'num_heads_kv' is 2"},
        {BARE_NOMIC SWIGLU, "'rotary_emb_fraction' is 0"},
        {BARE_NOMIC SWIGLU ", 'rotary_emb_fraction': 0.3", "'rotary_emb_fraction' is 0.3"},
        {BARE_NOMIC ", 'activation_function': 'glu'", "'activation_function' is 'glu'"},
        {NEW_NOMIC ", 'rope_parameters': {'rope_type': 'yarn'}", "'rope_type' of"},
        {NEW_NOMIC ", 'rope_parameters': {'rope_theta': 0}", "'rope_theta' of"},
        {NEW_NOMIC ", 'rope_parameters': []", "'rope_parameters' is an array"},
        {BARE_JINA ALIBI, "'feed_forward_type' is missing"},
        {BARE_JINA ALIBI ", 'feed_forward_type': 'original'", "'feed_forward_type' is 'original'"},
        {BARE_JINA ", 'feed_forward_type': 'geglu'", "'position_embedding_type' is missing"},
        {MODEL ", 'hidden_activation': 'x'", "'hidden_activation' is 'x'"},
        {MODEL ", 'local_attention': 1", "'local_attention' is 1"},
        {MODEL ", 'rope_scaling': {'type': 'linear'}", "'rope_scaling' is {\"type\":\"linear\"}"},
        {MODEL ", 'rope_parameters': {'full_attention': 1}", "'rope_parameters' holds"},
        {MODEL ", 'layer_types': ['full_attention']", "each of 4 layers"},
        {LAYER_TYPES("full", "sliding", "chunked", "full"), "'layer_types'"},
        {LAYER_TYPES("full", "full", "sliding", "full"), "uneven distances (layer 2)"},
        {LAYER_TYPES("sliding", "sliding", "sliding", "full"), NULL},
        {MODERNBERT("ForSequenceClassification") ", 'classifier_pooling': 'max'",
         "'classifier_pooling' is 'max'"},
        {MODERNBERT("ForMaskedLM") ", 'classifier_activation': 'mish'",
         "'classifier_activation' is 'mish'"},
        {CLASS("RobertaModel", "xlm-roberta") ", " SIZES, "'model_type' is 'xlm-roberta'"},
        {CLASS("FunnelModel", "funnel") ", " SIZES, "FunnelModel is not known"},
        {DEBERTA_1 ", 'talking_head': true", "'talking_head' is true; expected false"},
        {CLASS("DebertaModel", "deberta") ", " SIZES ", 'pos_att_type': 'c2p|c2p'",
         "'pos_att_type' is 'c2p|c2p'"},
        {DEBERTA("Model") ", 'pos_att_type': 'c2p|'",
         "'pos_att_type' is 'c2p|'; expected c2p, p2c"},
        {DEBERTA("Model") ", 'pos_att_type': ['p2c', 'p2c']", "'pos_att_type' holds p2c"},
        {DEBERTA("Model") ", 'conv_kernel_size': 3", "'conv_kernel_size' is 3; expected 0"},
        {DEBERTA("Model") ", 'pos_att_type': 'p2c|p2p'", "'pos_att_type' is 'p2c|p2p'"},
        {DEBERTA("Model") ", 'pos_att_type': ['C2P']", "'pos_att_type' holds C2P"},
        {DEBERTA("Model") ", 'pos_att_type': true", "'pos_att_type' holds true"},
        {DEBERTA("Model") ", 'position_buckets': 2.5", "'position_buckets' is 2.5"},
        {DEBERTA("Model") ", 'embedding_size': 24", "'embedding_size' is 24; expected 48"},
        {DEBERTA("Model") ", 'attention_head_size': 6", "'attention_head_size' is 6; expected 8"},
        {DEBERTA("Model") ", 'pooler_hidden_size': 47", "'pooler_hidden_size' is 47"},
        {DISENTANGLED ", 'position_buckets': 1100", "'position_buckets' is 1100"},
        {DISENTANGLED ", 'position_buckets': 1025", NULL},
        {DISENTANGLED ", 'norm_rel_ebd': 'rms'", "'norm_rel_ebd' is 'rms'"},
        {DEBERTA("ForSequenceClassification") ", 'pooler_hidden_act': 'mish'",
         "'pooler_hidden_act' is 'mish'"},
    };
#undef LAYER_TYPES
#undef MODEL
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct checkpoint_config config;
        bool is_read = read_text(cases[i].text, &config);
        if (is_read != !cases[i].words)
            fail_msg("%s: %s", cases[i].text, is_read ? "accepted" : program_words);
        if (cases[i].words && !strstr(program_words, cases[i].words))
            fail_msg("%s: '%s' is not in: %s", cases[i].text, cases[i].words, program_words);
    }
}

/* What save_pretrained of transformers 4.57, 5.23 or 5.24 writes for each class (keys.py): all is
 * read, harmless, or has its default. */
static FILE *saved; /* opened before the suite goes to its own folder */
TEST(saved_configs)
{
    static struct json_file file;
    static struct folder folder;
    static struct checkpoint_config config;
    static bool is_right;
    static char line[8192];
    static size_t n;
    FILE *volatile lines = saved;
    assert_non_null(lines);
    for (; fgets(line, sizeof line, lines) != NULL; n++) {
        READ_OR_REFUSE(&is_right, (json_file_parse(&file, "config.json", line, strlen(line), false),
                                   checkpoint_config_read(&file, NULL, &folder, &config)));
        if (!is_right || folder.unread[0] != '\0')
            fail_msg("%s: %s%s", line, is_right ? "unread: " : program_words, folder.unread);
        import_free();
    }
    assert_true(n >= 70);
    fclose(lines);
}

/* The first distance of each bucket, by the published formula in float32 (numpy); keys before
 * the query first. */
TEST(buckets)
{
    static const int first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
    enum { N = sizeof first / sizeof first[0] };
    for (int bucket = 0; bucket < N; bucket++) {
        int end = bucket + 1 < N ? first[bucket + 1] : 1000;
        for (int n = first[bucket]; n < end; n++) {
            assert_int_equal(distance_bucket(-n), bucket);
            if (n > 0)
                assert_int_equal(distance_bucket(n), N + bucket);
        }
    }
    assert_int_equal(N, DISTANCE_BUCKETS / 2);
    assert_true(first[N - 1] <= DISTANCES);
}

SET_UP()
{
    saved = fopen("tests/tools/families/saved_configs.jsonl", "r");
    import_setup();
}
