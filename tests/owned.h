/* owned.h - what a test makes is released after it, and what SET_UP makes after the suite, the
 * latest first. A loop that makes much releases it itself, by a mark. Not for several threads.
 *
 * Arrays have exactly the size asked for, so that AddressSanitizer sees the first element too
 * many. */
#ifndef TESTS_OWNED_H
#define TESTS_OWNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the object, which `release` ends. */
void *owned(void *object, void (*release)(void *object));
size_t owned_mark(void);
void owned_release(size_t mark); /* what was made since then */

/* Of zeros, aligned to 64 bytes; without an initial value; a copy. */
void *new_bytes(size_t n);
float *new_floats(size_t n);
double *new_doubles(size_t n);
float *copy_floats(const float *x, size_t n);

/* Uniform within -range .. range. */
double random_within(uint64_t *state, double range);
float *random_floats(uint64_t *state, size_t n, double range);

/* A NaN with bits of its own, which arithmetic on bits could lose. */
float nan_with(uint64_t bits);

/* Fills with a NaN that no computation gives, and recognizes it: what must not be written stays
 * `untouched`, and code that reads it gets NaN. */
void fill_untouched(float *x, size_t n);
bool untouched(const float *x, size_t n);

/* The same to the last bit. */
bool same_floats(const float *a, const float *b, size_t n);

#endif
