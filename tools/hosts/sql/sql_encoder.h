/* sql_encoder.h - what the functions of SQLite and PostgreSQL share: a model with a session of one
 * thread, the names of roles, the windows of a long text, and texts that a database stores. It uses
 * engine.h alone.
 *
 * Functions return the library's status. Its words are in the session's error, except for
 * ENGINE_ERROR_MEMORY, which may be the host's: hosts report that by a code of their own.
 */
#ifndef SQL_ENCODER_H
#define SQL_ENCODER_H

#include "engine/engine.h"

#include <stdbool.h>

/* Each host defines these: memory of the database, or NULL if memory is short. */
void *sql_alloc(size_t n_bytes);
void sql_free(void *block);

struct sql_encoder {
    engine_model *model;
    engine_session *session; /* NULL: closed */
    engine_info info;
    char checksum[9];   /* of the weight file, hexadecimal */
    engine_shape shape; /* of a text's vector; width 0: the model gives labels */
};

/* Makes the session. progress(0, 0, user) is called during long calls, and interrupts them. */
engine_status sql_encoder_open(struct sql_encoder *encoder, engine_model *model,
                               engine_progress_callback progress, void *user, engine_error *error);
void sql_encoder_close(struct sql_encoder *encoder);

/* Stores the role of a name: text, query or document. Returns false for other names. */
bool sql_role(const char *name, size_t len, engine_role *role);

/* Writes a text's vector to out [width]. */
engine_status sql_encode(struct sql_encoder *encoder, const engine_input *text, engine_role role,
                         float *out);

/* Stores how well a text answers a query, as encode --rank scores it. */
engine_status sql_rank(struct sql_encoder *encoder, const engine_input *query,
                       const engine_input *text, float *score);

/* What a text is divided into: the rows of a table. Spans are windows that the call names. */
enum sql_rows { SQL_TOKENS, SQL_WINDOWS, SQL_SPANS };

struct sql_parts {
    engine_encode_options options;
    engine_token *tokens;
    engine_window *windows;
    float *vectors; /* [n_windows, width] of spans, or NULL */
    size_t n_tokens, n_windows, n_rows;
    const engine_error *error; /* after a failure but ENGINE_ERROR_MEMORY */
};

/* Finds the tokens of a text of any length, or divides it into windows of at most max_tokens (0: as
 * many as the model takes); or reads the spans, JSON as [[0, 6], [7, 11]] of bytes, and encodes the
 * text once with their vectors. sql_parts_free frees what there is, also after a failure. */
engine_status sql_divide(struct sql_encoder *encoder, enum sql_rows rows, const engine_input *text,
                         engine_role role, size_t max_tokens, const engine_input *spans,
                         struct sql_parts *parts);
void sql_parts_free(struct sql_parts *parts);

/* Writes the vector of a window or a span to out [width]. */
engine_status sql_encode_window(struct sql_encoder *encoder, const struct sql_parts *parts,
                                size_t window, float *out);

/* A token, a window or a span. */
struct sql_row {
    const char *text; /* [len]: the token's, which may be NULL, or the window's */
    size_t len;
    int32_t id;        /* of the token */
    bool has_span;     /* false: of a token that is not in the text */
    size_t begin, end; /* bytes of the text */
};

struct sql_row sql_row_of(const struct sql_encoder *encoder, const struct sql_parts *parts,
                          const char *text, size_t row);

/* Copies a text to out [3 * len] with U+FFFD for each byte that is no UTF-8, and for NUL bytes.
 * Returns the length. Tokens and windows may begin or end inside a character. */
size_t sql_copy_valid(char *out, const char *text, size_t len);

enum { SQL_MESSAGE_BYTES = 300 };

/* Returns a JSON object of the model's name, checksum, width and tokens, and how its vectors are
 * compared; NULL without memory. */
char *sql_model_json(const struct sql_encoder *encoder);

/* Writes the words of an error, in which the input is called "the text" or "the query". */
void sql_message(const engine_error *error, char out[SQL_MESSAGE_BYTES]);

#endif
