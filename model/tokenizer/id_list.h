/* id_list.h - a short list of token ids, which a setting like "0 1 2 1012" gives. */
#ifndef MODEL_ID_LIST_H
#define MODEL_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ID_LIST_MOST = 64 };

struct id_list {
    size_t n;
    int32_t ids[ID_LIST_MOST];
};

static inline bool id_list_has(const struct id_list *list, int32_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

#endif
