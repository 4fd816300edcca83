/* sample.h - the inputs and the expected numbers that shared/checkpoints writes beside a directory,
 * into a file of safetensors: eight bytes with the length of a JSON header (name -> dtype, shape,
 * data_offsets), the header, the data. Each case is B texts of T ids, padded at the end. What is
 * read is released after the test. */
#ifndef FAMILIES_SAMPLE_H
#define FAMILIES_SAMPLE_H

#include "tests/support.h"

#include <jansson.h>

enum { SAMPLE_ROWS = 8 };

struct sample_file {
    const uint8_t *data;
    size_t n_data;
    json_t *header;
};

struct sample {
    const struct sample_file *file;
    const char *name; /* of the case */
    size_t n, len;
    engine_input inputs[SAMPLE_ROWS];
};

void sample_file_read(struct sample_file *file, const char *path);

/* Reads the case that file and name say. */
void sample_read(struct sample *sample);

/* CASE.KEY and how many numbers it has, or NULL; integers are numbers, too. */
double *sample_numbers(const struct sample *sample, const char *key, size_t *n);

#endif
