/* random.h - splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine for one seed.
 */
#ifndef TOOLS_RANDOM_H
#define TOOLS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Returns 0 .. n-1; n is at least 1 and much smaller than 2^64. */
static inline size_t random_below(uint64_t *state, size_t n)
{
    return (size_t)(random_next(state) % n);
}

#endif
