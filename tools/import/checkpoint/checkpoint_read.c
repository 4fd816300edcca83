/* checkpoint_read.c - reads the files of a directory; each may depend on those before it. See
 * checkpoint.h. */
#include "tools/import/checkpoint/checkpoint.h"

#include "tools/import/checkpoint/static_embedding.h"

#include <stdio.h>
#include <string.h>

/* The reference applies an adapter of peft to the model beside it, or to the one that it names. */
static void refuse_adapter(struct folder *folder, const char *place)
{
    struct json_file file;
    json_file_read(&file, folder, place, "adapter_config.json", false, false);
    bool is_alone = !folder_has(folder, place, "config.json") &&
                    (folder_has(folder, place, "adapter_model.safetensors") ||
                     folder_has(folder, place, "adapter_model.bin"));
    const char *base = json_text(&file, NULL, "base_model_name_or_path", "?");
    if (file.root != NULL || is_alone)
        program_die("%sadapter_%s: the directory has an adapter (of the model '%.100s'), which is "
                    "not applied here; expected the model with it (merge_and_unload() of peft, "
                    "then save_pretrained), or no adapter files",
                    place, file.root != NULL ? "config.json" : "model", base);
}

static void read_config(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct json_file *file = &checkpoint->config_file;
    if (!st->is_static)
        refuse_adapter(&checkpoint->folder, st->transformer);
    json_file_read(file, &checkpoint->folder, st->transformer, "config.json", !st->is_static,
                   false);
    const char *type = json_string_value(json_object_get(file->root, "model_type"));
    checkpoint->is_static = st->is_static || (type != NULL && strcmp(type, "model2vec") == 0);
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
    const char *place = checkpoint->st.transformer;
    if (!import_tokenizer_is_there(&checkpoint->folder, place)) {
        if (checkpoint->is_static)
            program_die("static embeddings without a tokenizer.json; expected one");
        return;
    }
    checkpoint->has_tokenizer = true;
    import_tokenizer_read(&checkpoint->tokenizer, &checkpoint->folder, place,
                          checkpoint->is_static);
    checkpoint_check_lower(&checkpoint->st, &checkpoint->tokenizer);
    size_t n_types = import_tokenizer_types(&checkpoint->tokenizer);
    size_t types = checkpoint->config.model.token_types;
    if (types > 1 && checkpoint->tokenizer.gives_types && n_types > types)
        program_die("the tokenizer's templates have token types up to %zu; expected fewer than the "
                    "%zu rows of 'type_vocab_size' in %s",
                    n_types - 1, types, checkpoint->config_file.name);
    size_t n = checkpoint->tokenizer.draft.words.n, rows = checkpoint->config.model.vocabulary;
    if (rows < n)
        program_die("the tokenizer has ids up to %zu; expected fewer than the %zu rows of "
                    "'vocab_size' in %s",
                    n - 1, rows, checkpoint->config_file.name);
    if (checkpoint->tokenizer.types_differ && checkpoint->config.model.token_types > 1 &&
        strstr(checkpoint->tokenizer.pair, ":1") != NULL)
        snprintf(checkpoint->tokenizer.note, sizeof checkpoint->tokenizer.note,
                 "the second text of a pair has type 0, as the tokenizer's class gives in "
                 "transformers 5; in 4 it has 1 (--as transformers-4)");
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
        if (model->head == HEAD_SEQUENCE || model->head == HEAD_TOKEN) /* no module reads it */
            checkpoint_config_set_head(
                &checkpoint->config,
                architecture_find(NULL, checkpoint->config.architecture->model_type)->head);
    } else if (!st->is_present && !checkpoint->config.architecture->body->is_embedding_alone) {
        /* What sentence-transformers puts on a bare transformer. */
        const char *name = checkpoint->config.architecture->class_name;
        bool is_last = path_ends_in(name, "ForCausalLM") && model->mask == MASK_CAUSAL;
        model->pooling = is_last ? POOLING_LAST : POOLING_MEAN;
    }
    model->normalize = model->normalize || st->normalize;
    model->projections = st->n_dense;
    if (st->n_dense > 0) {
        model->projection_activation = st->activation;
        model->projection_bias = st->has_bias;
    }
    if (st->width > 0 && st->width != model->width)
        program_die(
            "%sconfig.json: 'word_embedding_dimension' is %zu; expected %zu, the model's width",
            st->pooling_place, st->width, model->width);
    if (st->n_dense > 0 && st->dense[0].in != model->width)
        program_die("%sconfig.json: 'in_features' is %zu; expected %zu, the model's width",
                    st->dense[0].place, st->dense[0].in, model->width);
}

static void plan_tensors(struct checkpoint *checkpoint, struct stored_types types)
{
    const struct sentence_transformers *st = &checkpoint->st;
    if (checkpoint->is_static) {
        static_embedding_tokenizer(&checkpoint->tokenizer, &checkpoint->config);
        static_embedding_plan(&checkpoint->plan, types, &checkpoint->tensors,
                              &checkpoint->config.model);
    } else {
        tensor_set_read(&checkpoint->tensors, &checkpoint->folder, st->transformer);
        plan_make(&checkpoint->plan, types, &checkpoint->tensors, &checkpoint->config);
        token_modules_plan(checkpoint, types);
    }
    for (size_t i = 0; i < st->n_dense; i++) {
        tensor_set_read(&checkpoint->dense[i], &checkpoint->folder, st->dense[i].place);
        plan_linear(&checkpoint->plan, types, &checkpoint->dense[i], "projection.#", "linear", i,
                    st->dense[i].out, st->dense[i].in, st->has_bias);
    }
}

/* The longest text is sentence-transformers' own limit, else the tokenizer's (1e30 there means
 * none), at most the rows of a table of positions. */
void checkpoint_read(struct checkpoint *checkpoint, const char *path, struct stored_types types,
                     enum reference_release as)
{
    const struct sentence_transformers *st = &checkpoint->st;
    *checkpoint = (struct checkpoint){.has_tokenizer = false};
    folder_open(&checkpoint->folder, path);
    checkpoint->folder.as = as;
    sentence_transformers_read(&checkpoint->st, &checkpoint->folder);
    read_config(checkpoint);
    set_modules(checkpoint);
    read_tokenizer(checkpoint);
    colbert_read(checkpoint);
    known_keys_check(&checkpoint->st.prompts, KEYS_PROMPTS, NULL, &checkpoint->folder);
    plan_tensors(checkpoint, types);
    const char *wrong = config_check(&checkpoint->config.model);
    if (wrong != NULL)
        file_die(checkpoint->config_file.name, "the weight file cannot hold this model: %s", wrong);
    checkpoint->truncate = checkpoint->config.truncates;
    if (checkpoint->is_static) /* static_embedding_config has set the length */
        return;
    size_t positions = checkpoint->config.model.max_tokens, most = st->max_seq_length;
    if (most > positions && checkpoint->config.model.position == POSITION_NONE)
        checkpoint->config.model.max_tokens = positions = most; /* no table ends them */
    if (most == 0 && checkpoint->has_tokenizer)
        most = checkpoint->tokenizer.max_length;
    checkpoint->config.model.max_text_tokens = most > 0 && most < positions ? most : positions;
    checkpoint->truncate =
        st->is_present || st->max_seq_length > 0 || checkpoint->config.is_cross_encoder;
}
