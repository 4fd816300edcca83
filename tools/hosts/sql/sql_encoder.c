#include "tools/hosts/sql/sql_encoder.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* ---- The session ---- */

engine_status sql_encoder_open(struct sql_encoder *encoder, engine_model *model,
                               engine_progress_callback progress, void *user, engine_error *error)
{
    /* One thread: the database's connections and workers use the other processors. */
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .progress = progress, .progress_user = user);
    *encoder = (struct sql_encoder){.model = model, .info = ENGINE_INFO()};
    engine_status status = engine_model_info(model, &encoder->info, error);
    if (status == ENGINE_OK)
        status = engine_session_new(model, &options, &encoder->session, error);
    if (status != ENGINE_OK)
        return status;
    snprintf(encoder->checksum, sizeof encoder->checksum, "%08x", (unsigned)encoder->info.checksum);
    const engine_encode_options encode = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
    encoder->shape = ENGINE_SHAPE();
    status = engine_shape_of(model, &encode, &encoder->shape, error);
    if (status == ENGINE_OK || encoder->info.n_labels > 0) /* encode_rank() may be one of pairs */
        return ENGINE_OK;
    sql_encoder_close(encoder);
    return status;
}

void sql_encoder_close(struct sql_encoder *encoder)
{
    engine_session_free(encoder->session);
    encoder->session = NULL;
}

/* ---- Texts ---- */

bool sql_role(const char *name, size_t len, engine_role *role)
{
    static const char *const names[] = {"text", "query", "document"}; /* by engine_role */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
            *role = (engine_role)i;
            return true;
        }
    return false;
}

engine_status sql_encode(struct sql_encoder *encoder, const engine_input *text, engine_role role,
                         float *out)
{
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT, .role = role);
    engine_result result; /* with it, long texts are cut if the file says so, as encode cuts them */
    return engine_encode(encoder->session, text, 1, &options, out, encoder->shape.width, NULL,
                         &result);
}

engine_status sql_rank(struct sql_encoder *encoder, const engine_input *query,
                       const engine_input *text, float *score)
{
    size_t n_cut; /* as of sql_encode */
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.n_cut = &n_cut);
    return engine_rank(encoder->session, query, text, 1, &options, score);
}

/* ---- Windows ---- */

enum { FIRST_TOKENS = 512 }; /* enough for most texts, so that they are tokenized once */

static engine_status find_tokens(struct sql_encoder *encoder, const engine_input *text,
                                 struct sql_parts *parts)
{
    for (size_t cap = FIRST_TOKENS;;) {
        parts->tokens = sql_alloc(cap * sizeof *parts->tokens);
        if (parts->tokens == NULL)
            return ENGINE_ERROR_MEMORY;
        engine_status status = engine_tokenize(encoder->session, text, &parts->options,
                                               parts->tokens, cap, &parts->n_tokens, NULL);
        if (status != ENGINE_ERROR_BUFFER || parts->n_tokens <= cap)
            return status;
        cap = parts->n_tokens;
        sql_free(parts->tokens);
    }
}

/* Divides a text that has its tokens. */
static engine_status find_windows(struct sql_encoder *encoder, size_t max_tokens,
                                  struct sql_parts *parts)
{
    engine_encode_options *options = &parts->options;
    options->max_tokens = max_tokens;
    engine_status status = engine_windows(encoder->session, parts->tokens, parts->n_tokens, options,
                                          NULL, 0, &parts->n_windows);
    if (status != ENGINE_OK && status != ENGINE_ERROR_BUFFER)
        return status;
    parts->windows = sql_alloc((parts->n_windows + 1) * sizeof *parts->windows);
    if (parts->windows == NULL)
        return ENGINE_ERROR_MEMORY;
    return engine_windows(encoder->session, parts->tokens, parts->n_tokens, options, parts->windows,
                          parts->n_windows, NULL);
}

