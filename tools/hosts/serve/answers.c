/* answers.c - the table of routes, and from its answers to JSON. In these ' is a quotation mark,
 * $name one of VALUES, and <name part> a part that is written for each element of one of LISTS. */
#include "tools/hosts/serve/answers.h"
#include "tools/common/alloc.h"
#include "tools/common/print/display.h"
#include "tools/common/print/rows.h"
#include "tools/common/texts/request_options.h"
#include "tools/hosts/serve/access.h"
#include "tools/hosts/serve/metrics.h"

#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Routes ---- */

#define OPENAI_MODEL "{'id': $model, 'object': 'model', 'created': $opened, 'owned_by': 'encode'}"
#define OPENAI_VECTORS                                                                             \
    "{'object': 'list', 'data': [<texts {'object': 'embedding', 'index': $index, 'embedding': "    \
    "$vector}>], 'model': $model, 'usage': {'prompt_tokens': $n_tokens, 'total_tokens': "          \
    "$n_tokens}}"
#define LLAMA_VECTORS "[<texts {'index': $index, 'embedding': [$vector]}>]"
#define OLLAMA_MODEL                                                                               \
    "{'name': $model, 'model': $model, 'modified_at': $opened_at, 'size': $file_bytes, 'digest': " \
    "$checksum, 'details': {'parent_model': '', 'format': 'encode', 'family': 'encoder', "         \
    "'families': ['encoder'], 'parameter_size': $parameters, 'quantization_level': $matrices}, "   \
    "'model_info': {'general.architecture': 'encoder', 'encoder.context_length': $max_tokens, "    \
    "'encoder.embedding_length': $width}, 'capabilities': ['embedding']}"
#define TEI_TOKENS                                                                                 \
    "[<tokens {'id': $id, 'text': $token, 'special': $special, 'start': $start, 'stop': $stop}>]"
#define COHERE_META(version)                                                                       \
    "'meta': {'api_version': {'version': '" version "'}, 'billed_units': {'input_tokens': "        \
    "$n_tokens}<if_cut , 'warnings': ['texts that were too long and were cut: $n_cut']>}}"
#define COHERE_VECTORS                                                                             \
    "{'id': '', 'response_type': 'embeddings_<if_typed by_type><if_untyped floats>', "             \
    "'embeddings': <if_typed {<types $type: [<texts $vector>]>}><if_untyped [<texts $vector>]>, "  \
    "'texts': $all_texts, "
#define COHERE_RANKS                                                                               \
    "{'id': '', 'model': $model, 'results': [<ranks {'index': $index, 'relevance_score': $score"   \
    "<if_with_texts , 'document': {'text': $text}>}>], 'usage': {'total_tokens': $n_tokens}, "

