/* windows.h - a text longer than the model takes, as windows of its tokens, each with the special
 * tokens around it. Of a pair the longer text goes in windows, or the one that --truncation names,
 * and the other is in each of them whole. */
#ifndef TOOLS_WINDOWS_H
#define TOOLS_WINDOWS_H

#include "tools/common/texts/encoder.h"

struct windows {
    const struct item *item;
    const struct encoder *encoder;
    bool in_pair;            /* the second text goes in windows */
    bool at_words;           /* cut before words, where one begins */
    size_t first, n;         /* the tokens of that text among the item's */
    size_t room;             /* of them in a window */
    size_t stride;           /* shared by neighbours */
    size_t of, index, begin; /* how many there are; the next one and its first token */
};

/* Prepares the windows of an item with all its tokens; one, if it is not too long. False: the
 * encoder's message says why there can be none. */
bool windows_begin(struct windows *windows, struct encoder *encoder, const struct item *item);

/* The next window, which borrows the item's record and has tokens of its own: item_free frees it.
 * False: no memory. Call it as often as there are windows. */
bool windows_next(struct windows *windows, struct item *window);

#endif
