/* text.h - what all parts of the tokenizer share: views of texts, settings that are lists, and the
 * meter of the work for a text. */
#ifndef MODEL_TEXT_H
#define MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Views and lists ----
 * Settings are lists of items separated by blanks: "clean nfd lower", "101:0 A:0". */

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

/* ---- The meter ----
 * It bounds the work for a text, so that no file makes one thousands of times slower than another
 * does, and asks the caller now and then whether to go on. A step takes some nanoseconds: a slot of
 * a hash table, a byte of an added token, half a character that a normalizer's step emits. With
 * legitimate tokenizers usual texts take a few steps for each byte, the worst ones some 300. */

enum { METER_BYTES = 4096, METER_STEPS = 1024 /* for each byte */ };

/* All zero, but for is_over, before each text. */
struct meter {
    size_t left, next;           /* steps up to that offset of the text; 0, 0: it ends */
    bool (*is_over)(void *user); /* NULL, or asked every METER_BYTES whether to end */
    void *user;
    bool is_interrupted, is_exceeded;
};

/* Call before the character at an offset of the text. Returns false if the text is to end. */
static inline bool meter_goes_on(struct meter *meter, size_t at)
{
    if (at < meter->next)
        return true;
    meter->is_interrupted = meter->is_interrupted || (meter->next > 0 && meter->is_over != NULL &&
                                                      meter->is_over(meter->user));
    const bool goes_on = !meter->is_interrupted && !meter->is_exceeded;
    meter->left = goes_on ? (size_t)METER_BYTES * METER_STEPS : 0;
    meter->next = goes_on ? at + METER_BYTES : 0;
    return goes_on;
}

/* Returns false if too few steps are left, and ends the text. */
static inline bool meter_take(struct meter *meter, size_t steps)
{
    if (steps < meter->left) {
        meter->left -= steps;
        return true;
    }
    meter->is_exceeded |= !meter->is_interrupted;
    meter->left = meter->next = 0;
    return false;
}

#endif
