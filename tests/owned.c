/* owned.c - see owned.h. */
#include "tests/owned.h"

#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static struct {
    void *object;
    void (*release)(void *object);
} * objects;
static size_t n_objects, cap;

void *owned(void *object, void (*release)(void *object))
{
    if (n_objects == cap) {
        cap = 2 * cap + 64;
        objects = realloc(objects, cap * sizeof *objects);
    }
    assert_true(object != NULL && objects != NULL);
    objects[n_objects].object = object;
    objects[n_objects++].release = release;
    return object;
}

size_t owned_mark(void)
{
    return n_objects;
}

void owned_release(size_t mark)
{
    while (n_objects > mark) {
        n_objects--;
        objects[n_objects].release(objects[n_objects].object);
    }
    if (mark == 0) {
        free(objects);
        objects = NULL;
        cap = 0;
    }
}

void *new_bytes(size_t n)
{
    void *bytes = NULL;
    assert_int_equal(posix_memalign(&bytes, ALIGN, n), 0);
    memset(bytes, 0, n);
    return owned(bytes, free);
}

float *new_floats(size_t n)
{
    return owned(malloc(n > 0 ? n * sizeof(float) : 1), free);
}

double *new_doubles(size_t n)
{
    return owned(malloc(n > 0 ? n * sizeof(double) : 1), free);
}

float *copy_floats(const float *x, size_t n)
{
    float *copy = new_floats(n);
    if (n > 0)
        memcpy(copy, x, n * sizeof *x);
    return copy;
}

double random_within(uint64_t *state, double range)
{
    return ((double)(support_random(state) >> 11) * 0x1p-52 - 1) * range;
}

float *random_floats(uint64_t *state, size_t n, double range)
{
    float *x = new_floats(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)random_within(state, range);
    return x;
}

float nan_with(uint64_t bits)
{
    uint32_t pattern = 0x7FC00000u | (uint32_t)(bits & 0x803FFFFF);
    float nan;
    memcpy(&nan, &pattern, sizeof nan);
    return nan;
}

static const uint32_t UNTOUCHED = 0x7FC5A5A5u;

void fill_untouched(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(x + i, &UNTOUCHED, sizeof *x);
}

bool untouched(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(x + i, &UNTOUCHED, sizeof *x) != 0)
            return false;
    return true;
}

bool same_floats(const float *a, const float *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}