static const struct route ROUTES[] = {
    {"POST", "/v1/embeddings", DIALECT_OPENAI, WORK_VECTORS, "input", OPENAI_VECTORS},
    {"POST", "/embeddings", DIALECT_OPENAI, WORK_VECTORS, "input", OPENAI_VECTORS},
    {"POST", "/embeddings", DIALECT_OPENAI, WORK_VECTORS, "content", LLAMA_VECTORS},
    {"POST", "/embedding", DIALECT_OPENAI, WORK_VECTORS, "input", OPENAI_VECTORS},
    {"POST", "/embedding", DIALECT_OPENAI, WORK_VECTORS, "content", LLAMA_VECTORS},
    {"GET", "/v1/models", DIALECT_OPENAI, WORK_NONE, NULL,
     "{'object': 'list', 'data': [<models " OPENAI_MODEL ">]}"},
    {"GET", "/v1/models/", DIALECT_OPENAI, WORK_MODEL, NULL, OPENAI_MODEL},
    {"POST", "/api/embed", DIALECT_OLLAMA, WORK_VECTORS, "input",
     "{'model': $model, 'embeddings': [<texts $vector>], 'total_duration': $nanoseconds, "
     "'load_duration': 0, 'prompt_eval_count': $n_tokens}"},
    {"POST", "/api/embeddings", DIALECT_OLLAMA, WORK_VECTORS, "prompt",
     "{'embedding': <texts $vector>}"},
    {"GET", "/api/tags", DIALECT_OLLAMA, WORK_NONE, NULL,
     "{'models': [<models " OLLAMA_MODEL ">]}"},
    {"GET", "/api/ps", DIALECT_OLLAMA, WORK_NONE, NULL, "{'models': [<models " OLLAMA_MODEL ">]}"},
    {"POST", "/api/show", DIALECT_OLLAMA, WORK_MODEL, NULL, OLLAMA_MODEL},
    {"GET", "/api/version", DIALECT_OLLAMA, WORK_NONE, NULL, "{'version': '" ENGINE_VERSION "'}"},
    {"POST", "/v1/embed", DIALECT_COHERE, WORK_VECTORS, "texts", COHERE_VECTORS COHERE_META("1")},
    {"POST", "/v2/embed", DIALECT_COHERE, WORK_VECTORS, "texts", COHERE_VECTORS COHERE_META("2")},
    {"POST", "/v1/rerank", DIALECT_COHERE, WORK_RANKS, "documents", COHERE_RANKS COHERE_META("1")},
    {"POST", "/v2/rerank", DIALECT_COHERE, WORK_RANKS, "documents", COHERE_RANKS COHERE_META("2")},
    {"POST", "/", DIALECT_TEI, WORK_ANY, NULL, NULL},
    {"POST", "/invocations", DIALECT_TEI, WORK_ANY, NULL, NULL},
    {"POST", "/embed", DIALECT_TEI, WORK_VECTORS, "inputs", "[<texts $vector>]"},
    {"POST", "/embed_all", DIALECT_TEI, WORK_TOKEN_VECTORS, "inputs",
     "[<texts [<tokens $vector>]>]"},
    {"POST", "/embed_sparse", DIALECT_TEI, WORK_SPARSE, "inputs",
     "[<texts [<weights {'index': $index, 'value': $score}>]>]"},
    {"POST", "/predict", DIALECT_TEI, WORK_LABELS, "inputs",
     "<if_many [><texts [<labels {'score': $score, 'label': $label}>]><if_many ]>"},
    {"POST", "/rerank", DIALECT_TEI, WORK_RANKS, "texts",
     "[<ranks {'index': $index, 'score': $score<if_with_texts , 'text': $text>}>]"},
    {"POST", "/similarity", DIALECT_TEI, WORK_COSINES, "sentences", "[<cosines $score>]"},
    {"POST", "/tokenize", DIALECT_TEI, WORK_TOKENS, "inputs", "[<texts " TEI_TOKENS ">]"},
    {"POST", "/decode", DIALECT_TEI, WORK_DECODE, "ids", "[<texts $decoded>]"},
    {"POST", "/steps", DIALECT_TEI, WORK_STEPS, "inputs",
     "{'tokens': <texts " TEI_TOKENS
     ">, 'norms': $norms, 'moved': $moved, 'attention': $attention, "
     "'vector': $text_vector, 'position': $position, 'unknown': $unknown, 'has_labels': "
     "<if_labels true><if_vectors false>}"},
    {"GET", "/info", DIALECT_TEI, WORK_NONE, NULL,
     "{'model_id': $model, 'model_sha': $checksum, 'model_dtype': $matrices, 'model_type': "
     "<if_labels {$label_kind: {'id2label': {<label_names '$index': $label>}, 'label2id': "
     "{<label_names $label: $index>}}}><if_vectors {'embedding': {'pooling': $pooling}}>, "
     "'max_concurrent_requests': 1000, 'max_input_length': $max_tokens, 'max_batch_tokens': "
     "300000, 'max_batch_requests': null, 'max_client_batch_size': 2048, 'auto_truncate': false, "
     "'tokenization_workers': 1, 'version': '" ENGINE_VERSION
     "', 'sha': null, 'docker_label': null}"},
    {"GET", "/metrics", DIALECT_TEI, WORK_NONE, NULL, "$metrics"},
    {"GET", "/health", DIALECT_TEI, WORK_OPEN, NULL, "{'status': 'ok'}"},
    {"GET", "/ping", DIALECT_TEI, WORK_OPEN, NULL, "{'status': 'ok'}"},
    {"GET", "/", DIALECT_TEI, WORK_OPEN, NULL, "$page"},
    {"GET", "/page.css", DIALECT_TEI, WORK_OPEN, NULL, "$style"},
    {"GET", "/page.js", DIALECT_TEI, WORK_OPEN, NULL, "$script"},
};

