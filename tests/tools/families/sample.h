/* sample.h - the inputs and the expected numbers that shared/checkpoints writes beside a directory:
 * each case is B texts of T ids, padded at the end. */
#ifndef FAMILIES_SAMPLE_H
#define FAMILIES_SAMPLE_H

#include "tests/support.h"
#include "tests/tools/families/safetensors.h"

enum { SAMPLE_ROWS = 8 };

struct sample {
    const struct safetensors *expected;
    const char *name; /* of the case */
    size_t n, len, width;
    int32_t *ids, *types;
    uint8_t *mask;
    engine_input inputs[SAMPLE_ROWS];
};

/* Reads the case that expected and name say. */
void sample_read(struct sample *sample);
void sample_free(struct sample *sample);

/* CASE.KEY and how many numbers it has, or NULL; the caller frees. */
float *sample_floats(const struct sample *sample, const char *key, size_t *n);
int64_t *sample_integers(const struct sample *sample, const char *key);
double *sample_doubles(const struct sample *sample, const char *key, size_t *n);

#endif
