/* writer_state.h - shared by weight_writer.c and tensor_writer.c: what is known of a weight file
 * (weights/FORMAT.md) until its end. */
#ifndef TOOLS_WRITER_STATE_H
#define TOOLS_WRITER_STATE_H

#include "engine/engine.h"
#include "engine/file/format.h"
#include "engine/status.h"
#include "model/tensor.h"
#include "tools/writer/output_file.h"

#include <stdbool.h>

enum { MAX_OWN_SECTIONS = 4, MAX_SECTIONS = 6 + MAX_OWN_SECTIONS, N_SETTINGS = 3 };

/* A growing array of bytes, freed by weight_writer_abort. */
struct bytes {
    uint8_t *data;
    size_t len, cap;
};

struct weight_writer {
    struct output_file *file;
    uint64_t offset; /* end of the written data */
    uint32_t version;
    engine_status status;
    engine_error own, *error;

    struct settings {
        struct bytes entries; /* of the section, without the count before them */
        uint32_t n;
    } settings[N_SETTINGS];
    struct bytes vocabulary;
    struct own_section {
        char tag[4];
        struct bytes bytes;
    } own_sections[MAX_OWN_SECTIONS];
    size_t n_own_sections;

    struct section_record {
        char tag[4];
        bool required;
        uint64_t offset, n_bytes;
        uint32_t crc;
    } sections[MAX_SECTIONS];
    size_t n_sections;

    struct tensor_record {
        char *name;
        enum tensor_type type;
        enum tensor_layout layout;
        size_t n_dims, rows, cols;
        uint64_t offset, n_bytes;
        uint32_t crc;
    } * tensors;
    size_t n_tensors, cap_tensors;

    /* The tensor being written. */
    bool in_tensor;
    size_t rows_done, n_pending;
    float *pending; /* [16, cols]: rows of an incomplete group */
    uint8_t *encoded;
    float *scales; /* the data after elements of int8, as in the file */
    int32_t *column_sums;
    float *factors;     /* in scales, like column_sums; NULL: the type has no factors */
    uint32_t *kept;     /* the columns stored in f32, in scales, or NULL */
    float *kept_panels; /* their panels */
};

/* Only the first failure is recorded. */
#define stop(writer, why, ...) ((writer)->status = fail((writer)->error, why, __VA_ARGS__))
#define refuse(writer, ...)    stop(writer, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)

engine_status writer_fail_memory(struct weight_writer *writer);

/* Writes to the section started last. */
engine_status writer_emit(struct weight_writer *writer, const void *data, size_t len);

/* Returns the bytes from the end of the written data to the next aligned offset. */
static inline size_t writer_to_alignment(const struct weight_writer *writer)
{
    return (size_t)((TENSOR_ALIGN - writer->offset % TENSOR_ALIGN) % TENSOR_ALIGN);
}

/* Refuses to continue while a tensor lacks rows. */
engine_status writer_check_whole(struct weight_writer *writer);

/* Frees the memory of the tensor being written. */
void writer_free_tensor(struct weight_writer *writer);

#endif
