/* json_file.c - JSON files of a checkpoint, and the lists of known keys; see json_file.h.
 *
 * A tree of small values takes about twenty times the memory of its text, so the length of the text
 * is bounded. The settings of public checkpoints take a few kilobytes. tests/tools/families/keys.py
 * compares the lists with the code of transformers 4.57 and 5.23, tokenizers 0.23 and
 * sentence-transformers 5.2 and 6.2. */
#include "tools/import/files/json_file.h"

#include "tools/common/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JSON_BYTES = 4 << 20 };

const char *json_kind(const json_t *value)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return kinds[value == NULL ? JSON_NULL : json_typeof(value)];
}

/* ---- Files ---- */

void json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array)
{
    json_error_t error;
    *file = (struct json_file){0};
    snprintf(file->name, sizeof file->name, "%s", name);
    file->root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    file->seen = json_object();
    if (file->root == NULL)
        program_die("%s, line %d: not JSON: %s", name, error.line, error.text);
    if (is_array ? !json_is_array(file->root) : !json_is_object(file->root))
        program_die("%s is %s; expected %s", name, json_kind(file->root),
                    is_array ? "an array" : "an object");
}

void json_file_read(struct json_file *file, struct folder *folder, const char *place,
                    const char *name, bool needed, bool is_array)
{
    char full[FOLDER_PATH];
    size_t len = 0;
    *file = (struct json_file){0};
    char *text = folder_text(folder, folder_name(full, place, name), needed, MOST_JSON_BYTES, &len);
    if (text != NULL)
        json_file_parse(file, full, text, len, is_array);
}

/* ---- Members ---- */

const json_t *json_member(const struct json_file *file, const json_t *object, const char *key)
{
    if (object == NULL || object == file->root) {
        json_object_set_new(file->seen, key, json_true());
        object = file->root;
    }
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

_Noreturn static void value_die(const struct json_file *file, const char *key, const json_t *value,
                                const char *expected)
{
    char *list =
        json_is_object(value) || json_is_array(value) ? json_dumps(value, JSON_COMPACT) : NULL;
    if (json_is_number(value))
        file_die(file->name, "'%s' is %.17g; expected %s", key, json_number_value(value), expected);
    if (json_is_string(value))
        file_die(file->name, "'%s' is \"%.100s\"; expected %s", key, json_string_value(value),
                 expected);
    file_die(file->name, "'%s' is %.100s; expected %s", key,
             value == NULL ? "missing"
             : list        ? list
                           : json_kind(value),
             expected);
}

bool json_whole(const json_t *value, uint64_t *whole)
{
    static const int64_t TWO_TO_53 = INT64_C(1) << 53; /* above it doubles skip numbers */
    double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!(number >= 0 && number <= (double)TWO_TO_53) || number != floor(number) ||
        (json_is_integer(value) && json_integer_value(value) > TWO_TO_53))
        return false;
    *whole = (uint64_t)number;
    return true;
}

size_t json_count(const struct json_file *file, const json_t *object, const char *key, size_t least,
                  size_t otherwise)
{
    const json_t *member = json_member(file, object, key);
    char expected[64];
    uint64_t whole;
    if (member == NULL && otherwise == JSON_NEEDED)
        value_die(file, key, NULL, "a whole number");
    if (member == NULL)
        return otherwise;
    if (json_whole(member, &whole) && whole <= INT32_MAX && whole >= least)
        return (size_t)whole;
    snprintf(expected, sizeof expected, "a whole number from %zu to %d", least, INT32_MAX);
    value_die(file, key, member, expected);
}

void json_count_only(const struct json_file *file, const char *key, size_t expected,
                     const char *reason)
{
    size_t found = json_count(file, NULL, key, 0, expected);
    if (found != expected)
        file_die(file->name, "'%s' is %zu; expected %zu%s", key, found, expected, reason);
}

double json_number(const struct json_file *file, const char *key, double otherwise)
{
    const json_t *member = json_member(file, NULL, key);
    if (member != NULL && !json_is_number(member))
        value_die(file, key, member, "a number");
    return member != NULL ? json_number_value(member) : otherwise;
}

bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool otherwise)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_boolean(member))
        value_die(file, key, member, "true or false");
    return member != NULL ? json_is_true(member) : otherwise;
}

const char *json_text(const struct json_file *file, const json_t *object, const char *key,
                      const char *otherwise)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_string(member))
        value_die(file, key, member, "a string");
    return member != NULL ? json_string_value(member) : otherwise;
}

json_t *json_typed(const struct json_file *file, const char *key, json_type type,
                   const char *expected)
{
    const json_t *value = json_member(file, NULL, key);
    if (value != NULL && json_typeof(value) != type)
        file_die(file->name, "'%s' is %s; expected %s", key, json_kind(value), expected);
    return value != NULL ? json_object_get(file->root, key) : NULL;
}

