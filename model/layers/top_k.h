/* top_k.h - the k largest of n scores. */
#ifndef MODEL_TOP_K_H
#define MODEL_TOP_K_H

#include "engine/engine_types.h"

/* out [k] = the k largest of scores [n], k ≤ n, largest first, equal scores by ascending id. */
void top_k(const float *scores, size_t n, size_t k, engine_candidate *out);

#endif
