/* checkpoint.c - reads the files of a directory; each may depend on those before it. Layers after
 * the encoder that answer for each token, and what a ColBERT has besides its tensors, come first.
 * See checkpoint.h. */
#include "tools/import/checkpoint/checkpoint.h"

#include "tools/common/alloc.h"
#include "tools/import/checkpoint/router.h"
#include "tools/import/checkpoint/static_embedding.h"
#include "tools/import/checkpoint/token_dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED = 64 }; /* weights/FORMAT.md, skip_vectors */

/* ---- ColBERT ---- */

/* Sets which tokens have no vector. A word that is not a token means the unknown token, as in
 * PyLate, or nothing. */
static void skip_words(const struct json_file *file, struct tokenizer_draft *draft, bool is_pylate)
{
    static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const json_t *words = json_typed(file, "skiplist_words", JSON_ARRAY, "an array");
    size_t n = words != NULL ? json_array_size(words) : sizeof punctuation - 1;
    bool has_unknown = false;
    struct blank_list list = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        const json_t *word = words != NULL ? json_array_get(words, i) : NULL;
        if (words != NULL && !json_is_string(word))
            file_die(file->name, "'skiplist_words' holds %s; expected strings", json_kind(word));
        size_t id =
            word_list_find(&draft->words, words != NULL ? json_string_value(word) : &punctuation[i],
                           words != NULL ? json_string_length(word) : 1);
        has_unknown = has_unknown || id == WORD_NONE;
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    if (has_unknown && is_pylate && draft_get(draft, "unknown")[0] != '\0')
        list_add(&list, "%s", draft_get(draft, "unknown"));
    if (list.n > MOST_SKIPPED)
        file_die(file->name, "'skiplist_words' has %zu tokens; expected at most %d", list.n,
                 MOST_SKIPPED);
    list_set(&list, draft, "skip_vectors");
}

/* Makes a marker that is in the vocabulary a token that texts can name: adds it to `added`, "0 1:n
 * 50281:lx", unless its id is there. */
static void add_marker(struct tokenizer_draft *draft, const char *text)
{
    size_t id = word_list_find(&draft->words, text, strlen(text)), i = 0;
    while (i < draft->n_settings && strcmp(draft->settings[i].key, "added") != 0)
        i++;
    if (id == WORD_NONE)
        return;
    if (i == draft->n_settings) {
        draft_set_number(draft, "added", id);
        return;
    }
    struct draft_setting *added = &draft->settings[i];
    for (const char *at = added->value; *at != '\0'; at += strspn(at, " ")) {
        char *end;
        if (strtoul(at, &end, 10) == id && end != at)
            return;
        at = end + strcspn(end, " ");
    }
    size_t cap = added->len + 32;
    added->value = alloc_resize(added->value, cap, 1);
    added->len += (size_t)snprintf(added->value + added->len, cap - added->len, " %zu", id);
}

/* Keys of lengths and of the markers in the files of the two programs, and the default markers. */
static const struct marker_keys {
    const char *length, *query_length, *sees_fillers;
    const char *query, *usual_query, *document, *usual_document;
} PYLATE = {"document_length", "query_length", "attend_to_expansion_tokens", "query_prefix", "[Q] ",
            "document_prefix", "[D] "},
  STANFORD = {"doc_maxlen",     "query_maxlen", "attend_to_mask_tokens",
              "query_token_id", "[unused0]",    "doc_token_id",
              "[unused1]"};

/* Reads a marker, which is put before the text as one token. */
static const char *read_marker(const struct checkpoint *checkpoint, const struct json_file *file,
                               const char *key, const char *usual)
{
    const struct word_list *words = &checkpoint->tokenizer.draft.words;
    const char *text = json_text(file, NULL, key, usual);
    if (checkpoint->has_tokenizer && text[0] != '\0' &&
        word_list_find(words, text, strlen(text)) == WORD_NONE)
        program_die("%s: the '%s' '%.60s' is not a token of the tokenizer; expected one",
                    file->name[0] != '\0' ? file->name : "a ColBERT", key, text);
    return text;
}

