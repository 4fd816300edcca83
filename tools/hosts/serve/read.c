/* read.c - from the body of a call to tokens. A field has one meaning in all dialects that have it,
 * so that one reader serves all routes. */
#include "tools/common/alloc.h"
#include "tools/common/model_file.h"
#include "tools/hosts/serve/serve.h"

#include <malloc.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What the thread reads. */
static _Thread_local struct {
    struct call *call;
    bool is_parsing;
    double since;
} reading;

bool call_has_hung_up(const struct call *call)
{
    return poll(&(struct pollfd){.fd = call->fd, .events = POLLRDHUP}, 1, 0) > 0;
}

int call_is_over(size_t n_done, size_t n, void *unused)
{
    (void)n_done;
    (void)n;
    (void)unused;
    reading.call->is_gone = call_has_hung_up(reading.call);
    return reading.call->is_gone || (http_is_draining() && program_seconds() - reading.since > 1);
}

/* Returns NULL, which ends the parsing, if the call shall not have the memory. */
void *read_alloc(size_t len)
{
    void *data = alloc_bytes(len);
    if (!reading.is_parsing || call_hold(reading.call, malloc_usable_size(data)))
        return data;
    free(data);
    return NULL;
}

void read_free(void *data)
{
    if (reading.is_parsing)
        reading.call->n_held -= malloc_usable_size(data);
    free(data);
}

/* Returns a field of the body, or of its "parameters"; NULL if it is absent or null. */
static json_t *field(const struct call *call, const char *name)
{
    json_t *value = json_object_get(call->json, name);
    if (!value)
        value = json_object_get(json_object_get(call->json, "parameters"), name);
    return json_is_null(value) ? NULL : value;
}

static bool get_flag(struct call *call, const char *name, bool otherwise)
{
    const json_t *value = field(call, name);
    if (value && !json_is_boolean(value))
        return call_fail(call, FAULT_INPUT, "`%s` must be true or false", name);
    return value ? json_is_true(value) : otherwise;
}

static size_t get_count(struct call *call, const char *name, size_t otherwise)
{
    const json_t *value = field(call, name);
    const json_int_t n = json_integer_value(value);
    if (value && (!json_is_integer(value) || n < 1 || n > INT32_MAX))
        return call_fail(call, FAULT_INPUT, "`%s` must be a whole number from 1", name);
    return value ? (size_t)n : otherwise;
}

/* Returns the set (bit i: words[i], in any case) of a field's value, or of a list's; 0: absent. */
static unsigned get_words(struct call *call, const char *name, const char *const words[])
{
    char choices[96] = "";
    json_t *value = field(call, name);
    unsigned found = 0;
    for (size_t i = 0; i < (json_is_array(value) ? json_array_size(value) : value != NULL); i++) {
        const char *word =
            json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
        int at = 0;
        while (word && words[at] && strcasecmp(word, words[at]) != 0)
            at++;
        for (size_t k = 0, len = 0; (!word || !words[at]) && words[k]; k++)
            len += (size_t)snprintf(choices + len, sizeof choices - len, " %s", words[k]);
        if (!word || !words[at])
            return call_fail(call, FAULT_INPUT, "`%s` is none of%s", name, choices);
        found |= 1u << at;
    }
    return found;
}

