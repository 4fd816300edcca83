/* top_k.h - the k largest of n scores. */
#ifndef MODEL_TOP_K_H
#define MODEL_TOP_K_H

#include <stddef.h>
#include <stdint.h>

/* may_alias: the engine passes callers' buffers of engine_candidate, which has the same fields. */
struct __attribute__((may_alias)) candidate {
    size_t token; /* index of the token with these scores: set by the caller; here 0 */
    int32_t id;   /* index of the score */
    float score;
};

/* out [k] = the k largest of scores [n], k ≤ n, largest first, equal scores by ascending id. */
void top_k(const float *scores, size_t n, size_t k, struct candidate *out);

#endif
