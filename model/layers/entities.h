/* entities.h - spans of tokens that name one thing, from the label of each token: BIO tags.
 *
 * B-X starts an entity of kind X; I-X, and a bare X, continue an entity of their kind or start one;
 * O, or a label without a name, is outside of all entities. An entity never crosses from a text to
 * its pair. The score of an entity is the mean of its tokens'. Source: Ramshaw and Marcus 1995.
 */
#ifndef MODEL_ENTITIES_H
#define MODEL_ENTITIES_H

#include "engine/engine_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token and its most likely label. */
struct labelled_token {
    size_t label;
    const char *name; /* of that label, borrowed until the list is closed; NULL: unnamed */
    float score;
    size_t begin, end; /* bytes of the text */
    bool in_pair;
    bool continues_word; /* it is a piece within a word: its B- does not start another entity */
};

/* Starts as {.out = ..., .cap = ...}. Entities beyond cap are counted in n but not stored. */
struct entity_list {
    engine_entity *out; /* [cap] */
    size_t cap, n;
    engine_entity open;    /* the entity that the next token may continue */
    const char *open_kind; /* its X */
    size_t n_open_tokens;  /* 0: no entity is open */
    double score_sum;      /* of these tokens */
};

/* Adds the next token of a text. */
void entities_add(struct entity_list *list, const struct labelled_token *token);

/* Ends the open entity: after the last token, and at a special token between tokens. */
void entities_close(struct entity_list *list);

#endif
