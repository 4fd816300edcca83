/* arena.h - cuts a block of memory into arrays. The same code runs twice: without a block, to
 * measure, and with it, to assign the arrays; so the two cannot drift apart.
 */
#ifndef RUNTIME_ARENA_H
#define RUNTIME_ARENA_H

#include "model/tensor.h"

struct arena {
    char *base; /* aligned to TENSOR_ALIGN; NULL: measuring */
    size_t used;
    bool overflow;
};

/* Returns an array of count elements of `bytes` each, aligned to TENSOR_ALIGN. */
static inline void *arena_cut(struct arena *arena, size_t count, size_t bytes)
{
    size_t len, end;
    if (__builtin_mul_overflow(count, bytes, &len) ||
        __builtin_add_overflow(len, TENSOR_ALIGN - 1, &len) ||
        __builtin_add_overflow(arena->used, len / TENSOR_ALIGN * TENSOR_ALIGN, &end)) {
        arena->overflow = true;
        return NULL;
    }
    void *part = arena->base != NULL ? arena->base + arena->used : NULL;
    arena->used = end;
    return part;
}

#endif
