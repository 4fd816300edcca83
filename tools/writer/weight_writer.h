/* weight_writer.h - the one writer of weight files (weights/FORMAT.md).
 *
 * The file is written under a temporary name and renamed by weight_writer_finish; until then its
 * own name does not change, and weight_writer_abort leaves no file. Tensors are streamed by rows,
 * so that memory stays small for any size of model. Every function returns ENGINE_OK or a status
 * with the message in the writer's error; after a failure the other calls return the same status
 * and do nothing, so a caller may check once, at the end.
 *
 *     open, (settings | vocabulary | section | begin_tensor, rows...)*, finish
 */
#ifndef TOOLS_WEIGHT_WRITER_H
#define TOOLS_WEIGHT_WRITER_H

#include "engine/engine.h"
#include "model/config.h"
#include "model/tensor.h"

struct weight_writer;

/* *writer is NULL on failure. error must outlive the writer. */
engine_status weight_writer_open(const char *path, struct weight_writer **writer,
                                 engine_error *error);

/* Adds one setting to CONF, TOKN or META. */
engine_status weight_writer_setting(struct weight_writer *writer, engine_settings settings,
                                    const char *key, const char *value, size_t value_len);

/* Adds all settings of a config to CONF. */
engine_status weight_writer_config(struct weight_writer *writer, const struct model_config *config);

/* Adds the tensor of a config's position_frequencies, [n], unless n is 0. */
engine_status weight_writer_frequencies(struct weight_writer *writer, const float *frequencies,
                                        size_t n);

/* texts[id] is [lens[id]] bytes; NULL or empty: an id without text. */
engine_status weight_writer_vocabulary(struct weight_writer *writer, const char *const *texts,
                                       const size_t *lens, size_t n);

/* Adds a section of its own, which readers must know: tables of a kind of tokenizer. The writer
 * borrows tag and data. */
engine_status weight_writer_section(struct weight_writer *writer, const char *tag, const void *data,
                                    size_t len);

/* Refuses a tokenizer that readers refuse, by their own checks: before the tensors are written. */
engine_status weight_writer_check_tokenizer(struct weight_writer *writer);

/* Begins a tensor [rows, cols] (n_dims 2) or [rows] (n_dims 1, cols 1). */
engine_status weight_writer_begin_tensor(struct weight_writer *writer, const char *name,
                                         enum tensor_type type, enum tensor_layout layout,
                                         size_t n_dims, size_t rows, size_t cols);

/* Before the rows: sets the factors of the columns of int8 types that have factors, [cols], above 0
 * and finite: the engine multiplies the matrix's inputs by them, so the writer divides its columns.
 * INT8K requires this call: it stores the KEPT columns whose factors are 0 in f32. Without this
 * call all other factors are 1. */
engine_status weight_writer_factors(struct weight_writer *writer, const float *factors);

/* Writes the next n_rows rows of the tensor, [n_rows, cols]. */
engine_status weight_writer_rows(struct weight_writer *writer, const float *values, size_t n_rows);

/* Writes the rest, checks that every tensor is complete, syncs, renames, frees. */
engine_status weight_writer_finish(struct weight_writer *writer);

/* Removes what was written and frees. NULL is a harmless no-op. */
void weight_writer_abort(struct weight_writer *writer);

#endif
