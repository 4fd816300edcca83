/* tables.c - table-valued functions: encode_tokens(text[, role]) has a row for each token of a
 * text, encode_windows(text[, tokens[, role]]) one for each window of a long text.
 *
 * Arguments are hidden columns, for which SQLite gives values: a query that gives none has no plan.
 * Windows are encoded when their vector is read.
 */
#include "tools/hosts/sqlite/connection.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* The columns of both tables, the arguments last: text, role; text, tokens, role. */
enum kind { TEXT, ID, BEGIN, END, VECTOR };
enum { COLUMN_TEXT = 4, TOKEN_ROLE = 5, WINDOW_TOKENS = 5, WINDOW_ROLE = 6, MOST_COLUMNS = 7 };
static const enum kind columns[2][COLUMN_TEXT] = {{TEXT, ID, BEGIN, END},
                                                  {BEGIN, END, TEXT, VECTOR}};

struct table {
    sqlite3_vtab base;
    struct connection *connection;
    bool has_windows;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct sql_parts parts;
    sqlite3_value *arguments[MOST_COLUMNS]; /* by column; NULL: not given */
    const char *text;
    size_t row, n_rows;
};

static int connect_table(sqlite3 *db, void *connection, int n, const char *const *words,
                         sqlite3_vtab **out, char **error)
{
    const bool has_windows = strcmp(words[0], "encode_windows") == 0;
    (void)n, (void)error;
    int code = sqlite3_declare_vtab(
        db, has_windows ? "CREATE TABLE windows(begin INTEGER, end INTEGER, part TEXT, vector BLOB,"
                          " text HIDDEN, tokens HIDDEN, role HIDDEN)"
                        : "CREATE TABLE tokens(token TEXT, id INTEGER, begin INTEGER, end INTEGER,"
                          " text HIDDEN, role HIDDEN)");
    if (code != SQLITE_OK)
        return code;
    struct table *table = sqlite3_malloc(sizeof *table);
    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct table){.connection = connection, .has_windows = has_windows};
    *out = &table->base;
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static const char *name_of(const struct table *table)
{
    return table->has_windows ? "encode_windows" : "encode_tokens";
}

