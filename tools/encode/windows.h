/* windows.h - a text longer than the model takes, as windows of its tokens, each an item. */
#ifndef TOOLS_WINDOWS_H
#define TOOLS_WINDOWS_H

#include "tools/common/texts/encoder.h"

struct windows {
    const struct item *item;
    engine_window *cuts; /* [of]; NULL: ids, which are one window */
    size_t of, index;    /* how many there are; the next one */
};

/* Prepares the windows of an item with all its tokens; one, if it is not too long. False: the
 * encoder's message says why there can be none. */
bool windows_begin(struct windows *windows, struct encoder *encoder, struct item *item);
void windows_end(struct windows *windows);

/* The next window, which borrows the item's record and has tokens of its own: item_free frees it.
 * False: no memory. Call it as often as there are windows. */
bool windows_next(struct windows *windows, struct item *window);

#endif
