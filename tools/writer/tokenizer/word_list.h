/* word_list.h - tokens in the order of their ids, each text once, found by text. Without memory the
 * program ends with a message: see tools/common/alloc.h. */
#ifndef TOOLS_WORD_LIST_H
#define TOOLS_WORD_LIST_H

#include <stddef.h>
#include <stdint.h>

#define WORD_NONE SIZE_MAX

/* All zero: empty. */
struct word_list {
    char **texts; /* [n] NUL-terminated; NULL: an id without text */
    size_t *lens; /* [n] */
    size_t n, cap;
    uint32_t *slots; /* [n_slots] open addressing: id + 1, or 0 */
    size_t n_slots;
};

/* The id of a text, or WORD_NONE. */
size_t word_list_find(const struct word_list *list, const char *text, size_t len);

/* Stores a copy of the text at a free id; the text must not be in the list. New ids before it have
 * no text; an empty text stores none. */
void word_list_place(struct word_list *list, size_t id, const char *text, size_t len);

/* Removes ids from n on. */
void word_list_cut(struct word_list *list, size_t n);

/* Stores a text at the next id. */
void word_list_append(struct word_list *list, const char *text, size_t len);

#endif
