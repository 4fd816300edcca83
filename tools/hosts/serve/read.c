/* read.c - requests, from the body to tokens. A field has one meaning in all dialects that have it,
 * so that one reader serves all routes. */
#include "tools/hosts/serve/read.h"
#include "tools/common/alloc.h"
#include "tools/common/texts/request_options.h"
#include "tools/hosts/serve/access.h"
#include "tools/hosts/serve/answers.h"
#include "tools/hosts/serve/http.h"

#include <malloc.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What the thread reads. */
static _Thread_local struct {
    struct request *request;
    bool is_parsing;
    double since;
} reading;

const char *request_text_name(const struct request *request, size_t text)
{
    static _Thread_local char name[32];
    snprintf(name, sizeof name, "input %zu", (text - request->has_query) / request->n_labels);
    return request->has_query && text == 0 ? "query" : name;
}

bool request_has_hung_up(const struct request *request)
{
    return poll(&(struct pollfd){.fd = request->fd, .events = POLLRDHUP}, 1, 0) > 0;
}

int request_is_over(size_t n_done, size_t n, void *unused)
{
    (void)n_done, (void)n, (void)unused;
    reading.request->is_gone = request_has_hung_up(reading.request);
    return reading.request->is_gone || (http_is_draining && program_seconds() - reading.since > 1);
}

/* Returns NULL, which ends the parsing, if the request shall not have the memory. */
void *read_alloc(size_t len)
{
    void *data = alloc_bytes(len);
    struct request *request = reading.request;
    if (!reading.is_parsing || request_hold(request, request->n_held + malloc_usable_size(data)))
        return data;
    free(data);
    return NULL;
}

void read_free(void *data)
{
    if (reading.is_parsing)
        reading.request->n_held -= malloc_usable_size(data);
    free(data);
}

/* Returns a field of the body, or of its "parameters"; NULL if it is absent or null. */
static json_t *field(const struct request *request, const char *name)
{
    json_t *value = json_object_get(request->json, name);
    if (!value)
        value = json_object_get(json_object_get(request->json, "parameters"), name);
    return json_is_null(value) ? NULL : value;
}

static bool get_flag(struct request *request, const char *name, bool otherwise)
{
    const json_t *value = field(request, name);
    if (value && !json_is_boolean(value))
        return request_fail(request, FAULT_INPUT, "`%s` must be true or false", name);
    return value ? json_is_true(value) : otherwise;
}

static size_t get_count(struct request *request, const char *name, size_t otherwise)
{
    const json_t *value = field(request, name);
    const json_int_t n = json_integer_value(value);
    if (value && (!json_is_integer(value) || n < 1 || n > INT32_MAX))
        return request_fail(request, FAULT_INPUT, "`%s` must be a whole number from 1", name);
    return value ? (size_t)n : otherwise;
}

/* Returns the set (bit i: words[i], in any case) of a field's value, or of a list's; 0: absent. */
static unsigned get_words(struct request *request, const char *name, const char *const words[])
{
    char choices[96] = "";
    json_t *value = field(request, name);
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
            return request_fail(request, FAULT_INPUT, "`%s` is unknown; expected one of:%s", name,
                                choices);
        found |= 1u << at;
    }
    return found;
}

