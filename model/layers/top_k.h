/* top_k.h - the k largest of n scores. */
#ifndef MODEL_TOP_K_H
#define MODEL_TOP_K_H

#include <stddef.h>
#include <stdint.h>

/* may_alias: the engine hands its callers' buffers of engine_candidate, the same fields, to us. */
struct __attribute__((may_alias)) candidate {
    size_t token; /* for the caller to fill: the token that has these scores; 0 */
    int32_t id;   /* index of the score */
    float score;
};

/* out [k] = the k largest of scores [n], k ≤ n, largest first, and of equals the one with the
 * smaller id first. */
void top_k(const float *scores, size_t n, size_t k, struct candidate *out);

#endif