/* Reads the lengths and the markers. Queries are filled up with mask tokens. */
static void read_markers(struct checkpoint *checkpoint, const struct json_file *file,
                         const struct marker_keys *keys)
{
    struct token_modules *modules = &checkpoint->token_modules;
    checkpoint->st.max_seq_length = json_count(file, NULL, keys->length, 1, 180);
    modules->query_marker = read_marker(checkpoint, file, keys->query, keys->usual_query);
    modules->document_marker = read_marker(checkpoint, file, keys->document, keys->usual_document);
    if (checkpoint->has_tokenizer) {
        add_marker(&checkpoint->tokenizer.draft, modules->query_marker);
        add_marker(&checkpoint->tokenizer.draft, modules->document_marker);
    }
    const bool sees_masks = json_flag(file, NULL, "attend_to_mask_tokens", false);
    struct sentence_transformers *st = &checkpoint->st;
    st->fills_queries = keys == &STANFORD || json_flag(file, NULL, "do_query_expansion", true);
    st->sees_fillers = json_flag(file, NULL, keys->sees_fillers, sees_masks);
    st->query_length = json_count(file, NULL, keys->query_length, 1, st->fills_queries ? 32 : 0);
}

/* Sets how long queries are, and what fills them up. */
static void set_queries(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    const struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct model_config *model = &checkpoint->config.model;
    struct json_file file;
    model->query_tokens = st->query_length;
    if (!st->fills_queries || !checkpoint->has_tokenizer)
        return;
    const char *mask = draft_get(draft, "mask_token");
    size_t id = strtoull(mask, NULL, 10);
    if (st->filler != NULL)
        id = word_list_find(&draft->words, st->filler, strlen(st->filler));
    else if (mask[0] == '\0')
        id = WORD_NONE;
    if (id == WORD_NONE)
        program_die("queries are filled up with the token '%.60s', which the tokenizer does not "
                    "have; expected one in its vocabulary",
                    st->filler != NULL ? st->filler : "[MASK]");
    json_file_read(&file, &checkpoint->folder, st->transformer, "tokenizer_config.json", false,
                   false);
    if (strcmp(json_text(&file, NULL, "padding_side", "right"), "right") != 0)
        file_die(file.name, "'padding_side' is left, where queries are filled up; expected right");
    model->query_filler = id;
    model->query_filler_seen = st->sees_fillers;
}

/* If the checkpoint is a ColBERT, reads the module's config.json and
 * config_sentence_transformers.json, or artifact.metadata, into the model, the length of texts, and
 * the tokenizer, which has been read: skipped tokens, and markers as tokens. */
static void colbert_read(struct checkpoint *checkpoint)
{
    static const struct json_file nothing = {.root = NULL};
    struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct json_file *metadata = &checkpoint->token_modules.metadata;
    if (checkpoint->st.n_token_dense > 0)
        token_dense_read(&checkpoint->st, &checkpoint->folder, &checkpoint->config.model);
    if (checkpoint->st.has_token_mask) {
        const struct json_file mask = token_mask_read(&checkpoint->st, &checkpoint->folder);
        checkpoint->config.model.pooling = POOLING_NONE;
        if (checkpoint->has_tokenizer)
            skip_words(&mask, draft, false);
    } else if (checkpoint->st.n_token_dense > 0) {
        read_markers(checkpoint, &checkpoint->st.prompts, &PYLATE);
        if (checkpoint->has_tokenizer)
            skip_words(&checkpoint->st.prompts, draft, true);
    } else if (strcmp(checkpoint->config.architecture->class_name, "HF_ColBERT") == 0) {
        json_file_read(metadata, &checkpoint->folder, "", "artifact.metadata", false, false);
        checkpoint->config.model.pooling = POOLING_NONE;
        read_markers(checkpoint, metadata, &STANFORD);
        if (checkpoint->has_tokenizer && json_flag(metadata, NULL, "mask_punctuation", true))
            skip_words(&nothing, draft, true);
    }
}

