/* list.h - settings that are lists of items with blanks between: "clean nfd lower", "101:0 A:0".
 */
#ifndef MODEL_LIST_H
#define MODEL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed, not NUL-terminated. */
struct list_item {
    const char *text; /* [len] */
    size_t len;
};

/* The first item from list[*at] on; *at moves past it. False at the end of the list. */
static inline bool list_next(const char *list, size_t len, size_t *at, struct list_item *item)
{
    while (*at < len && list[*at] == ' ')
        ++*at;
    const char *text = list + *at, *blank = memchr(text, ' ', len - *at);
    *item = (struct list_item){text, blank != NULL ? (size_t)(blank - text) : len - *at};
    *at += item->len;
    return item->len > 0;
}

/* What an item has before a colon, and after it; a second part without len where there is none. */
static inline bool list_split(struct list_item item, struct list_item *before,
                              struct list_item *after)
{
    const char *colon = memchr(item.text, ':', item.len);
    const size_t n = colon != NULL ? (size_t)(colon - item.text) : item.len;
    *before = (struct list_item){item.text, n};
    *after = (struct list_item){item.text + n, 0};
    if (colon != NULL)
        *after = (struct list_item){colon + 1, item.len - n - 1};
    return colon != NULL;
}

static inline bool list_item_is(struct list_item item, const char *word)
{
    return item.len == strlen(word) && memcmp(item.text, word, item.len) == 0;
}

/* A decimal number without sign or anything else, up to INT32_MAX; -1 if it is none. */
static inline int32_t list_number(struct list_item item)
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

#endif
