/* weight_file.h - a weight file in memory: its sections, settings and tensors, checked
 * (weights/FORMAT.md).
 *
 * Opening maps the file and checks the header, the section table, the checksums of the small
 * sections and every number that an address is computed from; for a small file, or on request,
 * every checksum. The section table and the directory of tensors are read once: a map that is
 * overwritten later has wrong numbers and strings, but no wrong addresses.
 */
#ifndef ENGINE_WEIGHT_FILE_H
#define ENGINE_WEIGHT_FILE_H

#include "engine/engine.h"
#include "engine/engine_details.h"
#include "model/tensor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- The constants of weights/FORMAT.md and its numbers, for the reader and the writer ---- */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this machine is big-endian: tensors are used as stored in the file, little-endian"
#endif

enum {
    FORMAT_VERSION = 1,       /* known to every reader */
    FORMAT_VERSION_INT8A = 2, /* of files with int8 tensors that have factors */
    FORMAT_VERSION_INT8K = 3, /* of files with int8 tensors that store columns in f32 */
    HEADER_BYTES = 64,
    SECTION_ENTRY_BYTES = 32,
    TENSOR_ENTRY_BYTES = 80,
    DIRECTORY_START = 8, /* offset of the first tensor's entry in TENS */
    MOST_SECTIONS = 64
};

#define BYTE_ORDER_MARK 0x01020304u

/* Advice after a wrong checksum. */
#define COPY_AGAIN "; copy or import it again"

static const uint8_t FORMAT_MAGIC[8] = {0x89, 'E', 'N', 'C', '\r', '\n', 0x1A, '\n'};

static inline uint32_t get_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static inline uint64_t get_u64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static inline void put_u32(uint8_t *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

static inline void put_u64(uint8_t *p, uint64_t value)
{
    memcpy(p, &value, sizeof value);
}

/* ---- The file ---- */

enum section_tag {
    SECTION_CONF,
    SECTION_TOKN,
    SECTION_VOCB,
    SECTION_TENS,
    SECTION_DATA,
    SECTION_META,
    SECTION_PIECES,   /* PIEC */
    SECTION_CHARSMAP, /* CMAP */
    SECTION_MERGES,   /* MERG */
    N_SECTION_TAGS,
    FIRST_OPTIONAL_SECTION = SECTION_META
};

struct section {
    const uint8_t *data; /* NULL: absent */
    size_t len;
};

struct tensor {
    const char *name; /* NUL-terminated */
    size_t n_dims;
    uint64_t shape[4];
    enum tensor_type type;
    enum tensor_layout layout;
    uint64_t offset, len;
    uint32_t crc;
};

struct weight_file {
    const uint8_t *data;
    size_t len;
    bool mapped; /* we mapped the file or a copy: it must be unmapped */
    size_t n_sections, n_tensors;
    engine_section_info table[MOST_SECTIONS]; /* [n_sections], all, in the file's order */
    uint32_t table_crc;
    struct section sections[N_SECTION_TAGS];
    struct tensor *tensors; /* [n_tensors], in the file's order; owned, with their names and */
    const struct tensor **by_name; /* [n_tensors], sorted */
};

/* Finds the default weight file: a path of less than cap bytes. ENGINE_ERROR_IO if it does not
 * exist; the message names the paths that were tried. */
engine_status find_default_weights(char *path, size_t cap, engine_error *error);

/* Files up to this size are verified on opening: at 10 GB/s, and as long for the map's pages, that
 * takes 4 ms. */
enum { VERIFIED_BYTES = 16 << 20 };

/* Maps the file at path or, if that is NULL, views data [len]. On failure nothing is left to close.
 * All members of options must be set. */
engine_status weight_file_open(struct weight_file *file, const char *path, const void *data,
                               size_t len, const engine_model_options *options,
                               engine_error *error);
void weight_file_close(struct weight_file *file);

/* Compares the checksum of every section, so that no change of a bit goes unnoticed; unless `all`,
 * only of the small ones, settings and tensors' directory. */
engine_status weight_file_intact(const struct weight_file *file, bool all, engine_error *error);

/* The same, and checks the contents of tensors: weight_contents.c. */
engine_status weight_file_verify(const struct weight_file *file, engine_error *error);

/* ---- Entries ---- */

/* One entry of CONF, TOKN or META. */
struct setting {
    const char *key, *value; /* NUL-terminated */
    size_t value_len;
};

/* Iterates over a section of settings: start with *offset 0; returns false after the last one, if
 * the section is absent, or if the setting exceeds the section or is invalid, which
 * opening refuses. */
bool weight_file_setting(const struct section *section, size_t *offset, struct setting *setting);

/* The four letters of each section. */
extern const char SECTION_NAMES[N_SECTION_TAGS][5];

/* Returns the tensor of that name; NULL if it is absent. */
const struct tensor *weight_file_find(const struct weight_file *file, const char *name);

#endif