static int refuse(struct table *table, const char *words)
{
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf("%s: %s", name_of(table), words);
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
        if (found[column] < 0)
            found[column] = i;
    }
    if (found[COLUMN_TEXT] < 0)
        return refuse((struct table *)base, "the text is missing");
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
    cursor->row = cursor->n_rows = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    empty_cursor((struct cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ---- Rows ---- */

static int fail(struct table *table, engine_status status, const engine_error *error)
{
    return connection_failure(name_of(table), status, error, &table->base.zErrMsg);
}

/* Reads the role and the most tokens of a window from the arguments. */
static int read_choices(struct table *table, const struct cursor *cursor, engine_role *role,
                        size_t *max_tokens)
{
    sqlite3_value *name = cursor->arguments[table->has_windows ? WINDOW_ROLE : TOKEN_ROLE];
    sqlite3_value *tokens = table->has_windows ? cursor->arguments[WINDOW_TOKENS] : NULL;
    *role = ENGINE_ROLE_TEXT;
    if (name != NULL) {
        const char *text = (const char *)sqlite3_value_text(name);
        if (text == NULL)
            return SQLITE_NOMEM;
        if (!sql_role(text, (size_t)sqlite3_value_bytes(name), role))
            return refuse(table, "roles are text, query and document");
    }
    if (tokens != NULL &&
        (sqlite3_value_numeric_type(tokens) != SQLITE_INTEGER || sqlite3_value_int64(tokens) < 1))
        return refuse(table, "the tokens of a window are not a number from 1 on");
    *max_tokens = tokens != NULL ? (size_t)sqlite3_value_int64(tokens) : 0;
    return SQLITE_OK;
}

/* Makes the rows of a text. */
static int divide(struct table *table, struct cursor *cursor)
{
    struct connection *connection = table->connection;
    sqlite3_value *value = cursor->arguments[COLUMN_TEXT];
    engine_role role;
    size_t max_tokens;
    engine_error error;
    int code = read_choices(table, cursor, &role, &max_tokens);
    if (code != SQLITE_OK)
        return code;
    if (sqlite3_value_type(value) == SQLITE_BLOB)
        return refuse(table, "a blob is not text; CAST(… AS TEXT) makes it one");
    engine_input text = {.text = (const char *)sqlite3_value_text(value)};
    text.text_len = (size_t)sqlite3_value_bytes(value);
    cursor->text = text.text;
    if (cursor->text == NULL)
        return SQLITE_NOMEM;
    engine_status status = connection_ready(connection, &error);
    if (status != ENGINE_OK)
        return fail(table, status, &error);
    status = sql_tokenize(&connection->encoder, &text, role, &cursor->parts);
    if (status == ENGINE_OK && table->has_windows)
        status = sql_split(&connection->encoder, max_tokens, &cursor->parts);
    if (status != ENGINE_OK)
        return fail(table, status, engine_session_error(connection->encoder.session));
    cursor->n_rows = table->has_windows ? cursor->parts.n_windows : cursor->parts.n_tokens;
    return SQLITE_OK;
}

/* Copies the arguments, which the rows need; if any is NULL there are no rows. */
static int filter(sqlite3_vtab_cursor *base, int plan_number, const char *words, int n,
                  sqlite3_value **values)
{
    struct cursor *cursor = (struct cursor *)base;
    bool is_null = false;
    (void)words;
    empty_cursor(cursor);
    for (int column = COLUMN_TEXT, i = 0; i < n; column++)
        if (plan_number >> column & 1) {
            is_null = is_null || sqlite3_value_type(values[i]) == SQLITE_NULL;
            cursor->arguments[column] = sqlite3_value_dup(values[i++]);
            if (cursor->arguments[column] == NULL)
                return SQLITE_NOMEM;
        }
    return is_null ? SQLITE_OK : divide((struct table *)base->pVtab, cursor);
}

static int next_row(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->row++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->row >= cursor->n_rows;
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

static int result_vector(sqlite3_context *context, struct table *table, const struct cursor *cursor)
{
    struct sql_encoder *encoder = &table->connection->encoder;
    const size_t n_bytes = encoder->width * sizeof(float);
    float *vector = sqlite3_malloc64(n_bytes);
    if (vector == NULL)
        return SQLITE_NOMEM;
    const engine_status status = sql_encode_window(encoder, &cursor->parts, cursor->row, vector);
    if (status != ENGINE_OK) {
        sqlite3_free(vector);
        return fail(table, status, engine_session_error(encoder->session));
    }
    sqlite3_result_blob64(context, vector, n_bytes, sqlite3_free);
    return SQLITE_OK;
}

static int column_value(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (const struct cursor *)base;
    struct table *table = (struct table *)base->pVtab;
    if (column >= COLUMN_TEXT) {
        if (cursor->arguments[column] != NULL)
            sqlite3_result_value(context, cursor->arguments[column]);
        return SQLITE_OK;
    }
    const enum kind kind = columns[table->has_windows][column];
    if (kind == VECTOR)
        return result_vector(context, table, cursor);
    const struct sql_row row =
        sql_row_of(&table->connection->encoder, &cursor->parts, cursor->text, cursor->row);
    if (kind == ID)
        sqlite3_result_int(context, row.id);
    else if (kind == TEXT && row.text != NULL)
        result_text(context, row.text, row.len);
    else if (kind != TEXT && row.has_span)
        sqlite3_result_int64(context, (sqlite3_int64)(kind == BEGIN ? row.begin : row.end));
    return SQLITE_OK;
}

int tables_register(struct connection *connection)
{
    static const sqlite3_module module = {/* without xCreate: no CREATE VIRTUAL TABLE is needed */
                                          .xConnect = connect_table, .xBestIndex = plan,
                                          .xDisconnect = disconnect, .xOpen = open_cursor,
                                          .xClose = close_cursor,    .xFilter = filter,
                                          .xNext = next_row,         .xEof = is_at_end,
                                          .xColumn = column_value,   .xRowid = row_id};
    static const char *const names[] = {"encode_tokens", "encode_windows"};
    int code = SQLITE_OK;
    for (int i = 0; i < 2 && code == SQLITE_OK; i++) {
        connection_find(connection->db); /* the table's use */
        code = sqlite3_create_module_v2(connection->db, names[i], &module, connection,
                                        connection_release);
    }
    return code;
}
