/* arena.h - cuts a block of memory into arrays, for every part of the library that needs memory.
 *
 * Such a part has X_carve(struct X *, ..., struct arena *), which points its arrays into the block.
 * It is called twice: with an empty arena, to measure, and with the block. So the size and the
 * arrays cannot drift apart, and a size that size_t cannot count is noticed here alone: counts are
 * below 2^31, so that twice one, rounded up, can be counted in 32 bits; their products cannot.
 */
#ifndef MODEL_ARENA_H
#define MODEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARENA_ALIGN = 64 };

struct arena {
    char *base; /* NULL: measures */
    size_t used;
    bool overflow; /* the arrays have more bytes than size_t counts */
};

/* Returns an array of n elements of `bytes` each, at a multiple of ARENA_ALIGN from the base. */
static inline void *arena_cut(struct arena *arena, size_t n, size_t bytes)
{
    size_t len, end;
    if (__builtin_mul_overflow(n, bytes, &len) ||
        __builtin_add_overflow(len, ARENA_ALIGN - 1, &len) ||
        __builtin_add_overflow(arena->used, len / ARENA_ALIGN * ARENA_ALIGN, &end)) {
        arena->overflow = true;
        return NULL;
    }
    void *part = arena->base != NULL ? arena->base + arena->used : NULL;
    arena->used = end;
    return part;
}

/* Returns a matrix [rows, cols] of such elements. */
static inline void *arena_matrix(struct arena *arena, size_t rows, size_t cols, size_t bytes)
{
    size_t n;
    arena->overflow |= __builtin_mul_overflow(rows, cols, &n);
    return arena_cut(arena, n, bytes);
}

static inline float *arena_floats(struct arena *arena, size_t rows, size_t cols)
{
    return arena_matrix(arena, rows, cols, sizeof(float));
}

/* Returns the bytes of all arrays; SIZE_MAX, which no block has, if they cannot be counted. */
static inline size_t arena_bytes(const struct arena *arena)
{
    return arena->overflow ? SIZE_MAX : arena->used;
}

/* Allocates the block that was measured, to be carved and freed (base), and returns true; returns
 * false once it is carved, or if there is no memory for it: base is NULL.
 *
 *     do X_carve(&x, &arena); while (arena_allocate(&arena));
 */
static inline bool arena_allocate(struct arena *arena)
{
    if (arena->base != NULL || arena->overflow || arena->used > SIZE_MAX - ARENA_ALIGN)
        return false;
    arena->base = aligned_alloc(ARENA_ALIGN, arena->used > 0 ? arena->used : ARENA_ALIGN);
    if (arena->base != NULL)
        arena->used = 0;
    return arena->base != NULL;
}

#endif
