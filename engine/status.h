/* status.h - shared by all public functions: error messages, reading a caller's structs, lengths of
 * texts. */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "engine/engine.h"

#include <stdint.h>

/* Fills error (may be NULL) and returns its status, so that a caller can write `return fail(...)`.
 * Unless input is ENGINE_NO_INPUT, its name starts the message, and `format` continues it. Longer
 * messages are cut. */
engine_status fail_input(engine_error *error, engine_status status, engine_reason reason,
                         size_t input, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define fail(error, status, ...)                                                                   \
    fail_input(error, status, ENGINE_REASON_NONE, ENGINE_NO_INPUT, __VA_ARGS__)

/* The most frequent failures: an invalid argument, a damaged file. */
#define misused(error, ...) fail(error, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)
#define misused_input(error, input, ...)                                                           \
    fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_NONE, input, __VA_ARGS__)
#define damaged(error, ...) fail(error, ENGINE_ERROR_FORMAT, __VA_ARGS__)

/* Returns ENGINE_OK with an empty message. */
engine_status succeed(engine_error *error);

/* Returns ENGINE_OK if an answer of n things fits into cap, else ENGINE_ERROR_BUFFER. *needed (or
 * NULL): n. */
engine_status answer_count(engine_error *error, const char *things, size_t n, size_t cap,
                           size_t *needed);

/* Copies a caller's struct of own_bytes, which begins with its struct_bytes, into *own; NULL means
 * the defaults. Refuses structs that were not made by their initialiser. */
engine_status read_struct(const char *initialiser, const void *given, void *own, size_t own_bytes,
                          engine_error *error);

/* Returns len, or the bytes up to the NUL byte; 0 for a NULL text. */
size_t text_bytes(const char *text, size_t len);

#endif