/* The words are those that clients compare. */
static const struct fault_row {
    unsigned status, tei_status;
    const char *tei_type, *code;
} FAULT_ROWS[] = {[FAULT_NONE] = {200, 200, NULL, NULL},
#define FAULT_ROW(name, ...) [FAULT_##name] = {__VA_ARGS__},
                  FAULTS(FAULT_ROW)};

static const char *const ERRORS[N_DIALECTS] = {
    "{'error': {'message': $message, 'type': $openai_type, 'param': null, 'code': $openai_code}}",
    "{'error': $message}", "{'error': $message, 'error_type': $tei_type}",
    "{'message': $message, 'detail': $message}", /* "detail" is Jina's */
};

const struct route *route_find(const char *method, const char *path, const json_t *body)
{
    const struct route *other = NULL, *first = NULL;
    for (size_t i = sizeof ROUTES / sizeof ROUTES[0]; i-- > 0;) {
        const struct route *route = &ROUTES[i];
        const size_t len = strlen(route->path);
        if (strncmp(path, route->path, len) != 0 ||
            (path[len] && (len == 1 || path[len - 1] != '/')))
            continue;
        if (strcmp(route->method, method) != 0)
            other = route;
        else if (!first || !body || json_object_get(body, route->key) ||
                 !json_object_get(body, first->key))
            first = route;
    }
    return first ? first : other;
}

/* ---- Values ---- */

/* The page of a browser. Its script is that of the lesson, with what is its own. */
extern const char serve_page[], serve_style[], serve_script[];
__asm__(".section .rodata\n.globl serve_page, serve_style, serve_script\n"
        "serve_page: .incbin \"tools/hosts/serve/page.html\"\n.byte 0\n"
        "serve_style: .incbin \"tools/common/page/page.css\"\n.byte 0\n"
        "serve_script: .incbin \"tools/common/page/1-elements.js\"\n"
        ".incbin \"tools/common/page/2-choices.js\"\n"
        ".incbin \"tools/common/page/3-model.js\"\n"
        ".incbin \"tools/hosts/serve/page.js\"\n.byte 0\n.previous");

/* Where in an answer the writer is. */
struct place {
    struct json_writer *json;
    const struct request *request;
    const struct result *result;
    struct text *text; /* of the innermost <texts */
    size_t index;      /* in the innermost list, or of the text that is ranked there */
    float score;
    const struct model *model;
    enum vector_type type;
};

static void write_base64(FILE *stream, const void *data, size_t len)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    putc('"', stream);
    for (size_t i = 0; i < len; i += 3) {
        unsigned char b[3] = {0};
        memcpy(b, (const char *)data + i, len - i < 3 ? len - i : 3);
        const char text[4] = {DIGITS[b[0] >> 2], DIGITS[(b[0] & 3) << 4 | b[1] >> 4],
                              DIGITS[(b[1] & 15) << 2 | b[2] >> 6], DIGITS[b[2] & 63]};
        fwrite(text, 1, len - i < 3 ? len - i + 1 : 4, stream);
    }
    fprintf(stream, "%.*s\"", (int)((3 - len % 3) % 3), "==");
}

/* Integers are of the vector at length 1: int8 of its values times 127 / 8 * sqrt(width). That is
 * one factor for all vectors, so that products compare; eight times the mean value fills the range.
 * Bits are 1 for values above 0, the first highest. "uint8" and "binary" are shifted by 128. */