/* Returns the index of one word; 0 if the field is absent. */
static int get_word(struct request *request, const char *name, const char *const words[])
{
    const int n = ffs((int)get_words(request, name, words));
    return n > 0 ? n - 1 : 0;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Reads the fields about the limit of a text. One that is longer is an error unless the client asks
 * for its start or its end, or the route's API cuts it by itself. */
static void read_truncation(struct request *request)
{
    engine_encode_options *options = &request->options;
    const bool is_ollama = strcmp(request->path, "/api/embed") == 0;
    bool cuts =
        field(request, "max_tokens_per_doc") || is_ollama || request->dialect == DIALECT_COHERE;
    if (json_is_string(field(request, "truncate"))) { /* Cohere's */
        const int end = get_word(request, "truncate", WORDS("NONE", "START", "END"));
        cuts = end > 0;
        options->truncate_left = end == 1;
    } else {
        cuts = get_flag(request, "truncate", cuts);
        options->truncate_left = get_word(request, "truncation_direction", WORDS("right", "left"));
    }
    options->max_tokens = request->model->info.max_text_tokens;
    options->on_long = cuts ? ENGINE_ON_LONG_TRUNCATE : ENGINE_ON_LONG_ERROR;
}

static bool read_fields(struct request *request)
{
    engine_encode_options *options = &request->options;
    json_t *prompt = field(request, "prompt_name");
    read_truncation(request);
    options->raw_scores = get_flag(request, "raw_scores", false);
    const size_t dimensions = get_count(request, "output_dimension", 0);
    options->dimensions = get_count(request, "dimensions", dimensions);
    options->no_special = !get_flag(request, "add_special_tokens", true);
    const int role =
        get_word(request, "input_type",
                 WORDS("text", "search_query", "search_document", "classification", "clustering"));
    options->role = role <= ENGINE_ROLE_DOCUMENT ? (engine_role)role : ENGINE_ROLE_TEXT;
    unsigned types = get_words(request, "embedding_types", WORDS(VECTOR_TYPES));
    const bool takes_many = strstr(request->route->answer, "<types") != NULL;
    const bool is_base64 = get_word(request, "encoding_format", WORDS("float", "base64")) == 1;
    if ((__builtin_popcount(types) > 1 && !takes_many) || (is_base64 && types))
        return request_fail(request, FAULT_INPUT, "this route takes one type of numbers");
    types |= (unsigned)is_base64 << TYPE_BASE64;
    request->is_typed = types > 0 || strncmp(request->path, "/v2", 3) == 0;
    request->types = types ? types : request->types;
    request->skips_special = get_flag(request, "skip_special_tokens", true);
    request->with_texts =
        get_flag(request, "return_text", get_flag(request, "return_documents", false));
    request->top = get_count(request, "top_n", SIZE_MAX);
    get_words(request, "rank_fields", WORDS("text")); /* no others are read */
    if (get_count(request, "embd_normalize", 2) != 2) /* llama.cpp's, of whose norms one is here */
        request_fail(request, FAULT_INPUT, "`embd_normalize` must be 2: vectors have length 1");
    if (prompt && !json_is_string(prompt))
        request_fail(request, FAULT_INPUT, "`prompt_name` must be a string");
    options->prompt = json_string_value(prompt);
    if (options->prompt && strcmp(options->prompt, "query") == 0) /* as the command takes it */
        options->role = ENGINE_ROLE_QUERY;
    if (request->work == WORK_STEPS) {
        request->position =
            (engine_position)get_word(request, "position",
                                      WORDS("model", "none", "sinusoidal", "learned", "index",
                                            "binary", "fourier", "exponential"));
        request->mask = (engine_mask)get_word(request, "mask", WORDS("model", "full", "causal"));
    }
    return request->fault == FAULT_NONE;
}

/* Ends a text of the next n tokens. */
static bool end_text(struct request *request, size_t n)
{
    request->texts[request->n_texts++] = (struct text){.first = request->n_tokens, .n = n};
    request->texts[request->n_texts].first = request->n_tokens += n;
    return request->n_tokens <= MOST_TOKENS ||
           request_fail(request, FAULT_MANY, "more than %d tokens in one call", MOST_TOKENS);
}

/* Makes room for n more tokens. */
static bool need_tokens(struct request *request, size_t n)
{
    const size_t used = request->n_tokens + n, cap = used + request->tokens_cap / 2;
    const size_t n_bytes = sizeof *request->tokens, n_more = cap - request->tokens_cap;
    if (used > request->tokens_cap && request_hold(request, request->n_held + n_more * n_bytes))
        request->tokens = alloc_resize(request->tokens, request->tokens_cap = cap, n_bytes);
    return request->fault == FAULT_NONE;
}

/* pair NULL: a single text. */
static bool add_text(struct request *request, const json_t *text, const json_t *pair)
{
    engine_session *session = model_reader(request->model);
    const engine_input input = {.text = json_string_value(text),
                                .text_len = json_string_length(text),
                                .pair = json_string_value(pair),
                                .pair_len = json_string_length(pair)};
    engine_status status =
        request_is_over(0, 0, NULL) ? ENGINE_ERROR_INTERRUPTED : ENGINE_ERROR_BUFFER;
    engine_result result;
    size_t needed = (input.text_len + input.pair_len) / 4 + 16;
    while (status == ENGINE_ERROR_BUFFER) {
        if (!need_tokens(request, needed))
            return false;
        status =
            engine_tokenize(session, &input, &request->options, request->tokens + request->n_tokens,
                            request->tokens_cap - request->n_tokens, &needed, &result);
    }
    if (status == ENGINE_ERROR_LENGTH) {
        engine_encode_options uncut = request->options;
        uncut.max_tokens = 0;
        status = engine_tokenize(session, &input, &uncut, NULL, 0, &needed, NULL);
        if (status == ENGINE_ERROR_BUFFER)
            return request_fail(request, FAULT_LENGTH, "%s has %zu tokens; at most %zu are taken",
                                request_text_name(request, request->n_texts), needed,
                                request->options.max_tokens);
    }
    if (status == ENGINE_ERROR_INTERRUPTED)
        return request_fail(request, FAULT_ENDING, "the server is ending");
    if (status != ENGINE_OK)
        return request_fail(request, FAULT_INPUT, "%s: %s",
                            request_text_name(request, request->n_texts),
                            engine_session_message(session));
    request->n_cut += result.n_dropped > 0;
    return end_text(request, needed);
}

/* Adds token ids, which are used unchanged. */
static bool add_ids(struct request *request, json_t *ids)
{
    const bool decodes = request->work == WORK_DECODE;
    const size_t n = json_array_size(ids),
                 most = decodes ? MOST_TOKENS : request->model->info.max_tokens;
    const size_t n_vocabulary = request->model->info.n_vocabulary;
    const char *own;
    size_t len;
    if (n > most)
        return request_fail(request, FAULT_LENGTH, "%s has %zu ids; this model takes %zu",
                            request_text_name(request, request->n_texts), n, most);
    own = model_setting(request->model->model, ENGINE_SETTINGS_CONFIG, "pools_prompt");
    if (!decodes && own && strcmp(own, "no") == 0)
        return request_fail(request, FAULT_INPUT,
                            "%s has ids; the vectors of %s leave out the tokens of a prompt, which "
                            "ids do not show: send a text",
                            request_text_name(request, request->n_texts), request->model->name);
    if (!need_tokens(request, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *id = json_array_get(ids, i);
        const json_int_t value = json_integer_value(id);
        if (!json_is_integer(id) || value < 0 || (size_t)value >= n_vocabulary ||
            (decodes &&
             engine_token_text(request->model->model, (int32_t)value, &own, &len) != ENGINE_OK))
            return request_fail(request, FAULT_INPUT, "%s: id %zu must be a token's, below %zu",
                                request_text_name(request, request->n_texts), i, n_vocabulary);
        request->tokens[request->n_tokens + i] = (engine_token){.id = (int32_t)value};
    }
    return end_text(request, n);
}

/* Adds what stands for one text: "a", {"text": "a"}, [1, 2], or for labels ["a"] or ["a", "b"]. If
 * query is not NULL, the text is its pair. */
static bool add_item(struct request *request, json_t *item, const json_t *query)
{
    json_t *first = json_array_get(item, 0), *second = json_array_get(item, 1);
    if (json_is_object(item))
        item = json_object_get(item, "text");
    for (size_t i = 0; request->labels && i < request->n_labels; i++)
        if (!json_is_string(item))
            return request_fail(request, FAULT_INPUT, "%s must be a string",
                                request_text_name(request, request->n_texts));
        else if (!add_text(request, item, json_array_get(request->hypotheses, i)))
            return false;
    if (request->labels)
        return true;
    if (json_is_string(item) && request->work != WORK_DECODE)
        return query ? add_text(request, query, item) : add_text(request, item, NULL);
    if (json_is_integer(first) && !query)
        return add_ids(request, item);
    if (request->work == WORK_LABELS && json_is_string(first) && json_array_size(item) <= 2 &&
        (!second || json_is_string(second)))
        return add_text(request, first, second);
    return request_fail(request, FAULT_INPUT, "%s must be a %s",
                        request_text_name(request, request->n_texts),
                        request->work == WORK_LABELS   ? "string or a pair of strings"
                        : request->work == WORK_DECODE ? "list of ids"
                        : query                        ? "string"
                                                       : "string or a list of ids");
}

/* Adds the texts of a field: one, or a list. */
static bool add_items(struct request *request, const char *key, json_t *items, const json_t *query)
{
    const json_t *first = json_array_get(items, 0);
    request->items = items;
    request->is_single =
        !json_is_array(items) || json_is_integer(first) ||
        (request->work == WORK_LABELS && !request->labels && json_is_string(first));
    if (!items)
        return request_fail(request, FAULT_INPUT, "`%s` is missing", key);
    if (!request->is_single && strcmp(key, "prompt") == 0)
        return request_fail(request, FAULT_INPUT, "`prompt` must be one text");
    if (request->is_single)
        return add_item(request, items, query);
    if (json_array_size(items) == 0)
        return request_fail(request, FAULT_INPUT, "`%s` is empty", key);
    if (json_array_size(items) > MOST_TEXTS / request->n_labels)
        return request_fail(request, FAULT_MANY, "`%s` has %zu texts; one call takes %zu", key,
                            json_array_size(items), MOST_TEXTS / request->n_labels);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!add_item(request, json_array_get(items, i), query))
            return false;
    return true;
}

/* The vectors of texts: the model's own, or means if it has none. */
static bool resolve_vectors(struct request *request, const engine_shape *shape)
{
    const engine_info *info = &request->model->info;
    engine_encode_options *options = &request->options;
    const char *path = request->route->path;
    const bool is_unit = request->dialect == DIALECT_TEI || request->dialect == DIALECT_OPENAI ||
                         strcmp(path, "/api/embed") == 0; /* as their APIs promise */
    const bool is_raw = info->normalize && !get_flag(request, "normalize", true);
    if (info->pooling == ENGINE_POOLING_SPARSE || info->pooling == ENGINE_POOLING_COLBERT)
        return request_fail(request, FAULT_UNABLE, "%s has no vectors of texts: its pooling is %s",
                            request->model->name, engine_pooling_name(info->pooling));
    options->normalize = request->work != WORK_RANKS && get_flag(request, "normalize", is_unit);
    if (is_raw) /* the pooling alone */
        options->pooling = shape->pooling;
    static const char *const more[] = {"projections", "joined_poolings", "pools_prompt"};
    bool has_more = false; /* dense layers after the pooling, several poolings */
    for (size_t i = 0; i < 3; i++) {
        const char *own = model_setting(request->model->model, ENGINE_SETTINGS_CONFIG, more[i]);
        has_more = has_more || (own && strcmp(own, "0") != 0 && strcmp(own, "yes") != 0);
    }
    if (is_raw && has_more)
        return request_fail(request, FAULT_UNABLE, "%s has no vectors before normalisation",
                            request->model->name);
    if (options->dimensions > request->width)
        return request_fail(request, FAULT_INPUT, "`dimensions` is %zu; the vectors of %s have %zu",
                            options->dimensions, request->model->name, request->width);
    request->width = options->dimensions ? options->dimensions : request->width;
    return request->fault == FAULT_NONE;
}

/* Sets the options of the engine, and the width of a row; texts have been tokenized by then. */
static bool resolve_work(struct request *request)
{
    engine_error error;
    engine_shape shape = ENGINE_SHAPE();
    request->work = request->by_pairs ? WORK_LABELS : request->work;
    if (request->work >= WORK_TOKENS)
        return true;
    const engine_pooling pooling = request->work == WORK_LABELS          ? ENGINE_POOLING_LABELS
                                   : request->work == WORK_TOKEN_VECTORS ? ENGINE_POOLING_NONE
                                   : request->work == WORK_SPARSE        ? ENGINE_POOLING_SPARSE
                                                                         : ENGINE_POOLING_TEXT;
    request->options.pooling = pooling;
    if (pooling == ENGINE_POOLING_LABELS) /* which are never cut */
        request->options.dimensions = 0;
    engine_encode_options uncut = request->options;
    uncut.dimensions = 0;
    uncut.prompt = "";                  /* its tokens have it */
    if (pooling == ENGINE_POOLING_NONE) /* a model made for labels has no vectors of tokens, too */
        uncut.pooling = ENGINE_POOLING_TEXT;
    bool is_made = engine_shape_of(request->model->model, &uncut, &shape, &error) == ENGINE_OK;
    if (!is_made && request->model->info.has_model && uncut.pooling == ENGINE_POOLING_TEXT)
        return request_fail(request, FAULT_UNABLE, "%s: %s", request->model->name, error.message);
    uncut.pooling = pooling;
    is_made =
        is_made && engine_shape_of(request->model->model, &uncut, &shape, &error) == ENGINE_OK;
    if (!is_made || (pooling == ENGINE_POOLING_LABELS && shape.per_token))
        return request_fail(request, FAULT_UNABLE,
                            "%s requires a model with %s, and '%s' has none: serve such a "
                            "model (-m) and name it in `model`",
                            request->route->path,
                            request->work == WORK_LABELS   ? "labels of texts"
                            : request->work == WORK_SPARSE ? "weights of words"
                                                           : "vectors",
                            request->model->name);
    request->width = request->by_pairs ? 1 : shape.width;
    request->is_per_token = shape.per_token;
    request->metric = request->work == WORK_COSINES ? ENGINE_METRIC_COSINE : shape.metric;
    return pooling != ENGINE_POOLING_TEXT || resolve_vectors(request, &shape);
}

/* Returns the path of the route that a call to the bare address stands for. */
static const char *path_of_any(const struct request *request)
{
    const struct model *first = &request->models->models[0];
    return json_object_get(request->json, "query")                    ? "/rerank"
           : json_is_object(json_object_get(request->json, "inputs")) ? "/similarity"
           : first->info.head == ENGINE_HEAD_SEQUENCE                 ? "/predict"
           : first->info.pooling == ENGINE_POOLING_SPARSE             ? "/embed_sparse"
                                                                      : "/embed";
}

/* Cuts documents, or that part of pairs, to the tokens that the call wants; never the query. */
static void limit_documents(struct request *request, const json_t *query)
{
    const engine_input input = {.text = json_string_value(query),
                                .text_len = json_string_length(query)};
    const bool is_cohere = request->dialect == DIALECT_COHERE; /* whose /v2/embed has max_tokens */
    size_t n_query = 0, most = get_count(request, "max_tokens_per_doc",
                                         is_cohere ? get_count(request, "max_tokens", 0) : 0);
    if (most > 0 && query) {
        engine_encode_options whole = request->options;
        whole.max_tokens = 0;
        engine_tokenize(model_reader(request->model), &input, &whole, NULL, 0, &n_query, NULL);
        request->options.truncation = ENGINE_TRUNCATE_ONLY_SECOND;
    }
    if (most > 0 && most + n_query < request->options.max_tokens)
        request->options.max_tokens = most + n_query;
}

/* Whether a value is a string that C reads to its end. */
static bool is_text(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) == strlen(json_string_value(value));
}