/* Returns the index of one word; 0 if the field is absent. */
static int get_word(struct call *call, const char *name, const char *const words[])
{
    const int n = ffs((int)get_words(call, name, words));
    return n > 0 ? n - 1 : 0;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Reads the fields about the limit of a text. One that is longer is an error unless the client asks
 * for its start or its end, or the route's API cuts it by itself. */
static void read_truncation(struct call *call)
{
    engine_encode_options *options = &call->options;
    const bool is_ollama = strcmp(call->path, "/api/embed") == 0;
    bool cuts = field(call, "max_tokens_per_doc") || is_ollama || call->dialect == DIALECT_COHERE;
    if (json_is_string(field(call, "truncate"))) { /* Cohere's */
        const int end = get_word(call, "truncate", WORDS("NONE", "START", "END"));
        cuts = end > 0;
        options->truncate_left = end == 1;
    } else {
        cuts = get_flag(call, "truncate", cuts);
        options->truncate_left = get_word(call, "truncation_direction", WORDS("right", "left"));
    }
    options->max_tokens = call->model->info.max_text_tokens;
    options->on_long = cuts ? ENGINE_ON_LONG_TRUNCATE : ENGINE_ON_LONG_ERROR;
}

static bool read_fields(struct call *call)
{
    engine_encode_options *options = &call->options;
    json_t *prompt = field(call, "prompt_name");
    read_truncation(call);
    options->raw_scores = get_flag(call, "raw_scores", false);
    options->dimensions = get_count(call, "dimensions", get_count(call, "output_dimension", 0));
    options->no_special = !get_flag(call, "add_special_tokens", true);
    const int role =
        get_word(call, "input_type",
                 WORDS("text", "search_query", "search_document", "classification", "clustering"));
    options->role = role <= ENGINE_ROLE_DOCUMENT ? (engine_role)role : ENGINE_ROLE_TEXT;
    call->types = get_words(call, "embedding_types", WORDS(VECTOR_TYPES));
    const bool takes_many = strstr(call->route->answer, "$V") != NULL;
    const bool is_base64 = get_word(call, "encoding_format", WORDS("float", "base64")) == 1;
    const bool has_several = (call->types & (call->types - 1)) != 0;
    if ((has_several && !takes_many) || (is_base64 && call->types))
        return call_fail(call, FAULT_INPUT, "this route takes one type of numbers");
    call->types |= (unsigned)is_base64 << TYPE_BASE64;
    call->skips_special = get_flag(call, "skip_special_tokens", true);
    call->with_texts = get_flag(call, "return_text", get_flag(call, "return_documents", false));
    call->top = get_count(call, "top_n", SIZE_MAX);
    get_words(call, "rank_fields", WORDS("text")); /* no others are read */
    if (prompt && !json_is_string(prompt))
        call_fail(call, FAULT_INPUT, "`prompt_name` must be a string");
    options->prompt = json_string_value(prompt);
    return call->fault == FAULT_NONE;
}

/* Ends a text of the next n tokens. */
static bool end_text(struct call *call, size_t n)
{
    call->texts[call->n_texts++] = (struct text){.first = call->n_tokens, .n = n};
    call->n_tokens += n;
    return call->n_tokens <= MOST_TOKENS ||
           call_fail(call, FAULT_MANY, "more than %d tokens in one call", MOST_TOKENS);
}

static bool need_tokens(struct call *call, size_t n)
{
    const size_t cap = call->n_tokens + n + call->tokens_cap / 2;
    if (call->n_tokens + n <= call->tokens_cap)
        return true;
    if (!call_hold(call, (cap - call->tokens_cap) * sizeof *call->tokens))
        return false;
    call->tokens = alloc_resize(call->tokens, call->tokens_cap = cap, sizeof *call->tokens);
    return true;
}

/* pair NULL: a single text. */
static bool add_text(struct call *call, const json_t *text, const json_t *pair)
{
    engine_session *session = model_reader(call->model);
    const engine_input input = {.text = json_string_value(text),
                                .text_len = json_string_length(text),
                                .pair = json_string_value(pair),
                                .pair_len = json_string_length(pair)};
    engine_status status =
        call_is_over(0, 0, NULL) ? ENGINE_ERROR_INTERRUPTED : ENGINE_ERROR_BUFFER;
    engine_result result;
    size_t needed = (input.text_len + input.pair_len) / 4 + 16;
    while (status == ENGINE_ERROR_BUFFER) {
        if (!need_tokens(call, needed))
            return false;
        status = engine_tokenize(session, &input, &call->options, call->tokens + call->n_tokens,
                                 call->tokens_cap - call->n_tokens, &needed, &result);
    }
    if (status == ENGINE_ERROR_LENGTH) {
        engine_encode_options uncut = call->options;
        uncut.max_tokens = 0;
        status = engine_tokenize(session, &input, &uncut, NULL, 0, &needed, NULL);
        if (status == ENGINE_ERROR_BUFFER)
            return call_fail(call, FAULT_LENGTH, "%s has %zu tokens; at most %zu are taken",
                             call_text_name(call, call->n_texts), needed, call->options.max_tokens);
    }
    if (status == ENGINE_ERROR_INTERRUPTED)
        return call_fail(call, FAULT_ENDING, "the server is ending");
    if (status != ENGINE_OK)
        return call_fail(call, FAULT_INPUT, "%s: %s", call_text_name(call, call->n_texts),
                         engine_session_message(session));
    call->n_cut += result.n_dropped > 0;
    return end_text(call, needed);
}

/* Adds token ids, which are used unchanged. */
static bool add_ids(struct call *call, json_t *ids)
{
    const bool decodes = call->work == WORK_DECODE;
    const size_t n = json_array_size(ids),
                 most = decodes ? MOST_TOKENS : call->model->info.max_tokens;
    const size_t n_vocabulary = call->model->info.n_vocabulary;
    const char *own;
    size_t len;
    if (n > most)
        return call_fail(call, FAULT_LENGTH, "%s has %zu ids; this model takes %zu",
                         call_text_name(call, call->n_texts), n, most);
    if (!need_tokens(call, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *id = json_array_get(ids, i);
        const json_int_t value = json_integer_value(id);
        if (!json_is_integer(id) || value < 0 || (size_t)value >= n_vocabulary ||
            (decodes &&
             engine_token_text(call->model->model, (int32_t)value, &own, &len) != ENGINE_OK))
            return call_fail(call, FAULT_INPUT, "%s: id %zu must be a token's, below %zu",
                             call_text_name(call, call->n_texts), i, n_vocabulary);
        call->tokens[call->n_tokens + i] = (engine_token){.id = (int32_t)value};
    }
    return end_text(call, n);
}

/* Adds what stands for one text: "a", {"text": "a"}, [1, 2], or for labels ["a"] or ["a", "b"]. If
 * query is not NULL, the text is its pair. */
static bool add_item(struct call *call, json_t *item, const json_t *query)
{
    json_t *first = json_array_get(item, 0), *second = json_array_get(item, 1);
    if (json_is_object(item))
        item = json_object_get(item, "text");
    if (json_is_string(item) && call->work != WORK_DECODE)
        return query ? add_text(call, query, item) : add_text(call, item, NULL);
    if (json_is_integer(first) && !query)
        return add_ids(call, item);
    if (call->work == WORK_LABELS && json_is_string(first) && json_array_size(item) <= 2 &&
        (!second || json_is_string(second)))
        return add_text(call, first, second);
    return call_fail(call, FAULT_INPUT, "%s must be a %s", call_text_name(call, call->n_texts),
                     call->work == WORK_LABELS   ? "string or a pair of strings"
                     : call->work == WORK_DECODE ? "list of ids"
                     : query                     ? "string"
                                                 : "string or a list of ids");
}

/* Adds the texts of a field: one, or a list. */
static bool add_items(struct call *call, const char *key, json_t *items, const json_t *query)
{
    const json_t *first = json_array_get(items, 0);
    call->items = items;
    call->is_single = !json_is_array(items) || json_is_integer(first) ||
                      (call->work == WORK_LABELS && json_is_string(first));
    if (!items)
        return call_fail(call, FAULT_INPUT, "`%s` is missing", key);
    if (!call->is_single && strcmp(key, "prompt") == 0)
        return call_fail(call, FAULT_INPUT, "`prompt` must be one text");
    if (call->is_single)
        return add_item(call, items, query);
    if (json_array_size(items) == 0)
        return call_fail(call, FAULT_INPUT, "`%s` is empty", key);
    if (json_array_size(items) > MOST_TEXTS)
        return call_fail(call, FAULT_MANY, "`%s` has %zu texts; one call takes %d", key,
                         json_array_size(items), MOST_TEXTS);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!add_item(call, json_array_get(items, i), query))
            return false;
    return true;
}

/* The model's own vectors, or means if it has no pooling: engine_text_pooling has chosen. */
static bool resolve_vectors(struct call *call)
{
    const engine_info *info = &call->model->info;
    engine_encode_options *options = &call->options;
    const char *path = call->route->path;
    const bool is_unit = call->dialect == DIALECT_TEI || strcmp(path, "/v1/embeddings") == 0 ||
                         strcmp(path, "/api/embed") == 0; /* as their APIs promise */
    const bool is_raw = info->normalize && !get_flag(call, "normalize", true);
    if (strcmp(info->pooling, "sparse") == 0 || strcmp(info->pooling, "colbert") == 0)
        return call_fail(call, FAULT_UNABLE, "%s has no vectors of texts: its pooling is %s",
                         call->model->name, info->pooling);
    options->normalize = call->work != WORK_RANKS && get_flag(call, "normalize", is_unit);
    call->width = options->pooling == ENGINE_POOLING_MODEL ? info->output_width : info->width;
    if (is_raw) /* the pooling alone */
        options->pooling = (engine_pooling)engine_pooling_named(info->pooling);
    const char *projections =
        model_setting(call->model->model, ENGINE_SETTINGS_CONFIG, "projections");
    if (is_raw && projections && strcmp(projections, "0") != 0) /* dense layers after the pooling */
        return call_fail(call, FAULT_UNABLE, "%s has no vectors before normalisation",
                         call->model->name);
    if (options->dimensions > call->width)
        return call_fail(call, FAULT_INPUT, "`dimensions` is %zu; the vectors of %s have %zu",
                         options->dimensions, call->model->name, call->width);
    call->width = options->dimensions ? options->dimensions : call->width;
    return call->fault == FAULT_NONE;
}

static void add_weights(const engine_trace_view *view, void *user)
{
    const struct call *call = user;
    const size_t n = view->n_tokens * view->n_tokens, n_layers = call->model->info.n_layers;
    for (size_t i = 0; i < n * view->n_heads; i++)
        call->rows[i % n] += view->values[i] / (float)(n_layers * view->n_heads);
}

/* Computes the mean of all heads' weights at once, with a session of its own: for the page. */
static bool read_attention(struct call *call)
{
    enum { MOST_DRAWN = 128 };
    const size_t n = call->width = call->n_tokens, width = call->model->info.width;
    const engine_session_options tracing =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .max_tokens = n, .trace = ENGINE_TRACE_ATTENTION,
                               .trace_callback = add_weights, .trace_user = call);
    const engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    const engine_input input = {.tokens = call->tokens, .n_tokens = n};
    engine_session *session = NULL;
    engine_error error;
    if (call->n_texts > 1 || n > MOST_DRAWN || n == 0)
        return call_fail(call, FAULT_INPUT, "`inputs` must be a text of 1 to %d tokens",
                         MOST_DRAWN);
    if (call->model->info.n_layers == 0)
        return call_fail(call, FAULT_UNABLE, "%s has no attention", call->model->name);
    if (!call_hold(call, (n * n + width) * sizeof *call->rows))
        return false;
    call->is_per_token = true;
    call->types = 0;
    call->rows = alloc_zeros(n * n + width, sizeof *call->rows); /* and the text's vector */
    if (engine_session_new(call->model->model, &tracing, &session, &error) != ENGINE_OK ||
        engine_encode(session, &input, 1, &mean, call->rows + n * n, width, NULL, NULL) !=
            ENGINE_OK)
        call_fail(call, FAULT_UNABLE, "%s",
                  session ? engine_session_message(session) : error.message);
    engine_session_free(session);
    return call->fault == FAULT_NONE;
}

