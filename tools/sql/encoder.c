#include "tools/sql/encoder.h"

#include <stdio.h>
#include <string.h>

/* ---- The session ---- */

/* A vector for each token is no result of a function of a text: such a model's are averaged. */
static engine_pooling pooling_of(const engine_info *info)
{
    const bool has_rows =
        strcmp(info->pooling, "none") == 0 || strcmp(info->pooling, "colbert") == 0;
    return has_rows ? ENGINE_POOLING_MEAN : ENGINE_POOLING_MODEL;
}

engine_status sql_encoder_open(struct sql_encoder *encoder, const engine_model *model,
                               engine_progress_callback progress, void *user, engine_error *error)
{
    /* One thread: the database's connections and workers use the other processors. */
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .progress = progress, .progress_user = user);
    engine_input empty = {0};
    encoder->model = model;
    encoder->info = ENGINE_INFO();
    engine_status status = engine_model_info(model, &encoder->info, error);
    if (status == ENGINE_OK)
        status = engine_session_new(model, &options, &encoder->session, error);
    if (status != ENGINE_OK)
        return status;
    encoder->pooling = pooling_of(&encoder->info);
    engine_encode_options encode = ENGINE_ENCODE_OPTIONS(.pooling = encoder->pooling);
    status = engine_encode(encoder->session, &empty, 1, &encode, NULL, 0, &encoder->width, NULL);
    if (status == ENGINE_OK || status == ENGINE_ERROR_BUFFER)
        return ENGINE_OK;
    if (error != NULL)
        *error = *engine_session_error(encoder->session);
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
    static const char *const names[] = {
        [ENGINE_ROLE_TEXT] = "text",
        [ENGINE_ROLE_QUERY] = "query",
        [ENGINE_ROLE_DOCUMENT] = "document",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
            *role = (engine_role)i;
            return true;
        }
    return false;
}

engine_status sql_encode(struct sql_encoder *encoder, const char *text, size_t len,
                         engine_role role, float *out)
{
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = encoder->pooling, .role = role);
    engine_input input = {.text = text, .text_len = len};
    engine_result result; /* with it, long texts are cut if the file says so, as encode cuts them */
    return engine_encode(encoder->session, &input, 1, &options, out, encoder->width, NULL, &result);
}

engine_status sql_rank(struct sql_encoder *encoder, const engine_input *query,
                       const engine_input *text, float *score)
{
    return engine_rank(encoder->session, query, text, 1, NULL, score);
}

/* ---- Windows ---- */

enum { FIRST_TOKENS = 512 }; /* enough for most texts, so that they are tokenized once */

engine_status sql_tokenize(struct sql_encoder *encoder, const char *text, size_t len,
                           engine_role role, struct sql_parts *parts)
{
    engine_input input = {.text = text, .text_len = len};
    size_t cap = FIRST_TOKENS;
    *parts = (struct sql_parts){0};
    parts->options = ENGINE_ENCODE_OPTIONS(.pooling = encoder->pooling, .role = role);
    for (;;) {
        parts->tokens = sql_alloc(cap * sizeof *parts->tokens);
        if (parts->tokens == NULL)
            return ENGINE_ERROR_MEMORY;
        engine_status status = engine_tokenize(encoder->session, &input, &parts->options,
                                               parts->tokens, cap, &parts->n_tokens, NULL);
        if (status != ENGINE_ERROR_BUFFER || parts->n_tokens <= cap)
            return status;
        cap = parts->n_tokens;
        sql_free(parts->tokens);
    }
}

engine_status sql_split(struct sql_encoder *encoder, size_t max_tokens, struct sql_parts *parts)
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
    engine_token *tokens = sql_alloc((part->n_tokens + 1) * sizeof *tokens);
    if (tokens == NULL)
        return ENGINE_ERROR_MEMORY;
    engine_window_tokens(part, parts->tokens, parts->n_tokens, tokens);
    engine_input input = {.tokens = tokens, .n_tokens = part->n_tokens};
    engine_status status = engine_encode(encoder->session, &input, 1, &parts->options, out,
                                         encoder->width, NULL, NULL);
    sql_free(tokens);
    return status;
}

void sql_parts_free(struct sql_parts *parts)
{
    sql_free(parts->tokens);
    sql_free(parts->windows);
    *parts = (struct sql_parts){0};
}

bool sql_has_span(const engine_token *token)
{
    return !token->special && !token->in_prompt;
}

/* ---- Words for the database ---- */

/* Returns the bytes of the character that a text begins with; 0 if it is NUL or no UTF-8: a wrong
 * lead byte, too few bytes, an overlong form, a surrogate, or above U+10FFFF. */
static size_t character_bytes(const unsigned char *text, size_t len)
{
    const unsigned lead = text[0];
    const size_t n = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead == 0 || lead > 0xf4 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return n;
}

size_t sql_copy_valid(char *out, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        const size_t bytes = character_bytes((const unsigned char *)text + i, len - i);
        memcpy(out + n, bytes > 0 ? text + i : "\xef\xbf\xbd", bytes > 0 ? bytes : 3);
        n += bytes > 0 ? bytes : 3;
        i += bytes > 0 ? bytes : 1;
    }
    return n;
}

void sql_checksum(const engine_info *info, char out[SQL_CHECKSUM_BYTES])
{
    snprintf(out, SQL_CHECKSUM_BYTES, "%08x", (unsigned)info->checksum);
}

char *sql_model_json(const struct sql_encoder *encoder)
{
    const char *name = encoder->info.name;
    const size_t len = strlen(name), most = 6 * len + 200;
    char checksum[SQL_CHECKSUM_BYTES], *out = sql_alloc(most);
    if (out == NULL)
        return NULL;
    size_t n = (size_t)snprintf(out, most, "{\"name\":\"");
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)name[i];
        size_t bytes = character_bytes((const unsigned char *)name + i, len - i);
        if (bytes == 0 || byte < ' ' || byte == '"' || byte == '\\') {
            n += (size_t)snprintf(out + n, most - n, "\\u%04x", bytes == 0 ? 0xfffdu : byte);
            continue;
        }
        memcpy(out + n, name + i, bytes);
        n += bytes;
        i += bytes - 1;
    }
    sql_checksum(&encoder->info, checksum);
    snprintf(out + n, most - n, "\",\"checksum\":\"%s\",\"width\":%zu,\"max_tokens\":%zu}",
             checksum, encoder->width, encoder->info.max_text_tokens);
    return out;
}

void sql_message(const engine_error *error, char out[SQL_MESSAGE_BYTES])
{
    const char *input = error->input == ENGINE_QUERY_INPUT ? "the query" : "the text";
    snprintf(out, SQL_MESSAGE_BYTES, "%s%s", error->name_len > 0 ? input : "",
             error->message + error->name_len);
}
