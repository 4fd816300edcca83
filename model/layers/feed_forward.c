/* feed_forward.c - the routing of tokens to experts, see feed_forward.h. */
#include "model/layers/feed_forward.h"

#include <math.h>
#include <string.h>

/* Index of the first of the largest numbers. NaN is never larger. */
static size_t find_largest(const float *values, size_t n)
{
    size_t largest = 0;
    for (size_t i = 1; i < n; i++)
        largest = values[i] > values[largest] ? i : largest;
    return largest;
}

void experts_choose(float *logits, size_t n, size_t used, int32_t *chosen, float *shares)
{
    double most = (double)logits[find_largest(logits, n)], sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp((double)logits[i] - most);
    for (size_t i = 0; i < used; i++) {
        size_t expert = find_largest(logits, n);
        chosen[i] = (int32_t)expert;
        shares[i] = (float)(exp((double)logits[expert] - most) / sum);
        logits[expert] = -INFINITY;
    }
}

void experts_place(int32_t *chosen, size_t n, size_t n_experts, size_t *starts)
{
    memset(starts, 0, (n_experts + 1) * sizeof *starts);
    for (size_t i = 0; i < n; i++) {
        if ((uint32_t)chosen[i] >= n_experts)
            chosen[i] = 0;
        starts[chosen[i]]++;
    }
    for (size_t e = 0, first = 0; e <= n_experts; e++) {
        size_t n_rows = starts[e];
        starts[e] = first;
        first += n_rows;
    }
    for (size_t i = 0; i < n; i++)
        chosen[i] = (int32_t)starts[chosen[i]]++;
    memmove(starts + 1, starts, n_experts * sizeof *starts);
    starts[0] = 0;
}
