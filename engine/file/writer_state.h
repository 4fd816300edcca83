/* writer_state.h - what weight_writer.c and tensor_writer.c share. */
#ifndef ENGINE_WRITER_STATE_H
#define ENGINE_WRITER_STATE_H

#include "engine/engine.h"
#include "engine/file/format.h"
#include "engine/file/output_file.h"
#include "engine/file/weight_sections.h"
#include "engine/status.h"

#include <stdbool.h>

enum { MAX_OWN_SECTIONS = 4, MAX_SECTIONS = 6 + MAX_OWN_SECTIONS, N_SETTINGS = 3 };

struct weight_writer {
    struct output_file *file;
    uint64_t offset; /* end of what was written */
    uint32_t version;
    engine_status status;
    engine_error own, *error;

    struct settings settings[N_SETTINGS];
    struct bytes vocabulary;
    struct own_section {
        char tag[4];
        struct bytes bytes;
    } own_sections[MAX_OWN_SECTIONS];
    size_t n_own_sections;

    struct section_record sections[MAX_SECTIONS];
    size_t n_sections;

    struct tensor_record *tensors;
    size_t n_tensors, cap_tensors;

    /* The tensor that is being written. */
    bool in_tensor;
    size_t rows_done, n_pending;
    float *pending; /* [16, cols]: rows that do not fill a group yet */
    uint8_t *encoded;
    float *scales; /* what follows elements of int8, as it does in the file */
    int32_t *column_sums;
    float *factors; /* both in scales, or NULL: the type has none */
};

/* The first failure stays. */
#define stop(writer, why, ...) ((writer)->status = fail((writer)->error, why, __VA_ARGS__))
#define refuse(writer, ...)    stop(writer, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)

engine_status writer_fail_memory(struct weight_writer *writer);

/* Writes to the section that was begun last. */
engine_status writer_emit(struct weight_writer *writer, const void *data, size_t len);

/* Bytes from the end of what was written to where a tensor or a section may begin. */
static inline size_t writer_to_alignment(const struct weight_writer *writer)
{
    return (size_t)((TENSOR_ALIGN - writer->offset % TENSOR_ALIGN) % TENSOR_ALIGN);
}

/* Refuses to go on while a tensor lacks rows. */
engine_status writer_check_whole(struct weight_writer *writer);

/* What the tensor that is being written needs. */
void writer_free_tensor(struct weight_writer *writer);

#endif
