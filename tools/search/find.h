/* find.h - the best rows for queries, whatever VECTORS is. */
#ifndef TOOLS_SEARCH_FIND_H
#define TOOLS_SEARCH_FIND_H

#include "tools/common/texts/encoder.h"
#include "tools/search/places.h"

/* The k best rows of n queries that are encoded, of all files: out is [n, k], as engine_search
 * fills it. */
void find_rows(const struct places *places, const struct encoder *encoder,
               const struct item *queries, size_t n, size_t k, engine_metric metric,
               engine_hit *out);

#endif