engine_status sql_encode_window(struct sql_encoder *encoder, const struct sql_parts *parts,
                                size_t window, float *out)
{
    const engine_window *part = &parts->windows[window];
    const size_t width = encoder->shape.width;
    if (parts->vectors != NULL) {
        memcpy(out, parts->vectors + window * width, width * sizeof *out);
        return ENGINE_OK;
    }
    engine_token *tokens = sql_alloc((part->n_tokens + 1) * sizeof *tokens);
    if (tokens == NULL)
        return ENGINE_ERROR_MEMORY;
    engine_window_tokens(part, parts->tokens, parts->n_tokens, tokens);
    engine_input input = {.tokens = tokens, .n_tokens = part->n_tokens};
    engine_status status =
        engine_encode(encoder->session, &input, 1, &parts->options, out, width, NULL, NULL);
    sql_free(tokens);
    return status;
}

void sql_parts_free(struct sql_parts *parts)
{
    sql_free(parts->tokens);
    sql_free(parts->windows);
    sql_free(parts->vectors);
    *parts = (struct sql_parts){0};
}

/* ---- Spans ---- */

/* Text of JSON that is read from its start. */
struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at != '\0' && strchr(" \t\r\n", *scan->at))
        scan->at++;
}

static bool accept(struct scan *scan, char wanted)
{
    skip_blanks(scan);
    const bool is_there = scan->at < scan->end && *scan->at == wanted;
    scan->at += is_there;
    return is_there;
}

/* Reads a whole number of at most `most`, and the character after it. */
static bool accept_number(struct scan *scan, size_t most, char after, size_t *number)
{
    size_t n_digits = 0;
    *number = 0;
    skip_blanks(scan);
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; n_digits++) {
        *number = 10 * *number + (size_t)(*scan->at++ - '0');
        if (*number > most)
            return false;
    }
    return n_digits > 0 && accept(scan, after);
}

/* Reads spans within a text of text_len bytes. */
static engine_status read_spans(const engine_input *json, size_t text_len, struct sql_parts *parts)
{
    static const engine_error WRONG = {
        .status = ENGINE_ERROR_ARGUMENT,
        .input = ENGINE_NO_INPUT,
        .message = "expected spans as [[0, 6], [7, 11]], begin and end in bytes of the text, and "
                   "within it"};
    struct scan scan = {json->text, json->text + json->text_len};
    size_t cap = 1;
    for (size_t i = 0; i < json->text_len; i++)
        cap += json->text[i] == '[';
    parts->windows = sql_alloc(cap * sizeof *parts->windows);
    if (parts->windows == NULL)
        return ENGINE_ERROR_MEMORY;
    bool is_good = accept(&scan, '[');
    bool has_more = is_good && !accept(&scan, ']');
    while (has_more && is_good) {
        engine_window *span = &parts->windows[parts->n_windows++];
        *span = (engine_window){0};
        is_good = accept(&scan, '[') && accept_number(&scan, text_len, ',', &span->begin) &&
                  accept_number(&scan, text_len, ']', &span->end) && span->begin <= span->end;
        has_more = accept(&scan, ',');
        is_good = is_good && (has_more || accept(&scan, ']'));
    }
    skip_blanks(&scan);
    if (is_good && scan.at == scan.end)
        return ENGINE_OK;
    parts->error = &WRONG;
    return WRONG.status;
}

static engine_status encode_spans(struct sql_encoder *encoder, const engine_input *text,
                                  struct sql_parts *parts)
{
    const size_t n = parts->n_windows, width = encoder->shape.width;
    engine_result result; /* as of sql_encode */
    engine_span *spans = sql_alloc((n + 1) * sizeof *spans);
    parts->vectors = sql_alloc((n * width + 1) * sizeof *parts->vectors);
    engine_status status = ENGINE_ERROR_MEMORY;
    if (spans != NULL && parts->vectors != NULL) {
        for (size_t i = 0; i < n; i++)
            spans[i] = (engine_span){parts->windows[i].begin, parts->windows[i].end};
        status = engine_encode_spans(encoder->session, text, spans, n, &parts->options,
                                     parts->vectors, n * width, NULL, &result);
    }
    sql_free(spans);
    return status;
}