/* Sets the options of the engine, and the width of a row; texts have been tokenized by then. */
static bool resolve_work(struct call *call)
{
    const engine_info *info = &call->model->info;
    engine_error error;
    call->work = call->by_pairs ? WORK_LABELS : call->work;
    if (call->work == WORK_TOKENS || call->work == WORK_DECODE)
        return true;
    if (call->work == WORK_ATTENTION)
        return read_attention(call);
    if (call->work != WORK_LABELS && call->work != WORK_SPARSE && info->has_model &&
        engine_text_pooling(call->model->model, &call->options.pooling, &error) != ENGINE_OK)
        return call_fail(call, FAULT_UNABLE, "%s: %s", call->model->name, error.message);
    if (call->work == WORK_LABELS) {
        call->width = call->by_pairs ? 1 : info->head == ENGINE_HEAD_SEQUENCE ? info->n_labels : 0;
    } else if (call->work == WORK_TOKEN_VECTORS) {
        call->options.pooling = ENGINE_POOLING_NONE;
        call->width = info->width;
        call->is_per_token = true;
    } else if (call->work == WORK_SPARSE) {
        call->options.pooling = ENGINE_POOLING_SPARSE;
        call->width = strcmp(info->sparse, "none") != 0 ? info->n_vocabulary : 0;
    } else if (info->has_model) {
        return resolve_vectors(call);
    }
    return (info->has_model && call->width > 0) ||
           call_fail(call, FAULT_UNABLE, "%s has no answer of this kind: see /info",
                     call->model->name);
}

