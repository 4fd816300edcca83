/* entities.c - one pass over the tokens with one open entity (see entities.h for the tags). */
#include "model/layers/entities.h"

#include <string.h>

static bool has_tag(const char *name, char tag)
{
    return name[0] == tag && name[1] == '-';
}

/* Returns what must be equal in one entity: the X of B-X and I-X, else the whole name. */
static const char *tag_of(const char *name)
{
    return has_tag(name, 'B') || has_tag(name, 'I') ? name + 2 : name;
}

static bool is_outside(const struct entity_list *list, const char *name)
{
    const char *dash = name != NULL && !list->is_each ? strchr(name, '-') : NULL;
    return name != NULL && strcmp(dash != NULL ? dash + 1 : name, "O") == 0;
}

static bool goes_on(const struct entity_list *list, const struct labelled_token *token)
{
    if (list->n_open_tokens == 0 || list->is_each || token->in_pair != list->open.in_pair)
        return false;
    if (token->name == NULL || list->open_tag == NULL)
        return token->name == list->open_tag && token->label == list->open.label;
    return strcmp(tag_of(token->name), list->open_tag) == 0 && !has_tag(token->name, 'B');
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
    bool outside = is_outside(list, token->name);
    if (outside || !goes_on(list, token))
        entities_close(list);
    if (outside)
        return;
    if (list->n_open_tokens == 0) {
        list->open = (engine_entity){
            .label = token->label, .begin = token->begin, .in_pair = token->in_pair};
        list->open_tag = token->name != NULL ? tag_of(token->name) : NULL;
        list->score_sum = 0;
    }
    list->open.end = token->end;
    list->score_sum += (double)token->score;
    list->n_open_tokens++;
}