static void write_integers(FILE *stream, const float *values, size_t width, enum vector_type type)
{
    const bool is_bits = type == TYPE_BINARY || type == TYPE_UBINARY;
    const int shift = type == TYPE_UINT8 ? 128 : type == TYPE_BINARY ? -128 : 0;
    double squares = 0;
    for (size_t i = 0; i < width; i++)
        squares += (double)values[i] * values[i];
    const double factor = squares > 0 ? 127.0 / 8 * sqrt((double)width / squares) : 0;
    for (size_t i = 0; i < width; i += is_bits ? 8 : 1) {
        long n = is_bits ? 0 : lrint(fmin(127, fmax(-128, values[i] * factor)));
        for (size_t bit = i; is_bits && bit < i + 8; bit++)
            n = 2 * n + (bit < width && values[bit] > 0);
        fprintf(stream, "%s%ld", i ? ", " : "[", n + shift);
    }
    putc(']', stream);
}

static void write_vector(const struct place *at)
{
    const size_t first = at->request->is_per_token ? at->text->first : 0,
                 width = at->request->width;
    const float *values = at->result->rows + (first + at->index) * width;
    if (at->type == TYPE_BASE64) /* of little-endian numbers, as this machine's are */
        write_base64(at->json->stream, values, width * sizeof *values);
    else if (at->type == TYPE_FLOAT)
        json_write_floats(at->json, NULL, values, width);
    else
        write_integers(at->json->stream, values, width, at->type);
}

/* The text of a list in the body, as it was sent. */
static json_t *item_of(const struct request *request, size_t index)
{
    json_t *item = request->is_single ? request->items : json_array_get(request->items, index);
    return json_is_object(item) ? json_object_get(item, "text") : item;
}

static const char *text_of(const struct place *at)
{
    return json_string_value(item_of(at->request, (size_t)(at->text - at->request->texts)));
}

static const engine_token *token_of(const struct place *at)
{
    return &at->request->tokens[at->text->first + at->index];
}

/* Writes the part of the text, or of a template's or prompt's token, which has no span, its own. */
static void write_token(const struct place *at)
{
    const engine_token *token = token_of(at);
    const char *text = text_of(at);
    size_t len = token->end - token->begin;
    if (token->end > 0)
        text += token->begin;
    else if (engine_token_text(at->request->model->model, token->id, &text, &len) != ENGINE_OK)
        len = 0;
    json_write_string(at->json, NULL, text, len);
}

/* Writes an offset in characters, counted from the last one: spans are next to each other. */
static void write_offset(const struct place *at, size_t to)
{
    struct text *last = at->text;
    const char *text = text_of(at);
    if (token_of(at)->end == 0) {
        json_write_null(at->json, NULL);
        return;
    }
    if (last->byte < to)
        last->character += utf8_count(text + last->byte, to - last->byte);
    else
        last->character -= utf8_count(text + to, last->byte - to);
    last->byte = to;
    json_write_count(at->json, NULL, last->character);
}

size_t answer_step_rows(const struct request *request)
{
    const engine_info *info = &request->model->info;
    return 2 * info->n_layers + 1 + info->n_layers * info->n_heads * request->n_tokens;
}

static void write_rows(const struct place *at, size_t begin, size_t end)
{
    const size_t width = at->request->n_tokens;
    json_begin_array(at->json, NULL);
    for (size_t i = begin; i < end; i++)
        json_write_floats(at->json, NULL, at->result->rows + i * width, width);
    json_end_array(at->json);
}

static void write_text_vector(const struct place *at)
{
    const struct request *request = at->request;
    const size_t first = answer_step_rows(request) * request->n_tokens;
    if (request->width == 0)
        json_write_null(at->json, NULL);
    else
        json_write_floats(at->json, NULL, at->result->rows + first, request->width);
}