/* Returns the path of the route that a call to the bare address stands for. */
static const char *path_of_any(const struct call *call)
{
    const struct model *first = &call->models->models[0];
    return json_object_get(call->json, "query")                    ? "/rerank"
           : json_is_object(json_object_get(call->json, "inputs")) ? "/similarity"
           : first->info.head == ENGINE_HEAD_SEQUENCE              ? "/predict"
           : strcmp(first->info.pooling, "sparse") == 0            ? "/embed_sparse"
                                                                   : "/embed";
}

/* Cuts documents, or that part of pairs, to the tokens that the call wants; never the query. */
static void limit_documents(struct call *call, const json_t *query)
{
    const engine_input input = {.text = json_string_value(query),
                                .text_len = json_string_length(query)};
    const bool is_cohere = call->dialect == DIALECT_COHERE; /* whose /v2/embed has max_tokens */
    size_t n_query = 0, most = get_count(call, "max_tokens_per_doc",
                                         is_cohere ? get_count(call, "max_tokens", 0) : 0);
    if (most > 0 && query) {
        engine_encode_options whole = call->options;
        whole.max_tokens = 0;
        engine_tokenize(model_reader(call->model), &input, &whole, NULL, 0, &n_query, NULL);
        call->options.truncation = ENGINE_TRUNCATE_ONLY_SECOND;
    }
    if (most > 0 && most + n_query < call->options.max_tokens)
        call->options.max_tokens = most + n_query;
}