/* ---- Rows ---- */

engine_status sql_divide(struct sql_encoder *encoder, enum sql_rows rows, const engine_input *text,
                         engine_role role, size_t max_tokens, const engine_input *spans,
                         struct sql_parts *parts)
{
    *parts = (struct sql_parts){.options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT,
                                                                 .role = role, .whole_words = 1)};
    engine_status status = rows == SQL_SPANS ? read_spans(spans, text->text_len, parts)
                                             : find_tokens(encoder, text, parts);
    if (status == ENGINE_OK && rows == SQL_SPANS)
        status = encode_spans(encoder, text, parts);
    if (status == ENGINE_OK && rows == SQL_WINDOWS)
        status = find_windows(encoder, max_tokens, parts);
    parts->n_rows = rows == SQL_TOKENS ? parts->n_tokens : parts->n_windows;
    if (parts->error == NULL)
        parts->error = engine_session_error(encoder->session);
    return status;
}

struct sql_row sql_row_of(const struct sql_encoder *encoder, const struct sql_parts *parts,
                          const char *text, size_t row)
{
    struct sql_row out = {.has_span = true};
    if (parts->windows != NULL) {
        out.begin = parts->windows[row].begin;
        out.end = parts->windows[row].end;
        out.text = text + out.begin;
        out.len = out.end - out.begin;
        return out;
    }
    const engine_token *token = &parts->tokens[row];
    out.id = token->id;
    out.has_span = !token->special && !token->in_prompt;
    out.begin = token->begin;
    out.end = token->end;
    if (engine_token_text(encoder->model, token->id, &out.text, &out.len) != ENGINE_OK)
        out.text = NULL;
    return out;
}

/* ---- Words for the database ---- */

size_t sql_copy_valid(char *out, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        utf8proc_int32_t character;
        const utf8proc_ssize_t rest = len - i < 4 ? (utf8proc_ssize_t)(len - i) : 4;
        const utf8proc_ssize_t bytes =
            utf8proc_iterate((const utf8proc_uint8_t *)text + i, rest, &character);
        const bool is_valid = bytes > 0 && character != 0;
        memcpy(out + n, is_valid ? text + i : "\xef\xbf\xbd", is_valid ? (size_t)bytes : 3);
        n += is_valid ? (size_t)bytes : 3;
        i += is_valid ? (size_t)bytes : 1;
    }
    return n;
}

char *sql_model_json(const struct sql_encoder *encoder)
{
    static const char *const METRICS[] = {"cosine", "dot", "euclidean", "manhattan"};
    const size_t len = strlen(encoder->info.name), most = 6 * len + 200;
    char *out = sql_alloc(most + 3 * len), *name = out + most;
    if (out == NULL)
        return NULL;
    const size_t name_len = sql_copy_valid(name, encoder->info.name, len);
    size_t n = (size_t)snprintf(out, most, "{\"name\":\"");
    for (size_t i = 0; i < name_len; i++) {
        const unsigned char byte = (unsigned char)name[i];
        const bool is_plain = byte >= ' ' && byte != '"' && byte != '\\';
        n += (size_t)snprintf(out + n, most - n, is_plain ? "%c" : "\\u%04x", byte);
    }
    snprintf(out + n, most - n,
             "\",\"checksum\":\"%s\",\"width\":%zu,\"max_tokens\":%zu,\"similarity\":\"%s\"}",
             encoder->checksum, encoder->shape.width, encoder->info.max_text_tokens,
             METRICS[encoder->shape.metric]);
    return out;
}

void sql_message(const engine_error *error, char out[SQL_MESSAGE_BYTES])
{
    const char *input = error->input == ENGINE_QUERY_INPUT ? "the query" : "the text";
    snprintf(out, SQL_MESSAGE_BYTES, "%s%s", error->name_len > 0 ? input : "",
             error->message + error->name_len);
}
