/* comparing.h - how a model compares texts; see comparing.c. */
#ifndef ENGINE_COMPARING_H
#define ENGINE_COMPARING_H

#include "engine/model.h"

/* Returns whether a query and a text are scored as a pair, by the head: a cross-encoder's, of one
 * label or, if the file says `cross_encoder yes`, of two. */
bool ranks_pairs(const engine_model *model);

#endif
