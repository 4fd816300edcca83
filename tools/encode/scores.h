/* scores.h - scores as results show them: best first, and an entity with its words. */
#ifndef TOOLS_SCORES_H
#define TOOLS_SCORES_H

#include "tools/common/texts/encoder.h"

struct ranked {
    float score;
    size_t index;
};

/* For qsort, of anything that begins with a struct ranked: larger scores first, equals in the order
 * of their indexes. */
int ranked_compare(const void *a, const void *b);

/* The scores of a text as a whole; NULL for a text without tokens, whose row of zeros says nothing.
 */
const float *scores_of(const struct item *item);

/* out: [n], best first. */
void rank_scores(const float *scores, size_t n, struct ranked *out);

/* The ids of a row [n] that have a weight, the heaviest first; returns how many. out: [n]. */
size_t rank_weights(const float *row, size_t n, struct ranked *out);

/* The words of an item's i-th entity, and its label without B- or I-. */
const char *entity_text(const struct item *item, size_t i, size_t *len);
const char *entity_label(const struct encoder *encoder, const struct item *item, size_t i,
                         char scratch[LABEL_NAME_BYTES]);

#endif
