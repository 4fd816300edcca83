/* list.h - settings that are lists of items separated by blanks: "clean nfd lower", "101:0 A:0";
 * and the ids of such a list. */
#ifndef MODEL_LIST_H
#define MODEL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed, not NUL-terminated. */
struct text_view {
    const char *text; /* [len] */
    size_t len;
};

/* Reads the first item from list.text[*at] on and advances *at. Returns false at the end. */
static inline bool list_next(struct text_view list, size_t *at, struct text_view *item)
{
    while (*at < list.len && list.text[*at] == ' ')
        ++*at;
    const char *text = list.text + *at, *blank = memchr(text, ' ', list.len - *at);
    *item = (struct text_view){text, blank != NULL ? (size_t)(blank - text) : list.len - *at};
    *at += item->len;
    return item->len > 0;
}

/* Splits an item at its first colon. Returns false, and an empty second part, without a colon. */
static inline bool list_split(struct text_view item, struct text_view *before,
                              struct text_view *after)
{
    const char *colon = memchr(item.text, ':', item.len);
    const size_t n = colon != NULL ? (size_t)(colon - item.text) : item.len;
    *before = (struct text_view){item.text, n};
    *after = colon != NULL ? (struct text_view){colon + 1, item.len - n - 1}
                           : (struct text_view){item.text + n, 0};
    return colon != NULL;
}

static inline bool list_item_is(struct text_view item, const char *word)
{
    return item.len == strlen(word) && memcmp(item.text, word, item.len) == 0;
}

/* Returns a decimal number of digits alone, up to INT32_MAX; -1 if the item is something else. */
static inline int32_t list_number(struct text_view item)
{
    int64_t number = 0;
    if (item.len == 0)
        return -1;
    for (size_t i = 0; i < item.len; i++) {
        if (item.text[i] < '0' || item.text[i] > '9')
            return -1;
        number = 10 * number + (item.text[i] - '0');
        if (number > INT32_MAX)
            return -1;
    }
    return (int32_t)number;
}

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
