/* model_use.h - all that a host can ask of a model, for the fuzz targets that make models: what is
 * in its file, sessions of every position and mask, every pooling, head, prompt and window. Whether
 * the model is a sensible one does not matter; each answer must be a status with words, or have the
 * counts that engine.h promises.
 *
 * Guarantee: any contents of weight files, vectors, journals, checkpoints, texts and command
 * lines end with a status, or with results of the promised counts. */
#ifndef TESTS_FUZZ_MODEL_USE_H
#define TESTS_FUZZ_MODEL_USE_H

#include "engine/engine.h"

#include <stdbool.h>

/* Ends the program if it does not hold, as a fuzzer expects it. */
void must(bool holds);

/* choice: any number; it chooses the session's options, the ids and what is cut. */
void model_use(const engine_model *model, const char *text, size_t text_len, unsigned choice);

#endif
