/* sample.c - see sample.h. */
#include "tests/tools/families/sample.h"

#include <stdio.h>
#include <stdlib.h>

float *sample_floats(const struct sample *sample, const char *key, size_t *n)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", sample->name, key);
    *n = safetensors_count(sample->expected, name, NULL);
    return safetensors_floats(sample->expected, name);
}

double *sample_doubles(const struct sample *sample, const char *key, size_t *n)
{
    float *values = sample_floats(sample, key, n);
    double *doubles = values ? malloc((*n + 1) * sizeof *doubles) : NULL;
    for (size_t i = 0; doubles && i < *n; i++)
        doubles[i] = (double)values[i];
    free(values);
    return doubles;
}

int64_t *sample_integers(const struct sample *sample, const char *key)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", sample->name, key);
    return safetensors_integers(sample->expected, name);
}

void sample_read(struct sample *sample)
{
    char name[96];
    snprintf(name, sizeof name, "%s.input_ids", sample->name);
    sample->n = safetensors_shape(sample->expected, name, 0);
    sample->len = safetensors_shape(sample->expected, name, 1);
    size_t n = sample->n * sample->len;
    assert_true(sample->n > 0 && sample->n <= SAMPLE_ROWS && n > 0);
    int64_t *ids = sample_integers(sample, "input_ids"),
            *mask = sample_integers(sample, "attention_mask");
    int64_t *types = sample_integers(sample, "token_type_ids");
    if (!ids || !mask || !types)
        fail_msg("%s lacks input_ids, attention_mask or token_type_ids", sample->name);
    sample->ids = calloc(n, sizeof *sample->ids);
    sample->types = calloc(n, sizeof *sample->types);
    sample->mask = calloc(n, sizeof *sample->mask);
    assert_true(sample->ids && sample->types && sample->mask);
    for (size_t i = 0; i < n; i++) {
        sample->ids[i] = (int32_t)ids[i];
        sample->types[i] = (int32_t)types[i];
        sample->mask[i] = (uint8_t)mask[i];
    }
    for (size_t i = 0; i < sample->n; i++)
        sample->inputs[i] = (engine_input){.ids = sample->ids + i * sample->len,
                                           .types = sample->types + i * sample->len,
                                           .mask = sample->mask + i * sample->len,
                                           .n_ids = sample->len};
    free(ids);
    free(mask);
    free(types);
}

void sample_free(struct sample *sample)
{
    free(sample->ids);
    free(sample->types);
    free(sample->mask);
}