/* Reads the labels that a call of /predict brings, if it does: text-to-hypothesis pairs take the
 * places of texts. */
static bool read_labels(struct request *request)
{
    const json_t *form = field(request, "hypothesis_template");
    json_t *labels = request->work == WORK_LABELS ? field(request, "candidate_labels") : NULL;
    const size_t n = json_array_size(labels);
    engine_error error;
    request->n_labels = 1;
    if (!labels)
        return true;
    if (n == 0 || n > MOST_TEXTS || (form && !is_text(form)))
        return request_fail(request, FAULT_INPUT,
                            "`candidate_labels` must be a list of 1 to %d strings, "
                            "`hypothesis_template` a string without NUL characters",
                            MOST_TEXTS);
    if (engine_zero_shot(request->model->model, NULL, 0, 0, NULL, &error) != ENGINE_OK)
        return request_fail(request, FAULT_UNABLE, "%s: %s", request->model->name, error.message);
    json_object_set_new(request->json, "hypotheses", request->hypotheses = json_array());
    for (size_t i = 0; i < n; i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        const bool is_label = is_text(json_array_get(labels, i));
        size_t n_bytes = 0;
        if (!is_label || engine_hypothesis(json_string_value(form), label, NULL, 0, &n_bytes,
                                           &error) != ENGINE_ERROR_BUFFER)
            return request_fail(request, FAULT_INPUT, "label %zu: %s", i,
                                is_label ? error.message
                                         : "it must be a string without NUL characters");
        if (!request_hold(request, request->n_held + 2 * n_bytes))
            return false;
        char *hypothesis = alloc_zeros(n_bytes, 1);
        engine_hypothesis(json_string_value(form), label, hypothesis, n_bytes, NULL, &error);
        json_array_append_new(request->hypotheses, json_string(hypothesis));
        free(hypothesis);
    }
    request->labels = labels;
    request->n_labels = n;
    request->is_multi = get_flag(request, "multi_label", false);
    request->options.raw_scores = 1;
    request->options.truncation = ENGINE_TRUNCATE_ONLY_FIRST;
    return request->fault == FAULT_NONE;
}