static void write_decoded(const struct place *at)
{
    const engine_model *model = at->request->model->model;
    const size_t n = at->text->n;
    const int skips = at->request->skips_special;
    int32_t *ids = alloc_zeros(n, sizeof *ids);
    size_t len;
    for (size_t i = 0; i < n; i++)
        ids[i] = at->request->tokens[at->text->first + i].id;
    engine_decode(model, ids, n, skips, NULL, 0, &len, NULL);
    char *own = alloc_zeros(len, 1);
    engine_decode(model, ids, n, skips, own, len, &len, NULL);
    json_write_string(at->json, NULL, own, len);
    free(own);
    free(ids);
}

static const char *label_name(const struct request *request, const struct model *model, size_t i)
{
    return request->labels ? json_string_value(json_array_get(request->labels, i))
                           : engine_label(model->model, i);
}

static void write_label(const struct place *at)
{
    const char *name = label_name(at->request, at->model, at->index);
    char numbered[32];
    snprintf(numbered, sizeof numbered, "LABEL_%zu", at->index);
    json_write_text(at->json, NULL, name ? name : numbered);
}

/* Writes the type of the model's matrices. */
static void write_matrices(const struct place *at)
{
    engine_tensor_info tensor = {.type = "", .layout = ""};
    for (size_t i = 0; strcmp(tensor.layout, "panels") != 0; i++)
        if (engine_model_tensor(at->model->model, i, &tensor) != ENGINE_OK)
            break;
    json_write_text(at->json, NULL, tensor.type);
}

/* Returns the id of what the vocabulary lacks, as the file has it. */
static const char *unknown_id(const struct model *model)
{
    const char *id = model_setting(model->model, ENGINE_SETTINGS_TOKENIZER, "unknown");
    return id ? id : "null";
}

static void write_opened_at(const struct place *at)
{
    char text[40];
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at->model->opened, &parts));
    json_write_text(at->json, NULL, text);
}

static const char *const VECTOR_NAMES[] = {VECTOR_TYPES};
static const char *const OPENAI_TYPES[] = {"invalid_request_error", "server_error"};

/* Those of long lists come first, as names are looked up in this order. */
#define VALUES(X)                                                                                  \
    X(vector, write_vector(at))                                                                    \
    X(index, json_write_count(json, NULL, at->index))                                              \
    X(score, json_write_float(json, NULL, at->score))                                              \
    X(id, json_write_count(json, NULL, token_of(at)->id))                                          \
    X(token, write_token(at))                                                                      \
    X(special, json_write_truth(json, NULL, token_of(at)->special))                                \
    X(start, write_offset(at, token_of(at)->begin))                                                \
    X(stop, write_offset(at, token_of(at)->end))                                                   \
    X(label, write_label(at))                                                                      \
    X(text, json_dumpf(item_of(request, at->index), stream, JSON_ENCODE_ANY))                      \
    X(all_texts, json_dumpf(request->items, stream, JSON_ENCODE_ANY))                              \
    X(decoded, write_decoded(at))                                                                  \
    X(type, json_write_text(json, NULL, VECTOR_NAMES[at->type]))                                   \
    X(n_tokens, json_write_count(json, NULL, request->n_tokens))                                   \
    X(n_cut, json_write_count(json, NULL, request->n_cut))                                         \
    X(nanoseconds, fprintf(stream, "%.0f", 1e9 * (program_seconds() - request->began)))            \
    X(model, json_write_text(json, NULL, at->model->name))                                         \
    X(opened, json_write_count(json, NULL, at->model->opened))                                     \
    X(opened_at, write_opened_at(at))                                                              \
    X(file_bytes, json_write_count(json, NULL, info->file_bytes))                                  \
    X(checksum, fprintf(stream, "\"%08x\"", (unsigned)info->checksum))                             \
    X(parameters, fprintf(stream, "\"%.1fM\"", 1e-6 * (double)info->n_parameters))                 \
    X(matrices, write_matrices(at))                                                                \
    X(max_tokens, json_write_count(json, NULL, info->max_text_tokens))                             \
    X(width, json_write_count(json, NULL, info->output_width))                                     \
    X(pooling, json_write_text(json, NULL, engine_pooling_name(info->pooling)))                    \
    X(label_kind, json_write_text(json, NULL, info->n_labels == 1 ? "reranker" : "classifier"))    \
    X(message, json_write_text(json, NULL, request->message))                                      \
    X(openai_type, json_write_text(json, NULL, OPENAI_TYPES[at->result->status >= 500]))           \
    X(openai_code, fprintf(stream, fault->code ? "\"%s\"" : "null", fault->code))                  \
    X(tei_type, json_write_text(json, NULL, fault->tei_type))                                      \
    X(norms, write_rows(at, 0, info->n_layers + 1))                                                \
    X(moved, write_rows(at, info->n_layers + 1, 2 * info->n_layers + 1))                           \
    X(attention, write_rows(at, 2 * info->n_layers + 1, answer_step_rows(request)))                \
    X(text_vector, write_text_vector(at))                                                          \
    X(position, json_write_text(json, NULL, engine_position_name(info->position)))                 \
    X(unknown, fputs(unknown_id(at->model), stream))                                               \
    X(page, fputs(serve_page, stream))                                                             \
    X(style, fputs(serve_style, stream))                                                           \
    X(script, fputs(serve_script, stream))                                                         \
    X(metrics, metrics_write(stream))

