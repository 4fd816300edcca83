/* top_k.c - insertion into a list of the k best so far: k is small compared with n, and after the
 * first few scores most are below the list's last. Its plain twin, a sort, is in test_top_k.c.
 */
#include "model/layers/top_k.h"

void top_k(const float *scores, size_t n, size_t k, engine_candidate *out)
{
    size_t count = 0;
    for (size_t id = 0; id < n && k > 0; id++) {
        if (count == k && !(scores[id] > out[k - 1].score))
            continue;
        size_t at = count < k ? count++ : k - 1;
        for (; at > 0 && scores[id] > out[at - 1].score; at--)
            out[at] = out[at - 1];
        out[at] = (engine_candidate){.id = (int32_t)id, .score = scores[id]};
    }
}
