/* families.c - all classes that can be imported. */
#include "tools/import/families/tables.h"

#include <string.h>

static const struct architecture *const FAMILIES[] = {
    BERT_CLASSES,       DISTILBERT_CLASSES, ELECTRA_CLASSES, ROBERTA_CLASSES,
    MPNET_CLASSES,      ALBERT_CLASSES,     NOMIC_CLASSES,   JINA_CLASSES,
    MODERNBERT_CLASSES, GEMMA_CLASSES,      QWEN_CLASSES,    EMBEDDING_CLASSES,
};
enum { N_FAMILIES = sizeof FAMILIES / sizeof FAMILIES[0] };

const struct architecture *architecture_at(size_t index)
{
    for (size_t family = 0; family < N_FAMILIES; family++)
        for (const struct architecture *at = FAMILIES[family]; at->class_name != NULL; at++)
            if (index-- == 0)
                return at;
    return NULL;
}

const struct architecture *architecture_find(const char *class_name, const char *model_type)
{
    const struct architecture *at;
    for (size_t i = 0; (at = architecture_at(i)) != NULL; i++)
        if (class_name != NULL ? strcmp(at->class_name, class_name) == 0
                               : strcmp(at->model_type, model_type) == 0)
            break;
    return at;
}

const struct part *part_of_kind(const struct part *parts, enum part_kind kind)
{
    while (parts->to != NULL && parts->kind != kind)
        parts++;
    return parts->to != NULL ? parts : NULL;
}

bool architecture_leaves_out(const struct body *body, const struct head *head, const char *key)
{
    for (const char *const *start = body->left_out; *start != NULL; start++) {
        size_t len = strlen(*start);
        bool is_head = false;
        for (const struct part *part = head != NULL ? head->parts : NULL;
             part != NULL && part->to != NULL; part++)
            is_head = is_head || strncmp(part->from[0], *start, len) == 0;
        if (!is_head && strncmp(key, *start, len) == 0)
            return true;
    }
    return false;
}