static bool read_texts(struct request *request)
{
    const bool is_rank = request->work == WORK_RANKS,
               has_query = is_rank || request->work == WORK_COSINES;
    json_t *inputs = has_query && !is_rank ? field(request, "inputs") : request->json;
    const char *key = request->route->key, *query_key = is_rank ? "query" : "source_sentence";
    json_t *items = json_object_get(inputs, key);
    engine_role *role = &request->options.role;
    const json_t *query = has_query ? json_object_get(inputs, query_key) : NULL;
    request->by_pairs = is_rank && request->model->info.ranks_pairs;
    request->has_query = has_query && !request->by_pairs;
    if (!read_labels(request))
        return false;
    const size_t n = (json_is_array(items) ? json_array_size(items) : 1) * request->n_labels;
    request->texts = alloc_zeros((n < MOST_TEXTS ? n : MOST_TEXTS) + 2, sizeof *request->texts);
    if (has_query && (!json_is_string(query) || !json_is_array(items)))
        return request_fail(request, FAULT_INPUT, "`%s` must be a string, `%s` a list", query_key,
                            key);
    *role = is_rank ? ENGINE_ROLE_QUERY : *role;
    if (request->has_query && !add_text(request, query, NULL))
        return false;
    *role = is_rank && !request->by_pairs ? ENGINE_ROLE_DOCUMENT : *role;
    limit_documents(request, request->by_pairs ? query : NULL);
    return add_items(request, key, items, request->by_pairs ? query : NULL);
}

