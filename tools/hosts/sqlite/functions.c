/* functions.c - the extension of SQLite: texts in, vectors out, in SQL. See README.md. */
#include "tools/hosts/sqlite/connection.h"

#include <string.h>

SQLITE_EXTENSION_INIT1

#ifndef SQLITE_RESULT_SUBTYPE /* SQLite 3.45; earlier ones ignore it */
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

enum { SUBTYPE_VECTOR = 223, SUBTYPE_JSON = 'J' }; /* of sqlite-vec; of SQLite */

/* ---- Arguments and errors ---- */

static void report(sqlite3_context *context, const char *function, const engine_error *error)
{
    char *words = NULL;
    const int code = connection_failure(function, error->status, error, &words);
    if (words != NULL)
        sqlite3_result_error(context, words, -1);
    sqlite3_result_error_code(context, code);
    sqlite3_free(words);
}

static void refuse(sqlite3_context *context, const char *format, const char *value)
{
    char message[200];
    sqlite3_snprintf(sizeof message, message, format, value);
    sqlite3_result_error(context, message, -1);
}

static bool is_any_null(int n, sqlite3_value **values)
{
    while (n > 0)
        if (sqlite3_value_type(values[--n]) == SQLITE_NULL)
            return true;
    return false;
}

/* Reads texts, or numbers as SQLite writes them. Returns false after it reported an error. */
static bool read_texts(sqlite3_context *context, const char *function, int n,
                       sqlite3_value **values, engine_input *texts)
{
    for (int i = 0; i < n; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_BLOB) {
            refuse(context, "%s: a blob is not text; CAST(… AS TEXT) makes it one", function);
            return false;
        }
        texts[i] = (engine_input){.text = (const char *)sqlite3_value_text(values[i])};
        texts[i].text_len = (size_t)sqlite3_value_bytes(values[i]);
        if (texts[i].text == NULL) {
            sqlite3_result_error_nomem(context);
            return false;
        }
    }
    return true;
}

/* Reads the arguments, texts, and opens the model. Returns NULL if the result is NULL, or after it
 * reported an error. */
static struct connection *begin(sqlite3_context *context, const char *function, int n,
                                sqlite3_value **values, engine_input *texts)
{
    struct connection *connection = sqlite3_user_data(context);
    engine_error error;
    if (is_any_null(n, values) || !read_texts(context, function, n, values, texts))
        return NULL;
    if (connection_ready(connection, &error) == ENGINE_OK)
        return connection;
    report(context, function, &error);
    return NULL;
}

/* ---- Functions ---- */

/* encode(text[, role]): the vector, a blob of float32. */
static void encode(sqlite3_context *context, int n, sqlite3_value **values)
{
    engine_input texts[2];
    engine_role role = ENGINE_ROLE_TEXT;
    struct connection *connection = begin(context, "encode", n, values, texts);
    if (connection == NULL)
        return;
    if (n == 2 && !sql_role(texts[1].text, texts[1].text_len, &role)) {
        refuse(context, "encode: unknown role '%.40s': choose text, query or document",
               texts[1].text);
        return;
    }
    struct sql_encoder *encoder = &connection->encoder;
    const size_t n_bytes = encoder->width * sizeof(float);
    float *vector = sqlite3_malloc64(n_bytes + 1);
    if (vector == NULL) {
        sqlite3_result_error_nomem(context);
    } else if (sql_encode(encoder, &texts[0], role, vector) != ENGINE_OK) {
        sqlite3_free(vector);
        report(context, "encode", engine_session_error(encoder->session));
    } else {
        sqlite3_result_blob64(context, vector, n_bytes, sqlite3_free);
        sqlite3_result_subtype(context, SUBTYPE_VECTOR);
    }
}