void colbert_write(const struct token_modules *modules, struct weight_output *output)
{
    if (modules->query_marker == NULL)
        return;
    weight_output_metadata(output, "prompt.query", modules->query_marker);
    weight_output_metadata(output, "prompt.document", modules->document_marker);
    weight_output_metadata(output, "default_prompt", "document");
}

/* ---- Tensors of all token modules ---- */

static const char WEIGHTS_FILE[] = "sparse_linear.pt", VECTORS_FILE[] = "colbert_linear.pt";

/* Returns the rows of the matrix; 1 if the matrix is absent, which plan_linear then refuses. */
static size_t rows_of(const struct tensor_set *set)
{
    const struct stored_tensor *weight = tensor_set_find(set, "weight");
    bool is_right = weight != NULL && weight->n_dims == 2 && weight->shape[0] > 0 &&
                    weight->shape[0] <= INT32_MAX;
    return is_right ? (size_t)weight->shape[0] : 1;
}

/* Sets which special tokens have no weight. */
static void skip_specials(struct tokenizer_draft *draft)
{
    static const char *const names[] = {"<s>",   "</s>",  "<pad>", "<unk>",
                                        "[CLS]", "[SEP]", "[PAD]", "[UNK]"};
    struct blank_list list = {.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t id = word_list_find(&draft->words, names[i], strlen(names[i]));
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    list_set(&list, draft, "skip_weights");
}

/* Adds the tensors of all modules to the plan, and sets in the model what bge-m3 has, and in its
 * tokenizer which tokens have no weight. */
static void token_modules_plan(struct checkpoint *checkpoint, struct stored_types types)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct token_modules *modules = &checkpoint->token_modules;
    struct folder *folder = &checkpoint->folder;
    struct plan *plan = &checkpoint->plan;
    struct model_config *model = &checkpoint->config.model;
    if (folder_has(folder, st->transformer, WEIGHTS_FILE)) {
        tensor_set_read_file(&modules->weights, folder, st->transformer, WEIGHTS_FILE);
        plan_linear(plan, (struct stored_types){TENSOR_F32, 0}, &modules->weights, "token.weight",
                    "", 0, 1, model->width, true);
        model->sparse = SPARSE_LINEAR;
        skip_specials(&checkpoint->tokenizer.draft);
    }
    if (folder_has(folder, st->transformer, VECTORS_FILE)) {
        tensor_set_read_file(&modules->vectors, folder, st->transformer, VECTORS_FILE);
        model->token_vectors = rows_of(&modules->vectors);
        model->token_vector_first = false;
        plan_linear(plan, types, &modules->vectors, "token.vector", "", 0, model->token_vectors,
                    model->width, true);
    }
    if (st->n_token_dense > 0)
        token_dense_plan(plan, types, checkpoint->dense, st, folder);
}

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

/* A model of texts, pictures and sounds has its text part's settings in text_config. CLIP's
 * text_config_dict comes before it, and neither needs to say the type, nor does SigLIP's. */
static void enter_text_part(struct json_file *file)
{
    static const char *const pairs[][2] = {{"clip", "clip_text_model"},
                                           {"siglip", "siglip_text_model"},
                                           {"siglip2", "siglip2_text_model"}};
    const char *type = json_string_value(json_object_get(file->root, "model_type"));
    json_t *text = json_object_get(file->root, "text_config");
    json_t *first = json_object_get(file->root, "text_config_dict");
    size_t i = 0;
    while (type != NULL && i < 3 && strcmp(type, pairs[i][0]) != 0)
        i++;
    if (type == NULL || (strcmp(type, "embedding_gemma2") != 0 && i == 3) || !json_is_object(text))
        return;
    text = i == 0 && json_is_object(first) ? first : text;
    if (i < 3)
        json_object_set_new(text, "model_type", json_string(pairs[i][1]));
    json_incref(text);
    json_decref(file->root);
    file->root = text;
}