/* ---- Lists: how often a part is written, once or not at all if its name begins with "if". Weights
 * are those that are not 0; labels and ranks come best first ---- */

#define LISTS(X)                                                                                   \
    X(texts, request->n_texts / request->n_labels)                                                 \
    X(tokens, at->text->n)                                                                         \
    X(weights, request->width)                                                                     \
    X(labels, request->labels ? request->n_labels : request->width)                                \
    X(ranks, request->n_texts - !request->by_pairs)                                                \
    X(cosines, request->n_texts - 1)                                                               \
    X(models, request->models->n)                                                                  \
    X(types, TYPE_BASE64 + 1)                                                                      \
    X(label_names, info->n_labels)                                                                 \
    X(if_many, !request->is_single)                                                                \
    X(if_with_texts, request->with_texts)                                                          \
    X(if_cut, request->n_cut > 0)                                                                  \
    X(if_typed, request->is_typed)                                                                 \
    X(if_untyped, !request->is_typed)                                                              \
    X(if_labels, info->head == ENGINE_HEAD_SEQUENCE)                                               \
    X(if_vectors, info->head != ENGINE_HEAD_SEQUENCE)

#define VALUE_ENUM(name, write) VALUE_##name,
#define LIST_ENUM(name, n)      LIST_##name,
#define NAME(name, unused)      #name,
enum value { VALUES(VALUE_ENUM) N_VALUES };
enum list { LISTS(LIST_ENUM) N_LISTS };
static const char *const VALUE_NAMES[] = {VALUES(NAME)}, *const LIST_NAMES[] = {LISTS(NAME)};

/* Types of answers that are one value, and no JSON. */
static const char *const TYPES[N_VALUES + 1] = {[VALUE_page] = "text/html; charset=utf-8",
                                                [VALUE_style] = "text/css; charset=utf-8",
                                                [VALUE_script] = "text/javascript; charset=utf-8",
                                                [VALUE_metrics] = "text/plain; version=0.0.4"};

/* Returns which of n names a template has at *at, which is moved past it; n: none. */
static int find_name(const char **at, const char *const names[], int n)
{
    const char *name = *at, *end = name;
    int found = 0;
    while ((*end >= 'a' && *end <= 'z') || *end == '_')
        end++;
    const size_t len = (size_t)(end - name);
    while (found < n &&
           (names[found][0] != *name || strncmp(names[found], name, len) || names[found][len]))
        found++;
    *at = end;
    return found;
}

