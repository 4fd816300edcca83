/* info.h - what a model's settings mean together, and as choices of callers. */
#ifndef ENGINE_INFO_H
#define ENGINE_INFO_H

#include "engine/model.h"

/* Callers choose positions and masks by the values of model/config.h, and this; 0 is the model's
 * own. */
enum { FIRST_CHOICE = 1 };

/* Finds the next entry of the metadata from *at (at first 0) whose key is `prefix` and `name`, or
 * any name if that is NULL. Returns false if there is none. */
bool next_metadata(const engine_model *model, size_t *at, const char *prefix, const char *name,
                   struct setting *setting);

/* Returns whether a query and a text are scored as a pair, by the head: a cross-encoder's, of one
 * label or, if the file says `cross_encoder yes`, of two. */
bool ranks_pairs(const engine_model *model);

/* Returns the meaning of ENGINE_POOLING_MODEL: for a model without a pooling, its sparse weights or
 * its vectors of tokens, if any, else ENGINE_POOLING_NONE. */
engine_pooling own_pooling(const struct model_config *config);

/* Returns the pooling that is chosen, POOLING_NONE if the choice is another answer. */
enum pooling pooling_of(engine_pooling choice);

#endif
