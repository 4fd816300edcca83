/* weight_writer.h - the one writer of weight files (weights/FORMAT.md). Not part of the installed
 * library: the programs that make weight files link it beside libengine.
 *
 * The file is written beside its place and renamed into it by weight_writer_finish; until then
 * nothing is seen under its name, and weight_writer_abort leaves nothing behind. Tensors are
 * streamed by rows, so that memory stays small whatever the model's size. Every function returns
 * ENGINE_OK or a status with the words in the writer's error; after a failure the other calls
 * return the same status and do nothing, so a caller may check once, at the end.
 *
 *     open, (settings | vocabulary | section | begin_tensor, rows...)*, finish
 */
#ifndef ENGINE_WEIGHT_WRITER_H
#define ENGINE_WEIGHT_WRITER_H

#include "engine/engine.h"
#include "model/config.h"
#include "model/tensor.h"
#include "model/tokenizer/pieces/merges.h"

struct weight_writer;

/* *writer is NULL on failure. error must outlive the writer. */
engine_status weight_writer_open(const char *path, struct weight_writer **writer,
                                 engine_error *error);

/* Adds one setting to CONF, TOKN or META. */
engine_status weight_writer_setting(struct weight_writer *writer, engine_settings settings,
                                    const char *key, const char *value, size_t value_len);

/* Adds all settings of a config to CONF. */
engine_status weight_writer_config(struct weight_writer *writer, const struct model_config *config);

/* Adds the tensor of a config's position_frequencies, [n]; nothing where n is 0. */
engine_status weight_writer_frequencies(struct weight_writer *writer, const float *frequencies,
                                        size_t n);

/* texts[id] is [lens[id]] bytes; NULL or empty: an id without text. */
engine_status weight_writer_vocabulary(struct weight_writer *writer, const char *const *texts,
                                       const size_t *lens, size_t n);

/* Adds a section of its own, which readers must know: what a kind of tokenizer looks up. */
engine_status weight_writer_section(struct weight_writer *writer, const char tag[4],
                                    const void *data, size_t len);

/* What section MERG is made of: the vocabulary, the merges in their order. */
struct writer_merges {
    const char *const *texts; /* [n_texts], as weight_writer_vocabulary has them */
    const size_t *lens;
    size_t n_texts;
    const struct merge *merges; /* [n] */
    size_t n;
    struct merge_affixes affixes;
};

/* Makes the section, which the caller frees. NULL when done; else what is wrong, *bad the merge
 * that it is about. */
const char *weight_writer_merges(const struct writer_merges *merges, void **section, size_t *len,
                                 size_t *bad);

/* Begins a tensor [rows, cols] (n_dims 2) or [rows] (n_dims 1, cols 1). */
engine_status weight_writer_begin_tensor(struct weight_writer *writer, const char *name,
                                         enum tensor_type type, enum tensor_layout layout,
                                         size_t n_dims, size_t rows, size_t cols);

/* Before its rows: the factors of the columns that INT8A8 and INT8A7 have, [cols], above 0 and
 * finite: the engine multiplies what the matrix multiplies by them, so the writer divides its
 * columns. Without this call all are 1. */
engine_status weight_writer_factors(struct weight_writer *writer, const float *factors);

/* Gives the next n_rows rows of it, [n_rows, cols]. */
engine_status weight_writer_rows(struct weight_writer *writer, const float *values, size_t n_rows);

/* Writes the rest, checks that every tensor is whole, syncs, renames, frees. */
engine_status weight_writer_finish(struct weight_writer *writer);

/* Removes what was written and frees. NULL is a harmless no-op. */
void weight_writer_abort(struct weight_writer *writer);

#endif
