/* entities.h - spans of tokens that name one thing, from the label of each token: BIO tags.
 *
 * B-X begins an entity of kind X; I-X, and a bare X, go on with one of their kind or begin one; O,
 * or a label without a name, is outside of all. An entity never crosses from a text to its pair.
 * The score of an entity is the mean of its tokens'. Source: Ramshaw and Marcus 1995.
 */
#ifndef MODEL_ENTITIES_H
#define MODEL_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* may_alias: the engine hands its callers' buffers of engine_entity, the same fields, to us. */
struct __attribute__((may_alias)) entity {
    size_t label; /* of its first token */
    float score;
    size_t begin, end; /* bytes of the text */
    uint8_t in_pair;
};

/* A token and the most likely of its labels. */
struct labelled_token {
    size_t label;
    const char *name; /* of that label, borrowed until the list is closed; NULL: it has none */
    float score;
    size_t begin, end; /* bytes of the text */
    bool in_pair;
    bool continues_word; /* it is a piece within a word: its B- does not begin another entity */
};

/* Starts as {.out = ..., .cap = ...}. Entities beyond cap are counted in n and not kept. */
struct entity_list {
    struct entity *out; /* [cap] */
    size_t cap, n;
    struct entity open;    /* the entity that the next token may go on with */
    const char *open_kind; /* its X */
    size_t n_open_tokens;  /* 0: none is open */
    double score_sum;      /* of these tokens */
};

/* The tokens of a text, one after the other. */
void entities_add(struct entity_list *list, const struct labelled_token *token);

/* After the last token, and where a special token stands between: no entity goes on. */
void entities_close(struct entity_list *list);

#endif