static bool read_texts(struct call *call)
{
    const bool is_rank = call->work == WORK_RANKS,
               has_query = is_rank || call->work == WORK_COSINES;
    json_t *inputs = has_query && !is_rank ? field(call, "inputs") : call->json;
    const char *key = call->route->key, *query_key = is_rank ? "query" : "source_sentence";
    json_t *items = json_object_get(inputs, key);
    const json_t *query = has_query ? json_object_get(inputs, query_key) : NULL;
    call->by_pairs = is_rank && call->model->info.ranks_pairs;
    call->has_query = has_query && !call->by_pairs;
    const size_t n = json_array_size(items);
    call->texts = alloc_zeros((n < MOST_TEXTS ? n : MOST_TEXTS) + 2, sizeof *call->texts);
    if (has_query && (!json_is_string(query) || !json_is_array(items)))
        return call_fail(call, FAULT_INPUT, "`%s` must be a string, `%s` a list", query_key, key);
    call->options.role = is_rank ? ENGINE_ROLE_QUERY : call->options.role;
    if (call->has_query && !add_text(call, query, NULL))
        return false;
    call->options.role = is_rank && !call->by_pairs ? ENGINE_ROLE_DOCUMENT : call->options.role;
    limit_documents(call, call->by_pairs ? query : NULL);
    return add_items(call, key, items, call->by_pairs ? query : NULL);
}

bool call_read(struct call *call)
{
    json_error_t error = {.text = "it is another value"};
    const char *in_path = call->path + strlen(call->route->path);
    reading.call = call;
    reading.since = program_seconds();
    if (call->route->work < WORK_MODEL)
        return true;
    if (call_is_over(0, 0, NULL))
        return call_fail(call, FAULT_ENDING, "the server is ending");
    reading.is_parsing = true;
    call->json = strcmp(call->route->method, "GET") == 0
                     ? json_pack("{s:s}", "model", in_path)
                     : json_loadb(call->body, call->body_len,
                                  JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    reading.is_parsing = false;
    free(call->body);
    call->body = NULL;
    call->n_held -= call->body_cap;
    if (call->fault != FAULT_NONE)
        return false;
    if (!json_is_object(call->json))
        return call_fail(call, FAULT_INPUT, "the body is not a JSON object: %s", error.text);
    if (call->route->work == WORK_ANY)
        call->route = call_route("POST", path_of_any(call));
    call->work = call->route->work;
    const char *name = json_string_value(field(call, "model"));
    if (field(call, "model") && !name)
        return call_fail(call, FAULT_INPUT, "`model` must be a string");
    call->model = models_find(call->models, name, call->work);
    if (!call->model)
        return call_fail(call, FAULT_MODEL, "model '%s' not found", name);
    return call->work == WORK_MODEL ||
           (read_fields(call) && read_texts(call) && resolve_work(call));
}
