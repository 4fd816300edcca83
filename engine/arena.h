/* arena.h - cuts a block of memory into parts. The same lines are run twice: with no block, to
 * measure, and with it, to hand out the parts; so the two cannot drift apart.
 */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include "model/tensor.h"

struct arena {
    char *base; /* aligned to TENSOR_ALIGN; NULL: measuring */
    size_t used;
    bool overflow;
};

/* count elements of `bytes` each, aligned to TENSOR_ALIGN. */
static inline void *arena_take(struct arena *arena, size_t count, size_t bytes)
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