static void write_value(const struct place *at, enum value value)
{
    const struct request *request = at->request;
    const struct fault_row *fault = &FAULT_ROWS[request->fault];
    const engine_info *info = &at->model->info;
    struct json_writer *json = at->json;
    FILE *stream = json->stream;
    json->has_values = false; /* commas are those of the template */
    switch (value) {
#define WRITE(name, write)                                                                         \
    case VALUE_##name: write; break;
        VALUES(WRITE)
    case N_VALUES: break;
    }
}

static bool has_text(const struct request *request, size_t text)
{
    return engine_has_text(request->tokens + request->texts[text].first, request->texts[text].n);
}

/* Returns the score of element i of a list of scores. */
static float score_of(const struct place *at, enum list list, size_t i)
{
    const struct request *request = at->request;
    const size_t width = request->width;
    const float *row = at->result->rows;
    const bool is_cosine = list == LIST_cosines;
    if (list == LIST_labels && request->labels)
        return row[(size_t)(at->text - request->texts) * request->n_labels + i];
    if (list == LIST_weights || list == LIST_labels)
        return row[(size_t)(at->text - request->texts) * width + i];
    if (request->by_pairs)
        return row[i];
    const bool has_texts = is_cosine || (has_text(request, 0) && has_text(request, i + 1));
    return (float)engine_similarity(request->metric, row, has_texts ? row + (i + 1) * width : NULL,
                                    width);
}

/* Returns the n scores of a list, in the order in which they are written; to be freed. */
static struct ranked *make_ranks(const struct place *at, enum list list, size_t *n)
{
    const size_t n_all = *n;
    struct ranked *ranks = alloc_zeros(n_all, sizeof *ranks);
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        const float score = score_of(at, list, i);
        if (list != LIST_weights || score != 0)
            ranks[(*n)++] = (struct ranked){score, i};
    }
    if (list == LIST_labels || list == LIST_ranks)
        qsort(ranks, *n, sizeof *ranks, ranked_compare);
    if (list == LIST_ranks && *n > at->request->top)
        *n = at->request->top;
    return ranks;
}

static void expand(const struct place *at, const char *answer);

static void repeat(const struct place *at, enum list list, const char *part)
{
    const struct request *request = at->request;
    const engine_info *info = &at->model->info;
    const bool has_scores = list >= LIST_weights && list <= LIST_cosines;
    size_t n = 0, n_done = 0;
    switch (list) {
#define COUNT_OF(name, count)                                                                      \
    case LIST_##name: n = (size_t)(count); break;
        LISTS(COUNT_OF)
    case N_LISTS: break;
    }
    struct ranked *ranks = has_scores ? make_ranks(at, list, &n) : NULL;
    for (size_t i = 0; i < n; i++) {
        struct place inner = *at;
        if (list == LIST_types && !(request->types >> i & 1))
            continue;
        inner.index = ranks ? ranks[i].index : list < LIST_if_many ? i : at->index;
        inner.score = ranks ? ranks[i].score : at->score;
        if (list == LIST_texts)
            inner.text = &request->texts[i];
        if (list == LIST_models)
            inner.model = &request->models->models[i];
        if (list == LIST_types)
            inner.type = (enum vector_type)i;
        fputs(n_done++ > 0 ? ", " : "", at->json->stream);
        expand(&inner, part);
    }
    free(ranks);
}

/* Writes an answer up to its end or the '>' of its list. */
static void expand(const struct place *at, const char *answer)
{
    while (*answer && *answer != '>') {
        const char c = *answer++;
        if (c == '$') {
            write_value(at, (enum value)find_name(&answer, VALUE_NAMES, N_VALUES));
        } else if (c == '<') {
            const enum list list = (enum list)find_name(&answer, LIST_NAMES, N_LISTS);
            repeat(at, list, ++answer); /* after the blank */
            for (int depth = 1; depth > 0; answer++)
                depth += *answer == '<' ? 1 : *answer == '>' ? -1 : 0;
        } else {
            putc(c == '\'' ? '"' : c, at->json->stream);
        }
    }
}

