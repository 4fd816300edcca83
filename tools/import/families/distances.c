/* distances.c - buckets as in modeling_mpnet.py of huggingface/transformers, its
 * relative_position_bucket, which are those of T5 (Raffel et al. 2020): half of them are for keys
 * before the query and half for those behind it; of these, half for a distance each and the others
 * for ranges that grow:
 *
 *     8 + ⌊ln(n / 8) / ln(128 / 8) · 8⌋, at most 15
 *
 * The logarithm is taken in single precision, as it is published: it decides on which side of a
 * border a distance falls.
 */
#include "tools/import/families/distances.h"

#include <math.h>

int distance_bucket(int64_t distance)
{
    enum { OF_A_SIDE = DISTANCE_BUCKETS / 2, EXACT = OF_A_SIDE / 2 };
    int side = distance > 0 ? OF_A_SIDE : 0;
    int64_t n = distance > 0 ? distance : -distance;
    if (n < EXACT)
        return side + (int)n;
    float share = logf((float)n / EXACT) / (float)log((double)DISTANCES / EXACT);
    int bucket = EXACT + (int)(share * (OF_A_SIDE - EXACT));
    return side + (bucket < OF_A_SIDE ? bucket : OF_A_SIDE - 1);
}
