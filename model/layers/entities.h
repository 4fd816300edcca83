/* entities.h - spans of tokens that name one thing, from the label of each token: BIO tags.
 *
 * B-X starts an entity; I-X continues one of X, and any other label one of the same label, or they
 * start one. O is outside of all entities, and so is a label that ends in -O. An entity never
 * crosses from a text to its pair. The score of an entity is the mean of its tokens'. Source:
 * group_entities of transformers' TokenClassificationPipeline.
 */
#ifndef MODEL_ENTITIES_H
#define MODEL_ENTITIES_H

#include "engine/engine_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token, or a word, and its label. */
struct labelled_token {
    size_t label;
    const char *name; /* of that label, borrowed until the list is closed; NULL: unnamed */
    float score;
    size_t begin, end; /* bytes of the text */
    bool in_pair;
};

/* Starts as {.out = ..., .cap = ...}. Entities beyond cap are counted in n but not stored. */
struct entity_list {
    engine_entity *out; /* [cap] */
    size_t cap, n;
    engine_entity open;   /* the entity that the next token may continue */
    const char *open_tag; /* its X */
    bool is_each;         /* every token is an entity */
    size_t n_open_tokens; /* 0: no entity is open */
    double score_sum;     /* of these tokens */
};

/* Adds the next token of a text. */
void entities_add(struct entity_list *list, const struct labelled_token *token);

/* Ends the open entity, after the last token. */
void entities_close(struct entity_list *list);

#endif