/* encode_cosine(a, b): of two vectors. SQLite aligns blobs to bytes, so they are copied. */
static void cosine(sqlite3_context *context, int n, sqlite3_value **values)
{
    if (is_any_null(n, values))
        return;
    const size_t n_bytes = (size_t)sqlite3_value_bytes(values[0]);
    if (sqlite3_value_type(values[0]) != SQLITE_BLOB ||
        sqlite3_value_type(values[1]) != SQLITE_BLOB ||
        n_bytes != (size_t)sqlite3_value_bytes(values[1]) || n_bytes % sizeof(float) != 0) {
        refuse(context, "%s requires two blobs of equally many float32 values", "encode_cosine");
        return;
    }
    float *both = sqlite3_malloc64(2 * n_bytes + 1);
    if (both == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const size_t width = n_bytes / sizeof(float);
    if (n_bytes > 0) {
        memcpy(both, sqlite3_value_blob(values[0]), n_bytes);
        memcpy(both + width, sqlite3_value_blob(values[1]), n_bytes);
    }
    sqlite3_result_double(context, engine_cosine(both, both + width, width));
    sqlite3_free(both);
}

/* encode_rank(query, text): how well the text answers the query, as encode --rank scores it. */
static void rank(sqlite3_context *context, int n, sqlite3_value **values)
{
    engine_input texts[2];
    float score;
    struct connection *connection = begin(context, "encode_rank", n, values, texts);
    if (connection == NULL)
        return;
    engine_session *session = connection->encoder.session;
    if (sql_rank(&connection->encoder, &texts[0], &texts[1], &score) == ENGINE_OK)
        sqlite3_result_double(context, (double)score);
    else
        report(context, "encode_rank", engine_session_error(session));
}

/* encode_model(): name, checksum, width and tokens of the model, as JSON. */
static void describe(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct connection *connection = begin(context, "encode_model", n, values, NULL);
    if (connection == NULL)
        return;
    char *json = sql_model_json(&connection->encoder);
    if (json == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text(context, json, -1, sqlite3_free);
    sqlite3_result_subtype(context, SUBTYPE_JSON);
}

/* encode_open(path[, checksum]): opens the connection's model, and returns encode_model(). */
static void open_model(sqlite3_context *context, int n, sqlite3_value **values)
{
    engine_input texts[2] = {0};
    engine_error error;
    if (is_any_null(n, values))
        refuse(context, "%s: the path or the checksum is NULL", "encode_open");
    else if (!read_texts(context, "encode_open", n, values, texts))
        return;
    else if (strlen(texts[0].text) != texts[0].text_len)
        refuse(context, "encode_open: the path '%.120s' has a NUL after that", texts[0].text);
    else if (connection_open(sqlite3_user_data(context), texts[0].text, texts[1].text, &error) ==
             ENGINE_OK)
        describe(context, 0, NULL);
    else
        report(context, "encode_open", &error);
}

/* ---- Loading ---- */

struct function {
    const char *name;
    int n_arguments, flags;
    void (*call)(sqlite3_context *context, int n, sqlite3_value **values);
};

/* Schemas of others may call functions that only compute. encode_open reads a file that its caller
 * names, so no schema may. */
enum { COMPUTES = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
static const struct function functions[] = {
    {"encode", 1, COMPUTES | SQLITE_RESULT_SUBTYPE, encode},
    {"encode", 2, COMPUTES | SQLITE_RESULT_SUBTYPE, encode},
    {"encode_cosine", 2, COMPUTES, cosine},
    {"encode_rank", 2, COMPUTES, rank},
    {"encode_model", 0, COMPUTES | SQLITE_RESULT_SUBTYPE, describe},
    {"encode_open", 1, SQLITE_DIRECTONLY | SQLITE_RESULT_SUBTYPE, open_model},
    {"encode_open", 2, SQLITE_DIRECTONLY | SQLITE_RESULT_SUBTYPE, open_model},
};

__attribute__((visibility("default"))) int sqlite3_encodesqlite_init(sqlite3 *db, char **error,
                                                                     const sqlite3_api_routines *);

/* Registers the functions. A connection that has them, and perhaps a model, keeps both. */
int sqlite3_encodesqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    (void)error;
    int code = SQLITE_OK;
    struct connection *connection = connection_find(db);
    if (connection == NULL)
        return SQLITE_NOMEM;
    const size_t n = connection->is_complete ? 0 : sizeof functions / sizeof functions[0];
    for (size_t i = 0; i < n && code == SQLITE_OK; i++) {
        const struct function *function = &functions[i];
        connection_find(db); /* the function's use, which SQLite ends also if it fails */
        code = sqlite3_create_function_v2(db, function->name, function->n_arguments,
                                          SQLITE_UTF8 | function->flags, connection, function->call,
                                          NULL, NULL, connection_release);
    }
    if (code == SQLITE_OK && !connection->is_complete)
        code = tables_register(connection);
    if (code == SQLITE_OK)
        connection->is_complete = true;
    connection_release(connection);
    return code;
}