bool request_read(struct request *request)
{
    json_error_t error = {.text = ""};
    const char *in_path = request->path + strlen(request->route->path);
    reading.request = request;
    reading.since = program_seconds();
    if (request->route->work < WORK_MODEL)
        return true;
    if (request_is_over(0, 0, NULL))
        return request_fail(request, FAULT_ENDING, "the server is ending");
    reading.is_parsing = true;
    request->json = strcmp(request->route->method, "GET") == 0
                        ? json_pack("{s:s}", "model", in_path)
                        : json_loadb(request->body, request->body_len,
                                     JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    reading.is_parsing = false;
    free(request->body);
    request->body = NULL;
    request->n_held -= request->body_cap;
    if (request->fault != FAULT_NONE)
        return false;
    if (request->body_len == 0 && !request->json)
        return request_fail(request, FAULT_INPUT, "the body is empty; expected a JSON object");
    if (!json_is_object(request->json))
        return request_fail(request, FAULT_INPUT, "the body is not a JSON object: %s",
                            *error.text ? error.text : "it is a list");
    const bool is_any = request->route->work == WORK_ANY;
    request->route =
        route_find(request->route->method, is_any ? path_of_any(request) : request->route->path,
                   request->json);
    request->work = request->route->work;
    const char *name = json_string_value(field(request, "model"));
    if (field(request, "model") && !name)
        return request_fail(request, FAULT_INPUT, "`model` must be a string");
    request->model = models_find(request->models, name, request->work);
    if (!request->model && request->models->n == 1)
        return request_fail(request, FAULT_MODEL,
                            "model '%s' not found: '%s' is served here (--any-model answers to any "
                            "name)",
                            name, request->models->models[0].name);
    if (!request->model)
        return request_fail(request, FAULT_MODEL, "model '%s' not found: GET /v1/models lists them",
                            name);
    return request->work == WORK_MODEL ||
           (read_fields(request) && read_texts(request) && resolve_work(request));
}