/* ---- Answers ---- */

/* Returns a number that the bytes of the answer do not exceed. */
static size_t bound_of_answer(const struct request *request, const struct result *result)
{
    enum { FRAME = 8192, TEXT = 128, TOKEN = 96, LABEL = 64, WEIGHT = 50, ESCAPE = 6 };
    enum { FLOAT = 18, INTEGER = 6 };
    const enum work work = request->work;
    const bool has_vectors = work <= WORK_TOKEN_VECTORS || work == WORK_STEPS;
    const bool has_texts = request->with_texts || request->dialect == DIALECT_COHERE;
    const size_t n_rows = request->is_per_token ? request->n_tokens : request->n_texts;
    size_t n = FRAME + request->n_texts * TEXT + (has_texts ? ESCAPE * request->body_len : 0);
    for (size_t i = 0; has_vectors && i <= TYPE_BASE64; i++)
        if (request->types >> i & 1)
            n += n_rows * (request->width * (i == TYPE_FLOAT ? FLOAT : INTEGER) + 4);
    n += work == WORK_STEPS ? answer_step_rows(request) * (request->n_tokens * FLOAT + 4) : 0;
    for (size_t i = 0; work == WORK_SPARSE && i < n_rows * request->width; i++)
        n += result->rows[i] != 0 ? WEIGHT : 0;
    const size_t n_labels = request->labels ? request->n_labels : request->width;
    for (size_t i = 0; work == WORK_LABELS && i < n_labels; i++) {
        const char *label = label_name(request, request->model, i);
        n += n_rows / request->n_labels * (LABEL + ESCAPE * (label ? strlen(label) : 0));
    }
    for (size_t i = 0; work >= WORK_TOKENS && i < request->n_tokens; i++) {
        const engine_token *token = &request->tokens[i];
        const char *own;
        size_t len = token->end - token->begin;
        if (token->end == 0)
            engine_token_text(request->model->model, token->id, &own, &len);
        n += TOKEN + ESCAPE * len;
    }
    return n;
}

bool answer_hold(struct request *request, const struct result *result)
{
    const size_t n = request->work < WORK_VECTORS ? 0 : bound_of_answer(request, result);
    if (request->n_held + n > MOST_HELD_BY_CALL)
        return request_fail(request, FAULT_MANY,
                            "the answer would take up to %zu MB, and a call has %d: ask for less",
                            n >> 20, MOST_HELD_BY_CALL >> 20);
    return request_hold(request, request->n_held + n);
}

/* Makes scores of the call's own labels from the logits of its pairs, at or after the scores. */
static void score_labels(const struct request *request, float *rows)
{
    const size_t n = request->n_labels;
    engine_error error;
    for (size_t i = 0; i < request->n_texts / n; i++)
        engine_zero_shot(request->model->model, rows + i * n * request->width, n, request->is_multi,
                         rows + i * n, &error);
}

void answer_write(const struct request *request, struct result *result)
{
    struct written written;
    FILE *stream = alloc_open(&written);
    struct json_writer json = {.stream = stream, .depth = 1};
    const struct fault_row *fault = &FAULT_ROWS[request->fault];
    const char *answer = request->fault ? ERRORS[request->dialect] : request->route->answer;
    const char *name = answer + 1;
    struct place place = {.json = &json, .request = request, .result = result};
    place.model = request->model ? request->model : &request->models->models[0];
    place.type = (enum vector_type)(ffs((int)request->types) - 1);
    if (request->labels && request->fault == FAULT_NONE)
        score_labels(request, result->rows);
    const char *type = *answer == '$' ? TYPES[find_name(&name, VALUE_NAMES, N_VALUES)] : NULL;
    result->type = type ? type : "application/json";
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    result->status = request->dialect == DIALECT_TEI ? fault->tei_status : fault->status;
    expand(&place, answer);
    result->answer = alloc_close(stream, &written);
    result->answer_len = written.len;
}
