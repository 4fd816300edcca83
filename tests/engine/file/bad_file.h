/* bad_file.h - opening a weight file that may be damaged, and insisting that it ends well: with a
 * status and words, or with a model that works. */
#ifndef TESTS_ENGINE_BAD_FILE_H
#define TESTS_ENGINE_BAD_FILE_H

#include "engine/engine.h"
#include "tests/weight_surgery.h"

/* The file that is damaged: tiny_model.h's with learned positions, so it has every tensor there
 * is. */
extern struct patient sound;

void sound_set_up(void);

/* Fails the test unless the last message is one that a damaged file may give. Returns the status.
 */
engine_status assert_words(engine_status status);

/* The error of the last open. */
extern engine_error last;

/* Asks a model for all that it has, which is in its file. */
void ask_everything(const engine_model *model);

/* Encodes a text, a pair and ids; a status is fine, a crash is not. */
void use_model(const engine_model *model);

/* Opens the first len bytes, in memory of exactly that length, and asks the model for all that it
 * has. */
engine_status open_bytes(const uint8_t *data, size_t len);

/* The same of all its bytes. */
engine_status open_patient(struct patient *patient);

/* Opening must give this status, and a message that contains these words. */
void assert_refused(struct patient *patient, engine_status expected, const char *words);

/* Calls visit with a copy in which the byte at `at` is another, for each of several values. */
void flip(const struct patient *original, size_t at,
          void (*visit)(struct patient *copy, size_t at, const void *user), const void *user);

#endif
