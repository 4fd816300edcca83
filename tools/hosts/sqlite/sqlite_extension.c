/* sqlite_extension.c - texts in, vectors out, in SQL. See README.md.
 *
 * SQLite calls a connection's functions from one thread at a time. A mutex guards the list of
 * connections, by which equal models are mapped once in a process.
 */
#include "tools/hosts/sql/sql_encoder.h"

#include <pthread.h>
#include <sqlite3ext.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

SQLITE_EXTENSION_INIT1

#ifndef SQLITE_RESULT_SUBTYPE /* SQLite 3.45; earlier ones ignore it */
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

enum { SUBTYPE_VECTOR = 223, SUBTYPE_JSON = 'J' }; /* of sqlite-vec; of SQLite */

/* What a connection's functions know: its model, which never changes once one is open, as SQLite
 * takes the functions to be deterministic. */
struct connection {
    sqlite3 *db;
    size_t n_users;   /* functions and tables of the connection, the last of which frees it */
    bool is_complete; /* all of them are registered */
    struct sql_encoder encoder;
    int64_t asked_ns; /* when SQLite was last asked for an interruption */
    struct connection *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *connections; /* guarded by lock, with their members model and encoder */

void *sql_alloc(size_t n_bytes)
{
    return sqlite3_malloc64(n_bytes);
}

void sql_free(void *block)
{
    sqlite3_free(block);
}

/* ---- Connections ---- */

/* Returns the connection of db with one more user, new or from an earlier loading; NULL without
 * memory. */
static struct connection *find_connection(sqlite3 *db)
{
    pthread_mutex_lock(&lock);
    struct connection *found = connections;
    while (found != NULL && found->db != db)
        found = found->next;
    if (found == NULL && (found = sqlite3_malloc(sizeof *found)) != NULL) {
        *found = (struct connection){.db = db, .next = connections};
        connections = found;
    }
    if (found != NULL)
        found->n_users++;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Closes a model that no connection uses. Called under the lock. */
static void close_unused(engine_model *model)
{
    const struct connection *user = connections;
    while (user != NULL && user->encoder.model != model)
        user = user->next;
    if (user == NULL)
        engine_model_close(model);
}

/* Ends a use of the connection; the last one closes it. */
static void release_connection(void *user)
{
    struct connection *connection = user, **link = &connections;
    pthread_mutex_lock(&lock);
    if (--connection->n_users == 0) {
        while (*link != connection)
            link = &(*link)->next;
        *link = connection->next;
        sql_encoder_close(&connection->encoder);
        close_unused(connection->encoder.model);
        sqlite3_free(connection);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- The model ---- */

/* Returns 1 if sqlite3_interrupt was called. Before SQLite 3.41 only a statement knows: one is
 * tried fifty times a second. */
static int is_interrupted(size_t n_done, size_t n, void *user)
{
    struct connection *connection = user;
    struct timespec time;
    (void)n_done, (void)n;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    const int64_t now_ns = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (now_ns - connection->asked_ns < 20000000)
        return 0;
    connection->asked_ns = now_ns;
    return sqlite3_exec(connection->db, "SELECT 1", NULL, NULL, NULL) == SQLITE_INTERRUPT;
}

/* Refuses a model that is not the expected one, or is another than the connection's. */
static engine_status check_model(const struct connection *connection,
                                 const struct sql_encoder *encoder, const char *expected,
                                 engine_error *error)
{
    const struct sql_encoder *open = &connection->encoder;
    *error = (engine_error){.status = ENGINE_ERROR_ARGUMENT, .input = ENGINE_NO_INPUT};
    if (expected != NULL && strcmp(expected, encoder->checksum) != 0)
        snprintf(error->message, sizeof error->message, "'%.120s' has the checksum %s, not '%.32s'",
                 encoder->info.path, encoder->checksum, expected);
    else if (open->session != NULL && strcmp(open->checksum, encoder->checksum) != 0)
        snprintf(error->message, sizeof error->message,
                 "this connection uses model %s, and functions that SQLite takes to be "
                 "deterministic would change with model %s; open it in a new connection",
                 open->checksum, encoder->checksum);
    else
        return ENGINE_OK;
    return ENGINE_ERROR_ARGUMENT;
}

/* Returns the model of the same file that a connection has open, else this one. Called under the
 * lock. */
static engine_model *shared(engine_model *model)
{
    engine_info info = ENGINE_INFO();
    engine_model_info(model, &info, NULL);
    for (const struct connection *other = connections; other != NULL; other = other->next) {
        const engine_info *known = &other->encoder.info;
        if (other->encoder.session != NULL && known->checksum == info.checksum &&
            known->file_bytes == info.file_bytes && strcmp(known->path, info.path) == 0)
            return other->encoder.model;
    }
    return model;
}

/* Opens the model of path (NULL: ENCODE_MODEL, else the default weights), whose checksum must be
 * the expected one, unless that is NULL. If a model is open, another is refused. */
static engine_status open_connection(struct connection *connection, const char *path,
                                     const char *expected, engine_error *error)
{
    struct sql_encoder encoder;
    engine_model *model;
    engine_status status = engine_model_open(path, NULL, &model, error);
    if (status != ENGINE_OK)
        return status;
    pthread_mutex_lock(&lock);
    status = sql_encoder_open(&encoder, shared(model), is_interrupted, connection, error);
    if (status == ENGINE_OK)
        status = check_model(connection, &encoder, expected, error);
    if (status == ENGINE_OK && connection->encoder.session == NULL)
        connection->encoder = encoder;
    else
        sql_encoder_close(&encoder);
    close_unused(model);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Opens the default model if none is open. */
static engine_status make_ready(struct connection *connection, engine_error *error)
{
    return connection->encoder.session != NULL ? ENGINE_OK
                                               : open_connection(connection, NULL, NULL, error);
}

/* ---- Errors and arguments ---- */

/* Returns SQLite's code of a failure, and replaces *words by what it says, or NULL. */
static int failure_of(const char *function, engine_status status, const engine_error *error,
                      char **words)
{
    char message[SQL_MESSAGE_BYTES];
    sqlite3_free(*words);
    *words = NULL;
    if (status == ENGINE_ERROR_MEMORY)
        return SQLITE_NOMEM;
    if (status == ENGINE_ERROR_INTERRUPTED)
        return SQLITE_INTERRUPT;
    sql_message(error, message);
    *words = sqlite3_mprintf("%s: %s", function, message);
    return *words != NULL ? SQLITE_ERROR : SQLITE_NOMEM;
}

static void report(sqlite3_context *context, const char *function, engine_status status,
                   const engine_error *error)
{
    char *words = NULL;
    const int code = failure_of(function, status, error, &words);
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

/* Reads a text, or a number as SQLite writes it. Returns SQLITE_MISMATCH for a blob. */
static int read_text(sqlite3_value *value, engine_input *text)
{
    if (sqlite3_value_type(value) == SQLITE_BLOB)
        return SQLITE_MISMATCH;
    *text = (engine_input){.text = (const char *)sqlite3_value_text(value)};
    text->text_len = (size_t)sqlite3_value_bytes(value);
    return text->text != NULL ? SQLITE_OK : SQLITE_NOMEM;
}

#define NO_BLOB "%s: a blob is not text; CAST(… AS TEXT) makes it one"

/* Returns false after it reported an error. */
static bool read_texts(sqlite3_context *context, const char *function, int n,
                       sqlite3_value **values, engine_input *texts)
{
    int code = SQLITE_OK;
    for (int i = 0; i < n && code == SQLITE_OK; i++)
        code = read_text(values[i], &texts[i]);
    if (code == SQLITE_MISMATCH)
        refuse(context, NO_BLOB, function);
    if (code == SQLITE_NOMEM)
        sqlite3_result_error_nomem(context);
    return code == SQLITE_OK;
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
    if (make_ready(connection, &error) == ENGINE_OK)
        return connection;
    report(context, function, error.status, &error);
    return NULL;
}

/* ---- Functions ---- */

/* Makes the vector the result, a blob of float32, or reports the failure. */
static void give_vector(sqlite3_context *context, const char *function,
                        const struct sql_encoder *encoder, float *vector, engine_status status)
{
    if (status == ENGINE_OK) {
        sqlite3_result_blob64(context, vector, encoder->shape.width * sizeof *vector, sqlite3_free);
        return;
    }
    sqlite3_free(vector);
    report(context, function, status, engine_session_error(encoder->session));
}

/* encode(text[, role]): the vector. */
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
    float *vector = sql_alloc((encoder->shape.width + 1) * sizeof *vector);
    give_vector(context, "encode", encoder, vector,
                vector ? sql_encode(encoder, &texts[0], role, vector) : ENGINE_ERROR_MEMORY);
    sqlite3_result_subtype(context, SUBTYPE_VECTOR);
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
    struct sql_encoder *encoder = &connection->encoder;
    const engine_status status = sql_rank(encoder, &texts[0], &texts[1], &score);
    if (status == ENGINE_OK)
        sqlite3_result_double(context, (double)score);
    else
        report(context, "encode_rank", status, engine_session_error(encoder->session));
}

/* encode_model(): name, checksum, width and tokens of the model, as JSON. */
static void describe(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct connection *connection = begin(context, "encode_model", n, values, NULL);
    if (connection == NULL)
        return;
    char *json = sql_model_json(&connection->encoder);
    if (json != NULL)
        sqlite3_result_text(context, json, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
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
    else if (open_connection(sqlite3_user_data(context), texts[0].text, texts[1].text, &error) ==
             ENGINE_OK)
        describe(context, 0, NULL);
    else
        report(context, "encode_open", error.status, &error);
}

/* ---- Table-valued functions: encode_tokens(text[, role]) has a row for each token of a text,
 * encode_windows(text[, tokens[, role]]) one for each window of a long text, encode_spans(text,
 * spans[, role]) one for each span. Arguments are hidden columns, for which SQLite gives values: a
 * query that gives none has no plan. Windows are encoded when their vector is read ---- */

/* Columns for results come first, of tokens and of windows; those for arguments follow: the text,
 * the tokens of a window or the spans, and the role. */
enum kind { TEXT, ID, BEGIN, END, VECTOR };
enum { COLUMN_TEXT = 4, COLUMN_SECOND = 5, MOST_COLUMNS = 7 };
static const enum kind COLUMNS[2][COLUMN_TEXT] = {{TEXT, ID, BEGIN, END},
                                                  {BEGIN, END, TEXT, VECTOR}};
#define WINDOW "(begin INTEGER, end INTEGER, part TEXT, vector BLOB, text HIDDEN, "
static const struct {
    const char *name, *declaration;
} TABLES[] = {
    [SQL_TOKENS] = {"encode_tokens", "CREATE TABLE tokens(token TEXT, id INTEGER, begin INTEGER, "
                                     "end INTEGER, text HIDDEN, role HIDDEN)"},
    [SQL_WINDOWS] = {"encode_windows", "CREATE TABLE windows" WINDOW "tokens HIDDEN, role HIDDEN)"},
    [SQL_SPANS] = {"encode_spans", "CREATE TABLE spans" WINDOW "spans HIDDEN, role HIDDEN)"},
};

struct table {
    sqlite3_vtab base;
    struct connection *connection;
    enum sql_rows rows;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct sql_parts parts;
    sqlite3_value *arguments[MOST_COLUMNS]; /* by column; NULL: not given */
    const char *text;
    size_t row;
};

static int connect_table(sqlite3 *db, void *connection, int n, const char *const *words,
                         sqlite3_vtab **out, char **error)
{
    enum sql_rows rows = SQL_TOKENS;
    (void)n, (void)error;
    while (strcmp(words[0], TABLES[rows].name) != 0)
        rows++;
    int code = sqlite3_declare_vtab(db, TABLES[rows].declaration);
    if (code != SQLITE_OK)
        return code;
    struct table *table = sqlite3_malloc(sizeof *table);
    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct table){.connection = connection, .rows = rows};
    *out = &table->base;
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int reject(struct table *table, const char *words)
{
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf(words, TABLES[table->rows].name);
    return table->base.zErrMsg != NULL ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Asks for the arguments that the query has. Bit c of the plan's number: argument of column c, in
 * this order. Others that it compares with are looked at by SQLite. */
static int plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    int found[MOST_COLUMNS], n = 0;
    memset(found, -1, sizeof found);
    for (int i = 0; i < info->nConstraint; i++) {
        const int column = info->aConstraint[i].iColumn;
        if (column < COLUMN_TEXT || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        found[column] = i;
    }
    if (found[COLUMN_TEXT] < 0)
        return reject((struct table *)base, "%s: the text is missing");
    if (found[COLUMN_SECOND] < 0 && ((struct table *)base)->rows == SQL_SPANS)
        return reject((struct table *)base, "%s: the spans are missing");
    for (int column = COLUMN_TEXT; column < MOST_COLUMNS; column++)
        if (found[column] >= 0) {
            info->aConstraintUsage[found[column]].argvIndex = ++n;
            info->aConstraintUsage[found[column]].omit = 1;
            info->idxNum |= 1 << column;
        }
    info->estimatedCost = 1000;
    info->estimatedRows = 100;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void empty_cursor(struct cursor *cursor)
{
    sql_parts_free(&cursor->parts);
    for (int i = 0; i < MOST_COLUMNS; i++)
        sqlite3_value_free(cursor->arguments[i]);
    memset(cursor->arguments, 0, sizeof cursor->arguments);
    cursor->row = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    empty_cursor((struct cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ---- Rows ---- */

/* Makes the rows of a text. Arguments that are absent are NULL. */
static int divide(struct table *table, struct cursor *cursor)
{
    const char *function = TABLES[table->rows].name;
    sqlite3_value *second = cursor->arguments[COLUMN_SECOND];
    sqlite3_value *name = cursor->arguments[COLUMN_SECOND + (table->rows != SQL_TOKENS)];
    sqlite3_value *tokens = table->rows == SQL_WINDOWS ? second : NULL;
    engine_input text, role_name = {.text = "text", .text_len = 4}, spans = {0};
    engine_role role;
    engine_error error;
    int code = read_text(cursor->arguments[COLUMN_TEXT], &text);
    if (code == SQLITE_OK && name != NULL)
        code = read_text(name, &role_name);
    if (code == SQLITE_OK && table->rows == SQL_SPANS)
        code = read_text(second, &spans);
    if (code != SQLITE_OK)
        return code == SQLITE_MISMATCH ? reject(table, NO_BLOB) : code;
    if (!sql_role(role_name.text, role_name.text_len, &role))
        return reject(table, "%s: roles are text, query and document");
    if (tokens != NULL &&
        (sqlite3_value_numeric_type(tokens) != SQLITE_INTEGER || sqlite3_value_int64(tokens) < 1))
        return reject(table, "%s: the tokens of a window are not a number from 1 on");
    const size_t max_tokens = tokens != NULL ? (size_t)sqlite3_value_int64(tokens) : 0;
    cursor->text = text.text;
    if (make_ready(table->connection, &error) != ENGINE_OK)
        return failure_of(function, error.status, &error, &table->base.zErrMsg);
    const engine_status status = sql_divide(&table->connection->encoder, table->rows, &text, role,
                                            max_tokens, &spans, &cursor->parts);
    return status == ENGINE_OK
               ? SQLITE_OK
               : failure_of(function, status, cursor->parts.error, &table->base.zErrMsg);
}

/* Copies the arguments, which the rows need; if any is NULL there are no rows. */
static int filter(sqlite3_vtab_cursor *base, int plan_number, const char *words, int n,
                  sqlite3_value **values)
{
    struct cursor *cursor = (struct cursor *)base;
    (void)words;
    empty_cursor(cursor);
    for (int column = COLUMN_TEXT, i = 0; i < n; column++)
        if (plan_number >> column & 1) {
            cursor->arguments[column] = sqlite3_value_dup(values[i++]);
            if (cursor->arguments[column] == NULL)
                return SQLITE_NOMEM;
        }
    return is_any_null(n, values) ? SQLITE_OK : divide((struct table *)base->pVtab, cursor);
}

static int next_row(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->row++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->row >= cursor->parts.n_rows;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
    *row = (sqlite3_int64)((struct cursor *)base)->row;
    return SQLITE_OK;
}

/* ---- Columns ---- */

static void result_text(sqlite3_context *context, const char *text, size_t len)
{
    char *copy = sqlite3_malloc64(3 * len + 1);
    if (copy == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text64(context, copy, sql_copy_valid(copy, text, len), sqlite3_free,
                              SQLITE_UTF8);
}

static int column_value(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct table *table = (const struct table *)base->pVtab;
    if (column >= COLUMN_TEXT) {
        if (cursor->arguments[column] != NULL)
            sqlite3_result_value(context, cursor->arguments[column]);
        return SQLITE_OK;
    }
    const enum kind kind = COLUMNS[table->rows != SQL_TOKENS][column];
    struct sql_encoder *encoder = &table->connection->encoder;
    if (kind == VECTOR) {
        float *vector = sql_alloc((encoder->shape.width + 1) * sizeof *vector);
        give_vector(context, TABLES[table->rows].name, encoder, vector,
                    vector ? sql_encode_window(encoder, &cursor->parts, cursor->row, vector)
                           : ENGINE_ERROR_MEMORY);
        return SQLITE_OK;
    }
    const struct sql_row row = sql_row_of(encoder, &cursor->parts, cursor->text, cursor->row);
    if (kind == ID)
        sqlite3_result_int(context, row.id);
    else if (kind == TEXT && row.text != NULL)
        result_text(context, row.text, row.len);
    else if (kind != TEXT && row.has_span)
        sqlite3_result_int64(context, (sqlite3_int64)(kind == BEGIN ? row.begin : row.end));
    return SQLITE_OK;
}

/* ---- Loading ---- */

/* Schemas of others may call functions that only compute. encode_open reads a file that its caller
 * names, so no schema may. */
enum { COMPUTES = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
static const struct {
    const char *name;
    int n_arguments, flags;
    void (*call)(sqlite3_context *context, int n, sqlite3_value **values); /* NULL: a table */
} functions[] = {
    {"encode", 1, COMPUTES | SQLITE_RESULT_SUBTYPE, encode},
    {"encode", 2, COMPUTES | SQLITE_RESULT_SUBTYPE, encode},
    {"encode_cosine", 2, COMPUTES, cosine},
    {"encode_rank", 2, COMPUTES, rank},
    {"encode_model", 0, COMPUTES | SQLITE_RESULT_SUBTYPE, describe},
    {"encode_open", 1, SQLITE_DIRECTONLY | SQLITE_RESULT_SUBTYPE, open_model},
    {"encode_open", 2, SQLITE_DIRECTONLY | SQLITE_RESULT_SUBTYPE, open_model},
    {"encode_tokens", -1, 0, NULL},
    {"encode_windows", -1, 0, NULL},
    {"encode_spans", -1, 0, NULL},
};

static const sqlite3_module module = {/* without xCreate: no CREATE VIRTUAL TABLE is needed */
                                      .xConnect = connect_table, .xBestIndex = plan,
                                      .xDisconnect = disconnect, .xOpen = open_cursor,
                                      .xClose = close_cursor,    .xFilter = filter,
                                      .xNext = next_row,         .xEof = is_at_end,
                                      .xColumn = column_value,   .xRowid = row_id};

__attribute__((visibility("default"))) int sqlite3_encodesqlite_init(sqlite3 *db, char **error,
                                                                     const sqlite3_api_routines *);

/* Registers the functions. A connection that has them, and perhaps a model, keeps both. */
int sqlite3_encodesqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    (void)error;
    int code = SQLITE_OK;
    struct connection *connection = find_connection(db);
    if (connection == NULL)
        return SQLITE_NOMEM;
    const size_t n = connection->is_complete ? 0 : sizeof functions / sizeof functions[0];
    for (size_t i = 0; i < n && code == SQLITE_OK; i++) {
        const char *name = functions[i].name;
        find_connection(db); /* the function's use, which SQLite ends also if it fails */
        code = functions[i].call == NULL
                   ? sqlite3_create_module_v2(db, name, &module, connection, release_connection)
                   : sqlite3_create_function_v2(db, name, functions[i].n_arguments,
                                                SQLITE_UTF8 | functions[i].flags, connection,
                                                functions[i].call, NULL, NULL, release_connection);
    }
    if (code == SQLITE_OK)
        connection->is_complete = true;
    release_connection(connection);
    return code;
}
