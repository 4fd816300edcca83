/* status.h - what every public function does alike: how a failure finds its words, how a struct of
 * the caller's that may be older than ours is read, how long a text is, what a choice means. */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "engine/engine.h"

#include <stdint.h>

/* Fills error (may be NULL) and returns its status, so that a caller can write `return fail(...)`.
 * Longer messages are cut. */
engine_status fail(engine_error *error, engine_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The most frequent failures: a call that makes no sense, a file that is not as it must be. */
#define misused(error, ...) fail(error, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)
#define damaged(error, ...) fail(error, ENGINE_ERROR_FORMAT, __VA_ARGS__)

/* ENGINE_OK and an empty message. */
engine_status succeed(engine_error *error);

/* That, where the n things of a text fit into a buffer of cap; tells *needed (may be NULL). */
engine_status answer_count(engine_error *error, const char *things, size_t n, size_t cap,
                           size_t *needed);

/* Copies a caller's struct (NULL: all zeros), whose first field is its struct_bytes, into *own,
 * which is zero where that does not reach. first_bytes: of the struct's first version. */
engine_status read_struct(const char *name, const void *given, size_t first_bytes, void *own,
                          size_t own_bytes, engine_error *error);

/* The bytes of a struct of the caller's that may be used; 0: struct_bytes is wrong, and the error
 * says so. */
size_t usable_bytes(const char *name, size_t struct_bytes, size_t first_bytes, size_t own_bytes,
                    engine_error *error);

/* len, or the bytes up to the NUL byte; 0 of a NULL text. */
size_t text_bytes(const char *text, size_t len);

/* Buffers of the caller are filled as the structs of model/: the same fields in the same places. */
#define SAME_FIELD(ours, theirs, field)                                                            \
    _Static_assert(offsetof(struct ours, field) == offsetof(theirs, field) &&                      \
                       sizeof(((struct ours *)0)->field) == sizeof(((theirs *)0)->field) &&        \
                       sizeof(struct ours) == sizeof(theirs),                                      \
                   "struct " #ours " and " #theirs " differ in " #field)

/* Poolings, masks and positions of engine.h: 0 is what the model has (own), and every other choice
 * is one more than the value of model/config.h. */
int64_t choice_value(int choice, int64_t own);

/* The choice of a value; -1 for -1, which is none. */
int choice_of(int64_t value);

#endif