static void check_only(const struct json_file *file, const struct json_only *only, const char *key)
{
    if (json_object_get(file->seen, key) != NULL)
        return;
    const json_t *member = json_member(file, NULL, key);
    json_t *value = json_loads(only->value, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    bool is_right = member == NULL ? !only->is_needed : json_equal(member, value) != 0;
    char expected[300];
    snprintf(expected, sizeof expected, "%s%s%s", only->value, only->advice != NULL ? "; " : "",
             only->advice != NULL ? only->advice : "");
    if (!is_right)
        value_die(file, key, member, expected);
}

void json_only_check(const struct json_file *file, const struct json_only *only)
{
    for (; only != NULL && only->names != NULL; only++)
        for (const char *at = only->names, *end; *at != '\0'; at = end + strspn(end, " ")) {
            char key[64];
            end = at + strcspn(at, " ");
            snprintf(key, sizeof key, "%.*s", (int)(end - at), at);
            check_only(file, only, key);
        }
}

/* ---- Names ---- */

int64_t json_name_value(const struct json_name *names, const char *name)
{
    for (; names->name != NULL; names++)
        if (name_is_listed(names->name, name) || (name[0] == '\0' && names->name[0] == '\0'))
            return names->value;
    return -1;
}

const char *json_last_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

int64_t json_choice(const struct json_file *file, const char *key, const struct json_name *names,
                    const char *expected, int64_t otherwise)
{
    const char *name = json_text(file, NULL, key, NULL);
    int64_t found = name != NULL ? json_name_value(names, name) : otherwise;
    if (name != NULL && found < 0)
        file_die(file->name, "'%s' is '%.100s'; expected %s", key, name, expected);
    return found;
}

/* ---- config.json ---- */

/* The program that wrote the file, its source, the task, and code that may load it. */
#define ORIGIN                                                                                     \
    " _name_or_path name_or_path model_name base_model_name_or_path transformers_version "         \
    "transformers.js_config _commit_hash finetuning_task task_specific_params task language "      \
    "tokenizer_class processor_class auto_map custom_pipelines prefix pretrained_cfg "
/* Read by training alone. */
#define TRAINING                                                                                   \
    " hidden_dropout_prob attention_probs_dropout_prob attention_dropout hidden_dropout dropout "  \
    "embedding_dropout mlp_dropout classifier_dropout classifier_dropout_prob qa_dropout "         \
    "seq_classif_dropout summary_first_dropout summary_last_dropout attn_pdrop embd_pdrop "        \
    "resid_pdrop initializer_range initializer_cutoff_factor initializer_factor init_std "         \
    "gradient_checkpointing sparse_prediction sparse_pred_ignore_index loss_type "                 \
    "sinusoidal_pos_embds "
/* How it is computed: the types of numbers (of the tensors here), kernels, chunks, caches. */
#define COMPUTATION                                                                                \
    " dtype torch_dtype use_bfloat16 torchscript use_cache chunk_size_feed_forward "               \
    "compile_config "                                                                              \
    "attn_implementation _attn_implementation _attn_implementation_internal "                      \
    "_attn_implementation_autoset experts_implementation _experts_implementation "                 \
    "_experts_implementation_internal reference_compile repad_logits_with_grad "                   \
    "deterministic_flash_attn use_flash_attn use_xentropy fused_bias_fc fused_dropout_add_ln "     \
    "dense_seq_output pad_vocab_size_multiple tf_legacy_loss device_map distributed_config "
/* Which of the results are returned, and the names and heads of results that are not asked for. */
#define RESULTS                                                                                    \
    " output_hidden_states output_attentions output_past return_dict use_return_dict "             \
    "tie_last_hidden_states id2label label2id num_labels _num_labels num_choices problem_type "    \
    "summary_activation summary_type summary_use_proj summary_proj_to_labels tie_word_embeddings " \
    "tie_encoder_decoder tie_weights_ classifier_pooling classifier_activation classifier_bias "   \
    "decoder_bias final_logit_softcapping cross_attention_hidden_size "                            \
    "sbert_ce_default_activation_function sentence_transformers "
/* For generating text; tokens are the tokenizer's here, except tokens that a class reads. */
#define GENERATION                                                                                 \
    " bos_token_id eos_token_id pad_token_id cls_token_id sep_token_id mask_token_id "             \
    "decoder_start_token_id forced_bos_token_id forced_eos_token_id max_length max_new_tokens "    \
    "min_length min_new_tokens early_stopping do_sample num_beams num_beam_groups temperature "    \
    "top_k top_p top_h min_p typical_p epsilon_cutoff eta_cutoff diversity_penalty "               \
    "repetition_penalty encoder_repetition_penalty length_penalty no_repeat_ngram_size "           \
    "encoder_no_repeat_ngram_size bad_words_ids force_words_ids constraints num_return_sequences " \
    "output_scores output_logits return_dict_in_generate remove_invalid_values "                   \
    "exponential_decay_length_penalty suppress_tokens begin_suppress_tokens max_time "             \
    "stop_strings renormalize_logits sequence_bias token_healing guidance_scale penalty_alpha "    \
    "watermarking_config generation_config "
/* Keys of many published files that no code reads. */
#define BALLAST                                                                                    \
    " directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "              \
    "pooler_size_per_head pooler_type net_structure_type num_memory_blocks gap_size "              \
    "down_scale_factor vocab_type head_type "

static const char *const HARMLESS[] = {
    [KEYS_CONFIG] = ORIGIN TRAINING COMPUTATION RESULTS GENERATION BALLAST,
    [KEYS_STATIC] = ORIGIN COMPUTATION
    " architectures model_type tokenizer_name apply_pca apply_zipf sif_coefficient hidden_dim "
    "seq_length pooling embedding_dtype vocabulary_quantization ",
    [KEYS_TRANSFORMER] = " unpad_inputs ", /* the shape of batches */
    /* Where it comes from, and padding. */
    [KEYS_ARGUMENTS] = TRAINING COMPUTATION
    " trust_remote_code revision code_revision token cache_dir local_files_only subfolder "
    "low_cpu_mem_usage use_safetensors output_hidden_states output_attentions return_dict "
    "use_fast padding_side padding pad_to_multiple_of clean_up_tokenization_spaces verbose ",
    /* Who wrote it, which similarity is meant, types of numbers; a ColBERT's queries. */
    [KEYS_PROMPTS] = " __version__ similarity_fn_name model_type requirements keep_in_fp32_modules "
                     "query_length attend_to_expansion_tokens attend_to_mask_tokens ",
    [KEYS_MODULE] =
        " word_embedding_dimension embedding_dimension pooling_mode_cls_token "
        "pooling_mode_mean_tokens pooling_mode_max_tokens pooling_mode_mean_sqrt_len_tokens "
        "pooling_mode_weightedmean_tokens pooling_mode_lasttoken chunk_size ",
    /* Padding, decoding, messages, where it came from. */
    [KEYS_TOKENIZER] =
        " tokenizer_class model_max_length model_input_names name_or_path special_tokens_map_file "
        "tokenizer_file auto_map processor_class backend is_local is_fast local_files_only "
        "use_fast max_len init_inputs padding_side pad_to_multiple_of pad_token_type_id max_length "
        "stride truncation_strategy padding clean_up_tokenization_spaces errors "
        "spaces_between_special_tokens chat_template response_template verbose ",
    [KEYS_SPECIAL] = " additional_special_tokens extra_special_tokens ",
    /* The decoder is not needed; truncation and padding are the caller's. */
    [KEYS_TOKENIZER_JSON] = " version truncation padding model decoder ",
};

static const struct json_only *const FIXED[] = {
    [KEYS_CONFIG] = ONLY(
        {"is_causal", "false", false, "an encoder's numbers would depend on the padding beside it"},
        {"transformers_weights", "null", false,
         "remove the key, and name the file model.safetensors"},
        {"configuration_files text_config", "null", false,
         "remove the key, and put what it names in this file"},
        {"pruned_heads", "{}", false, "all heads are needed"},
        {"quantization_config", "{}", false, "the weights must not be quantized"},
        IS("is_decoder is_encoder_decoder add_cross_attention use_alibi alibi", "false"),
        IS("per_layer_config attention_chunk_size", "null"),
        IS("token_classification_bias", "true"), IS("num_kv_shared_layers", "0"),
        IS("partial_rotary_factor", "1")),
    [KEYS_TRANSFORMER] = ONLY(
        {"tokenizer_name_or_path", "null", false, "remove the key, and put the tokenizer here"},
        {"processing_kwargs", "{}", false, "remove the key if the model was trained without it"},
        {"query_expansion query_length document_length", "null", false,
         "remove the key if the model was trained without it"},
        {"tokenizer_kwargs", "{}", false, "the name is processor_kwargs"}),
    [KEYS_PROMPTS] = ONLY(
        {"truncate_dim", "null", false, "remove the key, and cut vectors with encode --dimensions"},
        {"max_active_dims", "null", false, "remove the key to keep all weights of a text"}),
    [KEYS_TOKENIZER_JSON] = NULL};

bool name_is_listed(const char *list, const char *name)
{
    size_t len = strcspn(name, " ") == strlen(name) ? strlen(name) : 0;
    for (const char *at = list; len > 0 && (at = strstr(at, name)) != NULL; at += len)
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

bool known_keys_are_harmless(enum known_keys kind, const char *key)
{
    return name_is_listed(HARMLESS[kind], key);
}

void known_keys_check(const struct json_file *file, enum known_keys kind, const char *unread,
                      struct folder *folder)
{
    const char *key;
    json_t *value;
    bool is_first = true;
    json_only_check(file, FIXED[kind]);
    json_object_foreach(file->root, key, value)
    {
        size_t used = strlen(folder->unread), left = sizeof folder->unread - used;
        if (json_object_get(file->seen, key) != NULL || known_keys_are_harmless(kind, key) ||
            (unread != NULL && name_is_listed(unread, key)) ||
            (kind >= KEYS_TOKENIZER && name_ends_in(key, "_token")))
            continue;
        snprintf(folder->unread + used, left, "%s%s%s%.60s", is_first && used > 0 ? "; " : "",
                 is_first ? file->name : ",", is_first ? ": " : " ", key);
        is_first = false;
    }
}
