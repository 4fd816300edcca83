/* functions.c - the extension of SQLite: texts in, vectors out, in SQL. See README.md. */
#include "tools/sqlite/connection.h"

#include <string.h>

SQLITE_EXTENSION_INIT1

#ifndef SQLITE_RESULT_SUBTYPE /* SQLite 3.45; earlier ones ignore it */
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

enum { SUBTYPE_VECTOR = 223, SUBTYPE_JSON = 'J' }; /* of sqlite-vec; of SQLite */

/* ---- Arguments and errors ---- */

static void report(sqlite3_context *context, const char *function, const engine_error *error)
{
    char words[SQL_MESSAGE_BYTES], message[SQL_MESSAGE_BYTES + 20];
    sql_message(error, words);
    sqlite3_snprintf(sizeof message, message, "%s: %s", function, words);
    if (error->status == ENGINE_ERROR_MEMORY)
        sqlite3_result_error_nomem(context);
    else if (error->status == ENGINE_ERROR_INTERRUPTED)
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else
        sqlite3_result_error(context, message, -1);
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

/* Reads a text, or a number as SQLite writes it. Returns false after it reported an error. */
static bool read_text(sqlite3_context *context, sqlite3_value *value, const char *function,
                      const char **text, size_t *len)
{
    if (sqlite3_value_type(value) == SQLITE_BLOB) {
        refuse(context, "%s: a blob is not text; CAST(… AS TEXT) makes it one", function);
        return false;
    }
    *text = (const char *)sqlite3_value_text(value);
    *len = (size_t)sqlite3_value_bytes(value);
    if (*text == NULL)
        sqlite3_result_error_nomem(context);
    return *text != NULL;
}

/* Returns the connection with a model; NULL after it reported an error. */
static struct connection *ready(sqlite3_context *context, const char *function)
{
    struct connection *connection = sqlite3_user_data(context);
    engine_error error;
    if (connection_ready(connection, &error) == ENGINE_OK)
        return connection;
    report(context, function, &error);
    return NULL;
}

/* ---- Functions ---- */

/* encode(text[, role]): the vector, a blob of float32. */
static void encode(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *text, *name = "text";
    size_t len, name_len = 4;
    engine_role role;
    if (is_any_null(n, values) || !read_text(context, values[0], "encode", &text, &len) ||
        (n == 2 && !read_text(context, values[1], "encode", &name, &name_len)))
        return;
    if (!sql_role(name, name_len, &role)) {
        refuse(context, "encode: unknown role '%.40s': choose text, query or document", name);
        return;
    }
    struct connection *connection = ready(context, "encode");
    if (connection == NULL)
        return;
    const size_t n_bytes = connection->encoder.width * sizeof(float);
    float *vector = sqlite3_malloc64(n_bytes);
    if (vector == NULL) {
        sqlite3_result_error_nomem(context);
    } else if (sql_encode(&connection->encoder, text, len, role, vector) != ENGINE_OK) {
        sqlite3_free(vector);
        report(context, "encode", engine_session_error(connection->encoder.session));
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
    engine_input query = {0}, text = {0};
    float score;
    if (is_any_null(n, values) ||
        !read_text(context, values[0], "encode_rank", &query.text, &query.text_len) ||
        !read_text(context, values[1], "encode_rank", &text.text, &text.text_len))
        return;
    struct connection *connection = ready(context, "encode_rank");
    if (connection == NULL)
        return;
    if (sql_rank(&connection->encoder, &query, &text, &score) == ENGINE_OK)
        sqlite3_result_double(context, (double)score);
    else
        report(context, "encode_rank", engine_session_error(connection->encoder.session));
}

static void result_json(sqlite3_context *context, const struct connection *connection)
{
    char *json = sql_model_json(&connection->encoder);
    if (json == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text(context, json, -1, sqlite3_free);
    sqlite3_result_subtype(context, SUBTYPE_JSON);
}

/* encode_model(): name, checksum, width and tokens of the model, as JSON. */
static void describe(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n, (void)values;
    struct connection *connection = ready(context, "encode_model");
    if (connection != NULL)
        result_json(context, connection);
}

/* encode_open(path[, checksum]): opens the connection's model, and returns encode_model(). */
static void open_model(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct connection *connection = sqlite3_user_data(context);
    const char *path, *checksum = NULL;
    size_t len;
    engine_error error;
    if (is_any_null(n, values)) {
        refuse(context, "%s: the path or the checksum is NULL", "encode_open");
        return;
    }
    if (!read_text(context, values[0], "encode_open", &path, &len) ||
        (n == 2 && !read_text(context, values[1], "encode_open", &checksum, &len)))
        return;
    if (connection_open(connection, path, checksum, &error) == ENGINE_OK)
        result_json(context, connection);
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
