/* connection.c - the connections of this process that have the extension, and their models. */
#include "tools/hosts/sqlite/connection.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

SQLITE_EXTENSION_INIT3

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

struct connection *connection_find(sqlite3 *db)
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
void connection_release(void *user)
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

engine_status connection_open(struct connection *connection, const char *path, const char *expected,
                              engine_error *error)
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

engine_status connection_ready(struct connection *connection, engine_error *error)
{
    return connection->encoder.session != NULL ? ENGINE_OK
                                               : connection_open(connection, NULL, NULL, error);
}

int connection_failure(const char *function, engine_status status, const engine_error *error,
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
