/* connection.h - what a connection's functions know: its model, which never changes once one is
 * open, as SQLite takes the functions to be deterministic.
 *
 * SQLite calls a connection's functions from one thread at a time. A mutex guards the list of
 * connections, by which equal models are mapped once in a process.
 */
#ifndef SQLITE_CONNECTION_H
#define SQLITE_CONNECTION_H

#include "tools/hosts/sql/encoder.h"

#include <sqlite3ext.h>

struct connection {
    sqlite3 *db;
    size_t n_users;   /* functions and tables of the connection, the last of which frees it */
    bool is_complete; /* all of them are registered */
    struct sql_encoder encoder;
    int64_t asked_ns; /* when SQLite was last asked for an interruption */
    struct connection *next;
};

/* Returns the connection of db with one more user, new or from an earlier loading; NULL without
 * memory. */
struct connection *connection_find(sqlite3 *db);
void connection_release(void *connection);

/* Opens the model of path (NULL: ENCODE_MODEL, else the default weights), whose checksum must be
 * the expected one, unless that is NULL. If a model is open, another is refused. */
engine_status connection_open(struct connection *connection, const char *path, const char *expected,
                              engine_error *error);

/* Opens the default model if none is open. */
engine_status connection_ready(struct connection *connection, engine_error *error);

/* Returns SQLite's code of a failure, and replaces *words by what it says, of sqlite3_mprintf; NULL
 * if the code says all. */
int connection_failure(const char *function, engine_status status, const engine_error *error,
                       char **words);

/* Registers encode_tokens and encode_windows. */
int tables_register(struct connection *connection);

#endif