static void read_config(struct checkpoint *checkpoint, const char *adapter)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct json_file *file = &checkpoint->config_file;
    if (!st->is_static && (adapter == NULL || strcmp(adapter, checkpoint->folder.path) != 0))
        refuse_adapter(&checkpoint->folder, st->transformer);
    json_file_read(file, &checkpoint->folder, st->transformer, "config.json", !st->is_static,
                   false);
    enter_text_part(file);
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
                       (path_ends_in(name, "ForCausalLM") && model->mask == MASK_CAUSAL);
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

static void plan_tensors(struct checkpoint *checkpoint, struct stored_types types,
                         const char *adapter)
{
    const struct sentence_transformers *st = &checkpoint->st;
    if (checkpoint->is_static) {
        static_embedding_tokenizer(&checkpoint->tokenizer, &checkpoint->config);
        static_embedding_plan(&checkpoint->plan, types, &checkpoint->tensors,
                              &checkpoint->config.model);
    } else {
        tensor_set_read(&checkpoint->tensors, &checkpoint->folder, st->transformer);
        adapter_merge(checkpoint, adapter);
        plan_make(&checkpoint->plan, types, &checkpoint->tensors, &checkpoint->config);
        token_modules_plan(checkpoint, types);
    }
    for (size_t i = 0; i < st->n_dense; i++) {
        tensor_set_read(&checkpoint->dense[i], &checkpoint->folder, st->dense[i].place);
        const bool is_norm = st->dense[i].activation == DENSE_LAYER_NORM;
        plan_linear(&checkpoint->plan, types, &checkpoint->dense[i], "projection.#",
                    is_norm ? "norm" : "linear", i, st->dense[i].out, is_norm ? 0 : st->dense[i].in,
                    is_norm || st->dense[i].has_bias);
        if (!is_norm && st->has_bias && !st->dense[i].has_bias) {
            char name[PLAN_NAME];
            snprintf(name, sizeof name, "projection.%zu.bias", i);
            plan_values(&checkpoint->plan, types, name,
                        alloc_zeros(st->dense[i].out, sizeof(float)), st->dense[i].out, 0);
        }
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
 * none), at most the rows of a table of positions. */
void checkpoint_read(struct checkpoint *checkpoint, const char *path, struct stored_types types,
                     const char *adapter, enum reference_release as)
{
    const struct sentence_transformers *st = &checkpoint->st;
    *checkpoint = (struct checkpoint){.has_tokenizer = false};
    folder_open(&checkpoint->folder, path);
    checkpoint->folder.as = as;
    sentence_transformers_read(&checkpoint->st, &checkpoint->folder);
    read_config(checkpoint, adapter);
    set_modules(checkpoint);
    read_tokenizer(checkpoint);
    colbert_read(checkpoint);
    set_queries(checkpoint);
    known_keys_check(&checkpoint->st.prompts, KEYS_PROMPTS, NULL, &checkpoint->folder);
    plan_tensors(checkpoint, types, adapter);
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
    most = most > 0 && most < positions ? most : positions;
    checkpoint->config.model.max_text_tokens = most;
    if (checkpoint->config.architecture->body->pads && checkpoint->has_tokenizer)
        set_padding(&checkpoint->tokenizer, most);
    query_weights_plan(&checkpoint->plan, types, &checkpoint->token_modules.weights,
                       &checkpoint->folder, st->query_place, st->transformer,
                       &checkpoint->config.model);
    checkpoint->truncate =
        st->is_present || st->max_seq_length > 0 || checkpoint->config.is_cross_encoder;
}
