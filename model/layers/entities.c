/* entities.c - one pass over the tokens with one open entity (see entities.h for the tags). */
#include "model/layers/entities.h"

#include <string.h>

static bool has_tag(const char *name, char tag)
{
    return name[0] == tag && name[1] == '-';
}

/* Returns the X of B-X, I-X and X. */
static const char *kind_of(const char *name)
{
    return has_tag(name, 'B') || has_tag(name, 'I') ? name + 2 : name;
}

static bool goes_on(const struct entity_list *list, const struct labelled_token *token)
{
    return list->n_open_tokens > 0 && token->in_pair == list->open.in_pair &&
           strcmp(kind_of(token->name), list->open_kind) == 0 &&
           (token->continues_word || !has_tag(token->name, 'B'));
}

void entities_close(struct entity_list *list)
{
    if (list->n_open_tokens == 0)
        return;
    list->open.score = (float)(list->score_sum / (double)list->n_open_tokens);
    if (list->n < list->cap)
        list->out[list->n] = list->open;
    list->n++;
    list->n_open_tokens = 0;
}

void entities_add(struct entity_list *list, const struct labelled_token *token)
{
    bool outside = token->name == NULL || strcmp(token->name, "O") == 0;
    if (outside || !goes_on(list, token))
        entities_close(list);
    if (outside)
        return;
    if (list->n_open_tokens == 0) {
        list->open = (engine_entity){
            .label = token->label, .begin = token->begin, .in_pair = token->in_pair};
        list->open_kind = kind_of(token->name);
        list->score_sum = 0;
    }
    list->open.end = token->end;
    list->score_sum += (double)token->score;
    list->n_open_tokens++;
}
