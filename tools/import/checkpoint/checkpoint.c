/* checkpoint.c - reads the files of a directory; each may depend on those before it. See
 * checkpoint.h. */
#include "tools/import/checkpoint/checkpoint.h"

#include "tools/common/alloc.h"
#include "tools/import/checkpoint/static_embedding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference applies an adapter of peft to the model beside it, or to the one that it names;
 * here --adapter does, so that it is not applied twice. */
static void refuse_adapter(struct folder *folder, const char *place)
{
    struct json_file file;
    json_file_read(&file, folder, place, "adapter_config.json", false, false);
    bool is_alone = !folder_has(folder, place, "config.json") &&
                    (folder_has(folder, place, "adapter_model.safetensors") ||
                     folder_has(folder, place, "adapter_model.bin"));
    const char *base = json_text(&file, NULL, "base_model_name_or_path", "?");
    if (file.root != NULL || is_alone)
        program_die("%sadapter_%s: the directory has an adapter (of the model '%.100s'); expected "
                    "--adapter %s with the directory of that model, or no adapter files",
                    place, file.root != NULL ? "config.json" : "model", base, folder->path);
}

static void read_config(struct checkpoint *checkpoint, const char *adapter)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct json_file *file = &checkpoint->config_file;
    if (!st->is_static && (adapter == NULL || strcmp(adapter, checkpoint->folder.path) != 0))
        refuse_adapter(&checkpoint->folder, st->transformer);
    json_file_read(file, &checkpoint->folder, st->transformer, "config.json", !st->is_static,
                   false);
    const char *type = json_string_value(json_object_get(file->root, "model_type"));
    checkpoint->is_static = st->is_static || (type != NULL && strcmp(type, "model2vec") == 0);
    if (checkpoint->is_static && adapter != NULL)
        program_die("--adapter changes matrices of layers, and static embeddings have none");
    if (checkpoint->is_static) {
        tensor_set_read(&checkpoint->tensors, &checkpoint->folder, st->transformer);
        static_embedding_config(file, &checkpoint->tensors, &checkpoint->config);
        known_keys_check(file, KEYS_STATIC, NULL, &checkpoint->folder);
    } else {
        checkpoint_config_read(file, st->activation_class, &checkpoint->folder,
                               &checkpoint->config);
        checkpoint->config.may_lack_head = st->has_pooling && !st->is_splade;
    }
}

/* sentence-transformers puts texts into lower case first: a tokenizer that does so too gives the
 * same tokens. */
void checkpoint_check_lower(const struct sentence_transformers *st,
                            const struct import_tokenizer *tokenizer)
{
    if (st->lower && !tokenizer->lowercases)
        program_die("sentence_bert_config.json: 'do_lower_case' is true, but the tokenizer keeps "
                    "capitals; expected both alike");
}

static void read_tokenizer(struct checkpoint *checkpoint)
{
    struct import_tokenizer *tokenizer = &checkpoint->tokenizer;
    const char *place = checkpoint->st.transformer, *config = checkpoint->config_file.name;
    const size_t types = checkpoint->config.model.token_types;
    const size_t rows = checkpoint->config.model.vocabulary;
    if (!import_tokenizer_is_there(&checkpoint->folder, place)) {
        if (checkpoint->is_static)
            program_die("static embeddings without a tokenizer.json; expected one");
        return;
    }
    checkpoint->has_tokenizer = true;
    import_tokenizer_read(tokenizer, &checkpoint->folder, place, checkpoint->is_static);
    checkpoint_check_lower(&checkpoint->st, tokenizer);
    size_t n_types = import_tokenizer_types(tokenizer), n = tokenizer->draft.words.n;
    if (types > 1 && tokenizer->gives_types && n_types > types)
        program_die("the tokenizer's templates have token types up to %zu; expected fewer than the "
                    "%zu rows of 'type_vocab_size' in %s",
                    n_types - 1, types, config);
    if (rows < n)
        program_die("the tokenizer has ids up to %zu; expected fewer than the %zu rows of "
                    "'vocab_size' in %s",
                    n - 1, rows, config);
    if (tokenizer->types_differ && types > 1 && strstr(tokenizer->pair, ":1") != NULL)
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "the second text of a pair has type 0, as the tokenizer's class gives in "
                 "transformers 5; in 4 it has 1 (--as transformers-4)");
}

/* One name if all projections are alike, as files of the first versions have it. */
static void set_activations(const struct sentence_transformers *st, struct model_config *model)
{
    bool are_alike = true;
    for (size_t i = 1; i < st->n_dense; i++)
        are_alike = are_alike && st->dense[i].activation == st->dense[0].activation;
    for (size_t i = 0; i < (are_alike && st->n_dense > 0 ? 1 : st->n_dense); i++)
        model->projection_activation =
            list_with(i > 0 ? model->projection_activation : 0, i, st->dense[i].activation);
}

/* Sets what follows the encoder: pooling, or with SPLADE weights of token ids from the logits of
 * the head; dense layers; normalisation. */
static void set_modules(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct model_config *model = &checkpoint->config.model;
    if (st->is_splade && model->head != HEAD_MASK)
        file_die(checkpoint->config_file.name,
                 "the modules are those of SPLADE, but %s has no head of masked language models",
                 checkpoint->config.architecture->class_name);
    if (st->is_splade) {
        model->pooling = POOLING_NONE;
        model->sparse = SPARSE_MASK;
        model->sparse_pooling = st->sparse_pooling;
        model->sparse_activation = st->sparse_activation;
    } else if (st->has_pooling) {
        model->pooling = st->pooling;
        model->joined_poolings = st->joined_poolings;
        model->pools_prompt = !st->skips_prompt;
        if (model->head == HEAD_SEQUENCE || model->head == HEAD_TOKEN) /* no module reads it */
            checkpoint_config_set_head(
                &checkpoint->config,
                architecture_find(NULL, checkpoint->config.architecture->model_type)->head);
    } else if (!st->is_present && !checkpoint->config.architecture->body->is_embedding_alone) {
        /* What sentence-transformers puts on a bare transformer. */
        const char *name = checkpoint->config.architecture->class_name;
        bool is_last = model->pooling == POOLING_LAST ||
                       (name_ends_in(name, "ForCausalLM") && model->mask == MASK_CAUSAL);
        model->pooling = is_last ? POOLING_LAST : POOLING_MEAN;
    }
    model->normalize = model->normalize || st->normalize;
    model->projections = st->n_dense;
    if (st->n_dense > 0)
        model->projection_bias = st->has_bias;
    set_activations(st, model);
    const struct head *head = checkpoint->config.head;
    bool is_projected = head != NULL && head->parts->rows == DIM_PROJECTION;
    if (st->width > 0 && st->width != model->width && !is_projected)
        program_die(
            "%sconfig.json: 'word_embedding_dimension' is %zu; expected %zu, the model's width",
            st->pooling_place, st->width, model->width);
    if (st->n_dense > 0 && st->dense[0].in != config_pooled_width(model))
        program_die("%sconfig.json: '%s' is %zu; expected %zu, the model's width",
                    st->dense[0].place,
                    st->dense[0].activation == DENSE_LAYER_NORM ? "dimension" : "in_features",
                    st->dense[0].in, config_pooled_width(model));
}

static void plan_tensors(struct checkpoint *checkpoint, const char *adapter)
{
    const struct sentence_transformers *st = &checkpoint->st;
    if (checkpoint->is_static) {
        static_embedding_tokenizer(&checkpoint->tokenizer, &checkpoint->config);
        static_embedding_plan(&checkpoint->plan, &checkpoint->tensors, &checkpoint->config.model);
    } else {
        tensor_set_read(&checkpoint->tensors, &checkpoint->folder, st->transformer);
        adapter_merge(checkpoint, adapter);
        plan_make(&checkpoint->plan, &checkpoint->tensors, &checkpoint->config);
        token_modules_plan(checkpoint);
    }
    for (size_t i = 0; i < st->n_dense; i++) {
        const struct dense_module *dense = &st->dense[i];
        const bool is_norm = dense->activation == DENSE_LAYER_NORM;
        const enum part_kind kind = is_norm                            ? PART_NORM
                                    : st->has_bias && !dense->has_bias ? PART_NO_BIAS
                                                                       : PART_LINEAR;
        tensor_set_read(&checkpoint->dense[i], &checkpoint->folder, dense->place);
        plan_linear(&checkpoint->plan, &checkpoint->dense[i], kind, "projection.#",
                    is_norm ? "norm" : "linear", i, dense->out, dense->in, is_norm || st->has_bias);
    }
}

/* Texts of a model that was trained with a fixed number of tokens. */
static void set_padding(struct import_tokenizer *tokenizer, size_t n_tokens)
{
    if (tokenizer->padding == WORD_NONE)
        program_die("the model's texts are padded to %zu tokens, and the tokenizer has no "
                    "'pad_token'; expected one in tokenizer_config.json",
                    n_tokens);
    draft_set_number(&tokenizer->draft, "padding", tokenizer->padding);
    draft_set_number(&tokenizer->draft, "padded_tokens", n_tokens);
}

/* The longest text is sentence-transformers' own limit, else the tokenizer's (1e30 there means
 * none), at most the rows of a table of positions. Where no file of its own says a limit, it cuts
 * at max_position_embeddings, also of DeBERTa, which bears longer texts. */
static void set_limit(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct model_config *model = &checkpoint->config.model;
    size_t most = st->max_seq_length;
    checkpoint->truncate = st->is_present || most > 0 || checkpoint->config.is_cross_encoder;
    if (most > model->max_tokens && model->position == POSITION_NONE)
        model->max_tokens = most; /* no table ends them */
    size_t longest = model->max_tokens;
    if (most == 0 && checkpoint->truncate)
        longest = json_count(&checkpoint->config_file, NULL, "max_position_embeddings", 1, longest);
    if (most == 0 && checkpoint->has_tokenizer)
        most = checkpoint->tokenizer.max_length;
    most = most > 0 && most < longest ? most : longest;
    model->max_text_tokens = most < model->max_tokens ? most : model->max_tokens;
}

void checkpoint_read(struct checkpoint *checkpoint, const char *path, struct stored_types types,
                     const char *adapter, enum reference_release as)
{
    *checkpoint = (struct checkpoint){.plan.types = types};
    folder_open(&checkpoint->folder, path);
    checkpoint->folder.as = as;
    sentence_transformers_read(&checkpoint->st, &checkpoint->folder);
    read_config(checkpoint, adapter);
    set_modules(checkpoint);
    read_tokenizer(checkpoint);
    colbert_read(checkpoint);
    known_keys_check(&checkpoint->st.prompts, KEYS_PROMPTS, NULL, &checkpoint->folder);
    plan_tensors(checkpoint, adapter);
    const char *wrong = config_check(&checkpoint->config.model);
    if (wrong != NULL)
        file_die(checkpoint->config_file.name, "the weight file cannot hold this model: %s", wrong);
    checkpoint->truncate = checkpoint->config.truncates;
    if (checkpoint->is_static) /* static_embedding_config has set the length */
        return;
    set_limit(checkpoint);
    if (checkpoint->config.architecture->body->pads && checkpoint->has_tokenizer)
        set_padding(&checkpoint->tokenizer, checkpoint->config.model.max_text_tokens);
    query_weights_plan(checkpoint);
}
